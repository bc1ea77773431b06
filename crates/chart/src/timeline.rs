//! A quantity over time: one thin line for each trial, the warm-up shaded.

use dbdyno_vocabulary::{shown_name, words};
use maud::html;

use crate::frame::Direction;
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, area, color_class, frame, or_empty, place, steps};

/// Height of the plot.
const PLOT: f64 = 140.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 10.0;
/// How wide the shaded warm-up must be to be named.
const WARMUP_LABEL: f64 = 46.0;
/// Columns that can be pointed at.
const COLUMNS: usize = 12;
/// About how many values the upright axis names.
const TICKS: usize = 4;

/// One system's lines.
pub struct System<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// One line for each trial.
    pub trials: Vec<Trial<'a>>,
}

/// One trial over time.
pub struct Trial<'a> {
    /// Name of the trial.
    pub name: &'a str,
    /// In order of time.
    pub points: Vec<Point>,
    /// Seconds at which the level changed.
    pub changes_s: &'a [f64],
}

/// One stretch of time.
#[derive(Clone, Copy)]
pub struct Point {
    /// Seconds since the measured phase began; negative in the warm-up.
    pub at_s: f64,
    /// The value there, where it is known.
    pub value: Option<f64>,
}

impl<'a> System<'a> {
    /// The trials that make a line: more than a single point.
    fn lines(&self) -> impl Iterator<Item = &Trial<'a>> {
        self.trials.iter().filter(|trial| trial.points.len() > 1)
    }
}

impl Trial<'_> {
    /// From where to where each value holds; the last as long as the one before.
    fn stretches(&self) -> Vec<(f64, f64, Option<f64>)> {
        let last = self.points.windows(2).last();
        let last = last.map_or(1.0, |pair| pair[1].at_s - pair[0].at_s);
        let ends = self.points.iter().skip(1).map(|point| point.at_s);
        let ends = ends.chain(self.points.last().map(|point| point.at_s + last));
        let points = self.points.iter().zip(ends);
        points
            .map(|(point, end)| (point.at_s, end, point.value))
            .collect()
    }
}

/// The figure; `None` when no trial has more than one point. `pooled` shows all trials of a system together.
pub fn timeline(systems: &[System<'_>], plot: &Plot<'_>, pooled: bool) -> Option<Figure> {
    let points = || {
        systems
            .iter()
            .flat_map(|system| system.lines())
            .flat_map(|line| &line.points)
    };
    let begin = points().map(|point| point.at_s).reduce(f64::min)?;
    let lines = systems.iter().flat_map(|system| system.lines());
    let end = lines
        .filter_map(|line| line.stretches().last().map(|(_, end, _)| *end))
        .reduce(f64::max)?;
    let values: Vec<f64> = points().filter_map(|point| point.value).collect();
    let legend = frame::Legend::new(
        systems
            .iter()
            .filter(|system| system.lines().next().is_some())
            .map(|system| (system.name, system.color)),
    );
    let top = legend.height() + 6.0;
    let bottom = top + PLOT;
    let x = Scale::linear(begin, end.max(begin + 1.0), LEFT, RIGHT);
    let y = Scale::fitting(&values, bottom, top);
    let x_ticks = x.marks(6, |value| format!("{} s", (value * 1e3).round() / 1e3));
    let other = frame::other_axis(Direction::Up, &y, &values, TICKS, plot);
    let y_ticks = y.marks(TICKS, |value| plot.tick_or_zero(value));
    let zero = x.place(0.0);
    let names: Vec<_> = systems
        .iter()
        .filter(|system| !system.trials.is_empty())
        .map(|system| shown_name(system.name))
        .collect();
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title_over(&y),
        description: format!(
            "{}, {} of {}.",
            plot.title,
            if pooled {
                "median and range over the trials"
            } else {
                "one line for each trial"
            },
            words::list(&names)
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
            g data-axis=[other] { (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT)) }
            @for system in systems {
                g class=(color_class(system.color)) data-series=(system.name) {
                    @if pooled {
                        @let pool = pool(system, begin, end);
                        @let along = |of: fn(&Pooled) -> f64| -> Vec<(f64, f64)> {
                            let ends = |point: &Pooled| [point.at_s, point.end_s].map(|at_s| (x.place(at_s), y.place(of(point))));
                            pool.iter().flat_map(ends).collect()
                        };
                        path class="band" d=(area(&along(|point| point.low), &along(|point| point.high))) {}
                        path class="trace" d=(steps(pool.iter().map(|point| {
                            (x.place(point.at_s), x.place(point.end_s), Some(y.place(point.median)))
                        }))) {}
                    } @else {
                        @for trial in system.lines() {
                            path class="trace" d=(steps(trial.stretches().into_iter().map(|(from, to, value)| {
                                (x.place(from), x.place(to), value.map(|value| y.place(value)))
                            }))) {}
                            @for (at_s, value) in changes(trial) {
                                circle class="ring" cx=(place(x.place(at_s))) cy=(place(y.place(value))) r="3.2" {
                                    title { (shown_name(system.name)) ", " (trial.name) ": another level from " (at_s) " s on" }
                                }
                            }
                        }
                    }
                }
            }
            (frame::hover_columns(&columns(systems, plot, &x, begin, end), top, bottom))
        },
        data: if pooled {
            pooled_data(systems, plot, begin, end)
        } else {
            data(systems, plot)
        },
    })
}

