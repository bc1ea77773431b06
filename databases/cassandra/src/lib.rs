//! Cassandra: everything about it, in one folder. See the README beside this for addresses, layout and durability.

mod driver;
mod error;
mod facts;
mod layout;
mod link;
mod session;
mod statements;

pub use driver::CassandraDriver;
pub use session::CassandraSession;
