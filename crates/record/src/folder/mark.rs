//! The mark of a result folder: the file that says which version of dbdyno wrote it.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{FolderError, RECORD, TRIALS};
use crate::format;

/// The version of the folder's layout, in its `folder.json`.
pub const FOLDER_FORMAT: &str = "dbdyno.folder/1";

pub(super) const MARKER: &str = "folder.json";
/// What mends a mark that cannot be read.
const RESTORE: &str = "restore it from a copy of the folder";

/// What the mark says.
#[derive(Serialize, Deserialize)]
pub(super) struct Mark {
    format: String,
    written_by: String,
}

impl Mark {
    /// Of this version.
    pub fn new() -> Self {
        Self {
            format: FOLDER_FORMAT.to_owned(),
            written_by: format!("dbdyno {}", env!("CARGO_PKG_VERSION")),
        }
    }
}

pub(super) fn read(path: &Path, remedy: &str) -> Result<Mark, FolderError> {
    format::read_json(&path.join(MARKER), FOLDER_FORMAT, remedy)
}

/// Whether a folder can be read as one of ours.
pub(super) fn check(path: &Path) -> Result<(), FolderError> {
    let mark = path.join(MARKER);
    if mark.exists() {
        return read(path, RESTORE).map(drop);
    }
    Err(if holds_trials(path) {
        FolderError::Damaged {
            path: mark,
            reason: "it is missing, and there are trials".to_owned(),
            remedy: RESTORE.to_owned(),
        }
    } else {
        FolderError::Foreign {
            path: path.into(),
            reason: format!("it has no {MARKER}"),
        }
    })
}

/// Whether a trial has ended in this folder, with or without the mark.
pub(super) fn holds_trials(path: &Path) -> bool {
    let trials = fs::read_dir(path.join(TRIALS)).into_iter().flatten().flatten();
    trials
        .map(|trial| trial.path())
        .any(|trial| trial.join(RECORD).exists())
}
