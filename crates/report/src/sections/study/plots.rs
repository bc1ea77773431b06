//! Figures: the model's values as the plain inputs of `dbdyno_chart`, and its drawings as parts of a document.

use dbdyno_analysis::cells::slug;
use dbdyno_chart::curve::{self, curve};
use dbdyno_chart::ratio::{self, ratio};
use dbdyno_chart::rising_load::{self, rising_load};
use dbdyno_chart::strip::{self, strip};
use dbdyno_chart::timeline::{self, timeline};
use dbdyno_chart::{Plot, WIDTH};
use dbdyno_document::Figure;

use super::resource::Resource;
use crate::model::{
    Cell, CellSystem, CurvePoint, Interval, MARGIN, Metric, RisingLoadCell, RisingLoadStep, RisingLoadSystem,
    System, Word,
};
use crate::number;
use crate::words::figures::{Medians, MetricFigures, latency_of_step};
use crate::words::names::Named;
use crate::words::starts::counted;

/// A drawing as a part of a document.
pub fn figure(drawn: dbdyno_chart::Figure) -> Figure {
    Figure {
        name: drawn.name,
        title: drawn.title,
        description: drawn.description,
        width: WIDTH,
        height: drawn.height,
        content: drawn.content,
        data: drawn.data.csv(),
    }
}

/// Every trial of one metric in a cell; `None` when no system has the metric.
pub fn trials(cell: &Cell, metric: Metric, title: &str) -> Option<Figure> {
    let rows: Vec<strip::Row<'_>> = cell
        .systems
        .iter()
        .filter_map(|system| trial_row(system, metric))
        .collect();
    let plot = Plot {
        name: &metric.slug(),
        title,
        value: metric.column(),
        format: &|value| metric.format(value),
    };
    strip(&rows, &plot, cell.pooled).map(figure)
}

fn trial_row(system: &CellSystem, metric: Metric) -> Option<strip::Row<'_>> {
    let summary = system.metric(metric)?;
    let values = summary.values.iter().map(|value| strip::Value {
        trial: &value.trial,
        block: value.block + 1,
        value: value.value,
        outlier: value.outlier.as_deref(),
    });
    Some(strip::Row {
        name: &system.name,
        color: system.color,
        median: summary.estimate.median,
        median_text: system.text(metric, summary.estimate.median),
        counted: counted(&summary.estimate),
        interval: summary.estimate.interval.map(Interval::ends),
        values: values.collect(),
    })
}

/// The latency of one kind of operation in a cell, by percentile; `None` without a single latency.
pub fn percentiles(cell: &Cell, operation: &str) -> Option<Figure> {
    let lines: Vec<curve::Line<'_>> = cell
        .systems
        .iter()
        .filter_map(|system| curve_line(system, operation))
        .collect();
    let title = format!("Latency of {operation}");
    let plot = Plot {
        name: &slug(&title),
        title: &title,
        value: "latency_ns",
        format: &number::duration_ns,
    };
    curve(&lines, &plot, cell.pooled).map(figure)
}

fn curve_line<'a>(system: &'a CellSystem, operation: &str) -> Option<curve::Line<'a>> {
    let mut operations = system.operations.iter();
    let operation = operations.find(|known| known.name == operation)?;
    let trials = operation.trial_curves.iter().map(|trial| curve::Trial {
        name: &trial.trial,
        points: curve_points(&trial.points),
    });
    Some(curve::Line {
        name: &system.name,
        color: system.color,
        points: curve_points(&operation.curve),
        trials: trials.collect(),
    })
}

fn curve_points(points: &[CurvePoint]) -> Vec<curve::Point> {
    let point = |point: &CurvePoint| {
        Some(curve::Point {
            percentile: point.percentile,
            value: point.latency_ns? as f64,
        })
    };
    points.iter().filter_map(point).collect()
}

