//! Which trials an answer may rest on. An invalid trial feeds no answer. A doubtful one counts for the median, because leaving
//! it out would choose results, and makes the answer no surer.

use dbdyno_decide::Observation;
use dbdyno_record::finding::{NoSteadyState, SlowStart, StillCompiling, TooShort, is_of_host};
use dbdyno_record::{Finding, TrialRecord};
use dbdyno_stats::{Sample, outliers};

use super::Metric;
use super::gather::{Candidate, Source, of_work};
use super::metric::Subject;
use super::need::WorkChoice;

/// Why a trial makes an answer no surer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// Its measured phase was dominated by its beginning and by single events.
    Short,
    /// It was not in a steady state for the whole of the measured phase.
    Unsteady,
    /// The machine did something else meanwhile.
    Disturbed,
    /// Too few operations lie beyond the percentile.
    FewOperations,
    /// It differs from the other trials of its system.
    Outlying,
}

/// A percentile with fewer operations beyond it is a matter of chance, as in the finding `few-samples`.
const FEWEST_BEYOND: f64 = 10.0;

impl Doubt {
    /// Whether it is known how far the trial may be from the truth: its levels were seen, or it is a chance like the others.
    fn is_bounded(self) -> bool {
        matches!(self, Self::Unsteady | Self::Outlying)
    }

    /// Whether longer phases would remove it.
    pub fn needs_time(self) -> bool {
        matches!(self, Self::Short | Self::Unsteady | Self::FewOperations)
    }
}

/// What makes a trial doubtful for a metric, as far as it shows without the other trials.
pub fn of_trial(trial: &TrialRecord, metric: Metric) -> Option<Doubt> {
    // The load comes before the phases that findings are about.
    if metric.subject() == Subject::Load {
        return None;
    }
    let found = |is_of: fn(&Finding) -> bool| trial.findings.iter().any(is_of);
    // A warm-up that reached its limit makes no trial unsteady: the measured phase is judged by itself.
    let is_unsteady = found(Finding::is::<NoSteadyState>)
        || found(Finding::is::<SlowStart>)
        || found(Finding::is::<StillCompiling>)
        || trial.conditions.never_steady();
    if found(Finding::is::<TooShort>) {
        Some(Doubt::Short)
    } else if found(is_of_host) || !trial.conditions.disturbed_by.is_empty() {
        Some(Doubt::Disturbed)
    } else if is_unsteady {
        Some(Doubt::Unsteady)
    } else if has_few_operations(trial, metric) {
        Some(Doubt::FewOperations)
    } else {
        None
    }
}

fn has_few_operations(trial: &TrialRecord, metric: Metric) -> bool {
    let Metric::Percentile(percentile, subject) = metric else {
        return false;
    };
    let kind = match subject {
        Subject::Kind(kind) => Some(kind.name()),
        Subject::All | Subject::Load => None,
    };
    let beyond = trial.latency(kind).count() as f64 * (100.0 - percentile) / 100.0;
    // The largest value has nothing beyond it, however many there are.
    percentile < 100.0 && beyond < FEWEST_BEYOND - 1e-6
}

/// What one trial gave for a metric.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// The index of its folder.
    pub source: usize,
    /// The trial.
    pub trial: &'a TrialRecord,
    /// The number.
    pub value: f64,
    /// Why it makes an answer no surer.
    pub doubt: Option<Doubt>,
}

/// What the valid trials of a candidate gave for a metric. Short trials count only where there is no longer one: they are
/// another measurement.
pub fn values<'a>(candidate: &Candidate<'a>, work: &WorkChoice, metric: Metric) -> Vec<Value<'a>> {
    let mut values: Vec<Value<'_>> = of_work(candidate, work)
        .into_iter()
        .filter_map(|(source, trial)| {
            Some(Value {
                source,
                trial,
                value: candidate.figure(metric, trial)?,
                doubt: of_trial(trial, metric),
            })
        })
        .collect();
    if values.iter().any(|one| one.doubt != Some(Doubt::Short)) {
        values.retain(|one| one.doubt != Some(Doubt::Short));
    }
    if let Ok(sample) = Sample::new(values.iter().map(|one| one.value).collect()) {
        let found = outliers(&sample);
        // Where a third of the trials or more stand out, that is how they scatter.
        let are_few = 3 * found.len() < values.len();
        for outlier in found.iter().filter(|_| are_few) {
            values[outlier.index].doubt.get_or_insert(Doubt::Outlying);
        }
    }
    values
}

/// The median of what trials gave; `None` without any.
pub fn median(values: &[Value<'_>]) -> Option<f64> {
    let values = values.iter().map(|one| one.value).collect();
    Sample::new(values).ok().map(|sample| sample.median())
}

/// The values of a candidate, as the decision takes them.
pub fn observations(candidate: usize, values: &[Value<'_>], sources: &[Source<'_>]) -> Vec<Observation> {
    let has_blocks: Vec<bool> = sources
        .iter()
        .map(|source| {
            let mut blocks = source.results.trials.iter().map(|trial| trial.block);
            let first = blocks.next();
            blocks.any(|block| Some(block) != first)
        })
        .collect();
    let one = |value: &Value<'_>| {
        // A folder of a single block has nothing to be drawn from: such trials are drawn among their candidate's own.
        let (series, block) = if has_blocks[value.source] {
            (value.source as u64, value.trial.block)
        } else {
            ((1 << 32) + candidate as u64, value.source as u32)
        };
        Observation {
            series,
            block,
            value: value.value,
            sound: value.doubt.is_none(),
            bounded: value.doubt.is_none_or(Doubt::is_bounded),
        }
    };
    values.iter().map(one).collect()
}
