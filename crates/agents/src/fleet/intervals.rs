//! What agents say of a trial's course, as the course of the one trial that it is.
//!
//! An interval is reported when all agents have reported theirs: phases begin at one time, so the intervals of all agents are the
//! same, and only counts and histograms are added.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dbdyno_engine::{Event, GeneratorInterval, Interval, IntervalOperation, Observer, Phase};
use dbdyno_record::Latency;

use crate::wire::SentEvent;

/// The course of one trial.
pub(super) struct Course {
    /// Names of the agents.
    names: Vec<String>,
    /// How far the intervals of each agent are: it reports none that begins before this.
    progress: Vec<(Phase, u64)>,
    /// Which agents have said something that all of them say.
    said: BTreeMap<Said, BTreeSet<usize>>,
    /// What a phase is expected to have, as far as agents have said it.
    expected: BTreeMap<Phase, (Option<u64>, Option<Duration>)>,
    /// Intervals that some agents have not reported yet, by phase and beginning.
    open: BTreeMap<(Phase, u64), Interval>,
    reached: bool,
}

/// What has no phase after it.
const OVER: (Phase, u64) = (Phase::Drain, u64::MAX);

/// Something that each agent says once for each time that it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Started(Phase),
    Ended(Phase),
    SliceStarted,
    SliceEnded,
}

impl Course {
    /// Of the agents with these names.
    pub(super) fn new(names: Vec<String>) -> Self {
        Self {
            progress: vec![(Phase::Connect, 0); names.len()],
            names,
            said: BTreeMap::new(),
            expected: BTreeMap::new(),
            open: BTreeMap::new(),
            reached: false,
        }
    }

    /// Takes what an agent says. Returns whether an interval of the warm-up became whole by it.
    pub(super) fn take(&mut self, agent: usize, event: SentEvent, observer: &mut dyn Observer) -> bool {
        match event {
            SentEvent::Interval(interval) => return self.interval(agent, interval.interval(), observer),
            SentEvent::Reached(facts) => {
                if !std::mem::replace(&mut self.reached, true) {
                    observer.event(&Event::Reached(*facts));
                }
            }
            SentEvent::PhaseStarted {
                phase,
                expected_operations,
                expected_ns,
            } => {
                let expected = self.expected.entry(phase).or_default();
                expected.0 = match (expected.0, expected_operations) {
                    (Some(others), Some(own)) => Some(others + own),
                    (others, own) => others.or(own),
                };
                expected.1 = expected.1.max(expected_ns.map(Duration::from_nanos));
                if self.all_said(agent, Said::Started(phase)) {
                    let (expected_operations, expected_duration) =
                        self.expected.remove(&phase).unwrap_or_default();
                    observer.event(&Event::PhaseStarted {
                        phase,
                        expected_operations,
                        expected_duration,
                    });
                }
            }
            SentEvent::PhaseEnded(phase) => {
                if self.all_said(agent, Said::Ended(phase)) {
                    observer.event(&Event::PhaseEnded { phase });
                }
            }
            SentEvent::SliceStarted => {
                if self.all_said(agent, Said::SliceStarted) {
                    observer.event(&Event::SliceStarted);
                }
            }
            SentEvent::SliceEnded => {
                if self.all_said(agent, Said::SliceEnded) {
                    observer.event(&Event::SliceEnded);
                }
            }
        }
        false
    }

    /// An agent has no more intervals before those of this phase; of none at all, where it is over.
    pub(super) fn is_past(&mut self, agent: usize, phase: Option<Phase>, observer: &mut dyn Observer) {
        let to = phase.map_or(OVER, |phase| (phase, 0));
        if let Some(progress) = self.progress.get_mut(agent) {
            *progress = (*progress).max(to);
        }
        self.report(observer);
    }

    /// Reports what is left when the trial is over: agents do not end in one interval.
    pub(super) fn finish(&mut self, observer: &mut dyn Observer) {
        for interval in std::mem::take(&mut self.open).into_values() {
            observer.event(&Event::Interval(interval));
        }
    }

