//! The answer of a study with one table and one chart: for a pull request, or the summary page of a CI job.

use dbdyno_document::{Block, Column, Document, Row, Table, TableCell, named};
use dbdyno_record::Severity;
use dbdyno_vocabulary::shown_name;

use super::{about, answer, cell_details, cost, title, tone};
use crate::model::{
    Cell, CellSystem, Estimate, Interval, Metric, Rank, ReportModel, RisingLoad, RisingLoadKind,
    RisingLoadSystem, Tone as Statement,
};
use crate::number;
use crate::text_chart::{self, Line};
use crate::words::figures::{Medians, MetricFigures};
use crate::words::names::Named;
use crate::words::starts::counted;

/// More lines than these are no chart to look at; the table has all of them.
const MOST_LINES: usize = 24;

/// The document; its title is a heading within a page of others.
pub fn document(model: &ReportModel) -> Document {
    let answers = model.summary.iter();
    let mut body: Vec<Block> = answers
        .map(|answer| Block::headline(tone(answer.tone), &answer.text))
        .collect();
    body.extend(model.flags.iter().map(answer::notice));
    let (table, chart) = match &model.rising_load {
        Some(rising_load) => (rising_load_table(rising_load), rising_load_chart(rising_load)),
        None => (table(model), chart(model)),
    };
    body.push(Block::Table(table));
    body.extend(chart);
    body.push(Block::bullets(invalid(model)));
    let costs = cost::sentences(model);
    if !costs.is_empty() {
        body.push(Block::bullets(costs));
        body.extend(cost::note_on_prices(model).map(Block::note));
    }
    Document {
        title: title(model),
        about: about::extent(model).into(),
        body,
        nesting: 1,
        ..Document::default()
    }
}

/// What makes trials invalid, a sentence each.
fn invalid(model: &ReportModel) -> Vec<String> {
    let groups = model.findings.iter();
    groups
        .filter(|group| group.severity == Severity::Invalid)
        .map(|group| {
            let trials = number::plural(group.trials, "trial", "trials");
            format!("Invalid, {trials}: {}", group.title)
        })
        .collect()
}

/// A row for each system in each cell.
fn table(model: &ReportModel) -> Table {
    let columns = vec![
        Column::header("workload"),
        Column::header("system"),
        Column::numbers("throughput"),
        Column::numbers("95% interval"),
        Column::numbers("p99 latency"),
        Column::words("trials"),
    ];
    let rows = model.cells.iter().flat_map(|cell| {
        let mut label = cell.title.clone();
        cell.systems.iter().map(move |system| {
            let throughput = system.throughput.as_ref();
            Row::new([
                TableCell::new(std::mem::take(&mut label)),
                TableCell::new(named(&system.name)),
                TableCell::new(ranked(cell, system, Metric::Throughput)),
                TableCell::new(throughput.map_or("–".to_owned(), cell_details::interval)),
                TableCell::new(ranked(cell, system, Metric::LatencyP99)),
                TableCell::new(throughput.map_or("0".to_owned(), |own| counted(&own.estimate))),
            ])
        })
    });
    Table::new("Systems by workload", columns, rows.collect())
}

/// A median with the system's place among the others.
fn ranked(cell: &Cell, system: &CellSystem, metric: Metric) -> String {
    let Some(summary) = system.metric(metric) else {
        return "–".to_owned();
    };
    let value = system.text(metric, summary.estimate.median);
    match cell.rank(&system.name, metric) {
        // What a load cannot show is no remark worth a cell.
        None | Some(Rank::NotComparable) => value,
        Some(rank) => format!("{value} ({})", rank.name()),
    }
}

/// Throughput of what was measured in closed loops, else p99 latency.
fn chart(model: &ReportModel) -> Option<Block> {
    let of = |metric: Metric| {
        let cells = model.cells.iter().filter(move |cell| is_shown(cell, metric));
        let lines: Vec<Line> = cells
            .flat_map(|cell| {
                cell.systems
                    .iter()
                    .filter_map(move |system| line(model, cell, system, metric))
            })
            .collect();
        (!lines.is_empty()).then_some((metric, lines))
    };
    let (metric, lines) = of(Metric::Throughput).or_else(|| of(Metric::LatencyP99))?;
    let what = match metric {
        Metric::LatencyP99 => "p99 latency",
        _ => "Throughput",
    };
    Some(drawn(
        &format!("{what}, median over trials (●) with its 95% interval (├─┤):"),
        &lines,
        |value| metric.format(value),
    ))
}

