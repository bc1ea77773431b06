//! How the engine meets the load generators of other agents: over the coordinator.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dbdyno_engine::{Disbanded, Ensemble, Inserts, Meet, Meeting, Said};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use super::outgoing::Outgoing;
use crate::clock::Clock;
use crate::wire::ReportKind;

/// How often a share says that it waits.
const COME_AGAIN: Duration = Duration::from_secs(1);

/// One share's way to the others.
pub(super) struct Link {
    trial: String,
    clock: Clock,
    sender: UnboundedSender<Outgoing>,
    /// Meetings that it has come to.
    meetings: AtomicU32,
    known: watch::Sender<Known>,
    /// What it said of its inserts last.
    inserts_sent: Mutex<Inserts>,
    /// By how much it missed the agreed start of a phase, nanoseconds.
    late_ns: AtomicU64,
}

/// What the coordinator said. Times are of this process's clock.
#[derive(Default)]
struct Known {
    met: BTreeMap<u32, (Said, u64)>,
    warm_at_ns: Option<u64>,
    one_has_ended: bool,
    inserts: Inserts,
    disbanded: Option<String>,
}

impl Link {
    pub(super) fn new(trial: String, clock: Clock, sender: UnboundedSender<Outgoing>) -> Self {
        Self {
            trial,
            clock,
            sender,
            meetings: AtomicU32::new(0),
            known: watch::Sender::new(Known::default()),
            inserts_sent: Mutex::default(),
            late_ns: AtomicU64::new(0),
        }
    }

    /// All have come to a meeting, and go on then.
    pub(super) fn met(&self, meeting: u32, said: Said, at_ns: u64) {
        self.known.send_modify(|known| {
            known.met.insert(meeting, (said, at_ns));
        });
    }

    pub(super) fn warm_at(&self, at_ns: u64) {
        self.known.send_modify(|known| known.warm_at_ns = Some(at_ns));
    }

    pub(super) fn one_has_ended(&self) {
        self.known.send_modify(|known| known.one_has_ended = true);
    }

    pub(super) fn learn_inserts(&self, inserts: Inserts) {
        self.known.send_modify(|known| known.inserts = inserts);
    }

    pub(super) fn disband(&self, reason: &str) {
        self.known
            .send_modify(|known| known.disbanded = Some(reason.to_owned()));
    }

    pub(super) fn late_ns(&self) -> u64 {
        self.late_ns.load(Ordering::Relaxed)
    }

    fn send(&self, report: ReportKind) {
        // Where nobody listens any more, the trial is disbanded, too.
        let _ = self.sender.send(Outgoing {
            trial: self.trial.clone(),
            report,
        });
    }
}

impl Ensemble for Link {
    fn meet(&self, said: Said) -> Meet<'_> {
        let meeting = self.meetings.fetch_add(1, Ordering::Relaxed);
        let is_start = said == Said::Ready;
        Box::pin(async move {
            let mut known = self.known.subscribe();
            let known = loop {
                self.send(ReportKind::Came {
                    meeting,
                    said: said.clone(),
                });
                let has_met = |known: &Known| known.disbanded.is_some() || known.met.contains_key(&meeting);
                // It comes again and again: if nothing followed a message that was lost, nobody would ever see that it is missing.
                if tokio::time::timeout(COME_AGAIN, known.wait_for(has_met))
                    .await
                    .is_ok()
                {
                    break self.known.borrow();
                }
            };
            if let Some(reason) = &known.disbanded {
                return Err(Disbanded(reason.clone()));
            }
            let Some((said, at_ns)) = known.met.get(&meeting) else {
                return Err(Disbanded("the meeting did not come about".to_owned()));
            };
            let now_ns = self.clock.now_ns();
            if is_start {
                self.late_ns
                    .fetch_max(now_ns.saturating_sub(*at_ns), Ordering::Relaxed);
            }
            Ok(Meeting {
                goes_on_in: Duration::from_nanos(at_ns.saturating_sub(now_ns)),
                said: vec![said.clone()],
            })
        })
    }

    fn warm_in(&self) -> Option<Duration> {
        let at_ns = self.known.borrow().warm_at_ns?;
        Some(Duration::from_nanos(at_ns.saturating_sub(self.clock.now_ns())))
    }

    fn has_one_ended(&self) -> bool {
        self.known.borrow().one_has_ended
    }

    fn inserts(&self, own: Inserts) -> Inserts {
        let mut sent = self.inserts_sent.lock().unwrap_or_else(PoisonError::into_inner);
        if *sent != own {
            sent.clone_from(&own);
            self.send(ReportKind::Inserts(own));
        }
        self.known.borrow().inserts.clone()
    }
}
