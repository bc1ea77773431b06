//! Studies on databases in memory: files, conductors, searches, common rates; one program, so that it is linked once.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod disturbed;

mod common_rate;
mod conductor;
mod conflicts;
mod extension;
mod foreseen;
mod generators;
mod rising_load;
mod study_file;
mod turns;
mod vary;
