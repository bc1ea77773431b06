//! MongoDB: everything about it, in one folder. See the README beside this for addresses, layout and guarantees.

mod documents;
mod driver;
mod error;
mod facts;
mod options;
mod session;

pub use driver::MongodbDriver;
pub use session::MongodbSession;