/// Throughput or p99 latency of a cell over time; `None` for other metrics, and when no trial has more than one point.
pub fn over_time(cell: &Cell, metric: Metric, title: &str) -> Option<Figure> {
    let name = match metric {
        Metric::Throughput => "throughput-over-time",
        Metric::LatencyP99 => "p99-latency-over-time",
        Metric::LatencyP50 | Metric::LoadThroughput => return None,
    };
    let systems: Vec<timeline::System<'_>> = cell
        .systems
        .iter()
        .map(|system| timeline::System {
            name: &system.name,
            color: system.color,
            trials: time_lines(system, metric),
        })
        .collect();
    let plot = Plot {
        name,
        title,
        value: metric.column(),
        format: &|value| metric.format(value),
    };
    timeline(&systems, &plot, cell.pooled).map(figure)
}

fn time_lines(system: &CellSystem, metric: Metric) -> Vec<timeline::Trial<'_>> {
    let lines = system.timelines.iter();
    lines
        .map(|line| timeline::Trial {
            name: &line.trial,
            points: line
                .points
                .iter()
                .map(|point| timeline::Point {
                    at_s: point.at_s,
                    value: match metric {
                        Metric::Throughput => Some(point.rate),
                        _ => point.p99_ns,
                    },
                })
                .collect(),
            changes_s: &line.changes_s,
        })
        .collect()
}

/// What client or servers used over time, all trials of a system together; `None` without two stretches of time.
pub fn usage(lines: &[UsageLine<'_>], resource: Resource, pooled: bool) -> Option<Figure> {
    let systems: Vec<timeline::System<'_>> = lines
        .iter()
        .map(|line| timeline::System {
            name: line.system,
            color: line.color,
            trials: line
                .trials
                .iter()
                .map(|(name, points)| timeline::Trial {
                    name,
                    points: points
                        .iter()
                        .map(|(at_s, value)| timeline::Point {
                            at_s: *at_s,
                            value: value.map(|value| resource.drawn(value)),
                        })
                        .collect(),
                    changes_s: &[],
                })
                .collect(),
        })
        .collect();
    let plot = Plot {
        name: resource.slug(),
        title: resource.title(),
        value: resource.column(),
        format: &|value| resource.format_drawn(value),
    };
    timeline(&systems, &plot, pooled).map(figure)
}

/// What one system used over time: for each trial, the seconds and the values there.
pub struct UsageLine<'a> {
    /// Name of the system.
    pub system: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// Name and points of each trial.
    pub trials: Vec<(&'a str, Vec<UsagePoint>)>,
}

/// Seconds since the measured phase began, and what was used from then on.
pub type UsagePoint = (f64, Option<f64>);

/// One latency of every step against its throughput; `None` without a single step.
pub fn against_throughput(
    cell: &RisingLoadCell,
    metric: Metric,
    objective_ns: Option<f64>,
    title: &str,
) -> Option<Figure> {
    let (name, value) = match metric {
        Metric::LatencyP50 => ("p50-against-throughput", "p50_latency_ns"),
        Metric::LatencyP99 => ("p99-against-throughput", "p99_latency_ns"),
        Metric::Throughput | Metric::LoadThroughput => return None,
    };
    let lines: Vec<rising_load::Line<'_>> = cell
        .systems
        .iter()
        .map(|system| rising_line(system, metric))
        .collect();
    let plot = Plot {
        name,
        title,
        value,
        format: &|value| metric.format(value),
    };
    rising_load(&lines, &plot, objective_ns).map(figure)
}

/// The throughput that a figure marks with a line: the capacity or the knee, where one was found.
pub fn marked(system: &RisingLoadSystem) -> Option<f64> {
    let capacity = system.capacity.as_ref();
    let held = capacity.and_then(|capacity| capacity.held);
    held.or(system.knee.as_ref().map(|knee| knee.throughput.median))
}

fn rising_line(system: &RisingLoadSystem, metric: Metric) -> rising_load::Line<'_> {
    rising_load::Line {
        name: &system.name,
        color: system.color,
        sentence: &system.sentence,
        marked: marked(system),
        steps: system
            .steps
            .iter()
            .filter_map(|step| step_of(system, step, metric))
            .collect(),
    }
}

