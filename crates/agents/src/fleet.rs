//! The agents of one command: found, held by heartbeats, and made to carry out trials together.

mod crew;
mod intervals;
mod meetings;
mod result;
mod roll_call;
mod trial;

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{Disbanded, EngineError, Event, LoadGenerators, Observer, Outcome, PreparedTrial, Stop};
use tokio::runtime::Runtime;

use crate::address::{AgentsAddress, Labels};
use crate::bus;
use crate::error::{AgentsError, AgentsErrorKind, not_sent};
use crate::local::LocalAgents;
use crew::Crew;
pub use roll_call::{Listed, list};

/// How long a command waits for its agents to be there.
const FIRST_WAIT: Duration = Duration::from_secs(30);
/// How long a trial waits for agents that are gone.
const WAIT_AGAIN: Duration = Duration::from_secs(60);
/// Between two looks for agents.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// What a command needs of its agents.
#[derive(Clone, Debug)]
pub struct FleetRequest {
    /// The server where they are.
    pub server: AgentsAddress,
    /// It takes so many at least.
    pub min: u32,
    /// Labels that they have.
    pub labels: Labels,
    /// The study, for whoever looks at an agent.
    pub study: String,
}

/// The agents of one command. They are free again when it is dropped, and two seconds after its process ended in any way.
pub struct Fleet {
    runtime: Option<Runtime>,
    crew: Arc<Crew>,
    /// Their server and processes, where this process started them: they end after the release.
    _local: Option<LocalAgents>,
}

impl Fleet {
    /// Finds agents and takes all that are free, once there are enough.
    ///
    /// # Errors
    /// When the server cannot be reached, or there are too few agents.
    pub fn recruit(
        request: FleetRequest,
        local: Option<LocalAgents>,
        stop: &Stop,
    ) -> Result<Self, AgentsError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("agents")
            .enable_all()
            .build()
            .map_err(|error| not_sent("no runtime", &error))?;
        let crew = runtime.block_on(async {
            let client = bus::connect(&request.server, "dbdyno").await?;
            let crew = Arc::new(Crew::new(client, request).await?);
            Arc::clone(&crew).keep_alive();
            enough(&crew, FIRST_WAIT, stop).await?;
            Ok::<_, AgentsError>(crew)
        })?;
        Ok(Self {
            runtime: Some(runtime),
            crew,
            _local: local,
        })
    }

    /// Names of its agents, in the order of their shares.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let alive = self.crew.alive();
        alive.into_iter().map(|agent| agent.name).collect()
    }
}

impl LoadGenerators for Fleet {
    fn processes_here(&self) -> Vec<u32> {
        let alive = self.crew.alive().into_iter();
        let here = alive.filter(crew::Present::is_here);
        here.map(|agent| agent.process).collect()
    }

    fn run_trial(
        &self,
        target: &Target,
        plan: &PreparedTrial,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Outcome, EngineError> {
        let Some(runtime) = &self.runtime else {
            return Err(Disbanded("the agents have been released".to_owned()).into());
        };
        runtime.block_on(async {
            if !self.crew.is_enough() {
                let waits = format!(
                    "{}; waiting up to {} s for more",
                    self.crew.too_few(&[]).message,
                    WAIT_AGAIN.as_secs()
                );
                observer.event(&Event::Preparing(waits));
            }
            let found = enough(&self.crew, WAIT_AGAIN, stop).await;
            found.map_err(|error| EngineError::NoGenerators(error.message))?;
            trial::carry_out(&self.crew, target, plan, observer, stop).await
        })
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.block_on(self.crew.release());
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

/// Takes agents that are free until there are enough, and all of them answer.
async fn enough(crew: &Arc<Crew>, patience: Duration, stop: &Stop) -> Result<(), AgentsError> {
    let until_ns = crew.clock().now_ns() + u64::try_from(patience.as_nanos()).unwrap_or(u64::MAX / 2);
    loop {
        // Without asking, a server that has just gone away would be noticed by orders that nobody gets.
        let all_answer = crew.all_answer().await;
        if all_answer && crew.is_whole() {
            return Ok(());
        }
        let refused = crew.recruit().await?;
        if all_answer && crew.is_enough() {
            return Ok(());
        }
        if stop.is_requested() {
            return Err(AgentsError::new(
                AgentsErrorKind::Interrupted,
                "stopped while waiting for agents",
            ));
        }
        if crew.clock().now_ns() >= until_ns {
            return Err(crew.too_few(&refused));
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
