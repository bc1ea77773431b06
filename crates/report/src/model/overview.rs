//! What to read first of a study with many tests: a sentence for each metric, which counts them.

use std::collections::BTreeMap;

use dbdyno_analysis::grouped::grouped;
use dbdyno_vocabulary::{Text, named, text};

use super::answer::answering;
use super::{Cell, Comparison, Metric, Rank, ReportModel, Sentence, Tone, Word};
use crate::number;
use crate::words::comparability::reason;
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

/// Which metrics the sentences speak of, and how.
const METRICS: [(Metric, &str); 2] = [
    (Metric::Throughput, "highest throughput"),
    (Metric::LatencyP99, "lowest p99 latency"),
];

/// More cells than these are named by their workloads.
const MOST_NAMED: usize = 6;

/// Cells in which not all systems promise the same, or were asked the same.
const NOT_COMPARABLE: &str = "not comparable";

/// One sentence for each metric that was compared.
pub fn sentences(model: &ReportModel) -> Vec<Sentence> {
    let of_metric = |(metric, phrase): (Metric, &str)| of_metric(model, metric, phrase);
    METRICS.into_iter().filter_map(of_metric).collect()
}

fn of_metric(model: &ReportModel, metric: Metric, phrase: &str) -> Option<Sentence> {
    let mut wins: BTreeMap<&str, Vec<&Cell>> = BTreeMap::new();
    let (mut same, mut close) = (Vec::new(), Vec::new());
    let (mut open, mut refused) = (Vec::new(), Vec::new());
    let mut total = 0;
    for cell in &model.cells {
        let verdicts: Vec<_> = answering(cell)
            .into_iter()
            .filter(|verdict| verdict.metric == metric)
            .collect();
        if verdicts.is_empty() {
            continue;
        }
        total += 1;
        // Several groups of comparable systems in one cell: a winner of a part is not the winner of the cell.
        if verdicts.len() > 1 || verdicts[0].tone == Tone::NotComparable {
            refused.push(cell);
            continue;
        }
        match (verdicts[0].tone, &verdicts[0].leader) {
            (Tone::Shown, Some(leader)) => wins.entry(leader).or_default().push(cell),
            (Tone::Same, _) => same.push(cell),
            (Tone::Bounded, _) => close.push(cell),
            _ => open.push(cell),
        }
    }
    if total == 0 {
        return None;
    }
    let mut ranked: Vec<(&str, Vec<&Cell>)> = wins.into_iter().collect();
    ranked.sort_by_key(|(system, cells)| (std::cmp::Reverse(cells.len()), *system));
    let of_total = |number: usize| match (number == total, total) {
        (true, 1) => "the only workload where it is comparable".to_owned(),
        (true, _) => format!("all {total} {}", unit(model, total)),
        (false, _) => format!("{number} of {total} {}", unit(model, total)),
    };
    let mut parts: Vec<Text> = Vec::new();
    for (index, (system, cells)) in ranked.iter().enumerate() {
        let where_ = if cells.len() == total {
            String::new()
        } else {
            format!(" ({})", names(model, cells))
        };
        let wins = match index {
            0 => format!(" has the {phrase} on {}{where_}", of_total(cells.len())),
            _ => format!(" on {}{where_}", cells.len()),
        };
        parts.push(text![named(*system), wins, lead(metric, system, cells)]);
    }
    for (cells, word) in [
        (&same, "equivalent at the top"),
        (&close, "close at the top"),
        (&open, "undecided"),
        (&refused, NOT_COMPARABLE),
    ] {
        if cells.is_empty() {
            continue;
        }
        if parts.is_empty() {
            let names = if cells.len() == total {
                String::new()
            } else {
                format!(" ({})", names(model, cells))
            };
            // A refusal of every cell is no statement about the quantity, but about the systems.
            parts.push(if word == NOT_COMPARABLE && cells.len() == total {
                no_verdict(metric, &refused)
            } else {
                format!("The {phrase} is {word} on {}{names}", of_total(cells.len())).into()
            });
        } else {
            parts.push(format!("{word} on {} ({})", cells.len(), names(model, cells)).into());
        }
    }
    parts.extend(behind(model, metric, &open));
    let tone = match ranked.first() {
        Some(_) => Tone::Shown,
        None if !close.is_empty() && open.is_empty() => Tone::Bounded,
        None if !same.is_empty() && open.is_empty() => Tone::Same,
        None if !open.is_empty() => Tone::Undecided,
        None if !refused.is_empty() => Tone::NotComparable,
        None => Tone::Undecided,
    };
    Some(Sentence {
        text: text![Text::joined(parts, "; "), "."],
        tone,
    })
}

