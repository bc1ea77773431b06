//! HBase: everything about it, in one folder. See the README beside this for addresses, layout and durability.

mod calls;
mod driver;
mod encryption;
mod error;
mod login;
mod options;
mod session;

pub use driver::HbaseDriver;
pub use session::HbaseSession;
