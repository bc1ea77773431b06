//! Where a trial waits for the other load generators that carry out parts of it. Without any it waits for nobody.

use std::sync::atomic::Ordering;

use dbdyno_driver::Driver;
use dbdyno_workload::Share;

use super::Trial;
use crate::ensemble::{Inserts, Loaded, Ran, Said};
use crate::error::EngineError;
use crate::host::Host;
use crate::phase::{self, PhaseResult};
use crate::prepared_trial::PreparedTrial;
use crate::work::{SharedSequence, nanoseconds};

/// Its share of the operations.
pub(super) fn share(plan: &PreparedTrial) -> Share {
    plan.part.as_ref().map_or(Share::WHOLE, |part| part.share)
}

impl<D: Driver, H: Host> Trial<'_, '_, D, H> {
    /// When the next phase begins: once all clients have the work, or with those of the other load generators.
    pub(super) async fn start_ns(&self) -> Result<u64, EngineError> {
        let plan = self.asked.plan;
        let lead_ns = if H::REAL {
            200_000 + 5_000 * u64::from(plan.spec.clients)
        } else {
            0
        };
        let goes_on_ns = match &plan.part {
            Some(part) => nanoseconds(part.ensemble.meet(Said::Ready).await?.goes_on_in),
            None => 0,
        };
        Ok(self.host.now_ns() + goes_on_ns.max(lead_ns))
    }

    /// What came of the load, that of other load generators included.
    pub(super) async fn all_loaded(&self, own: Loaded) -> Result<Loaded, EngineError> {
        let Some(part) = &self.asked.plan.part else {
            return Ok(own);
        };
        let meeting = part.ensemble.meet(Said::Loaded(own)).await?;
        let loads = meeting.said.iter().filter_map(|said| match said {
            Said::Loaded(loaded) => Some(loaded),
            _ => None,
        });
        Ok(Loaded::together(loads))
    }

    /// What came of the run's inserts, those of other load generators included.
    pub(super) async fn all_ran(
        &self,
        work: &SharedSequence,
        result: &PhaseResult,
    ) -> Result<Ran, EngineError> {
        let own = Ran {
            inserts: Inserts::default(),
            failed: work.failed_inserts.load(Ordering::Relaxed),
            stuck: result.stuck,
        };
        let Some(part) = &self.asked.plan.part else {
            return Ok(own);
        };
        let inserts = phase::inserts(work);
        let meeting = part.ensemble.meet(Said::Ran(Ran { inserts, ..own })).await?;
        let mut all = Ran::default();
        let mut inserts = Vec::new();
        for said in &meeting.said {
            if let Said::Ran(ran) = said {
                inserts.push(&ran.inserts);
                all.failed += ran.failed;
                all.stuck += ran.stuck;
            }
        }
        all.inserts = Inserts::together(inserts);
        work.sequence.learn(all.inserts.ended, &all.inserts.failed);
        Ok(all)
    }
}
