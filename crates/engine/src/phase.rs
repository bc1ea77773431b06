//! Runs one piece of work: gives it to the clients, follows it to its end, reports to the observer.

mod slices;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_machine::OwnUsage;
use dbdyno_record::{Tail, ThreadCost};
use dbdyno_workload::OperationKind;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::collector::Collector;
use crate::ensemble::{Inserts, Part};
use crate::error::EngineError;
use crate::event::{Event, Observer, Phase};
use crate::host::Host;
use crate::prepared_trial::PreparedTrial;
use crate::report::{ClientSlice, Report};
use crate::stop::Stop;
use crate::tally::Tally;
use crate::turns::Turns;
use crate::unfinished::{Unfinished, unfinished};
use crate::work::{SharedSequence, Stage, nanoseconds};
use slices::Slices;

/// How often the loop checks for a request to stop.
const LOOK_NS: u64 = 50_000_000;
/// A stopped open loop ends this much later: all clients must see the new end before it comes, or some would leave
/// out an operation that is due before one that others send.
const STOP_NOTICE_NS: u64 = 60_000_000;
/// With a rate clients hold operations that are due later: the end of the warm-up is drawn this many times as far ahead.
const LOOK_AHEAD: f64 = 10.0;
/// After so long of nothing but failures a phase without a time limit is given up.
pub(crate) const HOPELESS: Duration = Duration::from_secs(10);

/// A started crew, as the trial sees it.
pub(crate) struct Clients {
    pub(crate) orders: Vec<UnboundedSender<Arc<SharedSequence>>>,
    pub(crate) reports: UnboundedReceiver<Report>,
}

/// The result of one piece of work.
pub(crate) struct PhaseResult {
    pub(crate) tally: Tally,
    pub(crate) error_samples: Vec<String>,
    /// When its counted stage ended: at its deadline; where all was done before, or there is none, with the last operation.
    pub(crate) end_ns: u64,
    /// How long its counted stage lasted.
    pub(crate) lasted_ns: u64,
    pub(crate) ran_to_deadline: bool,
    /// The time from then to the last answer, or until clients were given up.
    pub(crate) drain_ns: u64,
    /// What was sent after the counted stage.
    pub(crate) tail: Option<Tail>,
    /// Operations that were given up.
    pub(crate) unfinished: Unfinished,
    /// The counted stage began.
    pub(crate) measured: bool,
    pub(crate) interrupted: bool,
    /// Nothing but failures came for too long.
    pub(crate) hopeless: bool,
    /// Clients still held up in an operation when the drain was over.
    pub(crate) stuck: u32,
    /// Operations sent in the warm-up that were answered only after the deadline of the measured stage.
    pub(crate) outlasting: u64,
    pub(crate) usage: (OwnUsage, OwnUsage),
    /// The client thread that used the most CPU time in the measured stage.
    pub(crate) busiest_thread: Option<ThreadCost>,
    /// Clock drift, parts per million, where that can be known.
    pub(crate) clock_drift_ppm: Option<f64>,
}

/// Bounds of a piece of work that only the events need.
#[derive(Clone, Copy, Default)]
pub(crate) struct Expected {
    pub(crate) warmup: Duration,
    pub(crate) operations: Option<u64>,
    pub(crate) duration: Option<Duration>,
    pub(crate) drain: Duration,
    /// How long before its new end clients must hear that the warm-up ends.
    pub(crate) notice_ns: u64,
}

/// A piece of work for all clients.
pub(crate) struct Piece<'a> {
    pub(crate) work: &'a Arc<SharedSequence>,
    pub(crate) expected: Expected,
    /// When the clients may run, where the work is cut into slices.
    pub(crate) turns: Option<&'a Turns>,
    /// The part that it is, where other load generators carry out others.
    pub(crate) part: Option<&'a Part>,
}

/// How far the inserts of a piece of work are.
pub(crate) fn inserts(work: &SharedSequence) -> Inserts {
    // Failures are remembered before what comes after them counts as ended.
    let ended = work.sequence.ended_inserts();
    Inserts {
        ended,
        failed: work.sequence.failed_inserts(),
    }
}

