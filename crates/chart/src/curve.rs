//! Values by percentile, the tail spread out: each further nine is one step.

use dbdyno_vocabulary::{number, shown_name};
use maud::html;

use crate::frame::{self, Direction, Legend};
use crate::scale::{Scale, nines};
use crate::{Data, Figure, Plot, WIDTH, area, color_class, label, path, place};

const TOP: f64 = 8.0;
const HEIGHT: f64 = 182.0;
const LEFT: f64 = 46.0;
/// Names stand to the right of the lines' ends, so far apart; more than fit there stand in a legend.
const NAMES: f64 = 72.0;
const NAME: f64 = 13.0;
const MOST_NAMES: usize = 13;
/// About how many values the upright axis names.
const VALUES: usize = 5;

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
    /// All trials merged, in the order of percentiles.
    pub points: Vec<Point>,
    /// Each trial alone.
    pub trials: Vec<Trial<'a>>,
}

/// One trial's line.
pub struct Trial<'a> {
    /// Name of the trial.
    pub name: &'a str,
    /// In the order of percentiles.
    pub points: Vec<Point>,
}

/// One percentile.
#[derive(Clone, Copy)]
pub struct Point {
    /// 0 to 100.
    pub percentile: f64,
    /// The value there.
    pub value: f64,
}

/// The figure; `None` without a single value.
/// `pooled` shows what single trials did as a band.
pub fn curve(lines: &[Line<'_>], plot: &Plot<'_>, pooled: bool) -> Option<Figure> {
    let lines: Vec<&Line<'_>> = lines.iter().filter(|line| !line.points.is_empty()).collect();
    let points = || {
        lines.iter().flat_map(|line| {
            let trials = line.trials.iter().flat_map(|trial| &trial.points);
            line.points.iter().chain(trials)
        })
    };
    let values = || points().map(|point| point.value.max(1.0));
    let furthest = points().map(|point| point.percentile).reduce(f64::max)?;
    let low = values().reduce(f64::min)?;
    let high = values().reduce(f64::max)?;
    let is_named = lines.len() <= MOST_NAMES;
    let names = lines.iter().map(|line| (line.name, line.color));
    let legend = Legend::new(names.filter(|_| !is_named));
    let top = legend.height() + TOP;
    let bottom = top + HEIGHT;
    let right = WIDTH - if is_named { NAMES } else { 12.0 };
    let x = Scale::linear(0.0, nines(furthest).max(1.0), LEFT, right);
    let y = Scale::logarithmic(low, high, bottom, top);
    let drawn: Vec<f64> = points().map(|point| point.value).collect();
    let other = frame::other_axis(Direction::Up, &y, &drawn, VALUES, plot);
    let x_ticks: Vec<(f64, String)> = TICKS
        .iter()
        .filter(|&&percentile| percentile <= furthest)
        .map(|&percentile| (nines(percentile), number::percentile(percentile)))
        .collect();
    let y_ticks = y.marks(VALUES, |value| plot.tick(value));
    let mut labels: Vec<(f64, usize)> = lines
        .iter()
        .enumerate()
        .filter(|_| is_named)
        .filter_map(|(index, line)| Some((y.place(line.points.last()?.value), index)))
        .collect();
    frame::spread_apart(&mut labels, NAME, top + 4.0, bottom);
    let draw = |points: &[Point]| {
        path(
            points
                .iter()
                .map(|point| Some((x.place(nines(point.percentile)), y.place(point.value)))),
        )
    };
    let ends: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let last = line.points.last()?;
            Some(format!(
                "{} {} at {}",
                shown_name(line.name),
                (plot.format)(last.value),
                number::percentile(last.percentile)
            ))
        })
        .collect();
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title.to_owned(),
        description: format!("{}: {}.", plot.title, ends.join(", ")),
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            (frame::vertical_grid(&x, &x_ticks, top, bottom))
            g data-axis=[other] { (frame::horizontal_grid(&y, &y_ticks, LEFT, right)) }
            @for line in &lines {
                g class=(color_class(line.color)) data-series=(line.name) {
                    @if pooled {
                        path class="band" d=(band(line, &x, &y)) {}
                    } @else {
                        @for trial in line.trials.iter().filter(|trial| trial.points.len() > 1) {
                            path class="trial" d=(draw(&trial.points)) {}
                        }
                    }
                    path class="line" d=(draw(&line.points)) {}
                }
            }
            @for (y, index) in &labels {
                @let line = lines[*index];
                text class=(format!("label {}", color_class(line.color))) data-series=(line.name)
                    x=(place(right + 6.0)) y=(place(y + 3.5)) { (label(line.name, 10)) }
            }
            (frame::hover_columns(&columns(&lines, plot, &x, furthest), top, bottom))
        },
        data: data(&lines, plot, pooled),
    })
}

/// At each percentile the lowest and the highest value of single trials.
fn extremes(line: &Line<'_>) -> Vec<(f64, f64, f64)> {
    let points = || line.trials.iter().flat_map(|trial| &trial.points);
    let mut percentiles: Vec<f64> = points().map(|point| point.percentile).collect();
    percentiles.sort_by(f64::total_cmp);
    percentiles.dedup();
    percentiles
        .into_iter()
        .filter_map(|percentile| {
            let here = || {
                points()
                    .filter(|point| point.percentile == percentile)
                    .map(|point| point.value)
            };
            Some((percentile, here().reduce(f64::min)?, here().reduce(f64::max)?))
        })
        .collect()
}

fn band(line: &Line<'_>, x: &Scale, y: &Scale) -> String {
    let extremes = extremes(line);
    let along = |of: fn(&(f64, f64, f64)) -> f64| -> Vec<(f64, f64)> {
        let places = extremes.iter();
        places
            .map(|point| (x.place(nines(point.0)), y.place(of(point))))
            .collect()
    };
    area(&along(|point| point.1), &along(|point| point.2))
}

/// The merged lines and the trials' own, or the ends of their band.
fn data(lines: &[&Line<'_>], plot: &Plot<'_>, pooled: bool) -> Data {
    let mut data = Data::new(["system", "line", "trial", "percentile", plot.value]);
    for line in lines {
        let mut add = |kind: &str, trial: &str, points: &[Point]| {
            for point in points {
                data.row([&line.name, &kind, &trial, &point.percentile, &point.value]);
            }
        };
        add("merged", "", &line.points);
        if !pooled {
            let drawn = line.trials.iter();
            for trial in drawn.filter(|trial| trial.points.len() > 1) {
                add("trial", trial.name, &trial.points);
            }
            continue;
        }
        for (percentile, low, high) in extremes(line) {
            data.row([&line.name, &"lowest", &"", &percentile, &low]);
            data.row([&line.name, &"highest", &"", &percentile, &high]);
        }
    }
    data
}

fn columns(lines: &[&Line<'_>], plot: &Plot<'_>, x: &Scale, furthest: f64) -> Vec<(f64, f64, String)> {
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
                x.end()
            } else {
                f64::midpoint(at(index), at(index + 1))
            };
            let mut text = number::percentile(shown[index]);
            for line in lines {
                let point = line.points.iter().find(|point| point.percentile == shown[index]);
                if let Some(point) = point {
                    text.push_str(&format!(
                        "\n{}: {}",
                        shown_name(line.name),
                        (plot.format)(point.value)
                    ));
                }
            }
            (from, to, text)
        })
        .collect()
}
