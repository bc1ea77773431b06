//! The report as LaTeX tables for a paper: one table for each cell, to be `\input` into a document with `booktabs`.

use std::collections::BTreeSet;

use dbdyno_document::escape_latex as escape;

use crate::model::{Cell, CellSystem, Metric, ReportModel, Standing, Summary};
use crate::number;

/// What is judged, in the order of columns.
const JUDGED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];

/// One table for each cell, with a comment that says how to use them.
#[must_use]
pub fn latex(model: &ReportModel) -> String {
    let mut text = String::from(
        "% Tables made by dbdyno from the records of a study; \\input this file. It needs \\usepackage{booktabs}, and\n\
         % \\usepackage{graphicx} for tables that are wider than the text.\n",
    );
    for cell in &model.cells {
        text.push_str(&table(model, cell));
    }
    text
}

fn table(model: &ReportModel, cell: &Cell) -> String {
    let units = JUDGED.map(|metric| unit(cell, metric));
    let mut text = format!(
        "\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{}}}\n",
        caption(model, cell),
        label(&model.study, &cell.id)
    );
    text.push_str(
        "  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n  \\begin{tabular}{lrrlrrlr}\n    \\toprule\n",
    );
    let heads: Vec<String> = JUDGED
        .iter()
        .zip(&units)
        .map(|(metric, unit)| {
            let name = match metric {
                Metric::Throughput => "Throughput",
                _ if cell.open_loop => "p99 response time",
                _ => "p99 latency",
            };
            format!("\\multicolumn{{3}}{{c}}{{{name} ({})}}", unit.name)
        })
        .collect();
    text.push_str(&format!("    & {} & \\\\\n", heads.join(" & ")));
    text.push_str("    \\cmidrule(lr){2-4} \\cmidrule(lr){5-7}\n");
    let columns = "median & 95\\,\\% interval & verdict";
    text.push_str(&format!(
        "    System & {columns} & {columns} & $n$ \\\\\n    \\midrule\n"
    ));
    for system in &cell.systems {
        let twin = model
            .systems
            .iter()
            .any(|known| known.name == system.name && known.twin_of.is_some());
        text.push_str(&row(cell, system, &units, if twin { "A/A" } else { "--" }));
    }
    text.push_str("    \\bottomrule\n  \\end{tabular}}\n\\end{table}\n");
    text
}

fn row(cell: &Cell, system: &CellSystem, units: &[Unit; 2], alone: &str) -> String {
    let mut fields = vec![escape(&system.name)];
    for (metric, unit) in JUDGED.into_iter().zip(units) {
        let summary = system.metric(metric);
        fields.push(summary.map_or("--".to_owned(), |summary| {
            let digits = unit.digits(summary.estimate.median);
            match system.is_bound(metric) {
                true => format!("$\\ge$ {digits}"),
                false => digits,
            }
        }));
        fields.push(
            summary
                .and_then(|summary| summary.estimate.interval)
                .map_or("--".to_owned(), |interval| {
                    format!("[{}, {}]", unit.digits(interval.low), unit.digits(interval.high))
                }),
        );
        fields.push(verdict(cell, system, metric).unwrap_or_else(|| alone.to_owned()));
    }
    let trials = system
        .throughput
        .as_ref()
        .map_or(0, |summary| summary.estimate.trials());
    fields.push(trials.to_string());
    format!("    {} \\\\\n", fields.join(" & "))
}

/// The system's place, and how many times the best one it has; `None` when there is nothing to stand against.
fn verdict(cell: &Cell, system: &CellSystem, metric: Metric) -> Option<String> {
    let standing = cell.standing(&system.name, metric)?;
    let against = cell
        .verdicts
        .iter()
        .filter(|verdict| verdict.metric == metric)
        .filter_map(|verdict| verdict.leader.as_deref())
        .find_map(|leader| cell.comparison(metric, leader, &system.name));
    let Some(comparison) = against else {
        // It is the leader itself.
        return Some(match standing {
            Standing::Tied => "equivalent".to_owned(),
            _ => standing.name().to_owned(),
        });
    };
    // The comparison is of the leader with this system; the row tells of this system.
    let ends = comparison
        .interval
        .map(|interval| (1.0 / interval.high, 1.0 / interval.low));
    Some(escape(&format!(
        "{}, {}",
        comparison.word.reversed().name(),
        number::times(1.0 / comparison.ratio, ends, metric.quantity(), None)
    )))
}