    /// Whether the agent was the last one to say this.
    fn all_said(&mut self, agent: usize, what: Said) -> bool {
        let said = self.said.entry(what).or_default();
        said.insert(agent);
        if said.len() < self.progress.len() {
            return false;
        }
        self.said.remove(&what);
        true
    }

    fn interval(&mut self, agent: usize, interval: Interval, observer: &mut dyn Observer) -> bool {
        let key = (interval.phase, interval.start_ns);
        if let Some(name) = self.names.get(agent) {
            observer.event(&Event::Generator(of_one(name, &interval)));
        }
        let whole_until = self.progress.iter().min().copied().unwrap_or(OVER);
        if interval.late && key < whole_until {
            observer.event(&Event::Interval(interval));
            return false;
        }
        if !interval.late
            && let Some(progress) = self.progress.get_mut(agent)
        {
            *progress = (*progress).max((key.0, key.1.saturating_add(1)));
        }
        match self.open.get_mut(&key) {
            Some(open) => add(open, &interval),
            None => {
                self.open.insert(
                    key,
                    Interval {
                        late: false,
                        ..interval
                    },
                );
            }
        }
        self.report(observer)
    }

    /// Reports the intervals that all agents have reported, in order.
    fn report(&mut self, observer: &mut dyn Observer) -> bool {
        let whole_until = self.progress.iter().min().copied().unwrap_or(OVER);
        let mut has_warmed = false;
        while let Some(entry) = self.open.first_entry().filter(|entry| *entry.key() < whole_until) {
            let interval = entry.remove();
            has_warmed |= interval.phase == Phase::WarmUp;
            observer.event(&Event::Interval(interval));
        }
        has_warmed
    }
}

/// What the interval is of its agent alone.
fn of_one(name: &str, interval: &Interval) -> GeneratorInterval {
    let sum = |count: fn(&IntervalOperation) -> u64| interval.operations.values().map(count).sum();
    GeneratorInterval {
        generator: name.to_owned(),
        phase: interval.phase,
        start_ns: interval.start_ns,
        duration_ns: interval.duration_ns,
        ok: sum(|operations| operations.ok),
        errors: sum(|operations| operations.errors),
        cpu_seconds: interval.client_cpu_seconds,
    }
}

/// Adds another agent's interval to one.
fn add(whole: &mut Interval, part: &Interval) {
    whole.duration_ns = whole.duration_ns.max(part.duration_ns);
    whole.client_cpu_seconds += part.client_cpu_seconds;
    whole.resident_memory_bytes = whole.resident_memory_bytes.max(part.resident_memory_bytes);
    for (kind, operations) in &part.operations {
        add_operations(whole.operations.entry(*kind).or_default(), operations);
    }
}

