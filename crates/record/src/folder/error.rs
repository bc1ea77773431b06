//! What can be wrong with a result folder, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a result folder could not be read or written.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The operating system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// The action that failed.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is no such folder.
    #[error("{path} is not a folder; pass the result folder of a study, e.g. results/quickstart")]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// Something else than results of dbdyno.
    #[error("{path} was not written by dbdyno: {reason}; choose another folder (--output)")]
    Foreign {
        /// The folder or file.
        path: PathBuf,
        /// How that shows.
        reason: String,
    },
    /// A file that does not hold what it should.
    #[error("{path} is damaged: {reason}; {remedy}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that shows.
        reason: String,
        /// How to mend it.
        remedy: String,
    },
    /// Written by a later version of dbdyno.
    #[error(
        "{path} has format {found}, but this version of dbdyno reads formats up to {known}; use a newer dbdyno"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: String,
        /// The newest format that can be read.
        known: String,
    },
    /// Another process is writing to the folder.
    #[error(
        "another dbdyno process is writing to {path}; wait for it, stop it, or choose another folder (--output)"
    )]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder of a study that runs is no longer there.
    #[error(
        "{path} was removed, renamed or replaced while the study wrote to it, so no further results can be kept; restore it, or run the study again"
    )]
    Gone {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds another study.
    #[error(
        "{path} contains results of another study, or of an earlier version of this study file (see its study.toml); \
         take another folder (--output) or remove it"
    )]
    OtherStudy {
        /// The folder.
        path: PathBuf,
    },
    /// It holds trials that are not its plan's.
    #[error("{path} cannot be continued: {message}; {remedy}")]
    Unplanned {
        /// The folder.
        path: PathBuf,
        /// Which trials.
        message: String,
        /// How to mend it.
        remedy: String,
    },
    /// It was opened for reading only.
    #[error("{path} was opened for reading; only the command that runs the study writes to it")]
    ReadOnly {
        /// The folder.
        path: PathBuf,
    },
    /// A trial that cannot be written under this name.
    #[error("trial {name:?} cannot be written: {reason}")]
    BadTrialName {
        /// The name.
        name: String,
        /// Why it cannot be read.
        reason: String,
    },
}

impl FolderError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.into(),
            source,
        }
    }
}
