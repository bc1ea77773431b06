//! Measures the trials of one cell and block in turns: one after the other connects, loads and warms up; then all take slices, in a
//! new random order each round, until each has measured for as long as it was asked to.
//!
//! Every trial runs on a thread of its own and sends its events, in order, to this thread, which watches all of them.

mod ledger;
mod remote;
mod rounds;

use std::cell::RefCell;

use dbdyno_driver::Target;
use dbdyno_engine::{EngineError, OF_TRIAL, Outcome, PreparedTrial, Stop, TurnReport, TurnSender, Turns};
use dbdyno_record::plan::trial_number;
use dbdyno_record::{BusyReference, Interleaving, Latency, SliceRecord, WhileParked};

use crate::run::conditions::Machine;
use crate::run::labs::Labs;
use crate::run::server_watch::ServerWatch;
use crate::run::trial::carry_out;

use ledger::{Ledger, Used};
use remote::{Message, Messages, Receiver, Remote};
pub(crate) use rounds::RoundDesign;
use rounds::Rounds;

/// One of the trials that take turns.
pub(crate) struct Member<'a> {
    /// Its name.
    pub(crate) trial: &'a str,
    /// Its system's name in the study, and the address there.
    pub(crate) system: (&'a str, &'a Target),
    /// Its real address; `None` where it could not be made ready.
    pub(crate) target: Option<&'a Target>,
    /// The trial, as the engine carries it out.
    pub(crate) plan: &'a PreparedTrial,
    /// Hears what happens.
    pub(crate) watching: ServerWatch<'a>,
}

/// The result of a trial.
pub(crate) struct MemberResult<'a> {
    /// Who watched it.
    pub(crate) watching: ServerWatch<'a>,
    /// The engine's result; `None` where it was not begun.
    pub(crate) outcome: Option<Result<Outcome, EngineError>>,
    /// Its turns; `None` where it had none.
    pub(crate) interleaving: Option<Interleaving>,
    /// The measured part of the time that its slices took.
    pub(crate) measured_share: f64,
}

/// How far a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Preparing,
    Parked,
    Running,
    Ended,
}

/// A trial while the group is measured.
struct RunningTrial<'a> {
    member: Member<'a>,
    state: State,
    turns: Option<TurnSender>,
    outcome: Option<Result<Outcome, EngineError>>,
    /// Latencies of its warm-up.
    warm: Latency,
    slices: Vec<SliceRecord>,
    /// How long its slices took, nanoseconds.
    took_ns: u64,
}

/// The trials of a group, and what they send.
struct Group<'a> {
    trials: Vec<RunningTrial<'a>>,
    messages: Receiver,
    /// Whose slice was the last.
    last: Option<usize>,
}

/// Resources that this process has used so far.
fn used(machine: &RefCell<&mut dyn Machine>) -> Used {
    let mut machine = machine.borrow_mut();
    Used {
        threads: machine.own_threads(),
        whole: machine.own_cpu(),
    }
}

/// Measures these trials in turns.
pub(crate) fn measure<'a>(
    members: Vec<Member<'a>>,
    labs: &'a Labs,
    machine: &RefCell<&mut dyn Machine>,
    design: RoundDesign,
    stop: &Stop,
) -> Vec<MemberResult<'a>> {
    let (sender, messages) = Messages::channel();
    let mut group = Group {
        trials: members.into_iter().map(RunningTrial::new).collect(),
        messages,
        last: None,
    };
    let systems: Vec<_> = group.trials.iter().map(|trial| trial.member.system).collect();
    let mut ledger = Ledger::new(systems.into_iter(), labs, &used(machine));
    let rounds = std::thread::scope(|scope| {
        for number in 0..group.trials.len() {
            if stop.is_requested() {
                group.trials[number].state = State::Ended;
                continue;
            }
            let trial = &mut group.trials[number];
            let Some(target) = trial.member.target else {
                trial.state = State::Ended;
                continue;
            };
            let own = sender.of(number);
            let reports = own.clone();
            let (turns, turn_sender) = Turns::new(move |report| reports.send(Message::Turn(report)));
            trial.turns = Some(turn_sender);
            let plan = PreparedTrial {
                turns: Some(turns),
                ..trial.member.plan.clone()
            };
            let thread =
                std::thread::Builder::new().name(format!("{OF_TRIAL}{}", trial_number(trial.member.trial)));
            let generators = labs.generators();
            let life = move || {
                let mut remote = Remote::new(own);
                let outcome = carry_out(generators.as_deref(), target, &plan, &mut remote, stop);
                remote.end(outcome);
            };
            match thread.spawn_scoped(scope, life) {
                Ok(_) => group.pump(|trials| trials[number].state != State::Preparing),
                Err(error) => group.end(
                    number,
                    Err(EngineError::System {
                        what: "a thread for a trial",
                        error,
                    }),
                ),
            }
            ledger.adopt(number, &machine.borrow_mut().own_threads());
        }
        let rounds = Rounds::of(&group.trials, design);
        ledger.look_at_compilers(|processes| machine.borrow_mut().compilers(processes));
        group.take_turns(&rounds, design, &mut ledger, machine, stop);
        group.note_end(machine.borrow_mut().busy_reference());
        ledger.look_at_compilers(|processes| machine.borrow_mut().compilers(processes));
        for trial in &mut group.trials {
            trial.turns = None;
        }
        group.pump(|trials| trials.iter().all(|trial| trial.state == State::Ended));
        rounds
    });
    group.conclude(&rounds, &ledger)
}

impl<'a> RunningTrial<'a> {
    fn new(member: Member<'a>) -> Self {
        Self {
            member,
            state: State::Preparing,
            turns: None,
            outcome: None,
            warm: Latency::new(),
            slices: Vec::new(),
            took_ns: 0,
        }
    }
}

