//! Who sends the load of a command: this process, or the agents that `--agents` names.

#[cfg(feature = "agents")]
mod of_agents;
#[cfg(not(feature = "agents"))]
mod of_process;

#[cfg(feature = "agents")]
pub use of_agents::{again, check, problem, recruit};
#[cfg(not(feature = "agents"))]
pub use of_process::{again, check, recruit};
