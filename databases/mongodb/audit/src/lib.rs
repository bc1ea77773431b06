//! Security probes for MongoDB: one file for each group of features.
//!
//! Facts: MongoDB's manual, "Security" and "Wire Protocol"; RFC 5802 and RFC 7677 for logins.

mod access;
mod accounts;
mod at_rest;
mod audit_log;
mod auditing;
mod auditor;
mod clean;
mod client;
mod configuration;
#[doc(hidden)]
pub mod fuzzing;
mod login;
mod management;
mod message;
mod nodes;
mod privileges;
mod revocation;
mod wire;

pub use auditor::MongodbAuditor;