impl<'a> Group<'a> {
    /// Passes on what the trials send until this holds.
    fn pump(&mut self, until: impl Fn(&[RunningTrial<'a>]) -> bool) {
        while !until(&self.trials) {
            // Every thread sends its end, so there is always a sender while one is waited for.
            let Some((number, message)) = self.messages.next() else {
                return;
            };
            let trial = &mut self.trials[number];
            match message {
                Message::Event(event) => {
                    rounds::note_warm_up(&mut trial.warm, &event);
                    trial.member.watching.event_of(&event);
                }
                Message::IsWarm(reply) => {
                    let _ = reply.send(trial.member.watching.is_warm());
                }
                Message::Turn(TurnReport::Ready) => trial.state = State::Parked,
                Message::Turn(TurnReport::Parked(slice)) => {
                    if let Some(last) = trial.slices.last_mut() {
                        (last.ok, last.measured_ns) = (slice.ok, slice.measured_ns);
                        last.head = slice.head;
                    }
                    trial.took_ns += slice.took_ns;
                    trial.state = State::Parked;
                }
                Message::Ended(outcome) => self.end(number, *outcome),
            }
        }
    }

    fn end(&mut self, number: usize, outcome: Result<Outcome, EngineError>) {
        let trial = &mut self.trials[number];
        trial.outcome = Some(outcome);
        trial.state = State::Ended;
    }

    fn take_turns(
        &mut self,
        rounds: &Rounds,
        design: RoundDesign,
        ledger: &mut Ledger<'_>,
        machine: &RefCell<&mut dyn Machine>,
        stop: &Stop,
    ) {
        for round in 0.. {
            let waiting = |trial: &RunningTrial<'_>| trial.state == State::Parked;
            if stop.is_requested() || !self.trials.iter().any(waiting) {
                return;
            }
            for number in design.of_round(round, self.trials.len()) {
                if waiting(&self.trials[number]) && !stop.is_requested() {
                    let reference = machine.borrow_mut().busy_reference();
                    self.note_end(reference);
                    self.last = Some(number);
                    ledger.book(None, &used(machine));
                    let start = SliceStart {
                        round,
                        reference,
                        parked: ledger.since_slice_before(number),
                    };
                    self.give(number, start, rounds);
                    let used = used(machine);
                    ledger.book(Some(number), &used);
                    ledger.adopt(number, &used.threads);
                }
            }
        }
    }

    /// Notes how the CPUs stood at the end of the slice before.
    fn note_end(&mut self, reference: Option<BusyReference>) {
        let last = self.last.and_then(|number| self.trials[number].slices.last_mut());
        if let Some(slice) = last {
            slice.reference_after = reference;
        }
    }

    /// Lets one trial run for a slice. With its last one it ends, and nobody else runs before it has.
    fn give(&mut self, number: usize, start: SliceStart, rounds: &Rounds) {
        let trial = &mut self.trials[number];
        let measured_ns = trial.slices.iter().map(|slice| slice.measured_ns).sum();
        let slice = rounds.slice(start.round, measured_ns);
        trial.slices.push(SliceRecord {
            round: start.round,
            ok: 0,
            measured_ns: 0,
            reference: start.reference,
            reference_after: None,
            parked: start.parked,
            head: None,
        });
        trial.state = State::Running;
        if let Some(turns) = &trial.turns {
            turns.send(slice);
        }
        let awaited = if slice.last { State::Ended } else { State::Parked };
        self.pump(|trials| [awaited, State::Ended].contains(&trials[number].state));
    }

    fn conclude(self, rounds: &Rounds, ledger: &Ledger<'_>) -> Vec<MemberResult<'a>> {
        let names: Vec<String> = self
            .trials
            .iter()
            .map(|trial| trial.member.trial.to_owned())
            .collect();
        let conclude = |(number, trial): (usize, RunningTrial<'a>)| {
            let slices = measured(trial.slices);
            let measured_ns: u64 = slices.iter().map(|slice| slice.measured_ns).sum();
            let beside = names.iter().filter(|name| *name != trial.member.trial);
            let interleaving = (!slices.is_empty()).then(|| Interleaving {
                beside: beside.cloned().collect(),
                head_ns: rounds.head_ns(),
                slice_ns: rounds.measured_ns(),
                work: ledger.work_of(number, trial.member.plan.spec.is_closed_loop()),
                slices,
            });
            MemberResult {
                watching: trial.member.watching,
                outcome: trial.outcome,
                interleaving,
                measured_share: measured_ns as f64 / trial.took_ns.max(1) as f64,
            }
        };
        self.trials.into_iter().enumerate().map(conclude).collect()
    }
}

/// Readings at the beginning of a slice.
struct SliceStart {
    round: u32,
    reference: Option<BusyReference>,
    parked: Option<WhileParked>,
}

/// The slices of which something was measured. At a rate, an operation may be held up beyond its slice and be answered in a last one of
/// which nothing is left to measure: it belongs to the slice in which it was due.
fn measured(slices: Vec<SliceRecord>) -> Vec<SliceRecord> {
    let mut measured: Vec<SliceRecord> = Vec::new();
    for slice in slices {
        if slice.measured_ns > 0 {
            measured.push(slice);
        } else if let Some(before) = measured.last_mut() {
            before.ok += slice.ok;
        }
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_answered_after_the_last_measured_slice_belongs_to_it() {
        let slice = |ok, measured_ns| SliceRecord {
            round: 0,
            ok,
            measured_ns,
            reference: None,
            reference_after: None,
            parked: None,
            head: None,
        };
        let slices = measured(vec![slice(0, 0), slice(7, 250), slice(9, 510), slice(1, 0)]);
        assert_eq!(slices, [slice(7, 250), slice(10, 510)]);
    }
}
