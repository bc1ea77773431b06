//! Every system in every cell at a glance: small multiples, one axis for each metric.

use dbdyno_chart::Plot;
use dbdyno_chart::panel::{self, Panel};
use dbdyno_document::{Block, Media};

use super::plots::figure;
use crate::model::{Cell, Interval, Metric, Rank, ReportModel, Tone};
use crate::words::figures::{Medians, MetricFigures};
use crate::words::names::Named;

/// More panels than these, or more systems in one, are no glance.
const MOST_PANELS: usize = 12;
const MOST_SYSTEMS: usize = 8;

/// Panels of the metrics in which systems are compared: throughput without a rate, latency at one. Nothing where they are too
/// many; every cell has figures of its own.
pub fn block(model: &ReportModel) -> Option<Block> {
    let of_metric = |(metric, title): (Metric, &str)| -> Vec<Block> {
        let cells: Vec<&Cell> = model
            .cells
            .iter()
            .filter(|cell| is_compared(cell, metric))
            .collect();
        let drawn = figures(model, &cells, metric, title);
        if drawn.is_empty() {
            return Vec::new();
        }
        let note = format!("{title}, median over trials. Lines are 95% intervals; all panels share an axis.");
        vec![Block::Figures(drawn), Block::note(note)]
    };
    let blocks: Vec<Block> = [
        (Metric::Throughput, "Throughput"),
        (Metric::LatencyP99, "p99 latency"),
    ]
    .into_iter()
    .flat_map(of_metric)
    .collect();
    (!blocks.is_empty()).then_some(Block::Only(Media::PAGE, blocks))
}

/// Whether the cell compares systems in the metric.
fn is_compared(cell: &Cell, metric: Metric) -> bool {
    let mut verdicts = cell.verdicts.iter();
    verdicts
        .any(|verdict| verdict.metric == metric && !matches!(verdict.tone, Tone::NotComparable | Tone::Plain))
}

fn figures(
    model: &ReportModel,
    cells: &[&Cell],
    metric: Metric,
    title: &str,
) -> Vec<dbdyno_document::Figure> {
    let panels: Vec<Panel<'_>> = cells.iter().map(|cell| of_cell(model, cell, metric)).collect();
    if panels.len() > MOST_PANELS || panels.iter().any(|panel| panel.rows.len() > MOST_SYSTEMS) {
        return Vec::new();
    }
    let plot = Plot {
        name: &metric.slug(),
        title,
        value: metric.column(),
        format: &|value| metric.format(value),
    };
    panel::panels(&panels, &plot).into_iter().map(figure).collect()
}

fn of_cell<'a>(model: &ReportModel, cell: &'a Cell, metric: Metric) -> Panel<'a> {
    let is_twin = |name: &str| {
        let mut systems = model.systems.iter();
        systems.any(|system| system.name == name && system.twin_of.is_some())
    };
    let rows = cell.systems.iter().filter(|own| !is_twin(&own.name));
    let row = |own: &'a crate::model::CellSystem| {
        let estimate = &own.metric(metric)?.estimate;
        let rank = cell.rank(&own.name, metric);
        Some(panel::Row {
            name: &own.name,
            color: own.color,
            median: estimate.median,
            text: own.text(metric, estimate.median),
            interval: estimate.interval.map(Interval::ends),
            rank: rank.map_or("", Rank::name),
            is_best: rank == Some(Rank::Best),
        })
    };
    Panel {
        name: format!("{}-{}", metric.slug(), cell.id),
        title: cell.title.clone(),
        rows: rows.filter_map(row).collect(),
    }
}
