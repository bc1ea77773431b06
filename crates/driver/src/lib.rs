//! THE CONTRACT between the engine and a database: [`Driver`] and [`Session`] with their promises, what a database
//! can do ([`Capabilities`]), how it fails ([`DbError`]), and how it is addressed ([`Target`]).
//!
//! A driver knows neither clock nor histogram: the engine times every driver in one place.

mod contract;
pub mod embedded;
mod error;
mod facts;
mod foreseen;
pub mod options;
pub mod remote;
pub mod secrets;
mod target;
pub mod text_file;

pub use contract::{
    Capabilities, Driver, DriverInfo, Execution, Found, MOST_FIELDS_PREPARED, Session, Values,
};
pub use error::{DbError, ErrorClass, Retry};
pub use facts::{SystemFacts, TableFacts};
pub use foreseen::{AskedServers, Foreseen};
pub use target::{Target, TargetError};

pub use dbdyno_trial::{Consistency, Durability, ScanOrder};
pub use dbdyno_workload::{Fields, Key, Row, Rows, Table};
