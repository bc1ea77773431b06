//! Security probes for PostgreSQL: one file for each group of features.
//!
//! Facts: PostgreSQL's manual, "Frontend/Backend Protocol", "Client Authentication", "Database Roles", "Privileges".

mod access;
mod at_rest;
mod attempt;
mod auditing;
mod auditor;
mod client;
mod configuration;
mod databases;
mod definer;
mod entry;
mod exposed;
#[doc(hidden)]
pub mod fuzzing;
mod grants;
mod low_role;
mod management;
mod membership;
mod nodes;
mod others;
mod protocol;
mod proxy;
mod revocation;
mod rights;
mod rule;
mod rules;
mod stored;
mod stranger;
mod wire;

pub use auditor::PostgresAuditor;
