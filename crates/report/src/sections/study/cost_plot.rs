//! The cost of every system beside that of the cheapest, as a figure.

use dbdyno_chart::ratio::{Point, Ratios, Row, ratio};
use dbdyno_document::Figure;

use super::plots::figure;
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
    let names: Vec<(&str, usize)> = systems
        .iter()
        .map(|system| (system.name.as_str(), system.color))
        .collect();
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
    let compared = |a: &str, b: &str| {
        cell.comparisons.iter().find(|comparison| {
            comparison.word != Word::NotComparable && comparison.a == a && comparison.b == b
        })
    };
    // A comparison states how many times the cost of its first system the second's is, and its verdict about the first.
    let (ratio, interval, word) = match compared(reference, &system.name) {
        Some(straight) => (
            straight.ratio,
            straight.interval.map(Interval::ends),
            straight.word.reversed(),
        ),
        None => {
            let turned = compared(&system.name, reference)?;
            let interval = turned.interval.map(Interval::ends);
            (
                1.0 / turned.ratio,
                interval.map(|(low, high)| (1.0 / high, 1.0 / low)),
                turned.word,
            )
        }
    };
    ratio.is_finite().then_some(Point {
        system: &system.name,
        color: system.color,
        ratio,
        interval,
        verdict: verdict(word),
        undecided: word == Word::Undecided,
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
