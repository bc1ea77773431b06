//! Makes metrics and marks from what is known of studies.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use dbdyno_vocabulary::visible;

use super::catalogue::{
    ALL, CLIENT_CPU, CLIENT_MEMORY, DROPPED, ERRORS, GENERATOR_CPUS, GENERATOR_THROUGHPUT, LATENCY,
    OPERATIONS, PHASE, SERVER_CPU, SERVER_MEMORY, SERVER_READ, SERVER_WRITTEN, STUDY_DONE, STUDY_REMAINING,
    STUDY_RUNNING, STUDY_TRIALS, TRIAL_END, TRIAL_NUMBER, TRIALS,
};
use super::family::{Family, Metric, Series, Value};
use crate::tally::{Cell, Tally, TrialEnd};
use crate::watched::{Current, Watched};

/// Most series of one metric: with four studies of ten systems and five workloads, each kind of operation still fits.
const MOST_SERIES: usize = 2_000;

/// Everything that is told at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub families: Vec<Family>,
    pub marks: Vec<Mark>,
}

/// Something that happened at a moment: for annotations.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// Its name, which stays from snapshot to snapshot.
    pub id: String,
    /// Its kind.
    pub event: &'static str,
    /// When, where that is known; else now.
    pub at: Option<SystemTime>,
    pub text: String,
    pub labels: Vec<(&'static str, String)>,
}

/// The event of a phase that began.
pub(crate) const PHASE_BEGAN: &str = "dbdyno.phase.began";
/// The event of a trial that ended.
pub(crate) const TRIAL_ENDED: &str = "dbdyno.trial.ended";

/// Collects from one study after the other, the most interesting one first.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    series: BTreeMap<&'static str, Vec<Series>>,
    marks: Vec<Mark>,
    dropped: u64,
}

impl Collector {
    /// Adds what is known of a study at that moment.
    pub fn study(&mut self, name: &str, watched: &Watched, tally: &Tally, now: SystemTime) {
        let study = [name.to_owned()];
        let is_running = u64::from(watched.is_running());
        self.put(&STUDY_RUNNING, &study, &[], Value::Count(is_running));
        let planned = watched.planned().len() as u64;
        self.put(&STUDY_TRIALS, &study, &[], Value::Count(planned));
        self.put(&STUDY_DONE, &study, &[], Value::Count(watched.done() as u64));
        if let Some(current) = watched.current() {
            self.current(name, watched, current, now);
        }
        self.operations(name, tally);
        self.usage(name, tally);
        self.ended(name, watched, tally.ended());
    }

    /// What was collected: metrics in the order of the catalogue, without those that have no series.
    pub fn finish(mut self) -> Snapshot {
        let dropped = self.dropped;
        self.put(&DROPPED, &[], &[], Value::Count(dropped));
        let mut series = self.series;
        let families = ALL.iter().copied().filter_map(|metric| {
            let series = series.remove(metric.name)?;
            Some(Family { metric, series })
        });
        Snapshot {
            families: families.collect(),
            marks: self.marks,
        }
    }

    fn put(&mut self, metric: &'static Metric, labels: &[String], more: &[&str], value: Value) {
        let series = self.series.entry(metric.name).or_default();
        if series.len() >= MOST_SERIES {
            self.dropped += 1;
            return;
        }
        // Who reads them in a terminal sees them as they are.
        let labels = labels.iter().map(String::as_str).chain(more.iter().copied());
        series.push(Series {
            labels: labels.map(|label| visible::text(label).into_owned()).collect(),
            value,
        });
    }

    /// What runs: its phase, and what its processes use.
    fn current(&mut self, study: &str, watched: &Watched, current: &Current, now: SystemTime) {
        let trial = &current.trial;
        let cell = [study.to_owned(), trial.system.clone(), trial.workload.clone()];
        self.put(&TRIAL_NUMBER, &cell, &[], Value::Count(trial.number as u64));
        if !current.phase.is_empty() {
            self.put(&PHASE, &cell, &[&current.phase], Value::Count(1));
            let mut labels = mark_labels(&cell);
            labels.extend([("trial", trial.trial.clone()), ("phase", current.phase.clone())]);
            self.marks.push(Mark {
                id: format!("{study}/{}/{}/{}", trial.trial, trial.started_at, current.phase),
                event: PHASE_BEGAN,
                at: None,
                text: format!("{}: {} begins", watched.name_of(trial), current.phase),
                labels,
            });
        }
        if let Some(second) = current.seconds.last() {
            let bytes = Value::Count(second.resident_memory_bytes);
            self.put(&CLIENT_MEMORY, &cell, &[], bytes);
            if let Some(bytes) = second.server_memory_bytes {
                self.put(&SERVER_MEMORY, &cell, &[], Value::Count(bytes));
            }
        }
        for (generator, row) in &current.generators {
            let throughput = Value::Number(row.per_second());
            self.put(&GENERATOR_THROUGHPUT, &cell, &[generator], throughput);
            let cpus = Value::Number(row.cpus());
            self.put(&GENERATOR_CPUS, &cell, &[generator], cpus);
        }
        if let Ok(began) = trial.started_at.parse::<jiff::Timestamp>() {
            let elapsed = now.duration_since(SystemTime::from(began)).unwrap_or_default();
            let remaining_s = (trial.remaining_s - elapsed.as_secs_f64()).max(0.0);
            self.put(&STUDY_REMAINING, &cell[..1], &[], Value::Number(remaining_s));
        }
    }

