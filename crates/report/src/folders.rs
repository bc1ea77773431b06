//! Two result folders side by side: what was measured before, and after a change.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{Environment, NOT_STATED, TrialRecord, TrialStatus};
use dbdyno_stats::{Better, Pairing, Sample, Verdict, compare};
use serde::Serialize;

use crate::model::cells::{merged_latency, throughput};
use crate::printed::cell;
use crate::style::Style;
use crate::{number, text_table};

/// What one folder holds.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its trials.
    pub trials: &'a [TrialRecord],
    /// Its machine, where it is known.
    pub environment: Option<&'a Environment>,
}

/// All that two folders have in common, compared.
#[derive(Clone, Debug, Serialize)]
pub struct FolderComparison {
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Systems under workloads.
    pub cells: Vec<ComparedCell>,
    /// What only one of the folders has.
    pub unmatched: Vec<String>,
}

/// One system under one workload, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedCell {
    /// System, workload and factors.
    pub cell: String,
    /// Why the two are not the same thing; empty when nothing speaks against comparing them.
    pub differences: Vec<String>,
    /// What was compared; empty when it was refused.
    pub metrics: Vec<ComparedMetric>,
}

/// One metric, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedMetric {
    /// `throughput` or `p99 latency`.
    pub metric: &'static str,
    /// Median before: operations a second, or nanoseconds.
    pub before: f64,
    /// Median after.
    pub after: f64,
    /// Trials before and after.
    pub trials: (usize, usize),
    /// How many times the first one is the second.
    pub ratio: f64,
    /// Its 95% interval, where there are enough trials.
    pub interval: Option<(f64, f64)>,
    /// `faster`, `slower`, `equivalent` or `undecided`, of what came after.
    pub verdict: &'static str,
    /// What led to it.
    pub reason: String,
}

type Metric = (&'static str, Better, fn(&TrialRecord) -> Option<f64>);

const METRICS: [Metric; 2] = [
    ("throughput", Better::Higher, throughput),
    ("p99 latency", Better::Lower, p99_ns),
];

fn p99_ns(trial: &TrialRecord) -> Option<f64> {
    merged_latency(trial)
        .percentile_ns(99.0)
        .map(|latency| latency as f64)
}

/// Compares what both folders have. What differs in work, promises or machine is refused, unless `anyway`.
#[must_use]
pub fn compare_folders(before: Side<'_>, after: Side<'_>, margin: f64, anyway: bool) -> FolderComparison {
    let (old, new) = (cells(before.trials), cells(after.trials));
    let machines = machine_differences(before.environment, after.environment);
    let both = old
        .iter()
        .filter_map(|(name, old)| new.get(name).map(|new| (name, old, new)));
    let compared = both.map(|(name, old, new)| {
        let mut differences = trial_differences(old, new);
        differences.extend(machines.iter().cloned());
        let refused = !differences.is_empty() && !anyway;
        let metrics = METRICS.iter().filter(|_| !refused);
        ComparedCell {
            cell: name.clone(),
            metrics: metrics
                .filter_map(|metric| compared(*metric, old, new, margin))
                .collect(),
            differences,
        }
    });
    let only = |here: &Cells<'_>, there: &Cells<'_>, which: &str| -> Vec<String> {
        let only = here.keys().filter(|name| !there.contains_key(*name));
        only.map(|name| format!("{name}: only {which}")).collect()
    };
    FolderComparison {
        margin,
        cells: compared.collect(),
        unmatched: [only(&old, &new, "before"), only(&new, &old, "after")].concat(),
    }
}

type Cells<'a> = BTreeMap<String, Vec<&'a TrialRecord>>;

/// Completed trials by what they must share.
fn cells(trials: &[TrialRecord]) -> Cells<'_> {
    let mut cells = Cells::new();
    for trial in trials
        .iter()
        .filter(|trial| trial.status == TrialStatus::Completed)
    {
        cells.entry(cell(trial)).or_default().push(trial);
    }
    cells
}

fn compared(
    (name, better, value): Metric,
    before: &[&TrialRecord],
    after: &[&TrialRecord],
    margin: f64,
) -> Option<ComparedMetric> {
    let sample =
        |trials: &[&TrialRecord]| Sample::new(trials.iter().filter_map(|trial| value(trial)).collect()).ok();
    let (before, after) = (sample(before)?, sample(after)?);
    let comparison = compare(&after, &before, better, margin, Pairing::Independent);
    Some(ComparedMetric {
        metric: name,
        before: before.median(),
        after: after.median(),
        trials: (before.len(), after.len()),
        ratio: comparison.ratio,
        interval: comparison.interval.map(|interval| (interval.low, interval.high)),
        verdict: comparison.verdict.name(),
        reason: comparison.reason,
    })
}

