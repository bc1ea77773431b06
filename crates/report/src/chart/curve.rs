//! Latency by percentile, the tail spread out: each further nine is one step.

use maud::html;

use super::frame;
use super::scale::{Scale, nines};
use super::{Data, Figure, WIDTH, area, axis_label, color_class, path, place, shortened};
use crate::model::cells::slug;
use crate::model::{CurvePoint, OperationSummary};
use crate::number;

const TOP: f64 = 8.0;
const BOTTOM: f64 = 190.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 72.0;

/// The percentiles at the axis.
const TICKS: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];
/// The percentiles that can be pointed at.
const HOVER: [f64; 9] = [10.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.99];

/// One system's line.
pub struct Line<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// What to draw.
    pub operation: &'a OperationSummary,
}

/// The figure; `None` without a single latency.
/// `pooled` shows what single trials did as a band.
pub fn curve(lines: &[Line<'_>], pooled: bool, title: &str) -> Option<Figure> {
    let lines: Vec<&Line<'_>> = lines
        .iter()
        .filter(|line| !line.operation.curve.is_empty())
        .collect();
    let latencies = || {
        lines
            .iter()
            .flat_map(|line| {
                line.operation
                    .curve
                    .iter()
                    .chain(line.operation.trial_curves.iter().flat_map(|curve| &curve.points))
            })
            .filter_map(|point| {
                point
                    .latency_ns
                    .map(|latency| (point.percentile, (latency as f64).max(1.0)))
            })
    };
    let furthest = latencies().map(|(percentile, _)| percentile).reduce(f64::max)?;
    let low = latencies().map(|(_, latency)| latency).reduce(f64::min)?;
    let high = latencies().map(|(_, latency)| latency).reduce(f64::max)?;
    let x = Scale::linear(0.0, nines(furthest).max(1.0), LEFT, RIGHT);
    let y = Scale::logarithmic(low, high, BOTTOM, TOP);
    let x_ticks: Vec<(f64, String)> = TICKS
        .iter()
        .filter(|&&percentile| percentile <= furthest)
        .map(|&percentile| (nines(percentile), number::percentile(percentile)))
        .collect();
    let y_ticks: Vec<(f64, String)> = y
        .ticks(5)
        .into_iter()
        .map(|value| (value, axis_label(&number::duration_ns(value))))
        .collect();
    let mut labels: Vec<(f64, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| Some((y.place(line.operation.curve.last()?.latency_ns? as f64), index)))
        .collect();
    frame::spread_apart(&mut labels, 13.0, TOP + 4.0, BOTTOM);
    let draw = |points: &[CurvePoint]| {
        path(points.iter().map(|point| {
            Some((
                x.place(nines(point.percentile)),
                y.place(point.latency_ns? as f64),
            ))
        }))
    };
    let ends: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let last = line.operation.curve.last()?;
            let latency = number::duration_ns(last.latency_ns? as f64);
            Some(format!(
                "{} {latency} at {}",
                line.name,
                number::percentile(last.percentile)
            ))
        })
        .collect();
    Some(Figure {
        name: slug(title),
        title: title.to_owned(),
        description: format!("{title}: {}.", ends.join(", ")),
        height: BOTTOM + 22.0,
        content: html! {
            (frame::vertical_grid(&x, &x_ticks, TOP, BOTTOM))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            @for line in &lines {
                g class=(color_class(line.color)) {
                    @if pooled {
                        path class="band" d=(band(line.operation, &x, &y)) {}
                    } @else {
                        @for trial in line.operation.trial_curves.iter().filter(|trial| trial.points.len() > 1) {
                            path class="trial" d=(draw(&trial.points)) {}
                        }
                    }
                    path class="line" d=(draw(&line.operation.curve)) {}
                }
            }
            @for (y, index) in &labels {
                @let line = lines[*index];
                text class=(format!("label {}", color_class(line.color))) x=(place(RIGHT + 6.0)) y=(place(y + 3.5)) {
                    (shortened(line.name, 11))
                }
            }
            (frame::hover_columns(&columns(&lines, &x, furthest), TOP, BOTTOM))
        },
        data: data(&lines, pooled),
    })
}

/// At each percentile the lowest and the highest latency of single trials.
fn extremes(operation: &OperationSummary) -> Vec<(f64, u64, u64)> {
    let points = || operation.trial_curves.iter().flat_map(|curve| &curve.points);
    let mut percentiles: Vec<f64> = points().map(|point| point.percentile).collect();
    percentiles.sort_by(f64::total_cmp);
    percentiles.dedup();
    percentiles
        .into_iter()
        .filter_map(|percentile| {
            let here = || {
                points()
                    .filter(|point| point.percentile == percentile)
                    .filter_map(|point| point.latency_ns)
            };
            Some((percentile, here().min()?, here().max()?))
        })
        .collect()
}

fn band(operation: &OperationSummary, x: &Scale, y: &Scale) -> String {
    let extremes = extremes(operation);
    let along = |of: fn(&(f64, u64, u64)) -> u64| -> Vec<(f64, f64)> {
        let places = extremes.iter();
        places
            .map(|point| (x.place(nines(point.0)), y.place(of(point) as f64)))
            .collect()
    };
    area(&along(|point| point.1), &along(|point| point.2))
}

/// The merged lines and the trials' own, or the ends of their band.
fn data(lines: &[&Line<'_>], pooled: bool) -> Data {
    let mut data = Data::new(["system", "line", "trial", "percentile", "latency_ns"]);
    for line in lines {
        let mut add = |kind: &str, trial: &str, points: &[CurvePoint]| {
            for point in points {
                if let Some(latency) = point.latency_ns {
                    data.row([&line.name, &kind, &trial, &point.percentile, &latency]);
                }
            }
        };
        add("merged", "", &line.operation.curve);
        if !pooled {
            let drawn = line.operation.trial_curves.iter();
            for curve in drawn.filter(|curve| curve.points.len() > 1) {
                add("trial", &curve.trial, &curve.points);
            }
            continue;
        }
        for (percentile, low, high) in extremes(line.operation) {
            data.row([&line.name, &"lowest", &"", &percentile, &low]);
            data.row([&line.name, &"highest", &"", &percentile, &high]);
        }
    }
    data
}

fn columns(lines: &[&Line<'_>], x: &Scale, furthest: f64) -> Vec<(f64, f64, String)> {
    let shown: Vec<f64> = HOVER
        .into_iter()
        .filter(|&percentile| percentile <= furthest)
        .collect();
    let at = |index: usize| x.place(nines(shown[index]));
    (0..shown.len())
        .map(|index| {
            let from = if index == 0 {
                LEFT
            } else {
                f64::midpoint(at(index - 1), at(index))
            };
            let to = if index + 1 == shown.len() {
                RIGHT
            } else {
                f64::midpoint(at(index), at(index + 1))
            };
            let mut text = number::percentile(shown[index]);
            for line in lines {
                let point = line
                    .operation
                    .curve
                    .iter()
                    .find(|point| point.percentile == shown[index]);
                if let Some(latency) = point.and_then(|point| point.latency_ns) {
                    text.push_str(&format!(
                        "\n{}: {}",
                        line.name,
                        number::duration_ns(latency as f64)
                    ));
                }
            }
            (from, to, text)
        })
        .collect()
}
