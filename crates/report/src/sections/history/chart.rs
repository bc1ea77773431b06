//! A drawing for each series: its points with their intervals, and where its level changes.

use dbdyno_chart::Plot;
use dbdyno_chart::versions::{self, versions};
use dbdyno_document::{Block, Figure};

use super::Names;
use crate::history::Series;
use crate::history_state::State;
use crate::number;
use crate::sample::Unit;
use crate::sections::study::plots::figure;
use crate::words::change::change;

/// A drawing for each series.
pub fn figures(series: &[&Series], names: &Names) -> Vec<Figure> {
    series.iter().filter_map(|series| drawn(series, names)).collect()
}

/// How to read the drawings.
pub fn note() -> Block {
    Block::note(
        "A dot is the median of a point's trials, the line its 95% interval. A dashed line marks where the level changes. The upright axis \
         does not begin at zero.",
    )
}

fn drawn(series: &Series, names: &Names) -> Option<Figure> {
    let last = series.points.len().saturating_sub(1);
    let points = series.points.iter().enumerate().map(|(index, point)| {
        // The last point is no level yet, but may differ from the level before.
        let of_last = match series.state() {
            State::Moved(moved) if index == last && moved.since == point.label && point.change.is_none() => {
                Some((moved.ratio, moved.is_worse))
            }
            _ => None,
        };
        let change_here = point
            .change
            .map(|change| (change.ratio, change.slower))
            .or(of_last);
        versions::Point {
            label: &point.label,
            value: point.median,
            text: number::bounded(series.unit.format(point.median), point.at_least),
            interval: point.interval,
            kind: point.conditions,
            is_doubtful: point.unreliable.is_some(),
            change: change_here.map(|(ratio, is_worse)| versions::Change {
                words: change(ratio, None),
                is_worse,
            }),
        }
    });
    let points: Vec<versions::Point<'_>> = points.collect();
    let title = format!("{}: {}", names.test(series).flat(), series.metric);
    let plot = Plot {
        name: &dbdyno_analysis::cells::slug(&title),
        title: &title,
        value: match series.unit {
            Unit::Rate => "per_second",
            Unit::Nanoseconds => "latency_ns",
        },
        format: &|value| series.unit.format(value),
    };
    let color = names.colors.get(&series.test.system).copied().unwrap_or_default();
    versions(&points, color, &plot).map(figure)
}
