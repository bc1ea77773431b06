//! Security probes for Redis: one file for each group of features.
//!
//! Facts: redis.io's documentation of security, ACLs, TLS and the protocol (RESP2).

mod access;
mod at_rest;
mod auditor;
mod clean;
mod client;
#[doc(hidden)]
pub mod fuzzing;
mod management;
mod nodes;
mod passwords;
mod replicas;
mod resp;
mod revocation;
mod rights;
mod wire;

pub use auditor::RedisAuditor;
