//! All trials in the order in which they ran: whether the study drifted, and which trials stand out or are in doubt.

use dbdyno_chart::Plot;
use dbdyno_chart::run_order::{self, run_order};
use dbdyno_document::{Block, Figure, Media, Section};

use super::plots::figure;
use crate::model::{MARGIN, Metric, OrderedTrial, ReportModel, RunOrder};
use crate::number;
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

/// More trials than these share one path for each system, or the page would grow past a megabyte.
const MOST_SINGLE: usize = 120;

/// The section, for pages: text has the findings. `None` where there are too few trials, and for systems at rising load.
pub fn section(model: &ReportModel) -> Option<Section> {
    let figures: Vec<Figure> = model
        .run_order
        .iter()
        .filter_map(|order| drawn(model, order))
        .collect();
    if figures.is_empty() {
        return None;
    }
    let note = format!(
        "Each mark is a trial, relative to the median of its system in its workload. A cross was disturbed, interrupted or failed, or is \
         invalid; a hollow dot stands out; a triangle lies beyond the axis. The line is the median of successive trials that are sound: \
         where it rises or falls, the whole study drifted. The shaded band is the margin of {}.",
        number::share(MARGIN)
    );
    let body = vec![Block::Figures(figures), Block::note(note)];
    Some(Section::new(
        "run-order",
        "All trials in run order",
        vec![Block::Only(Media::PAGE, body)],
    ))
}

fn drawn(model: &ReportModel, order: &RunOrder) -> Option<Figure> {
    let trials: Vec<run_order::Trial<'_>> = order.trials.iter().map(trial).collect();
    let systems: Vec<(&str, usize)> = model
        .systems
        .iter()
        .map(|system| (system.name.as_str(), system.color))
        .collect();
    let (quantity, which) = match order.metric {
        Metric::Throughput => ("Throughput", " of trials without a rate"),
        _ => ("p99 latency", " of trials at a rate"),
    };
    // The words that tell the two figures apart are needed only where there are two.
    let which = if model.run_order.len() > 1 { which } else { "" };
    let title = format!("{quantity}{which} in run order, relative to its median");
    let plot = Plot {
        name: &format!("{}-in-run-order", order.metric.slug()),
        title: &title,
        value: order.metric.column(),
        format: &|value| order.metric.format(value),
    };
    let pooled = trials.len() > MOST_SINGLE;
    run_order(&trials, &systems, &plot, MARGIN, pooled).map(figure)
}

fn trial(trial: &OrderedTrial) -> run_order::Trial<'_> {
    run_order::Trial {
        name: &trial.trial,
        system: &trial.system,
        cell: &trial.cell,
        place: trial.place,
        value: trial.value,
        relative: trial.relative,
        doubt: trial.doubt.as_deref(),
        outlier: trial.outlier.as_deref(),
    }
}
