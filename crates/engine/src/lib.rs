//! HOW it is asked and timed.
//!
//! [`run_trial`] carries out one [`PreparedTrial`] on one database: connect, load, warm-up, measure, drain. `worker.rs` is the
//! whole hot path on one screen; everything else prepares for it or adds up what it saw. `docs/engine.md` says what
//! is timed and what is counted as what.

mod client;
pub mod clock;
mod collector;
mod ensemble;
mod error;
mod event;
pub mod findings;
pub mod floor;
mod gate;
mod head;
mod host;
mod in_flight;
mod manifest;
mod memory;
mod outcome;
mod pacing;
mod phase;
mod prepared_trial;
mod recorder;
mod report;
mod runner;
mod stop;
mod table;
mod tally;
mod thread_name;
mod trial;
mod turns;
mod unfinished;
mod work;
mod worker;

use dbdyno_driver::{Driver, Execution, Target};
use dbdyno_machine::AvailableMemory;
use dbdyno_record::Floor;

use crate::trial::Assignment;

pub use clock::VirtualTime;
pub use ensemble::{Disbanded, Ensemble, Inserts, Loaded, Meet, Meeting, Part, Ran, Said, TableState};
pub use error::{EngineError, EngineErrorClass, MemorySize, MemoryUse, PlanError, TableEnd, TableFault};
pub use event::{Event, GeneratorInterval, Interval, IntervalOperation, Observer, Phase, ServerUse};
pub use outcome::{Outcome, Seen};
pub use prepared_trial::PreparedTrial;
pub use runner::{LoadGenerators, TrialRunner};
pub use stop::Stop;
pub use thread_name::OF_TRIAL;
pub use turns::{Slice, SliceOutcome, TurnReport, TurnSender, Turns};

pub use dbdyno_trial::{Limit, Pace, Phases, Reset, TrialSpec, WarmUp};

/// Carries out one trial on the database at `target`.
///
/// Must not be called from within an async runtime: it makes its own.
///
/// # Errors
/// When the trial could not run at all; see [`EngineError`]. Failures of single operations are counted in
/// the [`Outcome`].
pub fn run_trial<D: Driver>(
    target: &Target,
    plan: &PreparedTrial,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<Outcome, EngineError> {
    trial::check(plan)?;
    memory::check::<D>(plan, AvailableMemory::now())?;
    let host = host::Real {
        time: clock::MonotonicTime::start(),
    };
    let asked = Assignment {
        target,
        plan,
        observer,
        stop,
        floor: floor::measure(&plan.workload),
    };
    // Async drivers may leave tasks of their own behind in it, which must go on while clients run elsewhere.
    let runtime = match D::INFO.execution {
        Execution::Blocking => tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build(),
        Execution::Async => tokio::runtime::Builder::new_multi_thread()
            .worker_threads(dbdyno_machine::usable_cpus() as usize)
            .thread_name(thread_name::thread_name("driver"))
            .enable_all()
            .build(),
    };
    let runtime = runtime.map_err(|error| EngineError::System {
        what: "an async runtime",
        error,
    })?;
    let outcome = runtime.block_on(trial::run::<D, _>(&host, asked));
    runtime.shutdown_background();
    outcome
}

/// Carries out one trial on virtual time, on this thread: for tests of the engine and of whatever stands on it. The
/// driver must wait on `time` and nothing else, as the simulated database of `dbdyno-testkit` does.
///
/// # Errors
/// As [`run_trial`].
pub fn run_trial_on_virtual_time<D: Driver>(
    target: &Target,
    plan: &PreparedTrial,
    observer: &mut dyn Observer,
    stop: &Stop,
    time: &VirtualTime,
) -> Result<Outcome, EngineError> {
    let nothing = Beside {
        time,
        events: std::future::ready(()),
    };
    run_trial_on_virtual_time_beside::<D>(target, plan, observer, stop, nothing)
}

/// Virtual time, and what happens on it beside a trial, such as the turns that others take.
pub struct Beside<'a, F> {
    /// The time.
    pub time: &'a VirtualTime,
    /// Everything that happens beside the trial.
    pub events: F,
}

/// Carries out one trial on virtual time, as [`run_trial_on_virtual_time`] does, while something else happens beside it.
///
/// # Errors
/// As [`run_trial`].
pub fn run_trial_on_virtual_time_beside<D: Driver>(
    target: &Target,
    plan: &PreparedTrial,
    observer: &mut dyn Observer,
    stop: &Stop,
    beside: Beside<'_, impl Future<Output = ()>>,
) -> Result<Outcome, EngineError> {
    let asked = Assignment {
        target,
        plan,
        observer,
        stop,
        floor: Floor::default(),
    };
    host::run_on_virtual_time(beside.time, |host| async move {
        let mut events = std::pin::pin!(beside.events);
        let mut trial = std::pin::pin!(trial::run::<D, _>(&host, asked));
        tokio::select! {
            biased;
            outcome = &mut trial => outcome,
            () = &mut events => trial.await,
        }
    })
}
