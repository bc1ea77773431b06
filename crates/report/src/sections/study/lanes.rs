//! The first chart of a study: every system in every test, by the metric that the test ranks.

use dbdyno_chart::lanes::{self, lanes};
use dbdyno_document::{Block, Lane, LaneGroup, Media, Text, named};

use crate::model::{Cell, CellSystem, Interval, Metric, Rank, ReportModel, Tone};
use crate::words::figures::{Medians, MetricFigures};

/// More tests than these, or more systems in one, are no glance.
const MOST_TESTS: usize = 12;
const MOST_SYSTEMS: usize = 8;

/// Throughput at full speed, latency at a rate: a group for each test. Nothing where they are too many; every test has figures of
/// its own.
pub fn block(model: &ReportModel) -> Option<Block> {
    let groups: Vec<LaneGroup> = model
        .cells
        .iter()
        .flat_map(|cell| {
            let metrics = [Metric::Throughput, Metric::LatencyP99].into_iter();
            metrics.filter_map(move |metric| group(model, cell, metric))
        })
        .collect();
    if groups.is_empty()
        || groups.len() > MOST_TESTS
        || groups.iter().any(|own| own.lanes.len() > MOST_SYSTEMS)
    {
        return None;
    }
    let note = "A dot is a trial, the large dot their median, the line its 95% interval. Each test has an axis of its own.";
    Some(Block::Only(
        Media::PAGE,
        vec![Block::Lanes(groups), Block::note(note)],
    ))
}

/// Whether the cell compares systems in the metric.
fn is_compared(cell: &Cell, metric: Metric) -> bool {
    let mut verdicts = cell.verdicts.iter();
    verdicts
        .any(|verdict| verdict.metric == metric && !matches!(verdict.tone, Tone::NotComparable | Tone::Plain))
}

fn group(model: &ReportModel, cell: &Cell, metric: Metric) -> Option<LaneGroup> {
    if !is_compared(cell, metric) {
        return None;
    }
    let is_twin = |name: &str| {
        let mut systems = model.systems.iter();
        systems.any(|system| system.name == name && system.twin_of.is_some())
    };
    let systems: Vec<&CellSystem> = cell
        .systems
        .iter()
        .filter(|own| !is_twin(&own.name) && own.metric(metric).is_some())
        .collect();
    let drawn: Vec<lanes::Lane<'_>> = systems.iter().filter_map(|own| drawn(own, metric)).collect();
    if drawn.is_empty() {
        return None;
    }
    let drawn = lanes(&drawn, &|value| metric.format(value));
    let rows = systems.iter().zip(drawn.tracks);
    let axis = if drawn.is_logarithmic {
        ", logarithmic axis"
    } else {
        ""
    };
    let about = match metric {
        Metric::LatencyP99 => format!("p99 latency, lower is better{axis}"),
        _ => format!("throughput, higher is better{axis}"),
    };
    Some(LaneGroup {
        title: Text::new().anchor(&cell.title, &cell.id),
        about: about.into(),
        lanes: rows
            .filter_map(|(own, track)| {
                let estimate = &own.metric(metric)?.estimate;
                let interval = estimate.interval.map(Interval::ends);
                Some(Lane {
                    name: named(&own.name),
                    track,
                    value: own.text(metric, estimate.median),
                    interval: interval.map_or_else(String::new, |(low, high)| {
                        format!("{} to {}", metric.format(low), metric.format(high))
                    }),
                    is_best: cell.rank(&own.name, metric) == Some(Rank::Best),
                })
            })
            .collect(),
        axis: drawn.axis,
    })
}

fn drawn(own: &CellSystem, metric: Metric) -> Option<lanes::Lane<'_>> {
    let summary = own.metric(metric)?;
    Some(lanes::Lane {
        name: &own.name,
        color: own.color,
        median: summary.estimate.median,
        interval: summary.estimate.interval.map(Interval::ends),
        trials: summary.values.iter().map(|value| value.value).collect(),
    })
}