fn add_operations(whole: &mut IntervalOperation, part: &IntervalOperation) {
    whole.ok += part.ok;
    whole.not_found += part.not_found;
    whole.too_early += part.too_early;
    whole.errors += part.errors;
    for (class, count) in &part.errors_by_class {
        *whole.errors_by_class.entry(*class).or_default() += count;
    }
    whole.service.merge(&part.service);
    if let Some(response) = &part.response {
        whole.response.get_or_insert_with(Latency::new).merge(response);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::OperationKind;

    /// What an observer heard: phases that begin and end, and intervals with their operations.
    #[derive(Default)]
    struct Heard(Vec<String>);

    impl Observer for Heard {
        fn event(&mut self, event: &Event) {
            self.0.push(match event {
                Event::PhaseStarted {
                    phase,
                    expected_operations,
                    ..
                } => format!("{} {expected_operations:?}", phase.name()),
                Event::PhaseEnded { phase } => format!("{} ended", phase.name()),
                Event::Interval(interval) => {
                    let ok: u64 = interval.operations.values().map(|operations| operations.ok).sum();
                    let late = if interval.late { " late" } else { "" };
                    format!("{} {}: {ok}{late}", interval.phase.name(), interval.start_ns)
                }
                _ => return,
            });
        }
    }

    fn names() -> Vec<String> {
        ["one", "two"].map(str::to_owned).to_vec()
    }

    fn interval(phase: Phase, start_ns: u64, ok: u64, late: bool) -> SentEvent {
        let mut operation = IntervalOperation {
            ok,
            ..IntervalOperation::default()
        };
        operation.service.record_many(1_000, ok);
        let event = Event::Interval(Interval {
            phase,
            start_ns,
            duration_ns: 10,
            operations: BTreeMap::from([(OperationKind::Read, operation)]),
            client_cpu_seconds: 0.0,
            resident_memory_bytes: 0,
            late,
        });
        SentEvent::of(&event).unwrap()
    }

    fn started(phase: Phase, operations: u64) -> SentEvent {
        SentEvent::PhaseStarted {
            phase,
            expected_operations: Some(operations),
            expected_ns: None,
        }
    }

    #[test]
    fn an_interval_is_reported_when_all_have_reported_it() {
        let (mut course, mut heard) = (Course::new(names()), Heard::default());
        let mut take = |agent, event| course.take(agent, event, &mut heard);
        take(0, started(Phase::Measure, 5));
        take(1, started(Phase::Measure, 7));
        take(0, interval(Phase::Measure, 0, 1, false));
        take(0, interval(Phase::Measure, 10, 2, false));
        take(0, interval(Phase::Measure, 0, 100, true));
        take(1, interval(Phase::Measure, 0, 4, false));
        // It is over by now.
        take(1, interval(Phase::Measure, 0, 50, true));
        take(1, interval(Phase::Measure, 10, 8, false));
        take(0, SentEvent::PhaseEnded(Phase::Measure));
        take(1, SentEvent::PhaseEnded(Phase::Measure));
        assert_eq!(
            heard.0,
            [
                "measure Some(12)",
                "measure 0: 105",
                "measure 0: 50 late",
                "measure 10: 10",
                "measure ended"
            ]
        );
    }

    #[test]
    fn what_each_agent_did_is_said_at_once() {
        #[derive(Default)]
        struct OfOne(Vec<(String, u64, u64)>);
        impl Observer for OfOne {
            fn event(&mut self, event: &Event) {
                if let Event::Generator(one) = event {
                    self.0.push((one.generator.clone(), one.start_ns, one.ok));
                }
            }
        }
        let (mut course, mut heard) = (Course::new(names()), OfOne::default());
        course.take(0, interval(Phase::Measure, 0, 1, false), &mut heard);
        course.take(0, interval(Phase::Measure, 10, 2, false), &mut heard);
        course.take(1, interval(Phase::Measure, 0, 4, false), &mut heard);
        let expected = [("one", 0, 1), ("one", 10, 2), ("two", 0, 4)];
        assert_eq!(heard.0, expected.map(|(name, at, ok)| (name.to_owned(), at, ok)));
    }

    #[test]
    fn nobody_waits_for_an_agent_that_is_done() {
        let (mut course, mut heard) = (Course::new(names()), Heard::default());
        course.take(0, interval(Phase::Load, 0, 1, false), &mut heard);
        course.take(1, interval(Phase::Load, 0, 2, false), &mut heard);
        course.take(0, interval(Phase::Load, 10, 3, false), &mut heard);
        course.is_past(1, Some(Phase::WarmUp), &mut heard);
        assert_eq!(heard.0, ["load 0: 3", "load 10: 3"]);
        course.take(0, interval(Phase::Measure, 0, 4, false), &mut heard);
        course.is_past(1, None, &mut heard);
        assert_eq!(heard.0.last().unwrap(), "measure 0: 4");
        course.take(0, interval(Phase::Measure, 10, 5, false), &mut heard);
        course.finish(&mut heard);
        assert_eq!(heard.0.last().unwrap(), "measure 10: 5");
    }

    #[test]
    fn the_warm_up_is_judged_when_an_interval_of_it_is_whole() {
        let (mut course, mut heard) = (Course::new(names()), Heard::default());
        assert!(!course.take(0, interval(Phase::WarmUp, 0, 1, false), &mut heard));
        assert!(course.take(1, interval(Phase::WarmUp, 0, 1, false), &mut heard));
        assert!(!course.take(1, interval(Phase::WarmUp, 0, 1, true), &mut heard));
    }
}
