//! Where a result goes that has several formats: to a file that is named, or to standard output.

use std::path::Path;

use crate::output_file;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Writes a text to a file; without one, and for `-`, prints it.
pub fn deliver(path: Option<&Path>, text: &str, terminal: Terminal) -> Result<(), Problem> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return terminal.print(text);
    };
    save(
        path,
        text,
        "choose another file with --output, or - for standard output",
        terminal,
    )
}

/// Writes a text to a file, and says so; `help` is for one that cannot be written.
pub fn save(path: &Path, text: &str, help: &str, terminal: Terminal) -> Result<(), Problem> {
    output_file::write(path, text).map_err(|error| {
        Problem::files(format!("cannot write {}", path.display()))
            .caused_by(error)
            .help(help)
    })?;
    terminal.note(&format!("Written to {}", path.display()));
    Ok(())
}
