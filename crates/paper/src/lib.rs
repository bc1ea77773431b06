//! Published studies as data: their set-ups, the tables that they printed, their claims and the limits that they name. A
//! paper is one file of `studies/papers/`, which this crate carries with it.

mod catalogue;
mod claim_verdict;
mod claimed;
mod claims;
pub mod measured;
mod model;
mod numbers;
pub mod predicate;
mod printed;
mod rerun;
mod rerun_error;
mod stated;
mod statements;
mod topology;

pub use catalogue::{PaperError, all, find, parse};
pub use claim_verdict::ClaimVerdict;
pub use claimed::{is_measured, narrowed, parts_for};
pub use claims::{Judged, judge};
pub use model::{
    Assumption, Claim, Head, LOAD, Limit, Operations, Paper, Rerun, RerunSystem, RerunWorkload, StandsFor,
    System, Table, Workload, named, plain,
};
pub use numbers::{PrintedNumber, not_rerun, numbers};
pub use printed::printed;
pub use rerun::{Request, SMALLEST_SIZE, Study, replaced, study};
pub use rerun_error::RerunError;
pub use stated::Version;
pub use topology::{Deployment, Differs, Extent, Topology, TopologyDiffers};