/// How far ahead a line has to be drawn that all clients are to see before it comes.
pub(crate) fn notice_ns(plan: &PreparedTrial) -> u64 {
    let ahead_s = plan
        .spec
        .pace
        .map_or(0.0, |pace| LOOK_AHEAD * f64::from(plan.spec.clients) / pace.rate);
    STOP_NOTICE_NS.max((ahead_s * 1e9) as u64)
}

/// A piece of work that the clients have, and what is seen of it.
struct Course<'a, H> {
    host: &'a H,
    clients: &'a mut Clients,
    work: &'a Arc<SharedSequence>,
    expected: Expected,
    part: Option<&'a Part>,
    /// When the generators tell each other again how far the inserts are.
    exchange_ns: u64,
    stop: &'a Stop,
    follow: Follow<'a>,
    interrupted: bool,
    hopeless: bool,
}

struct Follow<'a> {
    observer: &'a mut dyn Observer,
    collector: Collector,
    stage: Stage,
    draining: bool,
    /// The observer found the warm-up long enough.
    warm: bool,
    done: u32,
    /// Clients that wait for the next turn.
    parked: u32,
    /// The slice that is open, of the clients together for which it is over.
    slice: ClientSlice,
    /// The slices that are over.
    slices: Slices,
    outlasting: u64,
    usage: OwnUsage,
    /// What the process had used when the tail began.
    usage_before_tail: Option<OwnUsage>,
    /// The share of CPU time of each client thread, by name.
    threads: BTreeMap<String, f64>,
}

/// Carries out a piece of work with all clients and returns when they are done, or when the drain after its end is over.
pub(crate) async fn run<H: Host>(
    host: &H,
    clients: &mut Clients,
    piece: Piece<'_>,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<PhaseResult, EngineError> {
    let Piece {
        work,
        expected,
        turns,
        part,
    } = piece;
    let clock = host.clock_reading();
    for orders in &clients.orders {
        orders
            .send(Arc::clone(work))
            .map_err(|_| EngineError::Client("it takes no orders".to_owned()))?;
    }
    let follow = Follow {
        observer,
        collector: Collector::new(
            work.first_stage(),
            work.stage_start_ns(work.first_stage()),
            work.interval_ns(work.first_stage()),
        ),
        stage: work.first_stage(),
        draining: false,
        warm: false,
        done: 0,
        outlasting: 0,
        parked: 0,
        slice: ClientSlice::default(),
        slices: Slices::default(),
        usage: OwnUsage::until(host.now_ns()),
        usage_before_tail: None,
        threads: BTreeMap::new(),
    };
    let mut course = Course {
        host,
        clients,
        work,
        expected,
        part,
        exchange_ns: 0,
        stop,
        follow,
        interrupted: false,
        hopeless: false,
    };
    course.follow.announce(expected);
    let mut end_ns = course.follow_clients().await?;
    if let Some(turns) = turns {
        end_ns = course.take_turns(turns, end_ns).await?;
    }
    let clock_drift_ppm = clock
        .zip(host.clock_reading())
        .and_then(|(first, last)| last.drift_ppm(&first));
    let result = course.close(end_ns)?;
    Ok(PhaseResult {
        clock_drift_ppm,
        ..result
    })
}

