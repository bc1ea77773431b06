//! `cargo xtask package`: the archive of one target as a release publishes it, with completions, manual page and checksum.

mod archive;

use std::path::{Path, PathBuf};

use clap::Args;
use flate2::Compression;
use flate2::read::GzDecoder;

use crate::distribution::Distribution;
use crate::process::{self, Result, cache, command, output, root};

use archive::Entry;

/// Where packages are written, from the project's root; the paths of `include` in `dist-workspace.toml` begin with it.
const FOLDER: &str = "target/package";
/// From the project's root.
const TEXTS: [&str; 3] = ["CHANGELOG.md", "LICENSE", "README.md"];
/// Shells and the names under which they look for completions of dbdyno.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "dbdyno.bash"),
    ("fish", "dbdyno.fish"),
    ("zsh", "_dbdyno"),
];

/// What to package.
#[derive(Args)]
pub struct Options {
    /// Target to build for, one of those in dist-workspace.toml (default: this machine's).
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// Package this program instead of building one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Tag of the release; must be `v` and the version of Cargo.toml.
    #[arg(long)]
    tag: Option<String>,
}

/// Builds the program and packages it.
pub fn run(options: &Options) -> Result<()> {
    if let Some(tag) = &options.tag {
        check_tag(tag)?;
    }
    let distribution = Distribution::read()?;
    let target = distribution.target(options.target.as_deref())?;
    let program = match &options.program {
        Some(program) => program
            .canonicalize()
            .map_err(|error| format!("{}: {error}", program.display()))?,
        None => build(&target)?,
    };
    let folder = root().join(FOLDER);
    let archive = package(&program, &target, &folder, &distribution, Compression::best())?;
    println!("{}", archive.display());
    Ok(())
}

/// The version of all our packages.
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn check_tag(tag: &str) -> Result<()> {
    let expected = format!("v{}", version());
    if tag == expected {
        Ok(())
    } else {
        Err(format!(
            "the tag is `{tag}`, and Cargo.toml has version {}: tag the release `{expected}`, or change the version",
            version()
        ))
    }
}

fn build(target: &str) -> Result<PathBuf> {
    let words = [
        "build",
        "--release",
        "--locked",
        "--package=dbdyno",
        "--target",
        target,
    ];
    process::run(&mut command("cargo", &words))?;
    Ok(process::target_folder().join(target).join("release/dbdyno"))
}

/// Writes the completions and the manual page of the program into `folder`, and the archive with all files.
fn package(
    program: &Path,
    target: &str,
    folder: &Path,
    distribution: &Distribution,
    level: Compression,
) -> Result<PathBuf> {
    describe(program, folder)?;
    let mut entries = vec![Entry {
        name: "dbdyno".into(),
        from: program.to_owned(),
        is_program: true,
    }];
    entries.extend(TEXTS.map(|name| Entry {
        name: name.into(),
        from: root().join(name),
        is_program: false,
    }));
    for include in &distribution.include {
        entries.extend(included(include, folder)?);
    }
    let name = format!("dbdyno-{}-{target}", version());
    archive::write(folder, &name, &entries, changed_at()?, level)
}

/// Lets the program write what describes it. It must run here: a package is made on a machine of its own kind.
fn describe(program: &Path, folder: &Path) -> Result<()> {
    let write = |name: PathBuf, arguments: &[&str]| {
        let text = output(&mut command(&program.to_string_lossy(), arguments))?;
        let path = folder.join(name);
        let parent = path.parent().expect("it lies below the folder");
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    for (shell, name) in SHELLS {
        write(Path::new("completions").join(name), &["completions", shell])?;
    }
    write("man/dbdyno.1".into(), &["man"])
}

/// The files of one folder of `include`, which an archive holds by the folder's own name.
fn included(include: &Path, folder: &Path) -> Result<Vec<Entry>> {
    let name = include
        .strip_prefix(FOLDER)
        .map_err(|_| format!("`{}` of include does not lie in {FOLDER}", include.display()))?;
    let from = folder.join(name);
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    let mut entries = Vec::new();
    for file in std::fs::read_dir(&from).map_err(failed)? {
        let file = file.map_err(failed)?;
        entries.push(Entry {
            name: name.join(file.file_name()),
            from: file.path(),
            is_program: false,
        });
    }
    Ok(entries)
}

/// The time of all files in the archive: that of the commit, in seconds since 1970, or what `SOURCE_DATE_EPOCH` says
/// (reproducible-builds.org).
fn changed_at() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => output(&mut command("git", &["log", "-1", "--format=%ct"]))?,
    };
    text.trim().parse::<u64>().map_err(|error| {
        format!(
            "the time of the package, `{}`, is not a number: {error}",
            text.trim()
        )
    })
}

