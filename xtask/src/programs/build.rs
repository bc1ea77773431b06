//! Building the test programs.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::{Part, TestProgram};
use crate::process::{Result, cannot_start, command};

/// Builds all programs of the packages that these arguments of cargo choose, with the features that those need together, to run
/// this part of their tests.
pub fn programs(packages: &[String], part: Part) -> Result<Vec<TestProgram>> {
    let words = [
        "test",
        "--locked",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ];
    let mut cargo = command("cargo", &words);
    cargo.args(packages);
    let failed = |error: &std::io::Error| format!("cannot build the tests: {error}");
    let mut child = cargo
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(&cargo, &error))?;
    let mut messages = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout
            .read_to_string(&mut messages)
            .map_err(|error| failed(&error))?;
    }
    if !child.wait().map_err(|error| failed(&error))?.success() {
        return Err("the tests do not build".to_owned());
    }
    let programs: Vec<TestProgram> = messages
        .lines()
        .filter_map(|message| program(message, part))
        .collect();
    if programs.is_empty() {
        return Err("cargo named no test program".to_owned());
    }
    Ok(programs)
}

/// The test program that a message of cargo describes. Format: the Cargo Book, "External tools", artifact messages.
fn program(message: &str, part: Part) -> Option<TestProgram> {
    let message: Value = serde_json::from_str(message).ok()?;
    let text = |pointer: &str| message.pointer(pointer)?.as_str();
    if !message.pointer("/profile/test")?.as_bool()? {
        return None;
    }
    let executable = text("/executable")?;
    // `path+file:///.../crates/lab#dbdyno-lab@0.1.0`, or without the name where the folder is called like the package.
    let (folder, version) = text("/package_id")?.rsplit_once('#')?;
    let package = match version.split_once('@') {
        Some((name, _)) => name,
        None => folder.rsplit('/').next()?,
    };
    Some(TestProgram {
        name: format!("{package} {}", text("/target/name")?),
        package: package.to_owned(),
        directory: Path::new(text("/manifest_path")?).parent()?.to_owned(),
        executable: executable.into(),
        part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_cargo_describes_a_test_program() {
        let message = |id: &str, is_test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"{id}","manifest_path":"/src/lab/Cargo.toml",
                "target":{{"name":"planted"}},"profile":{{"test":{is_test}}},"executable":"/target/planted-1"}}"#
            )
        };
        for id in [
            "path+file:///src/lab#dbdyno-lab@0.1.0",
            "path+file:///src/dbdyno-lab#0.1.0",
        ] {
            let found = program(&message(id, true), Part::Day).unwrap();
            assert_eq!(
                (found.name.as_str(), found.package.as_str()),
                ("dbdyno-lab planted", "dbdyno-lab")
            );
            assert_eq!(found.directory, Path::new("/src/lab"));
            assert_eq!(found.executable, Path::new("/target/planted-1"));
            assert!(program(&message(id, false), Part::Day).is_none());
        }
        assert!(program("   Compiling dbdyno-lab", Part::Day).is_none());
    }
}