/// Where the level of a trial changed, and what was measured there.
fn changes(trial: &Trial<'_>) -> impl Iterator<Item = (f64, f64)> {
    trial.changes_s.iter().filter_map(|&at_s| {
        let point = trial.points.iter().find(|point| point.at_s >= at_s)?;
        Some((at_s, point.value?))
    })
}

/// All trials of a system in one stretch of time.
struct Pooled {
    at_s: f64,
    end_s: f64,
    median: f64,
    low: f64,
    high: f64,
}

/// As many stretches as the longest trial has points: trials of one cell are thinned alike.
fn pool(system: &System<'_>, begin: f64, end: f64) -> Vec<Pooled> {
    let most = system.trials.iter().map(|trial| trial.points.len()).max();
    let stretches = most.unwrap_or_default();
    let width = (end - begin).max(f64::EPSILON) / stretches.max(1) as f64;
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); stretches];
    for point in system.trials.iter().flat_map(|trial| &trial.points) {
        let place = ((point.at_s - begin) / width).round() as usize;
        if let (Some(value), Some(here)) = (point.value, values.get_mut(place)) {
            here.push(value);
        }
    }
    let stretches = values.into_iter().enumerate();
    stretches
        .filter_map(|(place, mut values)| {
            values.sort_by(f64::total_cmp);
            let from = |place: usize| ((begin + width * place as f64) * 1e3).round() / 1e3;
            Some(Pooled {
                at_s: from(place),
                end_s: from(place + 1),
                median: values.get(values.len() / 2).copied()?,
                low: *values.first()?,
                high: *values.last()?,
            })
        })
        .collect()
}

fn pooled_data(systems: &[System<'_>], plot: &Plot<'_>, begin: f64, end: f64) -> Data {
    let mut data = Data::new(["system", "line", "at_s", plot.value]);
    for system in systems {
        for point in pool(system, begin, end) {
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
fn data(systems: &[System<'_>], plot: &Plot<'_>) -> Data {
    let mut data = Data::new(["system", "trial", "at_s", plot.value]);
    for system in systems {
        for trial in system.lines() {
            for point in &trial.points {
                data.row([&system.name, &trial.name, &point.at_s, &or_empty(point.value)]);
            }
        }
    }
    data
}

fn columns(
    systems: &[System<'_>],
    plot: &Plot<'_>,
    x: &Scale,
    begin: f64,
    end: f64,
) -> Vec<(f64, f64, String)> {
    let width = (end - begin).max(f64::EPSILON) / COLUMNS as f64;
    (0..COLUMNS)
        .map(|column| {
            let from = begin + width * column as f64;
            let to = from + width;
            let inside = |point: &&Point| point.at_s >= from && (point.at_s < to || column + 1 == COLUMNS);
            let mut text = format!("{from:.0} to {to:.0} s");
            for system in systems {
                let values: Vec<f64> = system
                    .trials
                    .iter()
                    .flat_map(|trial| trial.points.iter().filter(inside))
                    .filter_map(|point| point.value)
                    .collect();
                let (low, high) = values
                    .iter()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                        (low.min(*value), high.max(*value))
                    });
                if !values.is_empty() {
                    text.push_str(&format!(
                        "\n{}: {} to {}",
                        shown_name(system.name),
                        (plot.format)(low),
                        (plot.format)(high)
                    ));
                }
            }
            (x.place(from), x.place(to), text)
        })
        .collect()
}
