//! The database that does nothing: what a run against it measures is the tool itself, its floor.

mod driver;
mod facts;
mod session;

pub use driver::{INFO, NullDriver};
pub use session::NullSession;
