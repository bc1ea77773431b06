//! WHAT was seen: plain data, written the moment a trial ends, readable years later with no database at hand.
//!
//! `record` is the waist of dbdyno: the left half (study, engine) fills it, the right half (stats, report) only
//! reads it. It depends on `trial`, for what was asked stands beside what was seen, on `vocabulary`, and on `owned`, which reads
//! the files of a folder as anybody's.

mod asked;
pub mod at_rest;
mod atomic;
pub mod attempted;
pub mod audit;
pub mod conditions;
pub mod environment;
mod fact;
pub mod finding;
pub mod folder;
pub mod format;
#[doc(hidden)]
pub mod fuzzing;
pub mod history;
pub mod interleaving;
pub mod interval_log;
pub mod intervals;
pub mod judgement;
pub mod known;
pub mod latency;
pub mod live;
pub mod live_buckets;
mod merge;
pub mod objective;
pub mod pilot;
pub mod plan;
pub mod protection;
mod regular_file;
mod resources;
pub mod rising_load;
mod server_resources;
mod slice_head;
pub mod stated;
pub mod status;
pub mod steadiness;
pub mod study;
mod sums;
mod system;
pub mod tidy;
pub mod trial;
pub mod validity;

pub use at_rest::{AtRest, EngineEncryption, VolumeEncryption};
pub use atomic::write as write_whole;
pub use attempted::{Attempted, Quantile, attempted};
pub use conditions::{Conditions, HostRecord, ReferenceWork, ServerStart};
pub use environment::Environment;
pub use fact::{Fact, FactValue};
pub use finding::{Facts, Finding, FindingKind, Severity};
pub use folder::doubts::Doubts;
pub use folder::{FileIdentity, FolderError, ResultFolder};
pub use history::{HISTORY_FORMAT, HistoryEntry};
pub use interleaving::{
    BusyReference, CoreMode, Interleaving, ParkedIo, ParkedWork, SliceRecord, WhileParked, mode_shares,
};
pub use interval_log::{IntervalLogWriter, LoggedInterval};
pub use intervals::{IntervalRow, IntervalServers, IntervalsWriter};
pub use judgement::Judgement;
pub use known::KnownLatency;
pub use latency::Latency;
pub use objective::{Objective, ObjectiveOutcome};
pub use plan::{PlanFile, PlannedTrial};
pub use protection::ProtectionRecord;
pub use rising_load::{Purpose, RisingLoadPoint};
pub use server_resources::{ServerResource, ServerResources};
pub use slice_head::{FEWEST_LATE_OPERATIONS, LateInHeads, SliceHead};
pub use stated::{NOT_STATED, Stated, StatedLatency};
pub use status::{TrialState, TrialStatus};
pub use steadiness::{JUDGED_BY_PAUSES, Level, Pauses, Steadiness, SteadyState};
pub use study::{PlannedOrder, PlannedPaper, PlannedStudy};
pub use system::SystemRecord;
pub use trial::{
    ClientCost, Drain, Floor, GeneratorClock, GeneratorRecord, LoadRecord, MeasureRecord, OperationRecord,
    Pacing, ServerCost, Skew, Tail, ThreadCost, TrialRecord, WorkloadRecord,
};
pub use validity::{Invalidity, MOST_LOST};
