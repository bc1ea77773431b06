//! Why a study stops.

use std::path::PathBuf;

use dbdyno_record::FolderError;

use crate::file::refusal::Refusal;

/// Why a study cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The result folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The folder holds results of another text of the study.
    #[error("{} holds results of another study file: {difference}", path.display())]
    Changed {
        /// The folder.
        path: PathBuf,
        /// Where the texts begin to differ.
        difference: String,
    },
    /// The folder's trials were planned by a version of dbdyno that ordered them differently.
    #[error("{} was started by a version of dbdyno that orders trials differently: it contains `{trial}`", path.display())]
    OtherOrder {
        /// The folder.
        path: PathBuf,
        /// A trial that has no place in this order.
        trial: String,
    },
    /// The course over time cannot be written.
    #[error("cannot write the time series to {}", path.display())]
    IntervalLog {
        /// The trial's folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A workload cannot be made.
    #[error(transparent)]
    Workload(Refusal),
}
