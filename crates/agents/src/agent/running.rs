//! A share of a trial while it runs, on a thread of its own.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream;
use dbdyno_driver::Target;
use dbdyno_engine::{
    EngineError, Event, OF_TRIAL, Observer, Phase, PreparedTrial, Slice, Stop, TurnSender, Turns,
};
use dbdyno_machine::HostSnapshot;
use dbdyno_record::HostRecord;
use tokio::sync::mpsc::UnboundedSender;

use super::lease::Offset;
use super::link::Link;
use super::outgoing::Outgoing;
use crate::bus;
use crate::clock::Clock;
use crate::order::TrialOrder;
use crate::wire::{Ended, Failure, NoticeKind, Report, ReportKind, SentEvent};

/// How often the server is asked to keep a result.
const TRIES: u32 = 20;
/// Between two of these tries: the server may be starting again.
const TRY_AGAIN: Duration = Duration::from_millis(500);

/// A share that runs.
pub(super) struct Running {
    link: Arc<Link>,
    offset: Offset,
    clock: Clock,
    stop: Stop,
    turns: Option<TurnSender>,
    /// Reports so far.
    reports: u64,
    thread: JoinHandle<()>,
}

/// Sends on what the engine says, and looks at the machine at both ends of the measured phase.
struct Reporter<'a> {
    trial: &'a str,
    sender: &'a UnboundedSender<Outgoing>,
    before: HostSnapshot,
    machine: Option<HostRecord>,
}

impl Observer for Reporter<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted {
                phase: Phase::Measure,
                ..
            } => self.before = HostSnapshot::without_processes(),
            Event::PhaseEnded {
                phase: Phase::Measure,
            } => self.machine = Some(self.before.until(&HostSnapshot::without_processes())),
            _ => {}
        }
        if let Some(event) = SentEvent::of(event) {
            let _ = self.sender.send(Outgoing {
                trial: self.trial.to_owned(),
                report: ReportKind::Event(event),
            });
        }
    }
}

impl Running {
    /// Begins a share.
    ///
    /// # Errors
    /// When its order makes no sense, or there is no thread for it.
    pub(super) fn start(
        order: TrialOrder,
        target: Target,
        offset: Offset,
        clock: Clock,
        sender: UnboundedSender<Outgoing>,
    ) -> Result<Self, String> {
        let trial = order.trial.clone();
        let link = Arc::new(Link::new(trial.clone(), clock, sender.clone()));
        let (turns, turn_sender) = match order.is_sliced() {
            true => {
                let (trial, sender) = (trial.clone(), sender.clone());
                let (turns, turn_sender) = Turns::new(move |report| {
                    let _ = sender.send(Outgoing {
                        trial: trial.clone(),
                        report: ReportKind::Turn(report),
                    });
                });
                (Some(turns), Some(turn_sender))
            }
            false => (None, None),
        };
        let ensemble = Arc::clone(&link);
        let plan = order.prepared(ensemble, turns)?;
        let stop = Stop::new();
        let name = format!("{OF_TRIAL}{}", &trial[..8]);
        let thread = {
            let (link, stop) = (Arc::clone(&link), stop.clone());
            let life = move || {
                let ended = carry_out(&trial, &target, &plan, &sender, &stop);
                let _ = sender.send(Outgoing {
                    trial,
                    report: ReportKind::Ended(Box::new(Ended {
                        late_ns: link.late_ns(),
                        ..ended
                    })),
                });
            };
            std::thread::Builder::new()
                .name(name)
                .spawn(life)
                .map_err(|error| format!("no thread for a trial: {error}"))?
        };
        Ok(Self {
            link,
            offset,
            clock,
            stop,
            turns: turn_sender,
            reports: 0,
            thread,
        })
    }

    /// The number of its next report.
    pub(super) fn next_report(&mut self) -> u64 {
        self.reports += 1;
        self.reports
    }

    /// Takes note of what the coordinator says.
    pub(super) fn note(&mut self, notice: NoticeKind) {
        match notice {
            NoticeKind::Met { meeting, said, at_ns } => {
                self.link.met(meeting, said, self.offset.here_ns(at_ns));
            }
            NoticeKind::WarmAt { at_ns } => self.link.warm_at(self.offset.here_ns(at_ns)),
            NoticeKind::OneHasEnded => self.link.one_has_ended(),
            NoticeKind::Inserts(inserts) => self.link.learn_inserts(inserts),
            NoticeKind::Slice { at_ns, slice } => {
                let lead_ns = self.offset.here_ns(at_ns).saturating_sub(self.clock.now_ns());
                if let Some(turns) = &self.turns {
                    turns.send(Slice {
                        lead: Duration::from_nanos(lead_ns),
                        ..slice
                    });
                }
            }
            NoticeKind::NoMoreSlices => self.turns = None,
            NoticeKind::Stop => self.stop.request(),
            NoticeKind::Disband(reason) => self.disband(&reason),
        }
    }

    /// Ends it: its clients send nothing more.
    pub(super) fn disband(&mut self, reason: &str) {
        self.stop.request();
        self.link.disband(reason);
        self.turns = None;
    }

    /// Waits for the end of its thread, which has said its last word.
    pub(super) fn join(self) {
        // A panic was caught in it, and reported.
        let _ = self.thread.join();
    }
}

fn carry_out(
    trial: &str,
    target: &Target,
    plan: &PreparedTrial,
    sender: &UnboundedSender<Outgoing>,
    stop: &Stop,
) -> Ended {
    let mut reporter = Reporter {
        trial,
        sender,
        before: HostSnapshot::default(),
        machine: None,
    };
    let outcome = dbdyno_registry::run_trial(target, plan, &mut reporter, stop);
    Ended {
        outcome: outcome.map_err(|error| Failure {
            class: error.class(),
            message: error.to_string(),
            disbanded: matches!(error, EngineError::Disbanded(_)),
        }),
        late_ns: 0,
        machine: reporter.machine,
    }
}

/// Leaves a result where it stays until the coordinator has it, whatever becomes of the connection meanwhile.
pub(super) fn leave_result(client: Client, coordinator: String, report: Report) {
    tokio::spawn(async move {
        let subject = bus::of_result(&coordinator, &report.trial, &report.agent);
        let Ok(payload) = bus::written(&report) else {
            return;
        };
        let payload = bytes::Bytes::from(payload);
        let context = jetstream::new(client);
        for _ in 0..TRIES {
            let sent = context.publish(subject.clone(), payload.clone()).await;
            if let Ok(kept) = sent
                && kept.await.is_ok()
            {
                return;
            }
            tokio::time::sleep(TRY_AGAIN).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_looked_at_in_the_measured_phase() {
        let (sender, _receiver) = tokio::sync::mpsc::unbounded_channel();
        let mut reporter = Reporter {
            trial: "t",
            sender: &sender,
            before: HostSnapshot::default(),
            machine: None,
        };
        let mut pass = |phase| {
            reporter.event(&Event::PhaseStarted {
                phase,
                expected_operations: None,
                expected_duration: None,
            });
            std::thread::sleep(Duration::from_millis(50));
            reporter.event(&Event::PhaseEnded { phase });
            reporter.machine.clone()
        };
        assert_eq!(pass(Phase::WarmUp), None);
        let seen = pass(Phase::Measure).unwrap();
        #[cfg(target_os = "linux")]
        assert!(seen.seconds > 0.0 && seen.steal_share.is_some(), "{seen:?}");
        assert_eq!(seen.others_cpu_share, None, "an agent looks at no processes");
    }
}
