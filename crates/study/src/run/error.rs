//! Why a study stops.

use std::path::PathBuf;

use dbdyno_record::FolderError;

use crate::file::refusal::Refusal;

/// Why a trial failed whose client library ended the process.
pub(crate) const ABORTED: &str =
    "the client library could not process an answer of its server and aborted dbdyno";

/// Why a study cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The result folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The folder holds trials that would mean something else in the study as it is now.
    #[error("{} contains trials of a different study: {difference}", path.display())]
    Changed {
        /// The folder.
        path: PathBuf,
        /// Which keys changed, and how.
        difference: String,
    },
    /// The study asks for fewer trials than were begun.
    #[error("{} already contains {begun} trials per cell, and the study asks for {trials}", path.display())]
    FewerTrials {
        /// The folder.
        path: PathBuf,
        /// Blocks that were begun; in a search, trials of a confirmed rate or of a step.
        begun: u32,
        /// The trials that the study asks for.
        trials: u32,
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
