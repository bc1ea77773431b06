//! From values of trials to estimates and comparisons: the only place that calls `stats`.

use std::collections::BTreeMap;

use dbdyno_stats::blocks::align;
use dbdyno_stats::{
    Better, Estimate, Interval, MARGIN, PairQuestion, Pairing, Sample, Verdict, compare, compare_among,
    estimate, outliers,
};
use serde::Serialize;

use dbdyno_record::TrialRecord;

use super::{Metric, Unranked, starts};
use crate::correction::Compared;
use crate::remark::Remark;
use crate::validity::Unreliable;

/// One trial's value.
#[derive(Clone, Debug, Serialize)]
pub struct Value {
    /// Name of the trial.
    pub trial: String,
    /// Its block.
    pub block: u32,
    /// The value.
    pub value: f64,
    /// Why it stands out, when it does; it is part of the estimate all the same.
    pub outlier: Option<String>,
}

/// An estimate with every value it rests on.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The median and its interval.
    pub estimate: Estimate,
    /// The values, in the order of blocks.
    pub values: Vec<Value>,
    /// Coefficient of variation; `None` with fewer than two trials.
    pub cv: Option<f64>,
}

impl Summary {
    /// Whether several trials share a start of servers.
    #[must_use]
    pub fn shares_starts(&self) -> bool {
        self.estimate.shares_starts()
    }
}

/// The word of a verdict, about the first system against the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// Better by more than noise, and it matters.
    Faster,
    /// Worse by more than noise, and it matters.
    Slower,
    /// The same within the margin.
    Equivalent,
    /// Whichever is better, neither is much better: the whole interval lies within the band.
    Bounded,
    /// Not enough evidence for any of the others.
    Undecided,
    /// The metric ranks nothing under this load: see [`super::Unranked`].
    NotComparable,
}

impl Word {
    /// Whether it shows that neither of the two is much better.
    #[must_use]
    pub const fn is_close(self) -> bool {
        matches!(self, Self::Equivalent | Self::Bounded)
    }

    /// Whether it is no answer for the better of the two: open, or against the order in which they stand.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Undecided | Self::Slower | Self::NotComparable)
    }

    /// The word about the second system against the first.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Faster => Self::Slower,
            Self::Slower => Self::Faster,
            same => same,
        }
    }
}

impl From<Verdict> for Word {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Faster => Self::Faster,
            Verdict::Slower => Self::Slower,
            Verdict::Equivalent => Self::Equivalent,
            Verdict::Bounded => Self::Bounded,
            Verdict::Undecided => Self::Undecided,
        }
    }
}

/// Two systems compared in one metric.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The metric.
    pub metric: Metric,
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// How many times the value of `b` that of `a` is; near the ratio of their medians.
    pub ratio: f64,
    /// Interval of the ratio; `None` with too few trials.
    pub interval: Option<Interval>,
    /// p-value, when a test was made; not corrected for other comparisons.
    pub p_value: Option<f64>,
    /// The p-value corrected (Holm) for all comparisons of this metric in the study.
    pub p_adjusted: Option<f64>,
    /// How it was computed, in the words of the statistics.
    pub method: String,
    /// Trials of both.
    pub n: (usize, usize),
    /// The verdict about `a` against `b`.
    pub word: Word,
    /// Why this verdict, with the figures, in the words of the statistics.
    pub reason: String,
    /// Why this verdict, short enough to stand beside it.
    pub why: String,
    /// What bears on it beside the statistics, in order; empty once the report has put it into the words above.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
    /// About how many more trials of each would probably decide it; `None` where it is decided, and where trials would not help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_trials: Option<usize>,
}

impl Comparison {
    /// What the statistics say of `a` against `b`.
    pub fn new(metric: Metric, a: &str, b: &str, answer: dbdyno_stats::Comparison) -> Self {
        Self {
            metric,
            a: a.to_owned(),
            b: b.to_owned(),
            ratio: answer.ratio,
            interval: answer.interval,
            p_value: answer.p_value,
            p_adjusted: answer.p_adjusted,
            method: answer.method.describe().to_owned(),
            n: answer.n,
            word: answer.verdict.into(),
            reason: answer.reason,
            why: answer.why,
            remarks: Vec::new(),
            more_trials: answer.more_blocks,
        }
    }

    /// Makes it undecided, for this reason.
    pub fn take_back(&mut self, reason: Unreliable) {
        self.word = Word::Undecided;
        self.more_trials = None;
        self.remarks.push(Remark::TakenBack(reason));
    }

    /// Takes its verdict away, as its metric ranks nothing; its values stay.
    pub fn refuse(&mut self, why: Unranked) {
        self.word = Word::NotComparable;
        // What is not judged belongs to no family of tests.
        self.p_value = None;
        self.p_adjusted = None;
        self.remarks.push(Remark::Unranked(why));
    }

