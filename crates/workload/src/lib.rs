//! WHAT is asked: operations and their mix, keys and values, arrivals, YCSB property files.
//!
//! Everything here is a pure function of a [`Specification`](specification::Specification), a seed and an operation
//! number. This crate knows no driver, no clock and no disk (property files are given to it as text).

pub mod key;
pub mod operation;
pub mod row;

pub use key::Key;
pub use operation::{Fields, Operation, OperationKind};
pub use row::{Row, Rows, Table};
