//! The conductor: `study.toml` -> plan -> trials. It writes each trial the moment it ends, goes on after a kill, reports
//! observers what happens, and prints nothing.
//!
//! Its modules are the stages of a study, each of which uses earlier ones only: addresses are read ([`address`]), the study's file is
//! checked ([`mod@file`]), its trials are planned ([`plan`]), a record can be judged (`judge`), and trials are run (`run`).

pub mod address;
pub mod file;
mod judge;
pub mod plan;
mod run;
#[cfg(test)]
mod test_record;

pub use file::definition::{self, Operations, Study};
pub use file::refusal::{self, Refusal};
pub use file::single::Single;
pub use file::{CheckedStudy, StudyFileError, targets, workloads};
pub use judge::{disturbance, precision, setting, steady};
pub use plan::{Plan, budget, known, pilot, power, reference, window};
pub use run::error::{self, StudyError};
pub use run::event::{self, StudyEvent, StudyObserver};
pub use run::summary::Summary;
pub use run::{conditions, conductor, extension, labs, remedy, repetition, rising_load, single, trial};
