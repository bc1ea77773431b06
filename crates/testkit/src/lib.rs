//! What tests share. Crates name it under `[dev-dependencies]` only; the tool is built without it.
//!
//! - [`conformance`]: one suite that checks the promises of the driver contract on any database.
//! - [`simulated`]: a database on virtual time that takes as long, and fails as often, as a test asks.
//! - [`live`]: servers of the lab, certificates and provoked failures for tests on real databases.

pub mod conformance;
pub mod live;
pub mod simulated;
