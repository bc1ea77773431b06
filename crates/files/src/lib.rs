//! THE FILES that people write: studies, needs and prices.
//!
//! One type describes each file. It is read ([`read`], [`read_all`]), every mistake at its place, and written ([`StudyFile::to_text`],
//! [`NeedFile::to_text`]), so that what dbdyno writes for people is a value and never text that was put together. The same
//! type gives the JSON Schema with which editors complete and check the files (the feature `schema`).
//!
//! What a file asks for is checked elsewhere: this crate knows no database and no results.

mod cost;
mod keys;
mod levels;
mod list;
mod mistake;
mod mistakes;
mod need;
mod paper_sizes;
mod placed;
mod properties;
mod read;
mod read_all;
mod scalar;
mod shipped;
mod study;
mod table;
pub mod values;
mod vary;
mod write;

#[cfg(feature = "schema")]
pub mod schema;

pub use cost::{CostFile, CostTable, HourPrices, Prices, SystemCostTable, SystemPrices};
pub use list::List;
pub use mistake::Mistake;
pub use mistakes::Mistakes;
pub use need::{GoalTable, NeedFile, ObjectiveTable, PublishedTable, RequireTable};
pub use paper_sizes::PaperSizes;
pub use placed::Placed;
pub use properties::{Entry, Properties};
pub use read::{FileTable, Required, read};
pub use read_all::{Reading, read_all};
pub use scalar::Scalar;
pub use shipped::{NEED_SCHEMA, STUDY_SCHEMA};
pub use study::{PaperTable, PlannedTable, SYSTEM_HELP, StudyFile, SystemTable, WorkloadTable};
pub use table::{Table, Tables};
pub use vary::{TOGETHER, Vary};
pub use write::{with_comment_above, with_first_line};
