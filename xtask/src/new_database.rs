//! `cargo xtask new-database NAME`: the folder of a new database, from the template, registered.

use std::path::{Path, PathBuf};

use crate::process::{self, Result, cache, command, root, tracked_files};

/// Makes the folder and registers it, then runs its conformance suite.
pub fn run(name: &str) -> Result<()> {
    add(&root(), name)?;
    let package = format!("dbdyno-database-{name}");
    process::run(&mut command("cargo", &["test", "--package", &package]))?;
    println!("databases/{name} passes the conformance suite. Next: docs/adding-a-database.md, step 2.");
    Ok(())
}

/// Does it in a copy of the tree, so that the template is known to work: `cargo xtask test` calls this.
///
/// Files keep their times, and the whole workspace is asked for, so that cargo finds all but the new database and the
/// registry built by the tests before.
pub fn check_template() -> Result<()> {
    let copy = cache("template-check")?;
    let failed = |error: std::io::Error| format!("{}: {error}", copy.display());
    std::fs::remove_dir_all(&copy).map_err(failed)?;
    for file in tracked_files()? {
        let target = copy.join(&file);
        std::fs::create_dir_all(target.parent().expect("it lies below the copy")).map_err(failed)?;
        copy_with_time(&root().join(&file), &target).map_err(failed)?;
    }
    add(&copy, "template_check")?;
    for program in test_programs(&copy)? {
        process::run(command(&program.to_string_lossy(), &["--quiet"]).current_dir(&copy))?;
    }
    std::fs::remove_dir_all(&copy).map_err(failed)
}

fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::copy(from, to)?;
    let changed = from.metadata()?.modified()?;
    std::fs::File::options()
        .write(true)
        .open(to)?
        .set_modified(changed)
}

/// Builds, in the copy, the conformance suite of the new database and the tests of the registry that lists it.
fn test_programs(copy: &Path) -> Result<Vec<PathBuf>> {
    let target = process::target_folder();
    let words = [
        "test",
        "--workspace",
        "--test=conformance",
        "--test=registry",
        "--no-run",
        "--quiet",
        "--offline",
        "--message-format=json-render-diagnostics",
    ];
    let messages = process::output(
        command("cargo", &words)
            .current_dir(copy)
            .env("CARGO_TARGET_DIR", &target),
    )?;
    let wanted =
        ["databases/template_check", "crates/registry"].map(|folder| copy.join(folder).join("Cargo.toml"));
    let programs: Vec<PathBuf> = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| {
            let manifest = message["manifest_path"].as_str().map(Path::new);
            manifest.is_some_and(|manifest| wanted.iter().any(|wanted| wanted == manifest))
        })
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .collect();
    if programs.len() == wanted.len() {
        Ok(programs)
    } else {
        Err(format!(
            "cargo built {programs:?} in place of one test program for each of {wanted:?}"
        ))
    }
}

/// Copies the template and adds the lines that the workspace and the registry need.
fn add(root: &Path, name: &str) -> Result<()> {
    check_name(name)?;
    let folder = root.join("databases").join(name);
    if folder.exists() {
        return Err(format!("databases/{name} is there already"));
    }
    copy(&root.join("xtask/templates/database"), &folder, name)?;
    let dependency = format!("dbdyno-database-{name} = {{ path = \"databases/{name}\" }}\n");
    let manifest = root.join("Cargo.toml");
    // Profiles name crates, too.
    insert_line(&manifest, "dbdyno-database-", " = { path = ", &dependency)?;
    let dependency = format!("dbdyno-database-{name}.workspace = true\n");
    insert_line(
        &root.join("crates/registry/Cargo.toml"),
        "dbdyno-database-",
        "workspace",
        &dependency,
    )?;
    let line = format!("    &dbdyno_database_{name}::RUNNER,\n");
    insert_line(
        &root.join("crates/registry/src/lib.rs"),
        "    &dbdyno_database_",
        "::RUNNER",
        &line,
    )
}

fn check_name(name: &str) -> Result<()> {
    let good = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if good {
        Ok(())
    } else {
        Err(format!(
            "`{name}`: a database's name is lower-case letters, digits and `_`"
        ))
    }
}

/// The name as types are called: `my_store` becomes `MyStore`.
fn title(name: &str) -> String {
    let title = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_ascii_uppercase().to_string() + letters.as_str()
        })
    };
    name.split('_').map(title).collect()
}

fn copy(from: &Path, to: &Path, name: &str) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let target_name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let target = to.join(target_name.trim_end_matches(".template"));
        if path.is_dir() {
            copy(&path, &target, name)?;
        } else {
            let text = std::fs::read_to_string(&path).map_err(failed)?;
            let text = text.replace("{{name}}", name).replace("{{Name}}", &title(name));
            std::fs::write(&target, text).map_err(failed)?;
        }
    }
    Ok(())
}

/// Adds a line after the last one that starts like the others of its list and holds what they hold.
fn insert_line(file: &Path, like: &str, holds: &str, line: &str) -> Result<()> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let last = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end, line))
    });
    let end = last
        .filter(|(_, line)| line.starts_with(like) && line.contains(holds))
        .map(|(end, _)| end)
        .last();
    let end = end.ok_or_else(|| {
        format!(
            "{}: no line starts with `{like}` and holds `{holds}`",
            file.display()
        )
    })?;
    let text = format!("{}{line}{}", &text[..end], &text[end..]);
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_no_underscores() {
        assert_eq!(title("redb"), "Redb");
        assert_eq!(title("my_store2"), "MyStore2");
    }
}