/// What the table shows and what it holds for.
fn caption(model: &ReportModel, cell: &Cell) -> String {
    let title = if model.title.is_empty() {
        &model.study
    } else {
        &model.title
    };
    let mut about = format!("{title}: {}", cell.title);
    if !cell.description.is_empty() {
        about.push_str(&format!(" ({})", cell.description));
    }
    let mut scope: Vec<String> = Vec::new();
    let promises: BTreeSet<String> = cell.systems.iter().map(promise).collect();
    let mut systems: Vec<String> = Vec::new();
    for system in &cell.systems {
        let mut told = if system.product.is_empty() {
            system.name.clone()
        } else {
            system.product.clone()
        };
        if promises.len() > 1 {
            told.push_str(&format!(" ({})", promise(system)));
        }
        if !systems.contains(&told) {
            systems.push(told);
        }
    }
    scope.push(number::list(&systems));
    if promises.len() == 1 {
        scope.extend(promises);
    }
    scope.push(cell.scope.sentence());
    scope.push(model.machine.clone());
    if let Some(day) = model.started_at.get(..10) {
        scope.push(day.to_owned());
    }
    scope.retain(|part| !part.is_empty());
    let mut text = format!("{}. {}.", escape(&about), escape(&scope.join("; ")));
    text.push_str(&format!(
        " Medians over $n$ trials with 95\\,\\% intervals (from six trials on); verdicts are against the best, with the ratio to it and its \
         95\\,\\% interval, at a margin of {}.",
        escape(&number::share(crate::model::MARGIN))
    ));
    if let Some(speed) = model.machine_speed.as_ref().filter(|_| !cell.open_loop) {
        text.push(' ');
        text.push_str(&escape(&speed.sentence));
    }
    let lost: Vec<String> = cell
        .systems
        .iter()
        .filter(|system| system.not_found() > 0)
        .map(|system| format!("{} of {}", number::count(system.not_found()), system.name))
        .collect();
    if !lost.is_empty() {
        text.push_str(&format!(
            " Operations that did not find their record: {}.",
            escape(&number::list(&lost))
        ));
    }
    for flag in model.flags.iter().chain(&cell.flags) {
        text.push(' ');
        text.push_str(&escape(&flag.text));
    }
    text
}

/// What a system promises, where it says so.
fn promise(system: &CellSystem) -> String {
    let mut promise = Vec::new();
    for (name, level) in [
        ("durability", &system.durability),
        ("consistency", &system.consistency),
    ] {
        if !level.is_empty() {
            promise.push(format!("{name} {level}"));
        }
    }
    promise.join(", ")
}

/// One unit for a column, so that its numbers can be compared by eye.
struct Unit {
    size: f64,
    name: &'static str,
}

impl Unit {
    fn digits(&self, value: f64) -> String {
        let value = value / self.size;
        let decimals = match value.abs() {
            size if size >= 99.95 => 0,
            size if size >= 9.995 => 1,
            size if size >= 0.9995 => 2,
            _ => 3,
        };
        format!("{value:.decimals$}")
    }
}

/// The largest unit in which the smallest median still has digits.
fn unit(cell: &Cell, metric: Metric) -> Unit {
    let units: &[(f64, &'static str)] = match metric {
        Metric::Throughput | Metric::LoadThroughput => &[(1.0, "op/s"), (1e3, "kop/s"), (1e6, "Mop/s")],
        Metric::LatencyP99 | Metric::LatencyP50 => &[(1.0, "ns"), (1e3, "$\\mu$s"), (1e6, "ms"), (1e9, "s")],
    };
    let smallest = cell
        .systems
        .iter()
        .filter_map(|system| system.metric(metric))
        .map(median)
        .fold(f64::INFINITY, f64::min);
    let fitting = units.iter().rev().find(|(size, _)| smallest >= *size * 0.5);
    let (size, name) = *fitting.unwrap_or(&units[0]);
    Unit { size, name }
}

fn median(summary: &Summary) -> f64 {
    summary.estimate.median
}

/// A label that any engine takes: letters, digits and dashes.
fn label(study: &str, cell: &str) -> String {
    format!("{}:{cell}", crate::model::cells::slug(study))
}
