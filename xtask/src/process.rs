//! Running other programs from the project's root, with errors that name the command.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What went wrong, as one text for the developer.
pub type Result<T> = std::result::Result<T, String>;

/// The project's root folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the project's root")
        .to_owned()
}

/// The folder for downloads and builds that are kept between calls and never committed.
pub fn cache(name: &str) -> Result<PathBuf> {
    let folder = root().join("target").join("xtask").join(name);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}

/// Where cargo builds.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The program that the tests have built, or that is built now in the way that they build it.
pub fn debug_program() -> Result<PathBuf> {
    run(&mut command(
        "cargo",
        &["test", "--workspace", "--locked", "--no-run", "--quiet"],
    ))?;
    Ok(target_folder().join("debug/dbdyno"))
}

/// `program` with the words of `arguments`, to be run in the project's root.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    // Variables that cargo set for this program must not reach the next one: `ring` watches them, and would be built again,
    // with all that depends on it, whenever they change.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Runs it with its output shown, and fails when it does.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` ended with {status}", shown(command)))
    }
}

/// Runs it and returns what it printed on standard output; its complaints are part of the error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        let complaints = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "`{}` ended with {}\n{complaints}",
            shown(command),
            output.status
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the program can be started at all.
pub fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// The files that git tracks, and those it would once added, from the project's root.
pub fn tracked_files() -> Result<BTreeSet<PathBuf>> {
    let listed = output(&mut command(
        "git",
        &["ls-files", "--cached", "--others", "--exclude-standard"],
    ))?;
    Ok(listed
        .lines()
        .map(PathBuf::from)
        .filter(|path| root().join(path).is_file())
        .collect())
}

pub fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", shown(command))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