impl<H: Host> Course<'_, H> {
    /// Now, on the clock of the work.
    fn now_ns(&self) -> u64 {
        self.work.own_ns(self.host.now_ns())
    }

    fn count(&self) -> u32 {
        self.clients.orders.len() as u32
    }

    /// Follows the clients until all of them are done or parked, or the drain is over; the time then.
    async fn follow_clients(&mut self) -> Result<u64, EngineError> {
        let end_ns = self.follow_clients_until(u64::MAX).await?;
        // That time never comes.
        Ok(end_ns.unwrap_or_else(|| self.now_ns()))
    }

    /// Follows the clients as [`follow_clients`](Self::follow_clients) does; `None` when `until_ns` comes first.
    async fn follow_clients_until(&mut self, until_ns: u64) -> Result<Option<u64>, EngineError> {
        let end_ns = loop {
            let now_ns = self.now_ns();
            if now_ns >= until_ns {
                return Ok(None);
            }
            if !self.interrupted && self.stop.is_requested() {
                self.interrupted = true;
                self.work.end_by(if self.work.paced {
                    now_ns + STOP_NOTICE_NS
                } else {
                    now_ns
                });
            }
            if !self.hopeless && self.expected.duration.is_none() {
                self.hopeless = self.follow.collector.only_failures_for_ns(now_ns) > nanoseconds(HOPELESS);
                if self.hopeless {
                    self.work.end_by(now_ns);
                }
            }
            self.exchange_inserts(now_ns);
            self.look_for_tail(now_ns);
            self.follow.turn(self.work, now_ns, self.expected, self.part);
            if self.follow.is_over(self.work, now_ns, self.count()) || now_ns >= self.given_up_ns() {
                break now_ns;
            }
            let wake_ns = self
                .follow
                .next_tick_ns(self.work)
                .min(now_ns + LOOK_NS)
                .min(until_ns)
                .min(self.follow.next_boundary_ns(self.work).max(now_ns + 1));
            let wake_ns = wake_ns + self.work.gate.skipped_ns();
            tokio::select! {
                biased;
                report = self.clients.reports.recv() => {
                    self.follow.take(report, self.work, self.work.own_ns(self.host.now_ns()), self.expected)?;
                }
                () = self.host.sleep_until(wake_ns) => {}
            }
        };
        // Answers of the last moment are not given up.
        while let Ok(report) = self.clients.reports.try_recv() {
            self.follow.take(Some(report), self.work, end_ns, self.expected)?;
        }
        Ok(Some(end_ns))
    }

    /// Tells the other load generators how far the inserts are here, and hears how far all are.
    fn exchange_inserts(&mut self, now_ns: u64) {
        let Some(part) = self.part.filter(|_| now_ns >= self.exchange_ns) else {
            return;
        };
        let mix = &self.work.sequence.workload().specification().mix;
        if !self.work.load && mix.has(OperationKind::Insert) {
            let all = part.ensemble.inserts(inserts(self.work));
            self.work.sequence.learn(all.ended, &all.failed);
        }
        self.exchange_ns = now_ns + LOOK_NS;
    }

    /// Where one of several load generators has sent its share of a number of operations, what this one still sends is not measured.
    fn look_for_tail(&mut self, now_ns: u64) {
        let is_by_number = self.expected.operations.is_some() && !self.work.paced && !self.work.gate.sliced;
        let is_measuring = self.follow.stage == Stage::Measure && self.work.tail_from_ns() == u64::MAX;
        let others = self.part.filter(|_| is_by_number && is_measuring);
        if others.is_some_and(|part| part.ensemble.has_one_ended()) {
            self.work.begin_tail(now_ns);
        }
    }

    /// When clients that have not come back are given up.
    fn given_up_ns(&self) -> u64 {
        self.work
            .deadline_ns()
            .min(self.work.gate.closes_ns())
            .saturating_add(nanoseconds(self.expected.drain))
            .max(self.work.start_ns)
            .saturating_add(LOOK_NS)
    }

    fn close(self, end_ns: u64) -> Result<PhaseResult, EngineError> {
        let clients = self.count();
        self.follow
            .close(self.work, end_ns, clients, self.interrupted, self.hopeless)
    }
}

