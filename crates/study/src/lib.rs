//! The conductor: `study.toml` -> plan -> trials. It writes each trial the moment it ends, goes on after a kill, tells
//! observers what happens, and prints nothing.

pub mod budget;
mod compilers;
pub mod conditions;
pub mod conductor;
pub mod definition;
pub mod disturbance;
pub mod error;
pub mod event;
pub mod file;
pub mod known;
pub mod labs;
pub mod ladder;
mod order;
pub mod pilot;
pub mod plan;
pub mod power;
pub mod precision;
mod recording;
pub mod reference;
pub mod refusal;
pub mod repetition;
mod server_watch;
pub mod setting;
pub mod single;
pub mod steady;
pub mod targets;
mod test_bed;
#[cfg(test)]
mod test_record;
pub mod trial;
pub mod window;
pub mod workloads;

pub use conductor::Summary;
pub use definition::{Operations, Study};
pub use error::StudyError;
pub use event::{StudyEvent, StudyObserver};
pub use file::{CheckedStudy, StudyFileError};
pub use plan::Plan;
pub use refusal::Refusal;
pub use single::Single;