/// What makes two sets of trials different things: what was asked, of whom, and what was promised. A fact that was read
/// back differently from trial to trial is no difference, as long as both sides know it.
fn trial_differences(before: &[&TrialRecord], after: &[&TrialRecord]) -> Vec<String> {
    let mut differences = Vec::new();
    let mut note = |what: &str, value: &dyn Fn(&TrialRecord) -> String| {
        let values = |trials: &[&TrialRecord]| -> BTreeSet<String> {
            trials.iter().map(|trial| value(trial)).collect()
        };
        let (old, new) = (values(before), values(after));
        if is_silent(&old) || is_silent(&new) || old.is_disjoint(&new) {
            let told = |values: BTreeSet<String>| {
                let told: Vec<String> = values.into_iter().filter(|value| !value.is_empty()).collect();
                if told.is_empty() {
                    "none".to_owned()
                } else {
                    told.join(" or ")
                }
            };
            differences.push(format!("{what}: {} before, {} after", told(old), told(new)));
        }
    };
    note("durability", &|trial| trial.system.durability.clone());
    note("consistency", &|trial| trial.system.consistency.clone());
    note("topology", &|trial| trial.system.topology.clone());
    note("product", &|trial| trial.system.product.clone());
    // Our own trials have a moment at which they began; 0 of another one stands for what is not known.
    let count = |trial: &TrialRecord, count: u64| match count {
        0 if trial.started_at.is_empty() => NOT_STATED.to_owned(),
        count => count.to_string(),
    };
    note("records", &|trial| count(trial, trial.workload.records));
    note("clients", &|trial| {
        count(trial, u64::from(trial.settings.clients))
    });
    note(
        "rate",
        &|trial| match (trial.settings.rate, trial.settings.arrivals.as_deref()) {
            (Some(rate), _) => rate.to_string(),
            (None, Some(NOT_STATED)) => NOT_STATED.to_owned(),
            (None, _) => String::new(),
        },
    );
    let names: BTreeSet<&String> = before
        .iter()
        .chain(after)
        .flat_map(|trial| trial.workload.properties.keys())
        .collect();
    for name in names {
        note(name, &|trial| {
            trial.workload.properties.get(name).cloned().unwrap_or_default()
        });
    }
    differences
}

/// Whether a fact is not stated: then nobody knows whether it is the same.
fn is_silent(values: &BTreeSet<String>) -> bool {
    values.contains(NOT_STATED)
}

/// What makes two machines different ones.
fn machine_differences(before: Option<&Environment>, after: Option<&Environment>) -> Vec<String> {
    let (Some(before), Some(after)) = (before, after) else {
        return vec!["machine: one of the folders does not say what it was".to_owned()];
    };
    let said = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let facts = |of: &Environment| {
        [
            ("processor", said(of.processor.model.clone())),
            (
                "processors to use",
                said(of.processor.usable.map(|count| count.to_string())),
            ),
            (
                "memory",
                said(of.memory.total_bytes.map(|bytes| number::bytes(bytes as f64))),
            ),
        ]
    };
    let pairs = facts(before).into_iter().zip(facts(after));
    pairs
        .filter(|(before, after)| before.1 != after.1)
        .map(|((what, before), (_, after))| format!("{what}: {before} before, {after} after"))
        .collect()
}

impl FolderComparison {
    /// Comparisons that show something faster than before.
    #[must_use]
    pub fn faster(&self) -> usize {
        self.count(Verdict::Faster)
    }

    /// Comparisons that show something slower than before.
    #[must_use]
    pub fn slower(&self) -> usize {
        self.count(Verdict::Slower)
    }

    fn count(&self, verdict: Verdict) -> usize {
        let metrics = self.cells.iter().flat_map(|cell| &cell.metrics);
        metrics.filter(|metric| metric.verdict == verdict.name()).count()
    }

    /// Cells that were not compared.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.cells.iter().filter(|cell| cell.metrics.is_empty()).count()
    }

    /// One line that says how it ended.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "{} faster, {} slower, {} equivalent within {}, {} undecided; {} not comparable",
            self.count(Verdict::Faster),
            self.count(Verdict::Slower),
            self.count(Verdict::Equivalent),
            number::share(self.margin),
            self.count(Verdict::Undecided),
            number::plural(self.refused(), "cell", "cells"),
        )
    }

    fn rows(&self) -> Vec<[String; 6]> {
        let mut rows = Vec::new();
        for cell in &self.cells {
            for metric in &cell.metrics {
                let value = |value: f64| match metric.metric {
                    "throughput" => number::rate(value),
                    _ => number::duration_ns(value),
                };
                let interval = metric.interval.map_or_else(String::new, |(low, high)| {
                    format!(
                        " ({} to {})",
                        number::ratio_digits(low),
                        number::ratio_digits(high)
                    )
                });
                rows.push([
                    cell.cell.clone(),
                    metric.metric.to_owned(),
                    value(metric.before),
                    value(metric.after),
                    format!("{}{interval}", number::ratio(metric.ratio)),
                    metric.verdict.to_owned(),
                ]);
            }
        }
        rows
    }

    /// What was refused, and what only one folder has.
    fn remarks(&self) -> Vec<String> {
        let different = self.cells.iter().filter(|cell| !cell.differences.is_empty());
        let told = different.map(|cell| {
            let word = if cell.metrics.is_empty() {
                "not comparable"
            } else {
                "compared all the same"
            };
            format!("{}: {word}: {}", cell.cell, cell.differences.join("; "))
        });
        told.chain(self.unmatched.iter().cloned()).collect()
    }

    /// For people.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let mut text = String::new();
        let rows = self.rows();
        if !rows.is_empty() {
            let mut table = text_table::new(&HEADER, style);
            for row in rows {
                table.add_row(row);
            }
            text = text_table::finish(table, 2) + "\n\n";
        }
        for remark in self.remarks() {
            for line in crate::terminal::wrap(&remark, style.width, "  ") {
                text.push_str(&style.warn(&line));
                text.push('\n');
            }
        }
        text + &style.bold(&self.summary()) + "\n"
    }

    /// For a summary page of a continuous integration.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("**{}**\n\n| {} |\n", self.summary(), HEADER.join(" | "));
        text.push_str(&format!("|{}\n", "---|".repeat(HEADER.len())));
        for row in self.rows() {
            text.push_str(&format!(
                "| {} |\n",
                row.map(|cell| cell.replace('|', "\\|")).join(" | ")
            ));
        }
        for remark in self.remarks() {
            text.push_str(&format!("\n- {remark}"));
        }
        text.trim_end().to_owned() + "\n"
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("it holds only maps with text keys");
        text.push('\n');
        text
    }
}

const HEADER: [&str; 6] = ["what", "metric", "before", "after", "ratio", "verdict"];
