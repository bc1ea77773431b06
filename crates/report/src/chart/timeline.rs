//! A quantity over time: one thin line for each trial, the warm-up shaded.

use maud::html;

use super::scale::Scale;
use super::{Data, Figure, WIDTH, area, axis_label, color_class, frame, or_empty, path, place};
use crate::model::{CellSystem, Metric, TimePoint, Timeline};
use crate::number;

/// Height of the plot.
const PLOT: f64 = 140.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 10.0;
/// How wide the shaded warm-up must be to be named.
const WARMUP_LABEL: f64 = 46.0;
/// Columns that can be pointed at.
const COLUMNS: usize = 12;

/// What is drawn over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Successful operations per second.
    Rate,
    /// 99th percentile of each interval.
    LatencyP99,
}

impl Quantity {
    fn of(self, point: &TimePoint) -> Option<f64> {
        match self {
            Self::Rate => Some(point.rate),
            Self::LatencyP99 => point.p99_ns,
        }
    }

    fn slug(self) -> &'static str {
        match self {
            Self::Rate => "throughput-over-time",
            Self::LatencyP99 => "p99-latency-over-time",
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::Rate => Metric::Throughput.column(),
            Self::LatencyP99 => Metric::LatencyP99.column(),
        }
    }

    fn format(self, value: f64) -> String {
        match self {
            Self::Rate => number::rate(value),
            Self::LatencyP99 => number::duration_ns(value),
        }
    }
}

/// The figure; `None` when no trial has more than one point. `pooled` shows all trials of a system together.
pub fn timeline(systems: &[CellSystem], quantity: Quantity, pooled: bool, title: &str) -> Option<Figure> {
    let lines = || {
        systems
            .iter()
            .flat_map(|system| &system.timelines)
            .filter(|line| line.points.len() > 1)
    };
    let points = || lines().flat_map(|line| &line.points);
    let begin = points().map(|point| point.at_s).reduce(f64::min)?;
    let end = points().map(|point| point.at_s).reduce(f64::max)?;
    let values: Vec<f64> = points().filter_map(|point| quantity.of(point)).collect();
    let legend = frame::Legend::new(
        systems
            .iter()
            .filter(|system| system.timelines.iter().any(|line| line.points.len() > 1))
            .map(|system| (system.name.as_str(), system.color)),
    );
    let top = legend.height() + 6.0;
    let bottom = top + PLOT;
    let x = Scale::linear(begin.min(0.0), end.max(begin + 1.0), LEFT, RIGHT);
    let y = Scale::fitting(&values, bottom, top);
    let x_ticks: Vec<(f64, String)> = x
        .ticks(6)
        .into_iter()
        .map(|value| (value, format!("{} s", (value * 1e3).round() / 1e3)))
        .collect();
    let y_ticks: Vec<(f64, String)> = y
        .ticks(4)
        .into_iter()
        .map(|value| {
            let label = axis_label(&quantity.format(value));
            (value, if value == 0.0 { "0".to_owned() } else { label })
        })
        .collect();
    let zero = x.place(0.0);
    let names: Vec<&str> = systems
        .iter()
        .filter(|system| !system.timelines.is_empty())
        .map(|system| system.name.as_str())
        .collect();
    Some(Figure {
        name: quantity.slug().to_owned(),
        title: if y.is_logarithmic() {
            format!("{title}, logarithmic axis")
        } else {
            title.to_owned()
        },
        description: format!(
            "{title}, {} of {}.",
            if pooled {
                "median and range over the trials"
            } else {
                "one line for each trial"
            },
            number::list(&names)
        ),
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            @if begin < 0.0 {
                rect class="warmup" x=(place(LEFT)) y=(place(top)) width=(place(zero - LEFT)) height=(place(bottom - top)) {}
                @if zero - LEFT > WARMUP_LABEL {
                    text class="tick" x=(place(LEFT + 3.0)) y=(place(bottom - 4.0)) { "warm-up" }
                }
            }
            (frame::vertical_grid(&x, &x_ticks, top, bottom))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            @for system in systems {
                g class=(color_class(system.color)) {
                    @if pooled {
                        @let pool = pool(system, quantity, begin, end);
                        @let along = |of: fn(&Pooled) -> f64| -> Vec<(f64, f64)> {
                            pool.iter().map(|point| (x.place(point.at_s), y.place(of(point)))).collect()
                        };
                        path class="band" d=(area(&along(|point| point.low), &along(|point| point.high))) {}
                        path class="trace" d=(path(along(|point| point.median).into_iter().map(Some))) {}
                    } @else {
                        @for line in system.timelines.iter().filter(|line| line.points.len() > 1) {
                            path class="trace" d=(path(line.points.iter().map(|point| {
                                Some((x.place(point.at_s), y.place(quantity.of(point)?)))
                            }))) {}
                            @for (at_s, value) in changes(line, quantity) {
                                circle class="ring" cx=(place(x.place(at_s))) cy=(place(y.place(value))) r="3.2" {
                                    title { (system.name) ", " (line.trial) ": another level from " (at_s) " s on" }
                                }
                            }
                        }
                    }
                }
            }
            (frame::hover_columns(&columns(systems, quantity, &x, begin, end), top, bottom))
        },
        data: if pooled {
            pooled_data(systems, quantity, begin, end)
        } else {
            data(systems, quantity)
        },
    })
}

