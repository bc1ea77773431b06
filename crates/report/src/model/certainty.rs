//! How sure the verdicts are, and what nobody may conclude from them.

use std::collections::BTreeSet;

use dbdyno_analysis::scope::Scope;
use dbdyno_trial::{AskedRate, Durability};
use dbdyno_vocabulary::{Text, named, text};

use super::{
    Cell, CellSystem, Comparison, Estimate, Levels, MARGIN, Metric, ReportModel, RisingLoadKind, Tone, Word,
    sentences,
};
use crate::number;
use crate::words::names::Named;

/// Trials of a system from which a verdict can be made.
const DECIDE: usize = dbdyno_stats::pooled::FEWEST_BLOCKS;
/// Trials of a system from which a median has an interval.
const INTERVAL: usize = 6;

/// What the verdicts rest on, in few sentences; empty when nothing was compared.
pub fn basis(model: &ReportModel) -> Vec<Text> {
    let comparisons = || model.cells.iter().flat_map(|cell| &cell.comparisons);
    if comparisons().next().is_none() {
        return Vec::new();
    }
    let estimates = || {
        let summaries = systems(model).filter_map(|system| system.throughput.as_ref());
        summaries.map(|summary| &summary.estimate)
    };
    let counts: BTreeSet<usize> = estimates().map(|estimate| estimate.n).collect();
    let (Some(&fewest), Some(&most)) = (counts.first(), counts.last()) else {
        return Vec::new();
    };
    let trials = range(estimates().map(Estimate::trials).collect(), "trial", "trials").unwrap_or_default();
    let started = estimates().filter(|estimate| estimate.trials_on_starts.is_some());
    let starts = range(started.map(|estimate| estimate.n).collect(), "start", "starts")
        .map_or_else(String::new, |starts| format!(", on {starts} of its servers"));
    let first = format!(
        "{trials} of each system in each test{starts}; 95% intervals; a difference below {} does not matter.",
        number::share(MARGIN)
    );
    let mut basis: Vec<Text> = vec![first.into()];
    let shares_starts = estimates().any(|estimate| estimate.trials() > estimate.n);
    let counted = if shares_starts { "starts" } else { "trials" };
    if most < DECIDE {
        basis.push(format!("Fewer than {DECIDE} {counted} of each cannot decide anything.").into());
    } else if fewest < INTERVAL {
        let from = format!("Medians have an interval from {INTERVAL} {counted} on; ratios have one already.");
        basis.push(from.into());
    }
    let judged = [Metric::Throughput, Metric::LatencyP99];
    basis.extend(judged.into_iter().filter_map(|metric| narrowest(model, metric)));
    basis
}

/// `6 trials`, `4 to 6 trials`; `None` of nothing.
fn range(counts: BTreeSet<usize>, one: &str, many: &str) -> Option<String> {
    let (fewest, most) = (counts.first()?, counts.last()?);
    Some(if fewest == most {
        number::plural(*most, one, many)
    } else {
        format!("{fewest} to {most} {many}")
    })
}

/// The shown lead that is closest to none.
fn narrowest(model: &ReportModel, metric: Metric) -> Option<Text> {
    let leads = model.cells.iter().flat_map(|cell| {
        let shown = cell.verdicts.iter().filter(move |verdict| {
            verdict.metric == metric && verdict.tone == Tone::Shown && verdict.leader.is_some()
        });
        shown.flat_map(move |verdict| {
            let lead = cell.comparisons.iter().filter(move |comparison| {
                comparison.metric == metric
                    && verdict.leader.as_deref() == Some(&comparison.a)
                    && comparison.word == Word::Faster
            });
            lead.map(move |comparison| (cell, comparison))
        })
    });
    let distance = |comparison: &Comparison| comparison.ratio.ln().abs();
    let (cell, lead) = leads
        .filter(|(_, comparison)| comparison.ratio > 0.0 && comparison.ratio.is_finite())
        .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
    Some(text![
        format!("Smallest {} lead: ", metric.name()),
        named(&lead.a),
        ", ",
        sentences::times(lead),
        format!(", in {}.", cell.title)
    ])
}

/// What must not be concluded, each as the end of "This does not show ..."; the servers of `started_once` were not started again.
pub fn limits(model: &ReportModel, started_once: &[&str]) -> Vec<Text> {
    if model.progress.completed == 0 {
        return Vec::new();
    }
    let mut limits: Vec<Text> = vec![beyond(model).into()];
    let scope = Scope::union(model.cells.iter().map(|cell| &cell.scope));
    let closed = scope.rate.contains(&AskedRate(None));
    if let Some(rising_load) = &model.rising_load {
        let objective = if rising_load.kind == RisingLoadKind::Capacity {
            "under another objective, "
        } else {
            ""
        };
        let how_much = format!(
            "how much a system can do {objective}with other clients or another mix of operations, or for longer than a trial."
        );
        limits.push(how_much.into());
    } else if closed && scope.rate.len() == 1 {
        limits.push(
            "which system has the lower latency: without a rate each system ran at its own throughput, so latencies are not \
             comparable."
                .into(),
        );
    } else if !closed {
        limits.push("how much a system can do at most: it was measured only at given rates.".into());
    }
    if undecided(&model.cells) {
        limits.push("that undecided systems are equal: more trials may show a difference.".into());
    }
    if !started_once.is_empty() {
        limits.push(text![
            "how results differ from one start of servers to the next: restarts of ",
            Text::names(started_once.iter().copied()),
            " were not sampled."
        ]);
    }
    limits.push(
        "what happens when something breaks, what is lost then, how secure a system is, or what it costs."
            .into(),
    );
    limits
}

fn undecided(cells: &[Cell]) -> bool {
    let judged = |metric| matches!(metric, Metric::Throughput | Metric::LatencyP99);
    cells
        .iter()
        .flat_map(|cell| &cell.comparisons)
        .any(|comparison| judged(comparison.metric) && comparison.word == Word::Undecided)
}

/// The edge of what was measured.
fn beyond(model: &ReportModel) -> String {
    let products: BTreeSet<&str> = model
        .systems
        .iter()
        .map(|system| system.product.as_str())
        .filter(|product| !product.is_empty())
        .collect();
    let durability: BTreeSet<&Levels<Durability>> = systems(model)
        .map(|system| &system.durability)
        .filter(|level| !level.is_empty())
        .collect();
    let scope = Scope::union(model.cells.iter().map(|cell| &cell.scope));
    let mut measured = vec![number::list(&products.into_iter().collect::<Vec<_>>())];
    if !durability.is_empty() {
        let levels: Vec<String> = durability.into_iter().map(ToString::to_string).collect();
        measured.push(format!("durability {}", levels.join(" or ")));
    }
    measured.push(sentences::scope(&scope));
    measured.push(model.machine.clone());
    measured.retain(|part| !part.is_empty());
    format!("anything beyond what was measured: {}.", measured.join("; "))
}

fn systems(model: &ReportModel) -> impl Iterator<Item = &CellSystem> {
    model.cells.iter().flat_map(|cell| &cell.systems)
}
