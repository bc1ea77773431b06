//! Security probes for Cassandra: one file for each group of features.
//!
//! Facts: `native_protocol_v4.spec`, the manual and the source of Apache Cassandra; for JMX, the specification of Java's RMI.

mod access;
mod at_rest;
mod auditing;
mod auditor;
mod authorization;
mod client;
mod cql;
#[doc(hidden)]
pub mod fuzzing;
mod injection;
mod jmx;
mod nodes;
mod password;
mod permissions;
mod reader;
mod revocation;
mod rmi;
mod wire;
mod workshop;

pub use auditor::CassandraAuditor;
