//! A paper's numbers and ours as figures and tables, for the report of a study and for the page of the paper.

use dbdyno_analysis::cells::slug;
use dbdyno_chart::Plot;
use dbdyno_chart::bars::{self, bars};
use dbdyno_chart::sizes::{Line, Point, sizes_over};
use dbdyno_document::{Column, Explanation, Figure, Row, Table, TableCell, Text, Tone, named};
use dbdyno_paper::{ClaimVerdict, LOAD};

use super::study::plots;
use crate::model::{BarValue, Bars, Interval, Side, SidePoint};
use crate::number;

/// Whose numbers a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The paper's.
    Printed,
    /// Ours, with intervals.
    Measured,
}

/// A value with both ends of its interval.
type Shown = (Option<f64>, Option<(f64, f64)>);

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Measured => "measured",
        }
    }

    fn of_point(self, point: &SidePoint) -> Shown {
        match self {
            Self::Printed => (point.printed, None),
            Self::Measured => (point.measured, point.interval.map(Interval::ends)),
        }
    }

    fn of_bar(self, value: &BarValue) -> Shown {
        match self {
            Self::Printed => (value.printed, None),
            Self::Measured => (value.measured, value.interval.map(Interval::ends)),
        }
    }
}

/// A workload of a paper as the beginning of a title.
pub fn workload(name: &str) -> String {
    match name {
        LOAD => "Load phase".to_owned(),
        name => format!("Workload {name}"),
    }
}

/// A verdict on a claim, with its evidence.
pub fn judged(verdict: ClaimVerdict, evidence: &[String]) -> TableCell {
    let tone = match verdict {
        ClaimVerdict::Holds | ClaimVerdict::HoldsWhereTested => Tone::Good,
        ClaimVerdict::Fails => Tone::Bad,
        ClaimVerdict::Undecided => Tone::Faint,
        _ => Tone::Plain,
    };
    TableCell {
        explanation: Some(Explanation::Folded(evidence.iter().map(Text::from).collect())),
        ..TableCell::new(verdict.to_string()).toned(tone)
    }
}

/// One quantity under one workload over sizes or rates; `None` without a point.
pub fn over_sizes(side: &Side, source: Source, title: &str, color: &dyn Fn(&str) -> usize) -> Option<Figure> {
    let point = |point: &SidePoint| {
        let (value, interval) = source.of_point(point);
        Some(Point {
            size: point.size as f64,
            value: value?,
            at_least: false,
            interval,
        })
    };
    let lines: Vec<Line<'_>> = side
        .systems
        .iter()
        .map(|system| Line {
            name: &system.name,
            color: color(&system.name),
            points: system.points.iter().filter_map(point).collect(),
        })
        .filter(|line| !line.points.is_empty())
        .collect();
    let column = side.quantity.column();
    let plot = Plot {
        name: &slug(&format!("{} {column} {}", side.workload, source.name())),
        title,
        value: &column,
        format: &|value| side.quantity.format(value),
    };
    let sizes = side.sizes();
    let span = sizes.first().zip(sizes.last());
    let span = span.map(|(first, last)| (*first as f64, *last as f64));
    sizes_over(&lines, &plot, &side.size, span).map(plots::figure)
}

/// One quantity by workload; `None` without a number.
pub fn by_workload(all: &Bars, source: Source, title: &str, color: &dyn Fn(&str) -> usize) -> Option<Figure> {
    let bar = |value: &'_ BarValue| {
        let (height, interval) = source.of_bar(value);
        Some((height?, interval))
    };
    let groups: Vec<bars::Group<'_>> = all
        .groups
        .iter()
        .map(|group| bars::Group {
            name: &group.workload,
            bars: group
                .values
                .iter()
                .filter_map(|value| {
                    let (height, interval) = bar(value)?;
                    Some(bars::Bar {
                        name: &value.system,
                        color: color(&value.system),
                        value: height,
                        interval,
                    })
                })
                .collect(),
        })
        .filter(|group| !group.bars.is_empty())
        .collect();
    let column = all.quantity.column();
    let plot = Plot {
        name: &slug(&format!("{column} by workload {}", source.name())),
        title,
        value: &column,
        format: &|value| all.quantity.format(value),
    };
    bars(&groups, &plot, "workload").map(plots::figure)
}

/// A row for each size: what was printed and measured of every system, and how many times the second the first is.
pub fn numbers(side: &Side) -> Table {
    let pair = match side.systems.as_slice() {
        [first, second, ..] => Some(format!("{} against {}", first.name, second.name)),
        _ => None,
    };
    let subjects = side.systems.iter().map(|system| named(&system.name));
    let subjects: Vec<Text> = subjects.chain(pair.as_deref().map(Text::from)).collect();
    let mut columns = vec![Column::header(format!("{} of the paper", side.size))];
    columns.extend(
        subjects
            .iter()
            .flat_map(|_| [Column::numbers("printed"), Column::numbers("now")]),
    );
    let spans = std::iter::once((Text::new(), 1)).chain(subjects.into_iter().map(|subject| (subject, 2)));
    let value =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| side.quantity.format(value));
    let row = |size: u64| {
        let mut cells = vec![TableCell::new(number::count(size))];
        for system in &side.systems {
            let point = system.points.iter().find(|point| point.size == size);
            let interval = point.and_then(|point| point.interval);
            let interval = interval.map(|interval| {
                let (low, high) = (
                    side.quantity.format(interval.low),
                    side.quantity.format(interval.high),
                );
                format!("{low} to {high}")
            });
            cells.push(TableCell::new(value(point.and_then(|point| point.printed))));
            let measured = TableCell::new(value(point.and_then(|point| point.measured)));
            cells.push(measured.detail(interval.unwrap_or_default()));
        }
        if pair.is_some() {
            let times = |ratio: f64| number::times(ratio, None, side.quantity.reading());
            let ratios = side
                .ratios(size)
                .map(|ratio| TableCell::new(ratio.map_or_else(|| "–".to_owned(), times)));
            cells.extend(ratios);
        }
        Row::new(cells)
    };
    Table {
        spans: spans.collect(),
        ..Table::new(
            format!("{}: {}", workload(&side.workload), side.quantity.words()),
            columns,
            side.sizes().into_iter().map(row).collect(),
        )
    }
}
