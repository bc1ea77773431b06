//! Published studies as data: their set-ups, the tables that they printed, their claims and the limits that they name. A
//! paper is one file of `studies/papers/`, which this crate carries with it.

mod catalogue;
mod claim_verdict;
mod claims;
mod column;
pub mod measured;
mod model;
mod number_text;
mod numbers;
pub mod predicate;
mod printed;
mod rerun;
mod stated;
mod statements;
mod table_file;

pub use catalogue::{PaperError, all, find, parse};
pub use claim_verdict::ClaimVerdict;
pub use claims::{Judged, judge};
pub use model::{
    Assumption, Claim, Head, Limit, Operations, Paper, PrintedCell, Rerun, System, Table, Workload, named,
    plain,
};
pub use numbers::{PrintedNumber, numbers};
pub use printed::{printed, printed_tables};
pub use rerun::{Request, RerunError, SMALLEST_SIZE, Study, study};
pub use stated::Version;
pub use table_file::{TableFile, TableFileError, Unchecked, UnreadableCell, table_of_csv};
