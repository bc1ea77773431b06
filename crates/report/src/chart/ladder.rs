//! Latency against throughput: one line for each system, its knee and the objective marked.

use maud::{Markup, html};

use super::frame::{self, Legend};
use super::scale::Scale;
use super::{Data, Figure, WIDTH, axis_label, color_class, or_empty, path, place};
use crate::model::{LadderCell, LadderStep, LadderSystem, Metric, Summary};
use crate::number;

const HEIGHT: f64 = 176.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = WIDTH - 12.0;

/// Which latency of the steps is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Percentile {
    /// The median.
    P50,
    /// The 99th percentile, with the objective if it speaks of one.
    P99,
}

impl Percentile {
    /// The figure's name in its section.
    fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50-against-throughput",
            Self::P99 => "p99-against-throughput",
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::P50 => "p50_latency_ns",
            Self::P99 => "p99_latency_ns",
        }
    }

    fn metric(self) -> Metric {
        match self {
            Self::P50 => Metric::LatencyP50,
            Self::P99 => Metric::LatencyP99,
        }
    }

    fn of(self, step: &LadderStep) -> Option<&Summary> {
        match self {
            Self::P50 => step.p50.as_ref(),
            Self::P99 => step.p99.as_ref(),
        }
    }
}

/// A step's place: throughput, latency.
fn point(step: &LadderStep, percentile: Percentile) -> Option<(f64, f64)> {
    let latency = percentile.of(step)?.estimate.median;
    (latency > 0.0).then_some((step.throughput.estimate.median, latency))
}

/// Whether most trials of a step came to their rate: a latency beyond that grows with the length of the trial.
fn sustained(step: &LadderStep) -> bool {
    2 * step.sustained > step.trials
}

/// The figure; `None` without a single step.
pub fn ladder(
    cell: &LadderCell,
    percentile: Percentile,
    objective_ns: Option<f64>,
    title: &str,
) -> Option<Figure> {
    let points = || {
        cell.systems
            .iter()
            .flat_map(|system| &system.steps)
            .filter_map(|step| point(step, percentile))
    };
    let most = points().map(|point| point.0).reduce(f64::max)?;
    let ends = || {
        let steps = cell.systems.iter().flat_map(|system| &system.steps);
        steps
            .filter_map(|step| percentile.of(step)?.estimate.interval)
            .flat_map(|interval| [interval.low, interval.high])
    };
    let latencies = || points().map(|point| point.1).chain(ends()).chain(objective_ns);
    let low = latencies().reduce(f64::min)?;
    let high = latencies().reduce(f64::max)?;
    let legend = Legend::new(
        cell.systems
            .iter()
            .map(|system| (system.name.as_str(), system.color)),
    );
    let top = legend.height() + 8.0;
    let bottom = top + HEIGHT;
    let x = Scale::from_zero(most, LEFT, RIGHT);
    let y = Scale::logarithmic(low, high, bottom, top);
    let x_ticks: Vec<(f64, String)> = x
        .ticks(4)
        .into_iter()
        .map(|value| (value, axis_label(&number::rate(value))))
        .collect();
    let y_ticks: Vec<(f64, String)> = y
        .ticks(5)
        .into_iter()
        .map(|value| (value, axis_label(&number::duration_ns(value))))
        .collect();
    let told: Vec<String> = cell
        .systems
        .iter()
        .map(|system| format!("{}: {}", system.name, system.sentence))
        .collect();
    Some(Figure {
        name: percentile.name().to_owned(),
        title: title.to_owned(),
        description: format!("{title}. {}.", told.join(". ")),
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            (frame::vertical_grid(&x, &x_ticks, top, bottom))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            @if let Some(objective) = objective_ns {
                @let at = place(y.place(objective));
                line class="objective" x1=(place(LEFT)) x2=(place(RIGHT)) y1=(at) y2=(at) {}
                text class="tick" x=(place(LEFT + 4.0)) y=(place(y.place(objective) - 4.0)) { "objective " (number::duration_ns(objective)) }
            }
            @for system in &cell.systems { (line(system, percentile, &x, &y, (top, bottom))) }
        },
        data: data(cell, percentile),
    })
}

