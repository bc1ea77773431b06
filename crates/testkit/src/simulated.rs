//! A database that is not there: it keeps records in memory, takes as long as it is told to on a time of its own, and
//! fails when it is told to. The engine's tests run on it: an hour of stalls passes in milliseconds, and every figure
//! can be computed by hand beside it. The time is the engine's [`VirtualTime`](dbdyno_engine::VirtualTime).
//!
//! A [`Simulation`] owns the records, the time and the behaviour; [`Simulation::target`] is the address under which
//! [`Simulated`] finds it. Records and manifest stay as long as the simulation lives, across connects.

mod behaviour;
mod database;
mod simulation;

pub use behaviour::{Behaviour, Fault, Stall};
pub use database::{Simulated, SimulatedSession};
pub use simulation::Simulation;
