//! Runs trials: starts servers, repeats attempts, searches for rates and writes records.

mod compilers;
pub mod conditions;
pub mod conductor;
pub mod error;
mod estimate;
pub mod event;
pub mod extension;
mod group;
pub mod labs;
mod live_feed;
mod live_generators;
mod live_second;
mod node_disks;
mod order;
mod recording;
pub mod remedy;
pub mod repetition;
pub mod rising_load;
mod server_watch;
mod servers;
pub mod single;
pub mod summary;
mod test_bed;
pub mod trial;
