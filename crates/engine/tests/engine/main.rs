//! The engine against a simulated database on virtual time, and against small databases of its own on real time.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod blocking;
mod common;
mod coordinated_omission;
mod empty;
mod ensemble;
mod freeze;
mod interrupted;
mod intervals;
mod manifest;
mod open_loop;
mod outcomes;
mod planted;
mod same_operations;
mod threads;
mod turns;
mod warm_up;
