//! Tells the driver which version of the library it is built with: the library has no constant for it, and a number
//! written by hand would be wrong after the next update. The lock file is what the build really uses.

use std::path::Path;

const LIBRARY: &str = "redb";

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo tells a build script its folder");
    let lock = Path::new(&folder).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(&lock).expect("the workspace has a Cargo.lock");
    let name = format!("name = \"{LIBRARY}\"");
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
        "Cargo.lock lists two versions of {LIBRARY}"
    );
    println!("cargo::rustc-env=LIBRARY_VERSION={version}");
}
