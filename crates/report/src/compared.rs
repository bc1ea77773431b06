//! Two folders side by side: what was measured before, and after a change. Points of a history are compared alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use dbdyno_analysis::same_mode::{Comparable, SharedMode, comparable};
use dbdyno_analysis::{CellName, Undecided, Unranked};
use dbdyno_record::CoreMode;
use dbdyno_stats::correction::correct;
use dbdyno_stats::family::is_significant;
use dbdyno_stats::pooled::{Sides, analyse_trials, ranks_decide};
use dbdyno_stats::{Better, Comparison, Interval, Pairing, Sample, compare, trials_needed};
use dbdyno_vocabulary::{Text, text};
use serde::{Serialize, Serializer};

use crate::conditions::{Difference, remark};
use crate::folders::{CellFacts, Side, cells_of};
use crate::indented;
use crate::matched::{differing, holds_the_same, pairs};
use crate::model::{Pace, Word};
use crate::number;
use crate::same_trials;
use crate::sample::{MetricSample, Unit};
use crate::test_name::TestName;
use crate::words::change::change;
use crate::words::comparability;

/// More trials of each than anybody waits for.
const MOST_TRIALS: usize = 200;

/// All that two folders have in common, compared.
#[derive(Clone, Debug, Serialize)]
pub struct FolderComparison {
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Systems under workloads.
    pub cells: Vec<ComparedCell>,
    /// Tests that only one of the folders has.
    pub unmatched: Vec<Unmatched>,
    /// Whether both hold the same trials, as two names of one folder and its copy do: nothing can differ.
    pub identical: bool,
    /// The versions of each system, where none of those before is among those after.
    #[serde(skip)]
    pub versions: Vec<(String, Difference)>,
    /// What else differs and forbids no comparison.
    #[serde(skip)]
    pub remarks: Vec<Difference>,
}

/// One system under one workload that only one folder has. In JSON it is one string.
#[derive(Clone, Debug)]
pub struct Unmatched {
    /// System, workload and factors.
    pub cell: CellName,
    /// How people call it.
    pub test: TestName,
    /// Whether it is the first folder that has it.
    pub is_before: bool,
}

impl Unmatched {
    /// Which side has it.
    #[must_use]
    pub const fn side(&self) -> &'static str {
        if self.is_before { "before" } else { "after" }
    }
}

impl fmt::Display for Unmatched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: only {}", self.cell, self.side())
    }
}

impl Serialize for Unmatched {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One system under one workload, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedCell {
    /// System, workload and factors.
    pub cell: CellName,
    /// How people call it.
    #[serde(skip)]
    pub test: TestName,
    /// Why the two are not the same thing; empty when nothing speaks against comparing them.
    pub differences: Vec<Difference>,
    /// What was compared; empty when it was refused.
    pub metrics: Vec<ComparedMetric>,
    /// How many trials were compared, before and after.
    #[serde(skip)]
    pub trials: (usize, usize),
    /// Trials that both sides have, so that no verdict rests on them.
    #[serde(skip_serializing_if = "is_zero")]
    pub same_trials: usize,
}

/// One metric, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedMetric {
    /// Its name, e.g. `p99 latency of read`.
    pub metric: String,
    /// What its values are.
    pub unit: Unit,
    /// Median before.
    pub before: f64,
    /// Median after.
    pub after: f64,
    /// The mode of the CPUs in which the values were measured, where these stood otherwise before than after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<SharedMode>,
    /// Which of the two is known as a lower bound only.
    pub at_least: (bool, bool),
    /// What the statistics say of what came after, against what was before; corrected for all comparisons of this metric.
    #[serde(flatten, serialize_with = "after_against_before")]
    pub found: Comparison,
    /// The values behind it.
    #[serde(skip)]
    values: Values,
    /// Why no verdict rests on the values, whatever they are.
    #[serde(skip)]
    pub doubt: Option<Undecided>,
    /// The same in words, with the systems marked.
    #[serde(skip)]
    pub(crate) why_withheld: Option<Text>,
    /// Whether failures, a missing steady state or shared trials withheld the verdict, whatever the numbers are.
    pub withheld: bool,
    /// Whether the rate was sustained before and is not any more.
    pub rate_lost: bool,
    /// Whether the trials were sound before, and now too many operations have no answer or trials are invalid.
    pub answers_lost: bool,
    /// About how many trials of each would decide; `None` where it is decided, or more than anybody waits for.
    pub trials_needed: Option<usize>,
}

