//! WHO sends it: load generators on many machines, which a NATS server connects.
//!
//! An [agent](serve) is a process on a machine that sends load. A [`Fleet`] is the agents that one command has: it carries a trial out
//! as `engine::run_trial` does, in shares. Messages are plans and figures of dbdyno and never commands; they travel through a NATS
//! server of the user's, which does the logging in, the encryption and the connecting again.
//!
//! Operations stay a function of (seed, N): [`Share`](dbdyno_workload::Share) says which of them an agent sends, so what all agents send
//! is what one process would. Clocks of different machines are compared to begin phases at one time, and no latency crosses two clocks.

mod address;
mod agent;
mod allow;
mod bus;
mod clock;
mod error;
mod fleet;
#[doc(hidden)]
pub mod fuzzing;
mod identity;
mod local;
mod order;
mod server;
#[doc(hidden)]
pub mod simulated;
mod wire;

pub use address::{AgentsAddress, AgentsWanted, Labels, label_of};
pub use agent::{AgentOptions, serve};
pub use allow::{Allowed, check_target};
pub use error::{AgentsError, AgentsErrorKind};
pub use fleet::{Fleet, FleetRequest, Listed, list};
pub use local::{LocalAgents, LocalServer, start_local};
