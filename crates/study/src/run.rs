//! Trials are carried out: servers, attempts, searches and what is written of them.

mod compilers;
pub mod conditions;
pub mod conductor;
pub mod error;
pub mod event;
pub mod labs;
pub mod ladder;
mod recording;
pub mod repetition;
mod server_watch;
pub mod single;
pub mod summary;
mod test_bed;
pub mod trial;