/// How far a system leads the next one in the cells that it wins: `, 1.70x to 5.80x as fast as the runner-up`.
fn lead(metric: Metric, system: &str, cells: &[&Cell]) -> Text {
    let closest = cells.iter().filter_map(|cell| {
        let behind = cell.comparisons.iter();
        behind
            .filter(|own| own.metric == metric && own.a == system && own.word == Word::Faster)
            .min_by(|one, other| one.lead().total_cmp(&other.lead()))
    });
    let closest: Vec<&Comparison> = closest.collect();
    let leads = || closest.iter().map(|comparison| comparison.lead());
    let (Some(least), Some(most)) = (leads().reduce(f64::min), leads().reduce(f64::max)) else {
        return Text::new();
    };
    let digits = |lead: f64| format!("{}x", number::ratio_digits(lead));
    let range = match (digits(least), digits(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    };
    let runner_up = match closest.split_first() {
        Some((first, others)) if others.iter().all(|other| other.b == first.b) => named(&first.b),
        _ => "the runner-up".into(),
    };
    let than = match metric.quantity() {
        number::Quantity::Speed => "as fast as",
        number::Quantity::Level => "lower than",
    };
    text![format!(", {range} {than} "), runner_up]
}

/// Who is shown not to be the best where it is undecided who is.
fn behind(model: &ReportModel, metric: Metric, open: &[&Cell]) -> Option<Text> {
    let mut found: Vec<(&str, Vec<&Cell>)> = model
        .systems
        .iter()
        .map(|system| {
            let is_behind = |cell: &&&Cell| cell.rank(&system.name, metric) == Some(Rank::Behind);
            (
                system.name.as_str(),
                open.iter().filter(is_behind).copied().collect(),
            )
        })
        .filter(|(_, cells): &(&str, Vec<&Cell>)| !cells.is_empty())
        .collect();
    found.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
    let reported = found.iter().map(|(system, cells)| {
        let on = format!(" on {} ({})", cells.len(), names(model, cells));
        text![named(*system), on]
    });
    (!found.is_empty()).then(|| text!["shown to be behind: ", Text::joined(reported, ", ")])
}

/// Why there is no verdict in any cell: the load's reason where it is one for all, else what the systems promise.
fn no_verdict(metric: Metric, refused: &[&Cell]) -> Text {
    let mut reasons: Vec<Text> = refused
        .iter()
        .flat_map(|cell| &cell.verdicts)
        .filter(|verdict| verdict.metric == metric)
        .filter_map(|verdict| Some(reason(verdict.unranked.as_ref()?)))
        .collect();
    reasons.dedup();
    match reasons.as_slice() {
        [reason] => text![format!("No verdict on {}: ", metric.name()), reason],
        [_, ..] => format!(
            "No verdict on {}: no measured rate was sustained by all systems",
            metric.name()
        )
        .into(),
        [] => format!(
            "No overall verdict on {}: not all systems can be compared",
            metric.name()
        )
        .into(),
    }
}

fn unit(model: &ReportModel, total: usize) -> &'static str {
    let plain = model.cells.iter().all(|cell| cell.factors.is_empty());
    match (plain, total) {
        (true, 1) => "workload",
        (true, _) => "workloads",
        (false, 1) => "test",
        (false, _) => "tests",
    }
}

/// The cells by their names; many of them by their workloads, with how many cells of
/// each where it is not all.
fn names(model: &ReportModel, cells: &[&Cell]) -> String {
    if cells.len() <= MOST_NAMED || model.cells.iter().all(|cell| cell.factors.is_empty()) {
        let names: Vec<&str> = cells.iter().map(|cell| cell.title.as_str()).collect();
        return names.join("; ");
    }
    let of_workload = |workload: &str| {
        let all = model.cells.iter();
        all.filter(|cell| cell.workload == workload).count()
    };
    let workloads = grouped(cells.iter().map(|cell| (cell.workload.as_str(), ())));
    let workloads = workloads
        .iter()
        .map(|(workload, own)| match (own.len(), of_workload(workload)) {
            (number, all) if number == all => (*workload).to_owned(),
            (number, all) => format!("{workload}: {number} of {all}"),
        });
    workloads.collect::<Vec<_>>().join(", ")
}
