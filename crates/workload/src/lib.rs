//! WHAT is asked: operations and their mix, keys and values, arrivals, YCSB property files.
//!
//! Everything here is a pure function of a [`Specification`], a seed and an operation number. This crate knows no
//! driver, no clock and no disk (property files are given to it as text).
//!
//! ```
//! use std::sync::Arc;
//! use dbdyno_workload::{Batch, Specification, Workload, catalogue};
//!
//! let mut properties = catalogue::find("a")?.properties();
//! properties.set("recordcount=1M")?;
//! let resolved = Specification::from_properties(&properties)?;
//! let workload = Arc::new(Workload::new(resolved.specification, 42)?);
//! let run = workload.run(1_000_000, Some(100), None);
//! let mut batch = Batch::new();
//! let mut operations = 0;
//! while let Some(claim) = run.claim(64) {
//!     run.fill(&claim, &mut batch);
//!     operations += batch.len();
//! }
//! assert_eq!(operations, 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod acknowledged;
pub mod arrivals;
mod batch;
pub mod catalogue;
mod chooser;
pub mod client_properties;
pub mod hash;
mod integrity;
pub mod key;
mod lengths;
pub mod operation;
pub mod properties;
mod random;
mod reader;
mod resolve;
pub mod row;
pub mod sequence;
mod share;
pub mod skew;
pub mod specification;
mod specification_text;
mod values;
mod vocabulary;
pub mod workload;
pub mod zeta;
pub mod zipfian;

pub use arrivals::Arrivals;
pub use batch::{Batch, Claim};
pub use client_properties::{ClientProperties, MOST_CLIENTS};
pub use key::Key;
pub use operation::{Fields, Operation, OperationKind};
pub use properties::{Properties, PropertyError};
pub use row::{Row, Rows, Table};
pub use sequence::{Sequence, Verification};
pub use share::Share;
pub use specification::{Mix, Resolved, Specification};
pub use vocabulary::is_core_property;
pub use workload::{Workload, WorkloadError};
