//! What tests share. Crates name it under `[dev-dependencies]` only; the tool is built without it.
//!
//! - [`conformance`]: one suite that checks the promises of the driver contract on any database.
//! - [`simulated`]: a database on virtual time that takes as long, and fails as often, as a test asks.
//! - [`audit`]: audits of servers of the lab, against what is known of them.
//! - [`namespace`]: another host for servers of this machine.
//! - [`at_rest`]: canaries in the raw image below the files of servers.
//! - [`live`]: servers of the lab, certificates and provoked failures for tests on real databases.

pub mod at_rest;
pub mod audit;
pub mod conformance;
pub mod live;
pub mod namespace;
pub mod simulated;
