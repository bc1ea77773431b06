//! The code compiles for another system and another processor. Nothing of it runs here.

use crate::process::{self, Result, command};

/// In the place of a C compiler and an archiver for another system. A check links nothing, so nobody misses what they would
/// make; what the C code of dependencies needs of a system's headers stays unchecked.
const NO_COMPILER: &str = "true";

/// Of the releases' targets, the one that has nothing in common with this machine. Each costs as much as all dependencies do, so
/// the others, which share the system or the processor with one of the two, are left to the release.
const OTHER: &str = "aarch64-apple-darwin";

/// Checks the program with all databases.
pub fn check() -> Result<()> {
    process::run(&mut command("rustup", &["target", "add", OTHER]))?;
    let mut check = command(
        "cargo",
        &[
            "check",
            "--package=dbdyno",
            "--locked",
            "--quiet",
            "--target",
            OTHER,
        ],
    );
    let suffix = OTHER.replace('-', "_");
    for tool in ["CC", "CXX", "AR", "RANLIB"] {
        check.env(format!("{tool}_{suffix}"), NO_COMPILER);
    }
    // One library would call CMake where the compiler looks unfit.
    check.env("AWS_LC_SYS_CMAKE_BUILDER", "0");
    // Its version is otherwise asked of Apple's tools.
    check.env("MACOSX_DEPLOYMENT_TARGET", "11.0");
    process::run(&mut check)
}