    fn operations(&mut self, study: &str, tally: &Tally) {
        for (key, counted) in tally.operations() {
            let labels = labels(study, &key.cell);
            let kind = [key.phase.as_str(), key.operation.as_str()];
            for (outcome, count) in [
                ("ok", counted.ok),
                ("not_found", counted.not_found),
                ("too_early", counted.too_early),
                ("error", counted.errors),
            ] {
                let more = [kind[0], kind[1], outcome];
                self.put(&OPERATIONS, &labels, &more, Value::Count(count));
            }
            if counted.latency.count() > 0 {
                self.put(&LATENCY, &labels, &kind, Value::Latencies(counted.latency));
            }
        }
        for ((cell, operation, class), count) in tally.errors() {
            let labels = labels(study, cell);
            self.put(&ERRORS, &labels, &[operation, class], Value::Count(*count));
        }
    }

    fn usage(&mut self, study: &str, tally: &Tally) {
        for ((cell, phase), usage) in tally.usage() {
            let labels = labels(study, &cell);
            let client_cpu_s = Value::Number(usage.client_cpu_s);
            self.put(&CLIENT_CPU, &labels, &[&phase], client_cpu_s);
            if let Some(seconds) = usage.server_cpu_s {
                self.put(&SERVER_CPU, &labels, &[&phase], Value::Number(seconds));
            }
            if let Some(bytes) = usage.server_read_bytes {
                self.put(&SERVER_READ, &labels, &[&phase], Value::Count(bytes));
            }
            if let Some(bytes) = usage.server_written_bytes {
                self.put(&SERVER_WRITTEN, &labels, &[&phase], Value::Count(bytes));
            }
        }
    }

    fn ended(&mut self, study: &str, watched: &Watched, ended: &[TrialEnd]) {
        let mut groups: BTreeMap<(&Cell, String, &str), (u64, SystemTime)> = BTreeMap::new();
        for trial in ended {
            let verdict = if trial.is_valid { "valid" } else { "invalid" };
            let state = trial.state.to_string();
            let group = (&trial.cell, state.clone(), verdict);
            let (count, last) = groups.entry(group).or_insert((0, trial.at));
            *count += 1;
            *last = (*last).max(trial.at);
            let mut mark = mark_labels(&labels(study, &trial.cell));
            mark.extend([
                ("trial", trial.trial.clone()),
                ("state", state.clone()),
                ("verdict", verdict.to_owned()),
            ]);
            self.marks.push(Mark {
                id: format!("{study}/{}/ended", trial.trial),
                event: TRIAL_ENDED,
                at: Some(trial.at),
                text: match watched.spec_of(&trial.trial) {
                    Some(spec) => format!("{} ended: {state}, {verdict}", watched.names().trial(spec)),
                    None => format!("Trial {} ended: {state}, {verdict}", trial.trial),
                },
                labels: mark,
            });
        }
        for ((cell, state, verdict), (count, last)) in groups {
            let labels = labels(study, cell);
            let more = [state.as_str(), verdict];
            self.put(&TRIALS, &labels, &more, Value::Count(count));
            let last_s = last.duration_since(SystemTime::UNIX_EPOCH);
            let last_s = last_s.unwrap_or(Duration::ZERO).as_secs_f64();
            self.put(&TRIAL_END, &labels, &more, Value::Number(last_s));
        }
    }
}

fn labels(study: &str, cell: &Cell) -> [String; 3] {
    [study.to_owned(), cell.system.clone(), cell.workload.clone()]
}

fn mark_labels([study, system, workload]: &[String; 3]) -> Vec<(&'static str, String)> {
    vec![
        ("study", study.clone()),
        ("system", system.clone()),
        ("workload", workload.clone()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_can_rewrite_a_terminal() {
        let mut collector = Collector::default();
        collector.put(
            &TRIALS,
            &["a\u{1b}[2Jb".to_owned()],
            &["c\u{202e}d"],
            Value::Count(1),
        );
        let snapshot = collector.finish();
        let family = snapshot
            .families
            .iter()
            .find(|family| family.metric.name == TRIALS.name);
        let series = &family.unwrap().series[0];
        assert_eq!(series.labels, ["a\\u001b[2Jb", "c\\u202ed"]);
    }
}