fn data(cell: &LadderCell, percentile: Percentile) -> Data {
    let mut data = Data::new([
        "system",
        "clients",
        "asked_operations_per_second",
        "operations_per_second",
        percentile.column(),
        "interval_low",
        "interval_high",
        "lower_bound",
        "trials",
        "trials_at_rate",
    ]);
    for system in &cell.systems {
        for step in &system.steps {
            let Some((throughput, latency)) = point(step, percentile) else {
                continue;
            };
            let interval = percentile.of(step).and_then(|summary| summary.estimate.interval);
            data.row([
                &system.name,
                &step.clients,
                &or_empty(step.rate),
                &throughput,
                &latency,
                &or_empty(interval.map(|interval| interval.low)),
                &or_empty(interval.map(|interval| interval.high)),
                &step.at_least.contains(&percentile.metric()),
                &step.trials,
                &step.sustained,
            ]);
        }
    }
    data
}

fn line(
    system: &LadderSystem,
    percentile: Percentile,
    x: &Scale,
    y: &Scale,
    (top, bottom): (f64, f64),
) -> Markup {
    let mut steps: Vec<&LadderStep> = system
        .steps
        .iter()
        .filter(|step| point(step, percentile).is_some())
        .collect();
    steps.sort_by(|a, b| {
        let load = |step: &LadderStep| (step.rate.unwrap_or(0.0), step.clients);
        let (a, b) = (load(a), load(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    let at = |step: &LadderStep| {
        point(step, percentile).map(|(throughput, latency)| (x.place(throughput), y.place(latency)))
    };
    // What was marked: the edge of a capacity, or the knee.
    let marked = system
        .capacity
        .as_ref()
        .and_then(|capacity| capacity.held)
        .or(system.knee.as_ref().map(|knee| knee.throughput.median));
    html! {
        g class=(color_class(system.color)) {
            path class="line" d=(path(steps.iter().map(|step| at(step)))) {}
            @if let Some(marked) = marked {
                @let at = place(x.place(marked));
                line class="mark-line" x1=(at) x2=(at) y1=(place(top)) y2=(place(bottom)) {}
            }
            @for step in &steps {
                @if let Some((across, up)) = at(step) {
                    @if let Some(interval) = percentile.of(step).and_then(|summary| summary.estimate.interval.as_ref()) {
                        line class="whisker" x1=(place(across)) x2=(place(across)) y1=(place(y.place(interval.low))) y2=(place(y.place(interval.high))) {}
                    }
                    circle class=(if sustained(step) { "dot" } else { "dot outlier" }) cx=(place(across)) cy=(place(up)) r="3" {
                        title { (hover(system, step)) }
                    }
                }
            }
        }
    }
}

fn hover(system: &LadderSystem, step: &LadderStep) -> String {
    let asked = step.rate.map_or_else(
        || number::plural(step.clients as usize, "client", "clients"),
        |rate| format!("asked {}", number::rate(rate)),
    );
    let latency = |name: &str, percentile: Percentile| {
        let interval = percentile.of(step).and_then(|summary| summary.estimate.interval);
        let interval = interval.map_or_else(String::new, |interval| {
            format!(
                " ({} to {})",
                number::duration_ns(interval.low),
                number::duration_ns(interval.high)
            )
        });
        step.latency_text(percentile.metric())
            .map_or_else(String::new, |median| format!("\n{name} {median}{interval}"))
    };
    format!(
        "{}: {asked}, achieved {}{}{}\n{} {}",
        system.name,
        number::rate(step.throughput.estimate.median),
        latency("p50", Percentile::P50),
        latency("p99", Percentile::P99),
        if step.kept.is_some() {
            "objective kept in"
        } else {
            "rate held in"
        },
        crate::ladder_text::kept(step)
    )
}
