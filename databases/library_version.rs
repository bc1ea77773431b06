//! For the build scripts of drivers whose library has no constant for its version. A number written by hand would be
//! wrong after the next update; the lock file is what the build really uses.

use std::path::Path;

/// What a build script prints so that its driver finds the version of `library` in the variable `LIBRARY_VERSION`.
pub fn instructions(library: &str) -> String {
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo gives a build script its folder");
    let lock = Path::new(&folder).join("../../Cargo.lock");
    let text = std::fs::read_to_string(&lock).expect("the workspace has a Cargo.lock");
    let name = format!("name = \"{library}\"");
    let mut versions = text
        .split("[[package]]")
        .filter(|package| package.lines().any(|line| line == name))
        .filter_map(|package| package.lines().find_map(|line| line.strip_prefix("version = ")));
    let version = versions
        .next()
        .expect("Cargo.lock lists the library")
        .trim_matches('"');
    assert!(
        versions.next().is_none(),
        "Cargo.lock lists two versions of {library}"
    );
    format!(
        "cargo::rerun-if-changed={}\ncargo::rustc-env=LIBRARY_VERSION={version}",
        lock.display()
    )
}
