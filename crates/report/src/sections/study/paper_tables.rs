//! A study as tables for a paper: one for each cell, with what it holds for in the caption.

use std::collections::BTreeSet;

use dbdyno_analysis::cells::slug;
use dbdyno_document::{Block, Column, Document, Row, Table, TableCell, Text};
use dbdyno_vocabulary::{named, text};

use super::paper_cost;
use crate::model::{Cell, CellSystem, MARGIN, Metric, Rank, ReportModel, Summary, Word, sentences};
use crate::number;
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

/// What is judged, in the order of columns.
const JUDGED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];

/// The tables.
pub fn document(model: &ReportModel) -> Document {
    let speed = model.cells.iter().map(|cell| Block::Table(table(model, cell)));
    Document {
        body: speed.chain(paper_cost::tables(model)).collect(),
        ..Document::default()
    }
}

fn table(model: &ReportModel, cell: &Cell) -> Table {
    let units = JUDGED.map(|metric| unit(cell, metric));
    let mut columns = vec![Column::header("System")];
    let mut spans = vec![(Text::new(), 1)];
    for (metric, unit) in JUDGED.into_iter().zip(&units) {
        let name = match metric {
            Metric::Throughput => "Throughput",
            _ if cell.open_loop => "p99 response time",
            _ => "p99 latency",
        };
        spans.push((format!("{name} ({})", unit.name).into(), 3));
        columns.push(Column::numbers("median"));
        columns.push(Column::numbers("95% interval"));
        columns.push(Column::words("verdict"));
    }
    spans.push((Text::new(), 1));
    columns.push(Column::numbers(Text::new().emphasis("n")));
    let rows = cell.systems.iter().map(|system| {
        let known = model.systems.iter().find(|known| known.name == system.name);
        let is_twin = known.is_some_and(|known| known.twin_of.is_some());
        row(cell, system, &units, if is_twin { "A/A" } else { "–" })
    });
    Table {
        spans,
        label: format!("{}:{}", slug(&model.study), cell.id),
        ..Table::new(caption(model, cell), columns, rows.collect())
    }
}

/// `alone` is the verdict of a system that stands against nothing.
fn row(cell: &Cell, system: &CellSystem, units: &[Unit; 2], alone: &str) -> Row {
    let mut cells = vec![TableCell::new(&system.name)];
    for (metric, unit) in JUDGED.into_iter().zip(units) {
        let summary = system.metric(metric);
        let median = summary.map_or("–".to_owned(), |summary| {
            let digits = unit.digits(summary.estimate.median);
            if system.is_bound(metric) {
                format!("≥ {digits}")
            } else {
                digits
            }
        });
        let interval = summary.and_then(|summary| summary.estimate.interval);
        let interval = interval.map_or("–".to_owned(), |interval| {
            format!("[{}, {}]", unit.digits(interval.low), unit.digits(interval.high))
        });
        let verdict = verdict(cell, system, metric).unwrap_or_else(|| alone.to_owned());
        cells.extend([median, interval, verdict].map(TableCell::new));
    }
    let throughput = system.throughput.as_ref();
    let trials = throughput.map_or(0, |summary| summary.estimate.trials());
    cells.push(TableCell::new(trials.to_string()));
    Row::new(cells)
}

/// The system's place, and how many times the best one it has; `None` when there is nothing to stand against.
fn verdict(cell: &Cell, system: &CellSystem, metric: Metric) -> Option<String> {
    let rank = cell.rank(&system.name, metric)?;
    let against = cell
        .verdicts
        .iter()
        .filter(|verdict| verdict.metric == metric)
        .filter_map(|verdict| verdict.leader.as_deref())
        .find_map(|leader| cell.comparison(metric, leader, &system.name));
    let Some(comparison) = against else {
        // It is the leader itself.
        return Some(match rank {
            Rank::Tied => Word::Equivalent.name().to_owned(),
            Rank::Close => Word::Bounded.name().to_owned(),
            _ => rank.name().to_owned(),
        });
    };
    // The comparison is of the leader with this system; the row is about this system.
    let ends = comparison
        .interval
        .map(|interval| (1.0 / interval.high, 1.0 / interval.low));
    Some(format!(
        "{}, {}",
        comparison.word.reversed().name(),
        number::times(1.0 / comparison.ratio, ends, metric.quantity())
    ))
}

