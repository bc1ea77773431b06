//! WHAT was seen: plain data, written the moment a trial ends, readable years later with no database at hand.
//!
//! `record` is the waist of dbdyno: the left half (study, engine) fills it, the right half (stats, report) only
//! reads it. It depends on no other crate of ours.

pub mod latency;
pub mod trial;

pub use latency::Latency;
pub use trial::{
    ClientCost, Finding, Floor, LoadRecord, MeasureRecord, OperationRecord, Pacing, Settings, Severity, Skew,
    SystemRecord, TrialRecord, TrialStatus, WorkloadRecord,
};