/// Packages the program that the tests have built, unpacks it, and uses what is in it.
pub fn check() -> Result<()> {
    let distribution = Distribution::read()?;
    let target = distribution.target(None)?;
    let program = process::debug_program()?;
    let folder = cache("package-check")?;
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let archive = package(&program, &target, &folder, &distribution, Compression::fast())?;
    let name = format!("dbdyno-{}-{target}", version());
    process::run(command("sha256sum", &["--check", &format!("{name}.tar.gz.sha256")]).current_dir(&folder))?;

    let failed = |error: std::io::Error| format!("{}: {error}", archive.display());
    let file = std::fs::File::open(&archive).map_err(failed)?;
    tar::Archive::new(GzDecoder::new(file))
        .unpack(&folder)
        .map_err(failed)?;
    let unpacked = folder.join(name);
    check_unpacked(&unpacked)?;
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Whether the program runs, its completions complete, and every other file is what it should be.
fn check_unpacked(unpacked: &Path) -> Result<()> {
    let program = unpacked.join("dbdyno");
    let printed = output(&mut command(&program.to_string_lossy(), &["--version"]))?;
    let contains = |file: &str, expected: &str| {
        let text =
            std::fs::read_to_string(unpacked.join(file)).map_err(|error| format!("{file}: {error}"))?;
        if text.contains(expected) {
            Ok(())
        } else {
            Err(format!("{file} in the package does not contain `{expected}`"))
        }
    };
    if !printed.starts_with(&format!("dbdyno {}", version())) {
        return Err(format!("the packaged program is `{}`", printed.trim()));
    }
    contains("man/dbdyno.1", ".TH dbdyno 1")?;
    contains("completions/_dbdyno", "#compdef dbdyno")?;
    contains("completions/dbdyno.fish", "complete -c dbdyno")?;
    contains("README.md", "# dbdyno")?;
    contains("LICENSE", "Apache License")?;
    contains("CHANGELOG.md", "# Changelog")?;
    let script = "source completions/dbdyno.bash && COMP_WORDS=(dbdyno capac) && COMP_CWORD=1 \
                  && _dbdyno dbdyno capac dbdyno && echo \"${COMPREPLY[*]}\"";
    let completed = output(command("bash", &["--norc", "-c", script]).current_dir(unpacked))?;
    if completed.trim() == "capacity" {
        Ok(())
    } else {
        Err(format!("bash completes `dbdyno capac` to `{}`", completed.trim()))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::workflows;

    /// The values of a key in the workflow.
    fn values(key: &str) -> Vec<String> {
        workflows::values("release.yml", key)
    }

    #[test]
    fn the_workflow_builds_every_target_once() {
        let mut built = values("target:");
        built.sort();
        let mut named = Distribution::read().unwrap().targets;
        named.sort();
        assert_eq!(built, named);
    }

    #[test]
    fn the_workflows_commands_are_ours() {
        let commands = values("run:");
        let ours: Vec<&String> = commands
            .iter()
            .filter(|line| line.starts_with("cargo "))
            .collect();
        assert_eq!(ours.len(), 1, "{commands:?}");
        for line in ours {
            let words = line
                .replace("${{ matrix.target }}", "TARGET")
                .replace("\"$TAG\"", "TAG");
            let words = words.strip_prefix("cargo ").unwrap().split(' ').skip(1);
            let parsed = crate::Arguments::try_parse_from(std::iter::once("cargo xtask").chain(words));
            if let Err(error) = parsed {
                panic!("{line}: {error}");
            }
        }
        let release = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let toolchain = values("run:")
            .into_iter()
            .find_map(|line| Some(line.strip_prefix("rustup default ")?.to_owned()));
        let toolchain = toolchain.unwrap();
        assert!(
            release.contains(&format!("rust-version = \"{toolchain}\"")),
            "{toolchain}"
        );
    }

    #[test]
    fn a_tag_is_the_version() {
        assert_eq!(check_tag(&format!("v{}", version())), Ok(()));
        assert!(check_tag("v99.0.0").unwrap_err().contains("v99.0.0"));
        let unknown = Distribution::read()
            .unwrap()
            .target(Some("riscv64gc-unknown-linux-gnu"));
        assert!(unknown.unwrap_err().contains("x86_64-unknown-linux-gnu"));
    }
}
