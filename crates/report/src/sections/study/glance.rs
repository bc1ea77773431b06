//! Every cell and system in one table, and all systems relative to the best one.

use dbdyno_document::{
    Block, Column, Inline, Mark, Media, Row, Section, Table, TableCell, Text, Tone, named,
};

use super::plots;
use crate::model::{Cell, CellSystem, MARGIN, Metric, Rank, ReportModel, System, Unranked};
use crate::number;
use crate::words::figures::Medians;

/// What the columns of values may take together, in characters of their titles, so that a page of 1280 pixels has room for them.
const ROOM: usize = 105;
/// A value with its sign takes at least as much.
const NARROWEST: usize = 12;
/// The space beside a title.
const PADDING: usize = 3;

/// The section, for pages: text has a table for each cell. `None` for systems at rising load.
pub fn section(model: &ReportModel) -> Option<Section> {
    if model.rising_load.is_some() {
        return None;
    }
    let mut body = Vec::new();
    if !model.asked.is_empty() {
        body.push(Block::about(format!("Every workload: {}.", model.asked)));
    }
    body.extend(tables(model).into_iter().map(Block::Table));
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

/// Every cell and system. Systems stand beside each other if the page has room for them, else below each other.
fn tables(model: &ReportModel) -> Vec<Table> {
    let systems = model.systems.iter();
    let width: usize = systems.map(|system| width(&system.name)).sum();
    let mut tables = if width <= ROOM {
        vec![of_systems_beside(model)]
    } else {
        let beside = cells_beside(&model.cells).into_iter();
        beside.map(|cells| of_cells_beside(model, cells)).collect()
    };
    if let Some(first) = tables.first_mut() {
        let across = if width <= ROOM { "row" } else { "column" };
        first.remark = legend(model, across);
    }
    tables
}

/// The width of a column of values, in characters of its title.
fn width(title: &str) -> usize {
    title.chars().count().max(NARROWEST) + PADDING
}

/// A row for each cell.
fn of_systems_beside(model: &ReportModel) -> Table {
    let systems = model.systems.iter();
    let columns = std::iter::once(Column::header("workload"))
        .chain(systems.map(|system| Column::numbers(named(&system.name))));
    let rows = model.cells.iter().map(|cell| {
        let work = cell.description.first().cloned();
        let title =
            TableCell::new(Text::new().anchor(&cell.title, &cell.id)).detail(work.unwrap_or_default());
        let longest = longest(cell);
        let values = model.systems.iter().map(|system| glance(cell, system, longest));
        Row::new(std::iter::once(title).chain(values))
    });
    overview(columns.collect(), rows.collect())
}

/// A row for each system.
fn of_cells_beside(model: &ReportModel, cells: &[Cell]) -> Table {
    let titles = cells
        .iter()
        .map(|cell| Column::numbers(Text::new().anchor(&cell.title, &cell.id)));
    let columns = std::iter::once(Column::header("system")).chain(titles);
    let rows = model.systems.iter().map(|system| {
        let values = cells.iter().map(|cell| glance(cell, system, longest(cell)));
        Row::new(std::iter::once(TableCell::new(named(&system.name))).chain(values))
    });
    overview(columns.collect(), rows.collect())
}

fn overview(columns: Vec<Column>, rows: Vec<Row>) -> Table {
    Table {
        is_overview: true,
        ..Table::new("Throughput and latency of every system", columns, rows)
    }
}

/// The cells in groups that the page has room for, at least one in each.
fn cells_beside(cells: &[Cell]) -> Vec<&[Cell]> {
    let mut groups = Vec::new();
    let (mut from, mut used) = (0, 0);
    for (index, cell) in cells.iter().enumerate() {
        let own = width(&cell.title);
        if index > from && used + own > ROOM {
            groups.push(&cells[from..index]);
            (from, used) = (index, 0);
        }
        used += own;
    }
    if from < cells.len() {
        groups.push(&cells[from..]);
    }
    groups
}

/// What the values are, and the marks that occur. Bars compare the values `across` a row or a column.
fn legend(model: &ReportModel, across: &str) -> Text {
    let occurs = |rank: &Rank| {
        model.cells.iter().any(|cell| {
            let mut systems = cell.systems.iter();
            systems.any(|own| marks(cell, own).contains(&Some(*rank)))
        })
    };
    let ranks = [Rank::Best, Rank::Tied, Rank::Close, Rank::Open];
    let found = ranks.into_iter().filter(occurs).enumerate();
    let text = Text::from("Medians over trials: throughput, and p99 latency of all operations below it.");
    let legend = found.fold(text, |legend, (index, rank)| {
        let mark = mark(rank);
        let meaning = format!(" {}", mark.meaning);
        let parting = if index > 0 { ", " } else { " " };
        legend.plain(parting).with(Inline::Mark(mark)).plain(meaning)
    });
    let has_marks = legend.0.len() > 1;
    let legend = if has_marks { legend.plain(".") } else { legend };
    let runs_at_full_speed = |cell: &Cell| {
        let mut verdicts = cell.verdicts.iter();
        verdicts.any(|verdict| matches!(verdict.unranked, Some(Unranked::OwnSpeed)))
    };
    let legend = if model.cells.iter().any(runs_at_full_speed) {
        legend.plain(" Latency at full speed is not ranked: each system ran at its own throughput.")
    } else {
        legend
    };
    if model.cells.iter().any(|cell| longest(cell).is_some()) {
        legend.plain(format!(" Bars compare throughput within a {across}."))
    } else {
        legend
    }
}

/// The places of a system in throughput and in latency, as far as they have a sign. Without a rate no throughput is comparable
/// to nothing; only latency is worth saying it of.
fn marks(cell: &Cell, own: &CellSystem) -> [Option<Rank>; 2] {
    let throughput = cell.rank(&own.name, Metric::Throughput);
    [
        throughput.filter(|rank| *rank != Rank::NotComparable),
        cell.rank(&own.name, Metric::LatencyP99),
    ]
}

fn glance(cell: &Cell, system: &System, longest: Option<f64>) -> TableCell {
    let Some(own) = cell.systems.iter().find(|own| own.name == system.name) else {
        return TableCell::new("not run").toned(Tone::Faint);
    };
    let [throughput, latency] = marks(cell, own);
    let sign = |rank: Option<Rank>| rank.map_or_else(no_mark, mark);
    let bar = ranked(cell, own).zip(longest);
    TableCell {
        highlight: (throughput == Some(Rank::Best)).then_some(system.color),
        bar: bar.map(|(value, longest)| (value / longest, system.color)),
        ..TableCell::new(value(own, Metric::Throughput))
            .marked(Some(sign(throughput)))
            .detail(Text::from(value(own, Metric::LatencyP99)).with(Inline::Mark(sign(latency))))
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
        Rank::Close => ("≈", "close to the best", Tone::Plain),
        Rank::Open => ("?", "undecided against the best", Tone::Plain),
        Rank::Behind | Rank::NotComparable => return no_mark(),
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
