//! A server that lies about its security: what an audit should find is planted here.
//!
//! The server speaks enough of Redis's protocol for Redis's probes, which examine it as they examine any server. Without a
//! lie it protects what it says it protects.

mod answer;
mod auditor;
mod lie;
mod server;
mod users;

pub use auditor::SickAuditor;
pub use lie::Lie;
