//! `dbdyno watch`.

use std::path::{Path, PathBuf};

use dbdyno_record::ResultFolder;
use dbdyno_serve::folders;
use dbdyno_vocabulary::shell;

use crate::arguments::WatchArguments;
use crate::exit_code::ExitCode;
use crate::interrupt::end_on_signals;
use crate::problem::Problem;
use crate::terminal::Terminal;
use crate::tui;

/// Shows a study until a key or a signal, which is how it is meant to end.
pub fn execute(arguments: &WatchArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    terminal.full_screen("dbdyno watch")?;
    let folder = chosen(&arguments.results)?;
    let stop = end_on_signals()?;
    tui::watch(&folder, &stop, terminal)?;
    Ok(ExitCode::Success)
}

/// The folder to show: the only one, or the only one that a process writes to.
fn chosen(root: &Path) -> Result<PathBuf, Problem> {
    if !root.is_dir() {
        return Err(Problem::files(format!("{} is not a folder", root.display())).help(
            "pass the folder of results, or start a study: dbdyno study run studies/quickstart.toml --tui",
        ));
    }
    let is_readable = |folder: &PathBuf| ResultFolder::open(folder).is_ok();
    let (readable, damaged): (Vec<_>, Vec<_>) = folders(root).into_values().partition(is_readable);
    // Without any other, the message says how it is damaged.
    let all = if readable.is_empty() { damaged } else { readable };
    let is_running =
        |folder: &&PathBuf| ResultFolder::open(folder).is_ok_and(|folder| folder.is_being_written());
    let running: Vec<&PathBuf> = all.iter().filter(is_running).collect();
    match (running.as_slice(), all.as_slice()) {
        ([one], _) => Ok(one.to_path_buf()),
        ([], [one]) => Ok(one.to_path_buf()),
        ([], []) => Err(Problem::files(format!("{} holds no results of a study", root.display())).help(
            "pass the folder of results, or start a study: dbdyno study run studies/quickstart.toml --tui",
        )),
        ([], _) => Err(
            Problem::usage(format!("no study in {} is running", root.display()))
                .help(format!("name a study to see how it ended: {}", some_of(all.iter()))),
        ),
        _ => Err(
            Problem::usage(format!("{} studies in {} are running", running.len(), root.display()))
                .help(format!("name one of them: {}", some_of(running.iter().copied()))),
        ),
    }
}

/// A few folders by name.
fn some_of<'a>(folders: impl ExactSizeIterator<Item = &'a PathBuf>) -> String {
    const NAMED: usize = 5;
    let others = folders.len().saturating_sub(NAMED);
    let mut named: Vec<String> = folders
        .take(NAMED)
        .map(|folder| format!("dbdyno watch {}", shell::path(folder)))
        .collect();
    if others > 0 {
        named.push(format!("{others} more"));
    }
    named.join(", ")
}
