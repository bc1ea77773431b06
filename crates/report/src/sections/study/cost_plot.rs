//! The cost of every system beside that of the cheapest, as a figure.

use dbdyno_chart::ratio::{Point, Ratios, Row, ratio};
use dbdyno_document::Figure;

use super::plots::{figure, names_and_colors};
use crate::MARGIN;
use crate::model::{CellCost, Cost, Interval, System, Word};
use crate::number::Quantity;

/// Costs relative to those of the system that is cheapest most often; `None` where no costs were compared.
pub fn relative(cost: &Cost, systems: &[System]) -> Option<Figure> {
    let reference = reference(&cost.cells, systems)?;
    let rows: Vec<Row<'_>> = cost
        .cells
        .iter()
        .map(|cell| Row {
            title: &cell.title,
            points: systems
                .iter()
                .filter_map(|system| point(cell, system, &reference.name))
                .collect(),
        })
        .collect();
    let names = names_and_colors(systems);
    let plot = Ratios {
        name: "cost-ratio",
        title: &format!("Cost relative to {} (left is cheaper)", reference.name),
        value: "cost_ratio",
        reference: &reference.name,
        quantity: Quantity::Level,
        margin: MARGIN,
        systems: &names,
    };
    ratio(&rows, &plot).map(figure)
}

/// The system that is cheapest as measured in most cells; of several, the first one.
fn reference<'s>(cells: &[CellCost], systems: &'s [System]) -> Option<&'s System> {
    let leads = |system: &System| {
        let firsts = cells.iter().filter_map(|cell| cell.comparisons.first());
        firsts.filter(|first| first.a == system.name).count()
    };
    let candidates = systems.iter().filter(|system| system.twin_of.is_none());
    let best = candidates.reduce(
        |best, system| {
            if leads(system) > leads(best) { system } else { best }
        },
    )?;
    (leads(best) > 0).then_some(best)
}

/// How many times the cost of the reference a system's is in a cell.
fn point<'a>(cell: &CellCost, system: &'a System, reference: &str) -> Option<Point<'a>> {
    let found = cell.comparison(reference, &system.name)?;
    let is_drawn = found.word != Word::NotComparable && found.ratio.is_finite();
    is_drawn.then(|| Point {
        system: &system.name,
        color: system.color,
        ratio: found.ratio,
        interval: found.interval.map(Interval::ends),
        // It is about the reference, and the point about the system.
        verdict: verdict(found.word.reversed()),
        undecided: found.word == Word::Undecided,
    })
}

/// A verdict on costs in a word.
fn verdict(word: Word) -> &'static str {
    match word {
        Word::Faster => "cheaper",
        Word::Slower => "costlier",
        other => other.name(),
    }
}