/// Where the level of a trial changed, and what was measured there.
fn changes(line: &Timeline, quantity: Quantity) -> impl Iterator<Item = (f64, f64)> {
    line.changes_s.iter().filter_map(move |&at_s| {
        let point = line.points.iter().find(|point| point.at_s >= at_s)?;
        Some((at_s, quantity.of(point)?))
    })
}

/// All trials of a system in one stretch of time.
struct Pooled {
    at_s: f64,
    median: f64,
    low: f64,
    high: f64,
}

/// As many stretches as the longest trial has points: trials of one cell are thinned alike.
fn pool(system: &CellSystem, quantity: Quantity, begin: f64, end: f64) -> Vec<Pooled> {
    let most = system.timelines.iter().map(|line| line.points.len()).max();
    let stretches = most.unwrap_or_default();
    let width = (end - begin).max(f64::EPSILON) / stretches.saturating_sub(1).max(1) as f64;
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); stretches];
    for point in system.timelines.iter().flat_map(|line| &line.points) {
        let place = ((point.at_s - begin) / width).round() as usize;
        if let (Some(value), Some(here)) = (quantity.of(point), values.get_mut(place)) {
            here.push(value);
        }
    }
    let stretches = values.into_iter().enumerate();
    stretches
        .filter_map(|(place, mut values)| {
            values.sort_by(f64::total_cmp);
            Some(Pooled {
                at_s: ((begin + width * place as f64) * 1e3).round() / 1e3,
                median: values.get(values.len() / 2).copied()?,
                low: *values.first()?,
                high: *values.last()?,
            })
        })
        .collect()
}

fn pooled_data(systems: &[CellSystem], quantity: Quantity, begin: f64, end: f64) -> Data {
    let mut data = Data::new(["system", "line", "at_s", quantity.column()]);
    for system in systems {
        for point in pool(system, quantity, begin, end) {
            for (line, value) in [
                ("median", point.median),
                ("lowest", point.low),
                ("highest", point.high),
            ] {
                data.row([&system.name, &line, &point.at_s, &value]);
            }
        }
    }
    data
}

/// Seconds count from the begin of the measured phase; the warm-up's are negative.
fn data(systems: &[CellSystem], quantity: Quantity) -> Data {
    let mut data = Data::new(["system", "trial", "at_s", quantity.column()]);
    for system in systems {
        for line in system.timelines.iter().filter(|line| line.points.len() > 1) {
            for point in &line.points {
                data.row([
                    &system.name,
                    &line.trial,
                    &point.at_s,
                    &or_empty(quantity.of(point)),
                ]);
            }
        }
    }
    data
}

fn columns(
    systems: &[CellSystem],
    quantity: Quantity,
    x: &Scale,
    begin: f64,
    end: f64,
) -> Vec<(f64, f64, String)> {
    let width = (end - begin).max(f64::EPSILON) / COLUMNS as f64;
    (0..COLUMNS)
        .map(|column| {
            let from = begin + width * column as f64;
            let to = from + width;
            let inside =
                |point: &&TimePoint| point.at_s >= from && (point.at_s < to || column + 1 == COLUMNS);
            let mut text = format!("{from:.0} to {to:.0} s");
            for system in systems {
                let values: Vec<f64> = system
                    .timelines
                    .iter()
                    .flat_map(|line| line.points.iter().filter(inside))
                    .filter_map(|point| quantity.of(point))
                    .collect();
                let (low, high) = values
                    .iter()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                        (low.min(*value), high.max(*value))
                    });
                if !values.is_empty() {
                    text.push_str(&format!(
                        "\n{}: {} to {}",
                        system.name,
                        quantity.format(low),
                        quantity.format(high)
                    ));
                }
            }
            (x.place(from), x.place(to), text)
        })
        .collect()
}