/// The values of both sides.
#[derive(Clone, Debug)]
struct Values {
    after: Sample,
    before: Sample,
    better: Better,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes what it may skip by reference"
)]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A comparison as it has always been written here: trials before and after, the ends of the interval alone.
fn after_against_before<S: Serializer>(found: &Comparison, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written<'a> {
        trials: (usize, usize),
        ratio: f64,
        interval: Option<(f64, f64)>,
        p_value: Option<f64>,
        p_adjusted: Option<f64>,
        verdict: Word,
        reason: &'a str,
    }
    let written = Written {
        trials: (found.n.1, found.n.0),
        ratio: found.ratio,
        interval: found.interval.map(Interval::ends),
        p_value: found.p_value,
        p_adjusted: found.p_adjusted,
        verdict: found.word,
        reason: &found.reason,
    };
    written.serialize(serializer)
}

/// Compares what both folders have. What differs in work, promises or machine is refused, unless `anyway`.
#[must_use]
pub fn compare_folders(before: Side<'_>, after: Side<'_>, margin: f64, anyway: bool) -> FolderComparison {
    compare_cells(&cells_of(before), &cells_of(after), margin, anyway)
}

/// Compares cells by their names.
#[must_use]
pub fn compare_cells(
    before: &[CellFacts],
    after: &[CellFacts],
    margin: f64,
    anyway: bool,
) -> FolderComparison {
    let pairs = pairs(before, after);
    let identical = !before.is_empty() && holds_the_same(before, after);
    let compared = pairs.iter().map(|(old, new)| {
        let differences = differing(old, new);
        let refused = !differences.is_empty() && !anyway;
        let metrics = old.metrics.iter().filter(|_| !refused).filter_map(|metric| {
            let new = new.metrics.iter().find(|new| new.name == metric.name)?;
            compare_metric(metric, new, margin)
        });
        let mut metrics: Vec<ComparedMetric> = metrics.collect();
        // Of all trials, the answer says so, and the figures stay as they are.
        let same_trials = match identical || metrics.is_empty() {
            true => 0,
            false => same_trials::shared(&old.metrics, &new.metrics),
        };
        withhold_same(&mut metrics, same_trials);
        let mut test = TestName::of(old);
        // A level that differs is no part of what both sides have.
        test.levels.retain(|level| new.cell.levels.contains(level));
        ComparedCell {
            cell: old.cell.clone(),
            test,
            metrics,
            trials: (most_values(&old.metrics), most_values(&new.metrics)),
            same_trials,
            differences,
        }
    });
    let mut cells: Vec<ComparedCell> = compared.collect();
    correct_metrics(cells.iter_mut().flat_map(|cell| &mut cell.metrics), margin);
    let only = |here: &[CellFacts], is_before: bool| -> Vec<Unmatched> {
        let paired = |one: &CellFacts| {
            let mut sides = pairs.iter().map(|(old, new)| if is_before { old } else { new });
            sides.any(|side| side.cell == one.cell)
        };
        let only = here.iter().filter(|one| !paired(one));
        only.map(|one| Unmatched {
            cell: one.cell.clone(),
            test: TestName::of(one),
            is_before,
        })
        .collect()
    };
    let mut versions: Vec<(String, Difference)> = Vec::new();
    for (old, new) in &pairs {
        let is_known = !old.versions.contains("") && !new.versions.contains("");
        if is_known && old.versions.is_disjoint(&new.versions) {
            let changed = Difference {
                condition: "version".to_owned(),
                before: old.versions.clone(),
                after: new.versions.clone(),
            };
            versions.push((TestName::of(old).original().to_owned(), changed));
        }
    }
    versions.sort();
    versions.dedup();
    let remarks = pairs
        .iter()
        .filter_map(|(old, new)| remark(&old.conditions, &new.conditions));
    let remarks: BTreeSet<Difference> = remarks.collect();
    FolderComparison {
        margin,
        cells,
        unmatched: [only(before, true), only(after, false)].concat(),
        identical,
        versions,
        remarks: remarks.into_iter().collect(),
    }
}

fn most_values(metrics: &[MetricSample]) -> usize {
    let counts = metrics.iter().map(|metric| metric.values.len());
    counts.max().unwrap_or_default()
}

/// Takes the verdicts back that trials of both sides would decide. More of them would not help.
fn withhold_same(metrics: &mut [ComparedMetric], shared: usize) {
    let judged = metrics
        .iter_mut()
        .filter(|metric| metric.found.word != Word::NotComparable && metric.doubt.is_none());
    for metric in judged.filter(|_| shared > 0) {
        metric.found.take_back(same_trials::reason(shared));
        metric.doubt = Some(Undecided::SameTrials);
        metric.withheld = true;
        metric.trials_needed = None;
    }
}

