//! Several load generators carry out one trial: together they do what one would, and go from phase to phase at one time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dbdyno_engine::{
    Disbanded, EngineError, Ensemble, Inserts, Meet, Meeting, Outcome, Pace, Part, Phase, Phases,
    PreparedTrial, Said, Stop, run_trial,
};
use dbdyno_record::MeasureRecord;
use dbdyno_testkit::simulated::{Behaviour, Simulated, Simulation};
use dbdyno_trial::{Reset, WarmUp};
use dbdyno_workload::{Arrivals, OperationKind, Share, Workload};
use tokio::sync::watch;

use crate::common::{Heard, duration, operations, plan, workload};
use crate::same_operations::{Call, call, expected, expected_load};

const SOON: Duration = Duration::from_millis(20);

/// Where generators of one process meet.
struct Hall {
    of: usize,
    state: Mutex<HallState>,
    /// How many meetings have ended; the sender is gone where one of them left.
    met: watch::Sender<usize>,
}

#[derive(Default)]
struct HallState {
    meetings: Vec<Vec<Option<Said>>>,
    inserts: Vec<Inserts>,
    warm_at: Option<Instant>,
    has_left: bool,
}

/// One generator's place.
struct Seat {
    hall: Arc<Hall>,
    number: usize,
    meetings: AtomicUsize,
}

#[expect(
    clippy::disallowed_methods,
    reason = "generators of one process agree on a time"
)]
fn now() -> Instant {
    Instant::now()
}

impl Hall {
    fn new(of: usize) -> Arc<Self> {
        Arc::new(Self {
            of,
            state: Mutex::new(HallState {
                inserts: vec![Inserts::default(); of],
                ..HallState::default()
            }),
            met: watch::Sender::new(0),
        })
    }

    fn seat(self: &Arc<Self>, number: usize) -> Arc<Seat> {
        Arc::new(Seat {
            hall: Arc::clone(self),
            number,
            meetings: AtomicUsize::new(0),
        })
    }

    fn end_warm_up_in(&self, time: Duration) {
        self.state.lock().unwrap().warm_at = Some(now() + time);
    }

    fn leave(&self) {
        self.state.lock().unwrap().has_left = true;
        self.met.send_modify(|_| {});
    }
}

impl Ensemble for Seat {
    fn meet(&self, said: Said) -> Meet<'_> {
        let meeting = self.meetings.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            let hall = &self.hall;
            let mut met = hall.met.subscribe();
            let is_last = {
                let mut state = hall.state.lock().unwrap();
                if state.meetings.len() == meeting {
                    state.meetings.push(vec![None; hall.of]);
                }
                let places = &mut state.meetings[meeting];
                places[self.number] = Some(said);
                places.iter().all(Option::is_some)
            };
            // Who waits looks at the state while it holds this.
            if is_last {
                hall.met.send_modify(|met| *met += 1);
            }
            let left = |hall: &Hall| hall.state.lock().unwrap().has_left;
            let ended = met
                .wait_for(|met| *met > meeting || left(hall))
                .await
                .is_ok_and(|met| *met > meeting);
            if !ended {
                return Err(Disbanded("one of them left".to_owned()));
            }
            let said = hall.state.lock().unwrap().meetings[meeting].clone();
            Ok(Meeting {
                goes_on_in: SOON,
                said: said.into_iter().flatten().collect(),
            })
        })
    }

    fn warm_in(&self) -> Option<Duration> {
        let warm_at = self.hall.state.lock().unwrap().warm_at?;
        Some(warm_at.saturating_duration_since(now()))
    }

    fn has_one_ended(&self) -> bool {
        let state = self.hall.state.lock().unwrap();
        let places = state.meetings.iter().flatten().flatten();
        places.into_iter().any(|said| matches!(said, Said::Ran(_)))
    }

    fn inserts(&self, own: Inserts) -> Inserts {
        let mut state = self.hall.state.lock().unwrap();
        state.inserts[self.number] = own;
        Inserts::together(&state.inserts)
    }
}

