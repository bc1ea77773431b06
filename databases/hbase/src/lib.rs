//! HBase: everything about it, in one folder. See the README beside this for addresses, layout and durability.

mod calls;
mod driver;
mod encryption;
mod error;
mod foreseen;
mod info;
mod login;
mod options;
mod session;
mod shared;
mod webhdfs;

use dbdyno_engine::TrialRunner;

pub use driver::HbaseDriver;
pub use options::remote;
pub use session::HbaseSession;
pub use webhdfs::WebServer;

/// Carries out trials on this database: the engine is compiled for [`HbaseDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<HbaseDriver>();
