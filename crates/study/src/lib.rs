//! The conductor: `study.toml` -> plan -> trials. It writes each trial the moment it ends, goes on after a kill, tells
//! observers what happens, and prints nothing.

pub mod conductor;
pub mod definition;
pub mod error;
pub mod event;
pub mod file;
mod guarantees;
pub mod labs;
pub mod ladder;
mod order;
pub mod plan;
mod recording;
pub mod refusal;
mod server_watch;
pub mod single;
mod study_text;
pub mod suggest;
pub mod targets;
pub mod toml_reader;
pub mod trial;
mod values;
pub mod workloads;

pub use conductor::Summary;
pub use definition::Study;
pub use error::StudyError;
pub use event::{StudyEvent, StudyObserver};
pub use file::{StudyFile, StudyFileError};
pub use plan::Plan;
pub use refusal::Refusal;
pub use single::Single;
