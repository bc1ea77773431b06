//! A database that is ill in known ways: what the tool should find is planted here.
//!
//! The idea is SickStore's (Wingerath et al., "Who Watches the Watchmen? On the Lack of Validation in NoSQL
//! Benchmarking", BTW 2015): a measuring tool is believed when it finds what is known to be there.

mod defects;
mod deferred;
mod driver;
mod error;
mod facts;
mod info;
mod session;
mod shared;

use dbdyno_engine::TrialRunner;

pub use driver::SickDriver;
pub use info::INFO;
pub use session::SickSession;

/// Carries out trials on this database: the engine is compiled for [`SickDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<SickDriver>();
