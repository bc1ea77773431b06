//! Installs what the tests need and the machine lacks, by the ordinary package managers.

use std::process::Command;

use crate::process::{Result, command, exists, run};

/// A program and the Debian packages that bring it.
struct Tool {
    program: &'static str,
    packages: &'static [&'static str],
    needed_for: &'static str,
}

const TOOLS: [Tool; 10] = [
    Tool {
        program: "cc",
        packages: &["gcc", "libc6-dev"],
        needed_for: "building the bundled SQLite",
    },
    Tool {
        program: "chromium",
        packages: &["chromium"],
        needed_for: "looking at the HTML report",
    },
    Tool {
        program: "java",
        packages: &["default-jdk-headless"],
        needed_for: "reading our logs with HdrHistogram's tools",
    },
    Tool {
        program: "mvn",
        packages: &["maven"],
        needed_for: "fetching HdrHistogram, YCSB, Cassandra and HBase from Maven Central",
    },
    Tool {
        program: "redis-server",
        packages: &["redis-server", "redis-tools"],
        needed_for: "the tests on Redis",
    },
    Tool {
        program: "/usr/lib/postgresql/15/bin/postgres",
        packages: &["postgresql-15"],
        needed_for: "the tests on PostgreSQL",
    },
    Tool {
        program: "pip3",
        packages: &["python3-pip"],
        needed_for: "fetching MongoDB's server",
    },
    Tool {
        program: "fscrypt",
        packages: &["fscrypt", "e2fsprogs"],
        needed_for: "the tests on encryption at rest",
    },
    Tool {
        program: "prometheus",
        packages: &["prometheus"],
        needed_for: "the test of the metrics",
    },
    Tool {
        program: "openssl",
        packages: &["openssl"],
        needed_for: "the audit's tests on TLS that is out of date",
    },
];

/// The version of cargo-deny that the checks were written for.
const CARGO_DENY: &str = "0.20.2";

/// Makes Rust's own tools available.
pub fn install_components() -> Result<()> {
    for component in ["rustfmt", "clippy"] {
        if !exists(&format!("cargo-{}", component.trim_start_matches("rust"))) {
            run(&mut command("rustup", &["component", "add", component]))?;
        }
    }
    Ok(())
}

/// Makes every other tool of the tests available, by the system's packages.
pub fn install() -> Result<()> {
    let missing: Vec<&Tool> = TOOLS.iter().filter(|tool| !exists(tool.program)).collect();
    if !missing.is_empty() {
        for tool in &missing {
            println!("{} is missing ({}): installing it", tool.program, tool.needed_for);
        }
        apt_get(&["update"])?;
        let packages = missing.iter().flat_map(|tool| tool.packages).copied();
        apt_get(
            &["install", "--yes", "--no-install-recommends"]
                .into_iter()
                .chain(packages)
                .collect::<Vec<_>>(),
        )?;
    }
    Ok(())
}

/// Makes the tool available that looks at dependencies. It takes minutes to build.
pub fn install_cargo_deny() -> Result<()> {
    if !exists("cargo-deny") {
        println!("cargo-deny is missing (licences and sources of dependencies): building it");
        // The checks take a second: a quick build is worth more than a quick program.
        let mut install = command(
            "cargo",
            &[
                "install",
                "cargo-deny",
                "--locked",
                "--version",
                CARGO_DENY,
                "--debug",
            ],
        );
        run(install.env("CARGO_PROFILE_DEV_DEBUG", "0"))?;
    }
    Ok(())
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let am_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout == b"0\n");
    let mut install = if am_root {
        command("apt-get", arguments)
    } else {
        command("sudo", &["apt-get"])
    };
    if !am_root {
        install.args(arguments);
    }
    run(install.env("DEBIAN_FRONTEND", "noninteractive")).map_err(|error| {
        format!("{error}\nOn a system without apt, install chromium, a JDK, Maven and a C compiler by its own means.")
    })
}
