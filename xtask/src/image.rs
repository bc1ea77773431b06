//! The steps of the `Dockerfile`, followed as far as that goes without a container engine: what is copied is there, packages exist, the
//! program finds its libraries in what the image installs, and the image's own command runs.

mod dockerfile;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::process::{self, Result, command, output, root, tracked_files};

use dockerfile::Stage;

/// The image that the last stage begins with, and the packages of it that programs link to.
const BASE: (&str, [&str; 2]) = ("debian:bookworm-slim", ["libc6", "libgcc-s1"]);

/// Follows the steps with the program that the tests have built.
pub fn check() -> Result<()> {
    let read = |name: &str| {
        let path = root().join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let stages = dockerfile::stages(&read("Dockerfile")?)?;
    let ignored = read(".dockerignore")?;
    let [build, image] = stages.as_slice() else {
        return Err(format!(
            "the Dockerfile has {} stages instead of two",
            stages.len()
        ));
    };
    check_bases(build, image, &read("Cargo.toml")?)?;
    for stage in &stages {
        check_copies(stage, build, &ignored)?;
    }
    check_build(build)?;
    let packages: BTreeSet<String> = stages.iter().flat_map(Stage::packages).collect();
    for package in &packages {
        output(&mut command("apt-cache", &["show", "--no-all-versions", package]))
            .map_err(|error| format!("the Dockerfile installs `{package}`: {error}"))?;
    }
    let program = process::debug_program()?;
    let mut provided: BTreeSet<String> = image.packages().collect();
    provided.extend(BASE.1.map(str::to_owned));
    check_libraries(&program, &provided)?;
    check_command(image, &program)
}

/// The compiler is the one that Cargo.toml asks for, and the program runs on the system for which its libraries were looked up.
fn check_bases(build: &Stage, image: &Stage, manifest: &str) -> Result<()> {
    let rust = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'))
        .ok_or("Cargo.toml has no rust-version")?;
    for (stage, expected) in [
        (build, format!("rust:{rust}-bookworm")),
        (image, BASE.0.to_owned()),
    ] {
        if stage.base != expected {
            return Err(format!(
                "a stage begins with `{}` instead of `{expected}`",
                stage.base
            ));
        }
    }
    match image.last("USER").map(str::trim) {
        None | Some("root" | "0") => Err("the image runs as root: name a USER".to_owned()),
        Some(_) => Ok(()),
    }
}

/// What is copied is in a clone and reaches the engine, or is what the first stage builds.
fn check_copies(stage: &Stage, build: &Stage, ignored: &str) -> Result<()> {
    let files = tracked_files()?;
    let ignored: Vec<&str> = ignored
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    for copy in stage.all("COPY") {
        let words: Vec<&str> = copy.split_whitespace().collect();
        let Some((_, sources)) = words.split_last() else {
            return Err("COPY without a destination".to_owned());
        };
        if let Some(from) = sources.first().and_then(|word| word.strip_prefix("--from=")) {
            let built = format!(
                "{}/target/release/dbdyno",
                build.last("WORKDIR").unwrap_or_default()
            );
            if build.name.as_deref() != Some(from) || sources[1..] != [built.as_str()] {
                return Err(format!(
                    "`COPY {copy}` does not copy {built} from the first stage"
                ));
            }
            continue;
        }
        for source in sources {
            let is_there = *source == "." || files.iter().any(|file| file.starts_with(source));
            let is_ignored = ignored
                .iter()
                .any(|pattern| Path::new(source).starts_with(pattern));
            if !is_there || is_ignored {
                return Err(format!(
                    "`COPY {copy}`: a clone without what .dockerignore names has no {source}"
                ));
            }
        }
    }
    // A build without a part of the workspace fails.
    let needed = [
        "Cargo.toml",
        "Cargo.lock",
        "crates",
        "databases",
        "docs",
        "xtask",
        "workloads",
        "studies",
    ];
    match needed.into_iter().find(|needed| ignored.contains(needed)) {
        Some(needed) => Err(format!(
            ".dockerignore leaves out {needed}, which the build reads"
        )),
        None => Ok(()),
    }
}

/// The first stage builds a package of ours, with flags that cargo knows.
fn check_build(build: &Stage) -> Result<()> {
    let runs: Vec<&str> = build.all("RUN").collect();
    let [run] = runs.as_slice() else {
        return Err("the first stage does more than build".to_owned());
    };
    let words: Vec<&str> = run.split_whitespace().collect();
    let ["cargo", "build", "--locked", "--release", "--package", package] = words.as_slice() else {
        return Err(format!("the first stage runs `{run}`"));
    };
    let metadata = output(&mut command(
        "cargo",
        &["metadata", "--locked", "--no-deps", "--format-version=1"],
    ))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if packages.iter().any(|known| known["name"] == **package) {
        Ok(())
    } else {
        Err(format!(
            "the Dockerfile builds `{package}`, which is no package of ours"
        ))
    }
}

/// Every library that the program is linked to belongs to a package of the image.
fn check_libraries(program: &Path, provided: &BTreeSet<String>) -> Result<()> {
    let libraries = output(&mut command("ldd", &[&program.to_string_lossy()]))?;
    let paths = libraries
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')));
    let mut owners = BTreeSet::new();
    for path in paths {
        // The loader has one path in the program, and another in the package's list.
        let path = Path::new(path);
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let merged = resolved
            .strip_prefix("/usr")
            .map(|rest| Path::new("/").join(rest));
        let candidates = [Some(path.to_owned()), Some(resolved.clone()), merged.ok()];
        let owner = candidates.into_iter().flatten().find_map(|candidate| {
            let found = output(&mut command("dpkg", &["--search", &candidate.to_string_lossy()])).ok()?;
            Some(found.split([':', ',']).next()?.to_owned())
        });
        owners.insert(owner.ok_or_else(|| format!("no package has {}", path.display()))?);
    }
    match owners.iter().find(|owner| !provided.contains(*owner)) {
        _ if owners.is_empty() => Err(format!("ldd lists no library:\n{libraries}")),
        Some(missing) => Err(format!(
            "dbdyno is linked to a library of {missing}, which the Dockerfile does not install"
        )),
        None => Ok(()),
    }
}

/// The command of the image runs, and the studies that it holds are read.
fn check_command(image: &Stage, program: &Path) -> Result<()> {
    let list = |keyword: &str| -> Result<Vec<String>> {
        let text = image
            .last(keyword)
            .ok_or_else(|| format!("the image has no {keyword}"))?;
        serde_json::from_str(text).map_err(|error| format!("{keyword} {text}: {error}"))
    };
    let entry = list("ENTRYPOINT")?;
    if entry != ["dbdyno"] {
        return Err(format!("the image starts {entry:?}"));
    }
    let words = list("CMD")?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let program = program.to_string_lossy();
    output(&mut command(&program, &words))?;
    output(&mut command(
        &program,
        &["study", "plan", "studies/quickstart.toml"],
    ))
    .map(drop)
}
