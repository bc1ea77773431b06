//! MongoDB: everything about it, in one folder. See the README beside this for addresses, layout and guarantees.

mod connected;
mod deadline;
mod documents;
mod driver;
mod error;
mod facts;
mod foreseen;
mod info;
mod manifest;
mod options;
mod session;
mod shard_key;
mod sharding;
mod shards;
mod topology;

use dbdyno_engine::TrialRunner;

pub use driver::MongodbDriver;
pub use options::remote;
pub use session::MongodbSession;

/// Carries out trials on this database: the engine is compiled for [`MongodbDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<MongodbDriver>();
