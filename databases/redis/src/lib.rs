//! Redis: everything about it, in one folder. See the README beside this for addresses, layout and durability.

mod driver;
mod error;
mod facts;
mod foreseen;
#[doc(hidden)]
pub mod fuzzing;
mod guarantee;
mod info;
mod inquiry;
mod layout;
mod link;
mod product;
pub mod resp;
mod section;
mod session;
mod single;
mod wait;

use dbdyno_engine::TrialRunner;

pub use driver::{RedisDriver, remote};
pub use product::product;
pub use session::RedisSession;

/// Carries out trials on this database: the engine is compiled for [`RedisDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<RedisDriver>();
