//! The real binary, as a user runs it: one program, so that it is linked once.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod common;

mod advise;
mod advise_not_measured;
#[cfg(feature = "agents")]
mod agents;
mod agents_apart;
mod audit;
mod browser;
mod ci;
mod compare;
mod copied_trials;
mod full_disk;
mod history;
mod hostile;
mod import;
mod install;
mod lab;
mod limits;
mod lint;
mod metrics;
mod mistakes;
mod more_trials;
mod old_folders;
mod outage;
mod paper;
mod partition;
mod prices;
mod protection;
mod pseudo_terminal;
mod quoted;
mod report;
mod rising_load;
mod run;
mod serve;
mod serve_in_browser;
mod several;
mod sick;
mod study;
mod watch;
mod words;
