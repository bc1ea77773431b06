//! Every cell and system in one table, and all systems relative to the best one.

use dbdyno_document::{Block, Column, Inline, Mark, Media, Row, Section, Table, TableCell, Text, Tone};

use super::names::Names;
use super::plots;
use crate::model::{Cell, CellSystem, MARGIN, Metric, Rank, ReportModel, System};
use crate::number;

/// The section, for pages: text has a table for each cell. `None` for systems at rising load.
pub fn section(model: &ReportModel, names: &Names) -> Option<Section> {
    if model.ladder.is_some() {
        return None;
    }
    let mut body = Vec::new();
    if !model.asked.is_empty() {
        body.push(Block::about(format!("Every workload: {}.", model.asked)));
    }
    body.push(Block::Table(table(model, names)));
    let figures = reference(model).map_or_else(Vec::new, |reference| ratios(model, reference));
    if !figures.is_empty() {
        body.push(Block::Figures(figures));
        body.push(Block::note(format!(
            "Each line is a 95% interval; the shaded band is the margin of {} within which a difference does not matter. A hollow point is \
             undecided.",
            number::share(MARGIN)
        )));
    }
    Some(Section::new(
        "glance",
        "At a glance",
        vec![Block::Only(Media::PAGE, body)],
    ))
}

fn table(model: &ReportModel, names: &Names) -> Table {
    let systems = model.systems.iter();
    let columns = std::iter::once(Column::header("workload"))
        .chain(systems.map(|system| Column::numbers(names.one(&system.name))));
    let rows = model.cells.iter().map(|cell| {
        let work = cell.description.split(';').next().unwrap_or_default();
        let title = TableCell::new(Text::new().anchor(&cell.label, &cell.id)).detail(work);
        let longest = longest(cell);
        let values = model.systems.iter().map(|system| glance(cell, system, longest));
        Row::new(std::iter::once(title).chain(values))
    });
    let marks = [Rank::Best, Rank::Tied, Rank::Open, Rank::NotComparable];
    let legend = marks.into_iter().enumerate().fold(
        Text::from("Medians over trials: throughput, and p99 latency of all operations below it. "),
        |legend, (index, rank)| {
            let mark = mark(rank);
            let meaning = format!(" {}", mark.meaning);
            let parted = if index > 0 { legend.plain(", ") } else { legend };
            parted.with(Inline::Mark(mark)).plain(meaning)
        },
    );
    let has_bars = model.cells.iter().any(|cell| longest(cell).is_some());
    let bars = if has_bars {
        ". Bars compare throughput within a row."
    } else {
        "."
    };
    Table {
        is_overview: true,
        ..Table::new(
            "Throughput and latency of every system",
            columns.collect(),
            rows.collect(),
        )
        .remark(legend.plain(bars))
    }
}

fn glance(cell: &Cell, system: &System, longest: Option<f64>) -> TableCell {
    let Some(own) = cell.systems.iter().find(|own| own.name == system.name) else {
        return TableCell::new("not run").toned(Tone::Faint);
    };
    let rank = |metric| cell.rank(&own.name, metric);
    let throughput = rank(Metric::Throughput);
    let latency = rank(Metric::LatencyP99).map_or_else(no_mark, mark);
    // Without a rate no throughput is comparable to nothing; only latency is worth saying it of.
    let first = match throughput {
        None | Some(Rank::NotComparable) => no_mark(),
        Some(rank) => mark(rank),
    };
    let bar = ranked(cell, own).zip(longest);
    TableCell {
        highlight: (throughput == Some(Rank::Best)).then_some(system.color),
        bar: bar.map(|(value, longest)| (value / longest, system.color)),
        ..TableCell::new(value(own, Metric::Throughput))
            .marked(Some(first))
            .detail(Text::from(value(own, Metric::LatencyP99)).with(Inline::Mark(latency)))
    }
}

/// The throughput of a system that is ranked by it. At a rate, and between different guarantees, a bar would suggest a rank.
fn ranked(cell: &Cell, own: &CellSystem) -> Option<f64> {
    let rank = cell.rank(&own.name, Metric::Throughput)?;
    let median = own.metric(Metric::Throughput)?.estimate.median;
    (rank != Rank::NotComparable && median > 0.0).then_some(median)
}

/// The throughput that the bars of a row are relative to.
fn longest(cell: &Cell) -> Option<f64> {
    let systems = cell.systems.iter();
    systems.filter_map(|own| ranked(cell, own)).reduce(f64::max)
}

fn value(own: &CellSystem, metric: Metric) -> String {
    own.metric(metric).map_or("–".to_owned(), |summary| {
        own.text(metric, summary.estimate.median)
    })
}

/// The sign of a place among the systems of a cell.
const fn mark(rank: Rank) -> Mark {
    let (sign, meaning, tone) = match rank {
        Rank::Best => ("▲", "shown best", Tone::Good),
        Rank::Tied => ("=", "equivalent to the best", Tone::Plain),
        Rank::Open => ("?", "undecided against the best", Tone::Plain),
        Rank::NotComparable => ("n/c", "not comparable", Tone::Plain),
        Rank::Behind => return no_mark(),
    };
    Mark { sign, meaning, tone }
}

/// Keeps values aligned with those that have a sign.
const fn no_mark() -> Mark {
    Mark {
        sign: "",
        meaning: "",
        tone: Tone::Plain,
    }
}

/// Throughput and latency of all systems relative to one of them.
fn ratios(model: &ReportModel, reference: &str) -> Vec<dbdyno_document::Figure> {
    [
        (Metric::Throughput, "Throughput", "right is faster"),
        (Metric::LatencyP99, "p99 latency", "left is faster"),
    ]
    .into_iter()
    .filter_map(|(metric, quantity, better)| {
        let title = format!("{quantity} relative to {reference} ({better})");
        plots::ratios(&model.cells, &model.systems, reference, metric, &title)
    })
    .collect()
}

/// The system that the others are shown relative to: the one that leads most cells in throughput, else in latency.
fn reference(model: &ReportModel) -> Option<&str> {
    let leads_in = |metric: Metric, system: &System| {
        let verdicts = model.cells.iter().flat_map(|cell| &cell.verdicts);
        verdicts
            .filter(|verdict| verdict.metric == metric && verdict.leader.as_deref() == Some(&system.name))
            .count()
    };
    // With rates alone there is no leader in throughput.
    let leads = |system: &System| {
        (
            leads_in(Metric::Throughput, system),
            leads_in(Metric::LatencyP99, system),
        )
    };
    // Of several that lead equally often, the first one.
    let mut systems = model.systems.iter().filter(|system| system.twin_of.is_none());
    let first = systems.next()?;
    let best = systems.fold(
        first,
        |best, system| {
            if leads(system) > leads(best) { system } else { best }
        },
    );
    (leads(best) > (0, 0)).then_some(best.name.as_str())
}
