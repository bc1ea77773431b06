//! Studies at rising load: the capacity of systems under an objective, and the course of latency with throughput.
//!
//! Which trial comes next follows from the records that are there ([`tasks`]), so a stopped study goes on where it was.
//! The searches of several systems and workloads take turns.

pub(crate) mod conductor;
pub mod tasks;

pub use dbdyno_record::study::{Capacity, Kind, Steps, Sweep};

/// About how many trials a study of these kinds consists of, and how long they take.
#[must_use]
pub fn about(study: &crate::Study) -> (usize, std::time::Duration) {
    conductor::about(study)
}