/// Clients of each generator.
const CLIENTS: [u32; 3] = [1, 4, 2];

/// What each generator is asked where one would be asked this.
fn parts(whole: &PreparedTrial, hall: &Arc<Hall>) -> Vec<PreparedTrial> {
    let of = CLIENTS.iter().sum();
    let mut first = 0;
    let mut parts = Vec::new();
    for (number, clients) in CLIENTS.into_iter().enumerate() {
        let share = Share::new(first, clients, of).unwrap();
        first += clients;
        let mut part = whole.clone();
        part.spec.clients = clients;
        part.spec.limit.operations = whole.spec.limit.operations.map(|count| share.below(count));
        if let Some(pace) = &mut part.spec.pace {
            pace.rate *= f64::from(clients) / f64::from(of);
        }
        part.part = Some(Part {
            share,
            pace: whole.spec.pace,
            leads: number == 1,
            ensemble: hall.seat(number),
        });
        parts.push(part);
    }
    parts
}

/// Carries out all parts at once; what came of each, with what its observer heard.
fn together(
    simulation: &Simulation,
    parts: &[PreparedTrial],
    hall: &Arc<Hall>,
) -> Vec<(Result<Outcome, EngineError>, Heard)> {
    std::thread::scope(|scope| {
        let run = |part| {
            move || {
                let mut heard = Heard::default();
                let outcome = run_trial::<Simulated>(&simulation.target(), part, &mut heard, &Stop::new());
                if outcome.is_err() {
                    hall.leave();
                }
                (outcome, heard)
            }
        };
        let threads: Vec<_> = parts.iter().map(|part| scope.spawn(run(part))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn calls(simulation: &Simulation) -> Vec<Call> {
    let seen = simulation.take_seen().into_iter();
    let mut calls: Vec<Call> = seen.map(|(_, kind, key, row)| call(kind, &key, &row)).collect();
    calls.sort_unstable();
    calls
}

const OPERATIONS: u64 = 1_500;

fn whole(workload: &Arc<Workload>) -> PreparedTrial {
    let mut whole = plan(Arc::clone(workload), operations(OPERATIONS));
    whole.spec.phases = Phases::LoadAndRun;
    whole.spec.reset = Reset::Fresh;
    whole
}

#[test]
fn generators_together_do_what_one_does() {
    for (name, rate) in [
        ("a", None),
        ("d", None),
        ("e", None),
        ("b", Some(30_000.0)),
        ("d", Some(15_000.0)),
    ] {
        let workload = workload(name, &["recordcount=301", "fieldlength=10"]);
        let simulation = Simulation::new(Behaviour::default());
        simulation.watch();
        let mut whole = whole(&workload);
        whole.spec.pace = rate.map(|rate| Pace {
            rate,
            arrivals: Arrivals::Poisson,
        });
        let hall = Hall::new(CLIENTS.len());
        let outcomes = together(&simulation, &parts(&whole, &hall), &hall);
        let mut expected = [expected_load(&workload), expected(&workload, OPERATIONS)].concat();
        expected.sort_unstable();
        let calls = calls(&simulation);
        assert!(
            calls == expected,
            "{name}: {} calls, {} expected",
            calls.len(),
            expected.len()
        );
        let is_insert = |call: &&Call| call.0 == OperationKind::Insert;
        // With those of the load.
        let records = calls.iter().filter(is_insert).count() as u64;
        let (mut loaded, mut attempts) = (0, 0);
        for (outcome, _) in &outcomes {
            let outcome = outcome.as_ref().unwrap();
            assert_eq!(outcome.records_before, 301);
            loaded += outcome.load.as_ref().unwrap().inserts.ok;
            let measure = outcome.measure.as_ref().unwrap();
            attempts += measure.tail.map_or(0, |tail| tail.operations);
            for (kind, record) in &measure.operations {
                assert_eq!((record.error_count(), record.not_found), (0, 0), "{name}, {kind}");
                attempts += record.attempts();
            }
        }
        assert_eq!((loaded, attempts), (301, OPERATIONS), "{name}");
        // What they inserted is known afterwards, to one generator too.
        let mut after = plan(Arc::clone(&workload), operations(10));
        after.spec.reset = Reset::Reuse;
        after.spec.phases = Phases::RunOnly;
        let after = run_trial::<Simulated>(&simulation.target(), &after, &mut (), &Stop::new()).unwrap();
        assert_eq!(after.records_before, records, "{name}");
    }
}

#[test]
fn what_is_sent_when_one_has_ended_is_not_measured() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = Simulation::new(Behaviour::default());
    let hall = Hall::new(CLIENTS.len());
    let mut parts = parts(&whole(&workload), &hall);
    // It has done its share when the others have nearly all of theirs to do.
    const ASKED: [u64; 3] = [1_000, 1_600_000, 800_000];
    for (part, asked) in parts.iter_mut().zip(ASKED) {
        part.spec.limit = operations(asked);
    }
    let outcomes: Vec<Outcome> = together(&simulation, &parts, &hall)
        .into_iter()
        .map(|(outcome, _)| outcome.unwrap())
        .collect();
    for (outcome, asked) in outcomes.iter().zip(ASKED) {
        let measure = outcome.measure.as_ref().unwrap();
        let tail = measure.tail.map_or(0, |tail| tail.operations);
        assert_eq!(measure.operations["read"].attempts() + tail, asked);
        assert_eq!(tail > 0, asked != ASKED[0], "{tail}");
    }
    let parts = outcomes.iter().filter_map(|outcome| outcome.measure.as_ref());
    let each: f64 = parts.filter_map(MeasureRecord::throughput_per_second).sum();
    let whole = Outcome::together(&outcomes).unwrap().measure.unwrap();
    let throughput = whole.throughput_per_second().unwrap();
    assert!((throughput / each - 1.0).abs() < 1e-6, "{throughput} of {each}");
    assert!(
        whole.tail.unwrap().duration_ns > whole.duration_ns / 2,
        "{whole:?}"
    );
}

#[test]
fn the_warm_up_ends_for_all_at_once() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = Simulation::new(Behaviour::default());
    let mut whole = whole(&workload);
    whole.spec.limit = duration(Duration::from_millis(150));
    // It would last for ever.
    whole.spec.warmup = WarmUp {
        longest: Duration::from_secs(3_600),
        until_steady: true,
    };
    whole.interval = Duration::from_millis(50);
    let hall = Hall::new(CLIENTS.len());
    hall.end_warm_up_in(Duration::from_millis(300));
    for (outcome, heard) in together(&simulation, &parts(&whole, &hall), &hall) {
        let measure = outcome.unwrap().measure.unwrap();
        assert_eq!(measure.duration_ns, 150_000_000);
        assert!(measure.operations["read"].ok > 0);
        assert!(!heard.intervals(Phase::WarmUp).is_empty());
    }
}

#[test]
fn where_one_cannot_go_on_nobody_does() {
    let workload = workload("a", &["recordcount=100"]);
    let simulation = Simulation::new(Behaviour::default());
    let whole = whole(&workload);
    let hall = Hall::new(CLIENTS.len());
    let mut parts = parts(&whole, &hall);
    // A plan without clients is refused.
    parts[0].spec.clients = 0;
    let outcomes = together(&simulation, &parts, &hall);
    let kinds: Vec<bool> = outcomes
        .iter()
        .map(|(outcome, _)| matches!(outcome, Err(EngineError::Disbanded(_))))
        .collect();
    assert_eq!(kinds, [false, true, true]);
    assert!(outcomes[0].0.is_err());
}
