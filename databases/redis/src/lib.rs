//! Redis: everything about it, in one folder. See the README beside this for addresses, layout and durability.

mod driver;
mod error;
mod facts;
mod layout;
mod link;
mod plain;
mod resp;
mod session;

pub use driver::RedisDriver;
pub use session::RedisSession;
