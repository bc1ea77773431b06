//! From values of trials to estimates and comparisons: the only place that calls `stats`.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use dbdyno_stats::blocks::align;
use dbdyno_stats::{
    Better, Estimate, Interval, MARGIN, PairQuestion, Pairing, Sample, Word, compare, compare_among,
    estimate, outliers,
};
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use dbdyno_record::TrialRecord;

use super::{Metric, Unranked, starts};
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

/// Two systems compared in one metric. What the statistics say is read through it: `comparison.ratio`, `comparison.word`.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The metric.
    pub metric: Metric,
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// What the statistics say of `a` against `b`, blocks being trials.
    pub found: dbdyno_stats::Comparison,
    /// What bears on it beside the statistics, in order; empty once the report has put it into words.
    pub remarks: Vec<Remark>,
    /// What else has to be known of how it was computed, in the words of the report.
    pub method_notes: Vec<String>,
}

impl Deref for Comparison {
    type Target = dbdyno_stats::Comparison;

    fn deref(&self) -> &Self::Target {
        &self.found
    }
}

impl DerefMut for Comparison {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.found
    }
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = &self.found;
        let mut json = serializer.serialize_struct("Comparison", 13)?;
        json.serialize_field("metric", &self.metric)?;
        json.serialize_field("a", &self.a)?;
        json.serialize_field("b", &self.b)?;
        json.serialize_field("ratio", &found.ratio)?;
        json.serialize_field("interval", &found.interval)?;
        json.serialize_field("p_value", &found.p_value)?;
        json.serialize_field("p_adjusted", &found.p_adjusted)?;
        json.serialize_field("method", &self.method())?;
        json.serialize_field("n", &found.n)?;
        json.serialize_field("word", &found.word)?;
        json.serialize_field("reason", &found.reason)?;
        json.serialize_field("why", &found.why)?;
        match &found.more_blocks {
            Some(more) => json.serialize_field("more_trials", more)?,
            None => json.skip_field("more_trials")?,
        }
        json.end()
    }
}

impl Comparison {
    /// What the statistics say of `a` against `b`.
    pub fn new(metric: Metric, a: &str, b: &str, found: dbdyno_stats::Comparison) -> Self {
        Self {
            metric,
            a: a.to_owned(),
            b: b.to_owned(),
            found,
            remarks: Vec::new(),
            method_notes: Vec::new(),
        }
    }

    /// Makes it undecided, for this reason.
    pub fn take_back(&mut self, reason: Unreliable) {
        self.word = Word::Undecided;
        self.more_blocks = None;
        self.remarks.push(Remark::TakenBack(reason));
    }

    /// Takes its verdict away, as its metric ranks nothing; its values stay.
    pub fn refuse(&mut self, why: Unranked) {
        self.found.refuse();
        self.remarks.push(Remark::Unranked(why));
    }

    /// How it was computed, in words.
    #[must_use]
    pub fn method(&self) -> String {
        let stated = std::iter::once(self.found.method.describe());
        let parts: Vec<&str> = stated
            .chain(self.method_notes.iter().map(String::as_str))
            .collect();
        parts.join("; ")
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
/// so many `comparisons` of this metric; [`correct`](dbdyno_stats::correction::correct) has the last word when all of them are known.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_written_as_programs_know_it() {
        let summary = |level: f64| {
            let values: Vec<_> = (0..6).map(|block| (format!("t{block}"), block, level)).collect();
            summarise(&values).unwrap()
        };
        let (a, b) = (summary(200.0), summary(100.0));
        let mut comparison = compare_systems(Metric::Throughput, ("a", &a), ("b", &b), 1).unwrap();
        comparison.method_notes.push("noted".to_owned());
        comparison.ratio = 2.0;
        comparison.interval = None;
        comparison.reason = "reason".to_owned();
        comparison.more_blocks = Some(7);
        let stated = comparison.method.describe();
        let written = serde_json::to_string(&comparison).unwrap();
        assert_eq!(
            written,
            format!(
                "{{\"metric\":\"throughput\",\"a\":\"a\",\"b\":\"b\",\"ratio\":2.0,\
                 \"interval\":null,\"p_value\":0.03125,\"p_adjusted\":null,\
                 \"method\":\"{stated}; noted\",\"n\":[6,6],\"word\":\"faster\",\"reason\":\"reason\",\
                 \"why\":\"the whole interval lies beyond the margin of 5%\",\"more_trials\":7}}"
            )
        );
    }
}
