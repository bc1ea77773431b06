//! A host for YCSB's bindings: any Java class that extends `site.ycsb.DB` does the work. See the README beside this.

mod calls;
mod driver;
mod error;
mod host;
mod info;
mod manifests;
mod options;
mod removal;
mod session;
mod shared;

use dbdyno_engine::TrialRunner;

pub use driver::YcsbDriver;
pub use host::core_jars;
pub use session::YcsbSession;

/// Carries out trials on this database: the engine is compiled for [`YcsbDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<YcsbDriver>();