    /// The ratio in the direction that is above one.
    pub fn lead(&self) -> f64 {
        self.ratio.max(1.0 / self.ratio)
    }

    /// How many times as good as the other either of the two may be at most, by the interval; `None` without one.
    pub fn bound(&self) -> Option<f64> {
        self.interval.as_ref().map(Interval::reach)
    }
}

/// Summarises the values of trials, with one value for each start of servers; `None` without a finite value.
pub fn summarise_trials(values: &[(&TrialRecord, f64)]) -> Option<Summary> {
    let finite: Vec<(&TrialRecord, f64)> = values
        .iter()
        .copied()
        .filter(|(_, value)| value.is_finite())
        .collect();
    let mut summary = summarise(&starts::independent(&finite))?;
    summary.estimate.trials_on_starts = starts::trials_on_starts(&finite);
    Some(summary)
}

/// Summarises the values of trials; `None` without a finite value.
pub fn summarise(values: &[(String, u32, f64)]) -> Option<Summary> {
    let finite: Vec<&(String, u32, f64)> = values.iter().filter(|(_, _, value)| value.is_finite()).collect();
    let sample = Sample::new(finite.iter().map(|(_, _, value)| *value).collect()).ok()?;
    let mut reasons: BTreeMap<usize, String> = outliers(&sample)
        .into_iter()
        .map(|outlier| (outlier.index, outlier.reason))
        .collect();
    let values = finite
        .iter()
        .enumerate()
        .map(|(index, (trial, block, value))| Value {
            trial: trial.clone(),
            block: *block,
            value: *value,
            outlier: reasons.remove(&index),
        })
        .collect();
    Some(Summary {
        estimate: estimate(&sample),
        values,
        cv: sample.cv(),
    })
}

/// Compares two systems in one metric: within blocks when they share at least two, else as independent trials. It is one of
/// so many `comparisons` of this metric; [`correct`](crate::correction::correct) has the last word when all of them are known.
pub fn compare_systems(
    metric: Metric,
    a: (&str, &Summary),
    b: (&str, &Summary),
    comparisons: usize,
) -> Option<Comparison> {
    let (sample_a, sample_b, pairing) = samples(a.1, b.1)?;
    let question = PairQuestion {
        better: metric.better(),
        margin: MARGIN,
        pairing,
        comparisons,
    };
    let compared = compare_among(&sample_a, &sample_b, question);
    let mut comparison = Comparison::new(metric, a.0, b.0, compared);
    if a.1.shares_starts() || b.1.shares_starts() {
        comparison.remarks.push(Remark::CountsStarts);
    }
    Some(comparison)
}

/// The values of both: within blocks when they share at least two, else as independent trials.
fn samples(a: &Summary, b: &Summary) -> Option<(Sample, Sample, Pairing)> {
    let blocks = |summary: &Summary| -> BTreeMap<u32, f64> {
        summary
            .values
            .iter()
            .map(|value| (value.block, value.value))
            .collect()
    };
    let plain =
        |summary: &Summary| Sample::new(summary.values.iter().map(|value| value.value).collect()).ok();
    let (blocks_a, blocks_b) = (blocks(a), blocks(b));
    // Two trials of one cell in the same block would hide each other in a map: then blocks mean nothing here.
    let one_per_block = blocks_a.len() == a.values.len() && blocks_b.len() == b.values.len();
    let aligned = align(&blocks_a, &blocks_b)
        .ok()
        .filter(|aligned| one_per_block && aligned.a.len() > 1);
    Some(match aligned {
        Some(aligned) => (aligned.a, aligned.b, Pairing::Blocks),
        None => (plain(a)?, plain(b)?, Pairing::Independent),
    })
}

/// The ratio of two quantities of which less is better, with its interval: an estimate, about which no verdict is made.
pub fn relative(a: &Summary, b: &Summary) -> Option<(f64, Option<Interval>)> {
    let (a, b, pairing) = samples(a, b)?;
    let compared = compare(&a, &b, Better::Lower, MARGIN, pairing);
    Some((compared.ratio, compared.interval))
}

impl Compared for Comparison {
    type Family = Metric;

    fn family(&self) -> Metric {
        self.metric
    }

    fn p_value(&self) -> Option<f64> {
        self.p_value
    }

    fn shows_difference(&self) -> bool {
        matches!(self.word, Word::Faster | Word::Slower)
    }

    fn set_adjusted(&mut self, p_value: f64) {
        self.p_adjusted = Some(p_value);
    }

    fn reopen(&mut self, why: String) {
        self.word = Word::Undecided;
        self.more_trials = None;
        self.remarks.push(Remark::LeftOpen(why));
    }
}