impl Follow<'_> {
    fn announce(&mut self, expected: Expected) {
        let (expected_operations, expected_duration) = match self.stage {
            Stage::WarmUp => (None, Some(expected.warmup)),
            Stage::Load | Stage::Measure | Stage::Tail => (expected.operations, expected.duration),
        };
        self.observer.event(&Event::PhaseStarted {
            phase: self.stage.phase(),
            expected_operations,
            expected_duration,
        });
    }

    /// When an interval is due to be reported next. Nothing more is when the tail has begun.
    fn next_tick_ns(&self, work: &SharedSequence) -> u64 {
        Some(self.collector.next_tick_ns())
            .filter(|tick_ns| *tick_ns <= work.tail_from_ns())
            .unwrap_or(u64::MAX)
    }

    fn next_boundary_ns(&self, work: &SharedSequence) -> u64 {
        match self.stage {
            Stage::WarmUp if work.gate.sliced => u64::MAX,
            Stage::WarmUp => work.measure_from_ns(),
            _ if self.draining => u64::MAX,
            _ if self.slices.in_head => work.measure_from_ns(),
            // Clients park by themselves, and say so.
            _ => work.measured_until_ns(),
        }
    }

    /// Whether all clients have ended, and the phase with them. Clients of an open loop leave as soon as no operation is due
    /// before the deadline, but a phase with a time limit lasts until then, unless an operation limit ends it.
    fn is_over(&self, work: &SharedSequence, now_ns: u64, clients: u32) -> bool {
        let lasts = self.stage == Stage::Measure
            && work.deadline_ns() != u64::MAX
            && now_ns < work.deadline_ns()
            && !work.is_complete();
        self.done + self.parked == clients && !lasts
    }

    fn take(
        &mut self,
        report: Option<Report>,
        work: &SharedSequence,
        now_ns: u64,
        expected: Expected,
    ) -> Result<(), EngineError> {
        match report {
            Some(Report::Delivery(delivery)) => {
                // The first measured operation may be told of before this side looked at the clock.
                if delivery.stage == Stage::Measure && self.stage == Stage::WarmUp {
                    self.turn_to_measure(work, now_ns, expected);
                }
                if delivery.stage == Stage::WarmUp {
                    self.outlasting += delivery.tally.ended_after_deadline();
                }
                self.collector.accept(delivery);
            }
            Some(Report::Tail(tail)) => self.collector.accept_tail(tail),
            Some(Report::ErrorSample(message)) => self.collector.accept_sample(message),
            Some(Report::ThreadCost(thread)) => {
                self.threads.insert(thread.name, thread.cpu_share);
            }
            Some(Report::Done(slice)) => {
                self.done += 1;
                self.slice += slice;
            }
            // Where the slice has gone on meanwhile, the client has, too.
            Some(Report::Parked { opening, slice }) if opening == work.gate.opening() => {
                self.parked += 1;
                self.slice += slice;
            }
            Some(Report::Parked { .. }) => {}
            Some(Report::Ready) => {}
            Some(Report::NotReady(error)) => return Err(EngineError::Client(error.to_string())),
            Some(Report::Refused(error)) => return Err(EngineError::refused_clients(error)),
            Some(Report::Broken(reason)) => return Err(EngineError::Client(reason)),
            None => return Err(EngineError::Client("all clients are gone".to_owned())),
        }
        Ok(())
    }

    /// Turns to the next stage, head, interval or drain where its time has come.
    fn turn(&mut self, work: &SharedSequence, now_ns: u64, expected: Expected, part: Option<&Part>) {
        if self.stage == Stage::WarmUp
            && !work.gate.sliced
            && now_ns >= work.measure_from_ns()
            && work.deadline_ns() > work.measure_from_ns()
        {
            self.turn_to_measure(work, now_ns, expected);
        }
        if self.slices.in_head && now_ns >= work.measure_from_ns() {
            self.leave_head(now_ns);
        }
        let reported = self
            .collector
            .tick(now_ns.min(work.tail_from_ns()), self.observer);
        if self.stage == Stage::WarmUp && !self.warm {
            let lasts = match part {
                Some(part) => part.ensemble.warm_in(),
                None => (reported && self.observer.warm()).then_some(Duration::ZERO),
            };
            if let Some(lasts) = lasts {
                self.warm = true;
                work.warm_at(now_ns.saturating_add(nanoseconds(lasts).max(expected.notice_ns)));
            }
        }
        if !self.draining && now_ns >= work.measured_until_ns() {
            self.draining = true;
            if work.tail_from_ns() != u64::MAX {
                self.usage_before_tail = Some(OwnUsage::until(now_ns));
            }
            work.look_at_the_backlog(now_ns);
            self.observer.event(&Event::PhaseEnded {
                phase: self.stage.phase(),
            });
            self.observer.event(&Event::PhaseStarted {
                phase: Phase::Drain,
                expected_operations: None,
                expected_duration: None,
            });
        }
    }

    fn turn_to_measure(&mut self, work: &SharedSequence, now_ns: u64, expected: Expected) {
        self.collector.finish(work.measure_from_ns(), self.observer);
        self.observer.event(&Event::PhaseEnded { phase: Phase::WarmUp });
        self.stage = Stage::Measure;
        self.collector = Collector::new(
            Stage::Measure,
            work.measure_from_ns(),
            work.interval_ns(Stage::Measure),
        );
        self.usage = OwnUsage::until(now_ns);
        self.announce(expected);
    }

    fn close(
        mut self,
        work: &SharedSequence,
        now_ns: u64,
        clients: u32,
        interrupted: bool,
        hopeless: bool,
    ) -> Result<PhaseResult, EngineError> {
        let last = self
            .usage_before_tail
            .take()
            .unwrap_or_else(|| OwnUsage::until(now_ns));
        // A phase that ran to its deadline lasted until then, whoever was waited for afterwards; one that had no more to do
        // ended with its last operation. A load is all of its inserts.
        let begin_ns = work.stage_start_ns(self.stage);
        let stuck = clients - self.done - self.parked;
        let last_end_ns = self.collector.last_end_ns().max(begin_ns);
        let (tail, tail_from_ns) = (self.collector.tail(), work.tail_from_ns().max(begin_ns));
        let has_tail = self.stage == Stage::Measure && last_end_ns.max(tail.last_end_ns) > tail_from_ns;
        let ended_before = stuck == 0 && work.is_complete() && last_end_ns < work.deadline_ns();
        let ran_to_deadline = now_ns >= work.deadline_ns() && !ended_before && !has_tail;
        let deadline_ns = if ran_to_deadline { work.deadline_ns() } else { 0 };
        let over_ns = last_end_ns
            .max(deadline_ns)
            .max(if stuck > 0 { now_ns } else { 0 });
        let end_ns = match self.stage {
            Stage::Measure if has_tail => tail_from_ns,
            Stage::Measure if ran_to_deadline => deadline_ns.max(begin_ns),
            _ => last_end_ns.max(deadline_ns),
        };
        let reported_until_ns = match self.slices.begun {
            true => begin_ns + self.slices.measured_ns,
            false => last_end_ns.max(end_ns),
        };
        self.collector.finish(reported_until_ns, self.observer);
        let ended = if self.draining {
            Phase::Drain
        } else {
            self.stage.phase()
        };
        self.observer.event(&Event::PhaseEnded { phase: ended });
        let measured = self.stage != Stage::WarmUp;
        let (tally, error_samples) = self.collector.into_totals();
        Ok(PhaseResult {
            tally,
            error_samples,
            end_ns,
            lasted_ns: match self.slices.begun {
                true => self.slices.measured_ns,
                false => end_ns.saturating_sub(begin_ns),
            },
            ran_to_deadline,
            // Slices of a closed loop last until the last answer.
            drain_ns: if measured && (!self.slices.begun || work.paced || stuck > 0) {
                over_ns.saturating_sub(end_ns)
            } else {
                0
            },
            tail: (has_tail && tail.operations > 0).then(|| Tail {
                operations: tail.operations,
                duration_ns: tail.last_end_ns.saturating_sub(end_ns),
            }),
            unfinished: if measured && !work.load {
                unfinished(work, now_ns)
            } else {
                Unfinished::default()
            },
            measured,
            interrupted,
            hopeless,
            stuck,
            outlasting: self.outlasting,
            usage: (self.usage, last),
            busiest_thread: self
                .threads
                .into_iter()
                .map(|(name, cpu_share)| ThreadCost { name, cpu_share })
                .max_by(|a, b| a.cpu_share.total_cmp(&b.cpu_share)),
            clock_drift_ppm: None,
        })
    }
}
