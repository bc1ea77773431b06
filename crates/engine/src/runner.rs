//! The engine as compiled for one driver, behind one indirect call a trial.

use dbdyno_driver::{AskedServers, Driver, DriverInfo, Foreseen, ScanOrder, Target, options};

use crate::error::EngineError;
use crate::event::Observer;
use crate::outcome::Outcome;
use crate::prepared_trial::PreparedTrial;
use crate::stop::Stop;

/// Load generators beside this process, which carry trials out in its place.
pub trait LoadGenerators: Send + Sync {
    /// Carries out one trial, as [`run_trial`](crate::run_trial) does.
    ///
    /// # Errors
    /// As [`run_trial`](crate::run_trial), and when a load generator fails or is gone.
    fn run_trial(
        &self,
        target: &Target,
        plan: &PreparedTrial,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Outcome, EngineError>;

    /// Processes of theirs on this machine: what they use disturbs nobody.
    fn processes_here(&self) -> Vec<u32>;
}

type RunTrial = fn(&Target, &PreparedTrial, &mut dyn Observer, &Stop) -> Result<Outcome, EngineError>;

/// Carries out trials on one database.
///
/// The crate of each driver keeps one in a static, so that the engine is compiled for that driver there, and only
/// there: whoever calls it through the static compiles nothing of the engine again.
pub struct TrialRunner {
    info: &'static DriverInfo,
    run_trial: RunTrial,
    foreseen: fn(&Target, Option<&AskedServers>) -> Option<Foreseen>,
    foreseen_scan_order: fn(&Target, Option<&AskedServers>) -> ScanOrder,
}

impl TrialRunner {
    /// The engine, compiled for this driver.
    #[must_use]
    pub const fn of<D: Driver>() -> Self {
        Self {
            info: &D::INFO,
            run_trial: crate::run_trial::<D>,
            foreseen: D::foreseen,
            foreseen_scan_order: D::foreseen_scan_order,
        }
    }

    /// The constant facts about the driver.
    #[must_use]
    pub const fn info(&self) -> &'static DriverInfo {
        self.info
    }

    /// The guarantees of the system at `target` before it is asked, see [`Driver::foreseen`].
    #[must_use]
    pub fn foreseen(&self, target: &Target, servers: Option<&AskedServers>) -> Foreseen {
        let own = (self.foreseen)(target, servers);
        own.unwrap_or_else(|| options::foreseen(self.info, target))
    }

    /// The order of scans at `target` before it is asked, see [`Driver::foreseen_scan_order`].
    #[must_use]
    pub fn foreseen_scan_order(&self, target: &Target, servers: Option<&AskedServers>) -> ScanOrder {
        (self.foreseen_scan_order)(target, servers)
    }

    /// Carries out one trial on the database at `target`, as [`run_trial`](crate::run_trial) does.
    ///
    /// # Errors
    /// As [`run_trial`](crate::run_trial).
    pub fn run_trial(
        &self,
        target: &Target,
        plan: &PreparedTrial,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Outcome, EngineError> {
        (self.run_trial)(target, plan, observer, stop)
    }
}
