//! SQLite: a relational database in one file, in this process.

mod driver;
mod error;
mod facts;
mod options;
mod session;
mod statements;

pub use driver::{INFO, SqliteDriver};
pub use session::SqliteSession;
