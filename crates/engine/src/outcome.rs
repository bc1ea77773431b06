//! What came of a trial: of one load generator, or of several that carried it out together.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use dbdyno_driver::{Execution, ScanOrder, SystemFacts};
use dbdyno_record::{Finding, Floor, GeneratorRecord, LoadRecord, MeasureRecord};
use serde::{Deserialize, Serialize};

use crate::findings::{Circumstances, Given, judge};

/// The result of a trial.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The system as it described itself.
    pub facts: SystemFacts,
    /// The order of scans.
    pub scan_order: ScanOrder,
    /// Records in the table before the measured phase (before the load, when nothing ran).
    pub records_before: u64,
    /// Operating-system threads that carried clients.
    pub threads: u32,
    /// The load phase; `None` when there was none.
    pub load: Option<LoadRecord>,
    /// The measured phase; `None` when there was none, or the trial was stopped before it.
    pub measure: Option<MeasureRecord>,
    /// A stop was requested before it was over.
    pub interrupted: bool,
    /// The tool's own cost; zeros on virtual time.
    pub floor: Floor,
    /// Everything to know before believing the numbers.
    pub findings: Vec<Finding>,
    /// What findings about the measured phase rest on beside its record.
    pub seen: Option<Seen>,
    /// The load generators, where several carried it out together.
    pub generators: Vec<GeneratorRecord>,
}

/// What was seen of a measured phase beside its record. Of a part of a trial, nothing is judged by it: only of the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub(crate) execution: Execution,
    pub(crate) clients: u32,
    pub(crate) stuck: u32,
    pub(crate) outlasting: u64,
    pub(crate) answered_late: u64,
    pub(crate) given: BTreeSet<Given>,
}

impl Seen {
    /// What was seen of the whole of which these are parts: what holds for one of them holds.
    fn add(&mut self, part: &Self) {
        self.clients += part.clients;
        self.stuck += part.stuck;
        self.outlasting += part.outlasting;
        self.answered_late += part.answered_late;
        self.given.extend(&part.given);
    }
}

impl Outcome {
    /// The trial whose parts these are, the leader's first: counts and latencies add up, and the whole is judged. `None` without any.
    #[must_use]
    pub fn together(parts: &[Self]) -> Option<Self> {
        let mut whole = parts.first()?.clone();
        for part in &parts[1..] {
            whole.threads += part.threads;
            whole.interrupted |= part.interrupted;
            whole.floor.be_at_least(&part.floor);
            for finding in &part.findings {
                if !whole.findings.contains(finding) {
                    whole.findings.push(finding.clone());
                }
            }
            match (&mut whole.seen, &part.seen) {
                (Some(whole), Some(part)) => whole.add(part),
                (whole, part) => *whole = whole.take().or_else(|| part.clone()),
            }
        }
        whole.load = LoadRecord::together(parts.iter().filter_map(|part| part.load.as_ref()));
        whole.measure = MeasureRecord::together(parts.iter().filter_map(|part| part.measure.as_ref()));
        whole.judge();
        Some(whole)
    }

    /// Adds what there is to say about the measured phase.
    pub(crate) fn judge(&mut self) {
        if let (Some(measure), Some(seen)) = (&self.measure, &self.seen) {
            let is_real = seen.given.contains(&Given::RealTime);
            self.findings.extend(judge(&Circumstances {
                measure,
                floor: is_real.then_some(&self.floor),
                execution: seen.execution,
                clients: seen.clients,
                stuck: seen.stuck,
                outlasting: seen.outlasting,
                answered_late: seen.answered_late,
                given: seen.given.clone(),
            }));
        }
        self.findings.sort_by_key(|finding| Reverse(finding.severity));
    }
}
