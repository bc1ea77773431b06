//! Reads a study file. All mistakes are shown at once, each at its place, with what mends it.

pub(crate) mod budget;
mod cells;
pub mod changes;
mod check;
mod checked;
mod client;
pub(crate) mod comparisons;
pub mod defaults;
pub mod definition;
mod each;
pub mod effort;
mod extent;
mod guarantees;
mod kind;
pub mod known_guarantees;
mod levels;
mod mistaken;
mod names;
pub(crate) mod planned;
mod quick;
mod rates;
mod redact;
pub mod refusal;
mod rising_load;
mod several;
pub mod single;
pub mod space;
mod systems;
pub mod targets;
pub mod trials;
pub(crate) mod turns;
mod vary;
mod workload_keys;
pub mod workloads;
mod written;

use std::path::{Path, PathBuf};

use dbdyno_driver::secrets::masked;
use dbdyno_driver::text_file;
use dbdyno_files::values::{Switch, Trials};
use dbdyno_files::{Mistake, Reading, StudyFile, with_first_line};

pub use check::parse;
pub use checked::CheckedStudy;
pub use defaults::DEFAULT_DURATION;
pub use redact::redact;
pub use rising_load::{RisingLoadRequest, rising_load};
pub use several::{SeveralRequest, several};

use crate::file::budget::Planned;

/// Why a study file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StudyFileError {
    /// It cannot be read.
    #[error("cannot read the study file {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{}: {}", path.display(), messages(mistakes))]
    Mistakes {
        /// The file.
        path: PathBuf,
        /// Its whole text.
        text: String,
        /// What is wrong, and where: keys and values that cannot be read come first; all keys that do not fit together are reported
        /// when nothing else is wrong.
        mistakes: Vec<Mistake>,
    },
}

fn messages(mistakes: &[Mistake]) -> String {
    let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
    messages.join("; ")
}

/// Reads and checks a study file. Workload files named in it are read too, relative to its folder.
///
/// # Errors
/// See [`StudyFileError`].
pub fn read(path: &Path) -> Result<CheckedStudy, StudyFileError> {
    read_with(path, |_, text| text)
}

/// Reads a study file for a quick look, whose text says so.
///
/// # Errors
/// See [`StudyFileError`].
pub fn read_quick(path: &Path) -> Result<CheckedStudy, StudyFileError> {
    read_with(path, |keys, text| {
        if keys.quick.as_ref().is_some_and(|quick| quick.value.0) {
            return text;
        }
        keys.quick = Some(Switch(true).into());
        with_first_line(&text, quick::LINE)
    })
}

/// Reads a study file with what a budget chose: [`crate::plan::budget`].
///
/// # Errors
/// See [`StudyFileError`].
pub fn read_planned(path: &Path, planned: &Planned) -> Result<CheckedStudy, StudyFileError> {
    read_with(path, |keys, text| {
        let table = planned.table();
        let text = with_first_line(&text, &table.to_line());
        keys.planned = Some(dbdyno_files::Table(table).into());
        text
    })
}

/// Reads a study file with so many `trials`, whose text says so.
///
/// # Errors
/// See [`StudyFileError`].
pub fn read_with_trials(path: &Path, trials: u32) -> Result<CheckedStudy, StudyFileError> {
    read_with(path, |keys, text| {
        keys.trials = Some(Trials(trials).into());
        trials::written(&text, trials)
    })
}

/// Reads a study file with a changed key; `change` is given the file's text without secrets, and gives the text that says so.
fn read_with(
    path: &Path,
    change: impl FnOnce(&mut StudyFile, String) -> String,
) -> Result<CheckedStudy, StudyFileError> {
    let text = text_file::read(path).map_err(|source| StudyFileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    checked(&text, folder, change).map_err(|mistakes| StudyFileError::Mistakes {
        path: path.to_owned(),
        // Lines of it are shown.
        text: masked(&text),
        mistakes,
    })
}

/// The study of this text, of which a copy without secrets is kept.
///
/// # Errors
/// All that is wrong by itself; where nothing is, all keys that do not fit the others.
fn checked(
    text: &str,
    folder: &Path,
    change: impl FnOnce(&mut StudyFile, String) -> String,
) -> Result<CheckedStudy, Vec<Mistake>> {
    let Reading { file, mut mistakes } = dbdyno_files::read_all::<StudyFile>(text);
    if let Some(file) = &file {
        mistakes.extend(each::mistakes(file, folder));
    }
    let mut keys = match file {
        Some(file) if mistakes.is_empty() => file,
        _ => return Err(mistakes),
    };
    let redacted = redact::without_secrets(text, &keys);
    let text = change(&mut keys, redacted);
    let study = check::study(&keys, systems::of(&keys), folder)?;
    Ok(CheckedStudy { study, text })
}

/// Checks a study that dbdyno made itself: it names no secret, and its workloads are built-in ones. `text` is what it is written as.
///
/// # Errors
/// What does not fit together; it stands in no file that has a place for the mistake.
pub fn of_value(file: &StudyFile, text: String) -> Result<CheckedStudy, Mistake> {
    Ok(CheckedStudy {
        study: check::study(file, systems::of(file), Path::new(".")).map_err(check::first)?,
        text,
    })
}

/// The study of a text, for tests.
#[cfg(test)]
pub(crate) fn of_text(text: &str) -> CheckedStudy {
    checked(text, Path::new("."), |_, text| text).unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{text}"))
}