fn step_of(system: &RisingLoadSystem, step: &RisingLoadStep, metric: Metric) -> Option<rising_load::Step> {
    let latency = &step.latency(metric)?.estimate;
    Some(rising_load::Step {
        rate: step.rate,
        clients: step.clients,
        throughput: step.throughput.estimate.median,
        latency: latency.median,
        interval: latency.interval.map(Interval::ends),
        at_least: step.at_least.contains(&metric),
        trials: step.trials,
        sustained: step.sustained,
        text: step_text(system, step),
    })
}

/// What a step shows when it is pointed at.
fn step_text(system: &RisingLoadSystem, step: &RisingLoadStep) -> String {
    let asked = step.rate.map_or_else(
        || number::plural(step.clients as usize, "client", "clients"),
        |rate| format!("asked {}", number::rate(rate)),
    );
    let latency = |name: &str, metric: Metric| {
        let Some(median) = latency_of_step(step, metric) else {
            return String::new();
        };
        let interval = step.latency(metric).and_then(|latency| latency.estimate.interval);
        let interval = interval.map_or_else(String::new, |interval| {
            format!(
                " ({} to {})",
                metric.format(interval.low),
                metric.format(interval.high)
            )
        });
        format!("\n{name} {median}{interval}")
    };
    format!(
        "{}: {asked}, achieved {}{}{}\n{} {}",
        system.name,
        number::rate(step.throughput.estimate.median),
        latency("p50", Metric::LatencyP50),
        latency("p99", Metric::LatencyP99),
        if step.kept.is_some() {
            "objective kept in"
        } else {
            "rate held in"
        },
        kept_of_trials(step)
    )
}

/// How many trials kept the objective, or, without one, the rate.
pub fn kept_of_trials(step: &RisingLoadStep) -> String {
    format!("{} of {}", step.kept.unwrap_or(step.sustained), step.trials)
}

/// The systems of a study, as a figure's legend takes them.
pub fn names_and_colors(systems: &[System]) -> Vec<(&str, usize)> {
    let systems = systems.iter();
    systems
        .map(|system| (system.name.as_str(), system.color))
        .collect()
}

/// All systems against `reference` in one metric, cell by cell; `None` when nothing was compared with it.
pub fn ratios(
    cells: &[Cell],
    systems: &[System],
    reference: &str,
    metric: Metric,
    title: &str,
) -> Option<Figure> {
    let rows: Vec<ratio::Row<'_>> = cells
        .iter()
        .map(|cell| ratio::Row {
            title: &cell.title,
            points: systems
                .iter()
                .filter_map(|system| ratio_of(cell, system, reference, metric))
                .collect(),
        })
        .collect();
    let names = names_and_colors(systems);
    let plot = ratio::Ratios {
        name: &format!("{}-ratio", metric.slug()),
        title,
        value: &format!("{}_ratio", metric.slug().replace('-', "_")),
        reference,
        quantity: metric.quantity(),
        margin: MARGIN,
        systems: &names,
    };
    ratio(&rows, &plot).map(figure)
}

fn ratio_of<'a>(
    cell: &Cell,
    system: &'a System,
    reference: &str,
    metric: Metric,
) -> Option<ratio::Point<'a>> {
    let compared = |a: &str, b: &str| {
        cell.comparisons.iter().find(|comparison| {
            comparison.metric == metric
                && comparison.word != Word::NotComparable
                && comparison.a == a
                && comparison.b == b
        })
    };
    let (ratio, interval, word) = if let Some(straight) = compared(&system.name, reference) {
        (
            straight.ratio,
            straight.interval.map(Interval::ends),
            straight.word,
        )
    } else {
        let reversed = compared(reference, &system.name)?;
        let interval = reversed
            .interval
            .map(Interval::ends)
            .map(|(low, high)| (1.0 / high, 1.0 / low));
        (1.0 / reversed.ratio, interval, reversed.word.reversed())
    };
    ratio.is_finite().then_some(ratio::Point {
        system: &system.name,
        color: system.color,
        ratio,
        interval,
        verdict: word.name(),
        undecided: word == Word::Undecided,
    })
}