/// What the table shows and what it holds for.
fn caption(model: &ReportModel, cell: &Cell) -> Text {
    let title = if model.title.is_empty() {
        &model.study
    } else {
        &model.title
    };
    let mut about = format!("{title}: {}", cell.title);
    if !cell.description.is_empty() {
        let description = Text::joined(&cell.description, "; ").exact();
        about.push_str(&format!(" ({description})"));
    }
    let rest = format!(
        " trials with 95% intervals (from six trials on); verdicts are against the best, with the ratio to it and its 95% interval, at a \
         margin of {}.",
        number::share(MARGIN)
    );
    let mut sentences: Vec<Text> = Vec::new();
    let speed = model.machine_speed.as_ref().filter(|_| !cell.open_loop);
    sentences.extend(speed.map(|speed| Text::from(&speed.sentence)));
    sentences.extend(lost(cell));
    // Those of the study's cells are among the study's, too, with the cells that they concern.
    let is_of_cells = |code| {
        model
            .cells
            .iter()
            .flat_map(|cell| &cell.flags)
            .any(|flag| flag.code == code)
    };
    let of_study = model.flags.iter().filter(|flag| !is_of_cells(flag.code));
    sentences.extend(of_study.chain(&cell.flags).map(|flag| flag.text.clone()));
    sentences.into_iter().fold(
        Text::from(format!("{about}. {}. Medians over ", scope(model, cell)))
            .emphasis("n")
            .plain(rest),
        |caption, sentence| caption.plain(" ").text(sentence),
    )
}

/// Products with the topology of several nodes, promises, work, machine and day.
fn scope(model: &ReportModel, cell: &Cell) -> String {
    let promises: BTreeSet<String> = cell.systems.iter().map(promise).collect();
    let mut systems: Vec<String> = Vec::new();
    for system in &cell.systems {
        let mut shown = if system.product.is_empty() {
            system.name.clone()
        } else {
            system.product.clone()
        };
        let described = model
            .systems
            .iter()
            .find(|described| described.name == system.name);
        let of_several = described.filter(|described| described.nodes.is_some_and(|nodes| nodes > 1));
        if let Some(described) = of_several {
            shown.push_str(&format!(", {}", described.topology));
        }
        if promises.len() > 1 {
            shown.push_str(&format!(" ({})", promise(system)));
        }
        if !systems.contains(&shown) {
            systems.push(shown);
        }
    }
    let mut scope = vec![number::list(&systems)];
    if promises.len() == 1 {
        scope.extend(promises);
    }
    scope.push(sentences::scope(&cell.scope));
    scope.push(model.machine.clone());
    scope.extend(model.started_at.get(..10).map(str::to_owned));
    scope.retain(|part| !part.is_empty());
    scope.join("; ")
}

fn lost(cell: &Cell) -> Option<Text> {
    let losing = cell.systems.iter().filter(|system| system.not_found() > 0);
    let lost = Text::list(losing.map(|system| {
        let count = format!("{} of ", number::count(system.not_found()));
        text![count, named(&system.name)]
    }));
    (!lost.is_empty()).then(|| text!["Operations that did not find their record: ", lost, "."])
}

/// What a system promises, where it says so.
fn promise(system: &CellSystem) -> String {
    let levels = [
        ("durability", system.durability.to_string()),
        ("consistency", system.consistency.to_string()),
    ];
    let stated = levels.into_iter().filter(|(_, level)| !level.is_empty());
    let stated: Vec<String> = stated.map(|(name, level)| format!("{name} {level}")).collect();
    stated.join(", ")
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
        Metric::LatencyP99 | Metric::LatencyP50 => &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")],
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