/// Whether the metric means something in the cell: throughput at a fixed rate is that rate.
fn is_shown(cell: &Cell, metric: Metric) -> bool {
    let mut verdicts = cell.verdicts.iter().filter(|verdict| verdict.metric == metric);
    let is_refused = verdicts.any(|verdict| verdict.tone == Statement::NotComparable);
    !(is_refused || metric == Metric::Throughput && cell.open_loop)
}

fn line(model: &ReportModel, cell: &Cell, system: &CellSystem, metric: Metric) -> Option<Line> {
    let estimate = &system.metric(metric)?.estimate;
    let label = if model.cells.len() == 1 {
        system.name.clone()
    } else {
        format!("{}, {}", cell.title, shown_name(&system.name))
    };
    let value = system.text(metric, estimate.median);
    Some(of_estimate(label, estimate, value, |value| metric.format(value)))
}

fn of_estimate(label: String, estimate: &Estimate, value: String, format: impl Fn(f64) -> String) -> Line {
    let figures = match &estimate.interval {
        Some(interval) => format!("{value} ({} to {})", format(interval.low), format(interval.high)),
        None => format!("{value} (no interval: {})", counted(estimate)),
    };
    Line {
        label,
        point: estimate.median,
        interval: estimate.interval.map(Interval::ends),
        figures,
    }
}

fn drawn(caption: &str, lines: &[Line], format: impl Fn(f64) -> String) -> Block {
    let shown = &lines[..lines.len().min(MOST_LINES)];
    let mut text = text_chart::from_zero(shown, format);
    if shown.len() < lines.len() {
        text.push_str(&format!("{} more in the table\n", lines.len() - shown.len()));
    }
    Block::Code("text", format!("{caption}\n\n{text}"))
}

/// The answer of each system at rising load.
fn rising_load_table(rising_load: &RisingLoad) -> Table {
    let columns = vec![
        Column::header("workload"),
        Column::header("system"),
        Column::words("answer"),
    ];
    let rows = rising_load.cells.iter().flat_map(|cell| {
        let mut title = cell.title.clone();
        cell.systems.iter().map(move |system| {
            Row::new([
                TableCell::new(std::mem::take(&mut title)),
                TableCell::new(named(&system.name)),
                TableCell::new(&system.sentence),
            ])
        })
    });
    Table::new("Answers by workload", columns, rows.collect())
}

/// Capacities, or the throughput at the knees.
fn rising_load_chart(rising_load: &RisingLoad) -> Option<Block> {
    let is_alone = rising_load.cells.len() == 1;
    let lines: Vec<Line> = rising_load
        .cells
        .iter()
        .flat_map(|cell| cell.systems.iter().map(move |system| (cell, system)))
        .filter_map(|(cell, system)| {
            let label = if is_alone {
                system.name.clone()
            } else {
                format!("{}, {}", cell.title, system.name)
            };
            rising_load_line(label, system)
        })
        .collect();
    let caption = match rising_load.kind {
        RisingLoadKind::Capacity => {
            "Capacity (●), from the rate shown to hold to the rate shown to miss (├─┤):"
        }
        RisingLoadKind::Sweep => {
            "Throughput at the knee, median over blocks (●) with its 95% interval (├─┤):"
        }
    };
    (!lines.is_empty()).then(|| drawn(caption, &lines, number::rate))
}

fn rising_load_line(label: String, system: &RisingLoadSystem) -> Option<Line> {
    if let Some(capacity) = &system.capacity {
        let point = capacity.estimate.or(capacity.held)?;
        let interval = capacity.interval.map(Interval::ends);
        let figures = match interval {
            Some((low, high)) => format!(
                "{} ({} to {})",
                number::rate(point),
                number::rate(low),
                number::rate(high)
            ),
            None if capacity.estimate.is_none() => {
                format!(
                    "{} ({})",
                    number::at_least(&number::rate(point)),
                    capacity.word.name()
                )
            }
            None => format!("{} ({})", number::rate(point), capacity.word.name()),
        };
        return Some(Line {
            label,
            point,
            interval,
            figures,
        });
    }
    let throughput = &system.knee.as_ref()?.throughput;
    let value = number::rate(throughput.median);
    Some(of_estimate(label, throughput, value, number::rate))
}
