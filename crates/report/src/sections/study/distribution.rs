//! The latencies of single trials: how many operations took how long, and when.

use dbdyno_analysis::cells::slug;
use dbdyno_chart::Plot;
use dbdyno_chart::heat::{self, heat};
use dbdyno_chart::histogram::{self, histogram};
use dbdyno_document::Figure;

use super::plots::figure;
use crate::model::{Cell, CellSystem, CurvePoint, Distribution};
use crate::number;
use crate::words::figures::of_point;

/// The line over a heat map.
const LINE: f64 = 99.0;
/// What the names of heat maps begin with.
const OVER_TIME: &str = "latency-over-time";

/// A histogram of each system's only trial, and a heat map where its log is there; none in a larger study.
pub fn figures(cell: &Cell) -> Vec<Figure> {
    let shown = cell
        .systems
        .iter()
        .filter_map(|system| Some((system, system.distribution.as_ref()?)));
    shown
        .flat_map(|(system, distribution)| {
            let of = if cell.systems.len() > 1 {
                format!(" of {}", system.name)
            } else {
                String::new()
            };
            [
                counted(cell, system, distribution, &of),
                over_time(cell, system, distribution, &of),
            ]
        })
        .flatten()
        .collect()
}

/// Whether the figure shows latency over time.
pub fn is_over_time(figure: &Figure) -> bool {
    figure.name.starts_with(OVER_TIME)
}

/// How to read these figures.
pub fn about(figures: &[Figure]) -> String {
    let histogram = "The outline counts successful operations; each of its steps is the same ratio of latencies wide. p50 and p99 cover \
                     operations without an answer, too.";
    if !figures.iter().any(is_over_time) {
        return histogram.to_owned();
    }
    format!(
        "{histogram} In the map, a stronger shade is a larger share of the operations of its column, up to ten times that of the shade \
         before. The line is the p99 of each column."
    )
}

/// What the latencies of a cell are called.
fn quantity(cell: &Cell) -> &'static str {
    if cell.open_loop {
        "Response time"
    } else {
        "Latency"
    }
}

fn counted(cell: &Cell, system: &CellSystem, distribution: &Distribution, of: &str) -> Option<Figure> {
    let title = format!("{} histogram{of}, logarithmic axis", quantity(cell));
    let plot = Plot {
        name: &slug(&format!("latency histogram{of}")),
        title: &title,
        value: "latency_ns",
        format: &number::duration_ns,
    };
    let mark = |point: &CurvePoint| {
        Some(histogram::Mark {
            name: number::percentile(point.percentile),
            value: point.latency_ns? as f64,
            text: of_point(point),
        })
    };
    let marks: Vec<histogram::Mark> = distribution.marked.iter().filter_map(mark).collect();
    let operations = histogram::Operations {
        name: &system.name,
        color: system.color,
        counts: &plain(&distribution.counts),
        marks: &marks,
    };
    histogram(&operations, &plot).map(figure)
}

fn over_time(cell: &Cell, system: &CellSystem, distribution: &Distribution, of: &str) -> Option<Figure> {
    let columns = distribution.over_time.as_ref()?.columns.iter();
    let title = format!("{} over time{of}, logarithmic axis", quantity(cell));
    let plot = Plot {
        name: &slug(&format!("{OVER_TIME}{of}")),
        title: &title,
        value: "latency_ns",
        format: &number::duration_ns,
    };
    let shown = heat::Heat {
        name: &system.name,
        color: system.color,
        line: &number::percentile(LINE),
        begin_s: 0.0,
        columns: columns
            .map(|column| heat::Column {
                from_s: column.from_s,
                to_s: column.to_s,
                counts: plain(&column.counts),
                line: column.p99_ns as f64,
            })
            .collect(),
    };
    heat(&shown, &plot).map(figure)
}

fn plain(counts: &[(u64, u64)]) -> Vec<(f64, u64)> {
    let counts = counts.iter();
    counts
        .map(|&(latency_ns, count)| (latency_ns as f64, count))
        .collect()
}