/// One metric, before and after; `None` without trials. Its p value stands by itself until [`correct_metrics`] has seen its family.
pub(crate) fn compare_metric(
    before: &MetricSample,
    after: &MetricSample,
    margin: f64,
) -> Option<ComparedMetric> {
    let (mut mode, mut other_modes) = (None, None);
    let (old, new) = match comparable(before.modes.as_ref(), after.modes.as_ref()) {
        Comparable::In(shared, old, new) => {
            mode = Some(shared);
            (old, new)
        }
        Comparable::Nothing {
            before: old_mode,
            after: new_mode,
        } => {
            other_modes = Some(format!(
                "before, the CPUs of the machine {}; after, they {}",
                most_slices(old_mode),
                most_slices(new_mode)
            ));
            (&before.values[..], &after.values[..])
        }
        Comparable::Whole => (&before.values[..], &after.values[..]),
    };
    let sample = |values: &[f64]| Sample::new(values.to_vec()).ok();
    let (old, new) = (sample(old)?, sample(new)?);
    let mut found = compare(&new, &old, before.better, margin, Pairing::Independent);
    let withheld = [("before", before), ("after", after)]
        .into_iter()
        .find_map(|(when, side)| {
            let (doubt, why) = doubt(side)?;
            Some((doubt, text![format!("{when}, "), why]))
        })
        .or(other_modes.map(|why| (Undecided::OtherCores, Text::from(why))));
    let unranked = Unranked::new(
        before.kind(),
        [("the baseline", before.pace), ("the new result", after.pace)],
    );
    // More trials of the kind would help neither a system that fails or never settles nor a metric that ranks nothing.
    let undecided = found.word == Word::Undecided && withheld.is_none() && unranked.is_none();
    let needed = || trials_needed(&new, &old, margin, MOST_TRIALS);
    let doubt = withheld
        .as_ref()
        .map(|(doubt, _)| *doubt)
        .filter(|_| unranked.is_none());
    if let Some(why) = &unranked {
        comparability::refuse(why, &mut found);
    } else if let Some((_, why)) = &withheld {
        found.take_back(why.flat());
    }
    Some(ComparedMetric {
        metric: before.name.clone(),
        unit: before.unit,
        before: old.median(),
        after: new.median(),
        mode,
        at_least: (before.at_least, after.at_least),
        found,
        doubt,
        why_withheld: withheld.map(|(_, why)| why).filter(|_| doubt.is_some()),
        withheld: doubt.is_some(),
        rate_lost: matches!(
            (before.pace, after.pace),
            (Pace::Sustained { .. }, Pace::Missed { .. })
        ),
        answers_lost: (before.failing.is_none() && after.failing.is_some())
            || (before.invalid.is_none() && after.invalid.is_some()),
        trials_needed: undecided.then(needed).flatten().map(|trials| {
            // Never fewer than make a 95% interval possible, nor than there are: those did not decide.
            trials
                .max(dbdyno_stats::permutation::fewest_trials(dbdyno_stats::CONFIDENCE))
                .max(old.len().min(new.len()) + 1)
        }),
        values: Values {
            after: new,
            before: old,
            better: before.better,
        },
    })
}

/// Why no verdict rests on the values of one side, as a kind and in words.
fn doubt(side: &MetricSample) -> Option<(Undecided, &Text)> {
    let reasons = [
        (Undecided::NoAnswers, &side.failing),
        (Undecided::Invalid, &side.invalid),
        (Undecided::NeverSteady, &side.restless),
    ];
    reasons
        .into_iter()
        .find_map(|(doubt, why)| Some((doubt, why.as_ref()?)))
}

/// Where the CPUs mostly were: `shared a cache in 95% of the slices`.
fn most_slices((mode, share): (CoreMode, f64)) -> String {
    format!(
        "{} in {} of the slices",
        mode.in_words(),
        number::whole_share(share)
    )
}

