//! Security probes for HBase: one file for each group of features.
//!
//! Facts: HBase's reference guide ("Security", "RPC TLS"), its `RPC.proto` and `ServerRpcConnection`, and ZooKeeper's `zookeeper.jute`.

mod access;
mod at_rest;
mod auditing;
mod auditor;
mod authorization;
mod driven;
mod files;
#[doc(hidden)]
pub mod fuzzing;
mod keytabs;
mod logs;
mod management;
mod messages;
mod nodes;
mod ports;
mod proxy;
mod quorum;
mod revocation;
mod rpc;
#[cfg(test)]
mod scene_of_tests;
mod wire;

pub use auditor::HbaseAuditor;