/// Corrects metrics that were compared one by one for the number of those of the same name. Where they are so many that ranks cannot
/// decide, they are analysed together.
pub(crate) fn correct_metrics<'a>(metrics: impl IntoIterator<Item = &'a mut ComparedMetric>, margin: f64) {
    let mut families: BTreeMap<String, Vec<&mut ComparedMetric>> = BTreeMap::new();
    for metric in metrics {
        families.entry(metric.metric.clone()).or_default().push(metric);
    }
    for family in families.into_values() {
        let (mut judged, mut others): (Vec<_>, Vec<_>) = family
            .into_iter()
            .partition(|metric| metric.found.p_value.is_some() && !metric.withheld);
        if is_beyond_ranks(&judged) {
            judge_together(judged, margin);
        } else {
            correct_ranks(judged.iter_mut().chain(&mut others));
        }
    }
}

/// Whether ranks of some that have enough trials for an interval cannot decide among so many.
fn is_beyond_ranks(judged: &[&mut ComparedMetric]) -> bool {
    let fewest = dbdyno_stats::permutation::fewest_trials(dbdyno_stats::CONFIDENCE);
    judged.iter().any(|metric| {
        let n = metric.found.n;
        n.0.min(n.1) >= fewest && !ranks_decide(n, judged.len())
    })
}

fn judge_together(judged: Vec<&mut ComparedMetric>, margin: f64) {
    let sides: Vec<Sides<'_>> = judged
        .iter()
        .map(|metric| Sides {
            a: &metric.values.after,
            b: &metric.values.before,
            better: metric.values.better,
        })
        .collect();
    let found = analyse_trials(&sides, margin);
    for (metric, found) in judged.into_iter().zip(found) {
        let trials = found.n.0.min(found.n.1);
        let needed = found.more_blocks.map(|more| trials + more);
        metric.trials_needed = needed.filter(|needed| *needed <= MOST_TRIALS);
        metric.found = found;
    }
}

fn correct_ranks<'a, 'b: 'a>(metrics: impl Iterator<Item = &'a mut &'b mut ComparedMetric>) {
    let (mut differing, mut others): (Vec<_>, Vec<_>) =
        metrics.partition(|metric| metric.found.word.is_difference());
    correct(
        differing
            .iter_mut()
            .chain(&mut others)
            .map(|metric| ((), &mut metric.found)),
    );
    for metric in differing {
        let (after, before) = metric.found.n;
        let is_open = !metric.found.word.is_difference();
        metric.trials_needed = is_open.then(|| before.min(after) + 1);
    }
}

impl ComparedMetric {
    /// Why it is undecided; `None` if it is not.
    #[must_use]
    pub fn undecided(&self) -> Option<Undecided> {
        let open = match self.found.interval {
            _ if !self.found.ratio.is_finite() => Undecided::NoRatio,
            None => Undecided::TooFewTrials,
            Some(interval) if !interval.excludes_one() => Undecided::Noise,
            _ if !self.found.p_adjusted.is_none_or(is_significant) => Undecided::ManyTests,
            Some(_) => Undecided::NearMargin,
        };
        (self.found.word == Word::Undecided).then(|| self.doubt.unwrap_or(open))
    }
}

impl FolderComparison {
    /// Comparisons that show something faster than before.
    #[must_use]
    pub fn faster(&self) -> usize {
        self.count(Word::Faster)
    }

    /// Comparisons that show something slower than before.
    #[must_use]
    pub fn slower(&self) -> usize {
        self.count(Word::Slower)
    }

    pub(crate) fn count(&self, word: Word) -> usize {
        let metrics = self.cells.iter().flat_map(|cell| &cell.metrics);
        metrics.filter(|metric| metric.found.word == word).count()
    }

    /// Cells that were not compared.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.cells.iter().filter(|cell| cell.metrics.is_empty()).count()
    }

    /// Cells whose trials were sound before, and in which now too many operations have no answer or trials are invalid.
    #[must_use]
    pub fn answers_lost(&self) -> usize {
        let lost = |cell: &&ComparedCell| cell.metrics.iter().any(|metric| metric.answers_lost);
        self.cells.iter().filter(lost).count()
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        indented::json(self)
    }

    /// Cells whose rate was sustained before and is not any more.
    #[must_use]
    pub fn rates_lost(&self) -> usize {
        let lost = |cell: &&ComparedCell| cell.metrics.iter().any(|metric| metric.rate_lost);
        self.cells.iter().filter(lost).count()
    }
}

impl ComparedMetric {
    /// Before, after, and their ratio with its interval.
    pub(crate) fn figures(&self) -> [String; 3] {
        let value = |value: f64, at_least: bool| number::bounded(self.unit.format(value), at_least);
        [
            value(self.before, self.at_least.0),
            value(self.after, self.at_least.1),
            change(self.found.ratio, self.found.interval.map(Interval::ends)),
        ]
    }
}
