//! One quantity of several systems, a line each that is as wide as the page has room for: every trial as a dot, the median, its interval.
//!
//! Places are percentages of the width, so that text keeps its size on a phone and on a wide screen.

use dbdyno_vocabulary::shown_name;
use maud::{Markup, html};

use crate::scale::Scale;
use crate::{axis_label, color_class, place};

/// Height of a line in pixels.
const HEIGHT: f64 = 24.0;
/// How far trials' dots are moved apart across the line, by turns.
const JITTER: [f64; 5] = [0.0, -4.0, 4.0, -2.0, 2.0];
/// About how many values the axis names.
const TICKS: usize = 4;

/// One system.
pub struct Lane<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// The median over trials.
    pub median: f64,
    /// The median's interval where there is one.
    pub interval: Option<(f64, f64)>,
    /// Every trial.
    pub trials: Vec<f64>,
}

/// The drawings of systems that share an axis.
pub struct Lanes {
    /// A drawing for each system, in their order.
    pub tracks: Vec<Markup>,
    /// The axis below them.
    pub axis: Markup,
    /// Whether equal distances are equal ratios.
    pub is_logarithmic: bool,
}

/// The drawings; `format` writes a value with its unit.
pub fn lanes(lanes: &[Lane<'_>], format: &dyn Fn(f64) -> String) -> Lanes {
    let values: Vec<f64> = lanes
        .iter()
        .flat_map(|lane| {
            let ends = lane.interval.into_iter().flat_map(|(low, high)| [low, high]);
            ends.chain([lane.median]).chain(lane.trials.iter().copied())
        })
        .collect();
    let scale = Scale::fitting(&values, 0.0, 100.0);
    let ticks = scale.marks(TICKS, |value| match value {
        0.0 => "0".to_owned(),
        value => axis_label(&format(value)),
    });
    let grid: Vec<f64> = ticks.iter().map(|(value, _)| scale.place(*value)).collect();
    Lanes {
        tracks: lanes
            .iter()
            .map(|lane| track(lane, format, &scale, &grid))
            .collect(),
        axis: axis(&scale, &ticks),
        is_logarithmic: scale.is_logarithmic(),
    }
}

fn percent(value: f64) -> String {
    place(value) + "%"
}

fn track(lane: &Lane<'_>, format: &dyn Fn(f64) -> String, scale: &Scale, grid: &[f64]) -> Markup {
    let middle = HEIGHT / 2.0;
    let at = |value: f64| percent(scale.place(value));
    let name = shown_name(lane.name);
    html! {
        svg class="chart track" height=(place(HEIGHT)) aria-hidden="true" xmlns="http://www.w3.org/2000/svg" {
            @for tick in grid {
                line class="grid" x1=(percent(*tick)) x2=(percent(*tick)) y1="0" y2=(place(HEIGHT)) {}
            }
            g class=(color_class(lane.color)) data-series=(lane.name) {
                @for (index, trial) in lane.trials.iter().enumerate() {
                    circle class="dot" cx=(at(*trial)) cy=(place(middle + JITTER[index % JITTER.len()])) r="3" {
                        title { (name) ", one trial: " (format(*trial)) }
                    }
                }
                @if let Some((low, high)) = lane.interval {
                    line class="whisker" x1=(at(low)) x2=(at(high)) y1=(place(middle)) y2=(place(middle)) {}
                }
                circle class="disc" cx=(at(lane.median)) cy=(place(middle)) r="5.5" {
                    title {
                        (name) ": median " (format(lane.median))
                        @if let Some((low, high)) = lane.interval { ", 95% interval " (format(low)) " to " (format(high)) }
                    }
                }
            }
        }
    }
}

fn axis(scale: &Scale, ticks: &[(f64, String)]) -> Markup {
    html! {
        svg class="chart track axis" height="16" aria-hidden="true" xmlns="http://www.w3.org/2000/svg" {
            @for (value, label) in ticks {
                text class="tick" x=(percent(scale.place(*value))) y="12" text-anchor="middle" { (label) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(name: &str, median: f64) -> Lane<'_> {
        Lane {
            name,
            color: 0,
            median,
            interval: Some((median * 0.9, median * 1.1)),
            trials: vec![median, median * 1.1],
        }
    }

    #[test]
    fn systems_share_an_axis_on_which_they_lie_to_scale() {
        let drawn = lanes(&[lane("redb", 50.0), lane("fjall", 100.0)], &|value| {
            format!("{value:.0}/s")
        });
        let place = |index: usize| -> f64 {
            let svg = drawn.tracks[index].0.as_str();
            let (_, disc) = svg.split_once("class=\"disc\" cx=\"").unwrap();
            disc.split_once('%').unwrap().0.parse().unwrap()
        };
        assert!((place(1) / place(0) - 2.0).abs() < 0.02);
        assert!(drawn.axis.0.contains(">50/s<"), "{}", drawn.axis.0);
        assert_eq!(drawn.tracks[0].0.matches("class=\"dot\"").count(), 2);
    }

    #[test]
    fn a_twin_is_a_repeat_and_far_values_get_a_logarithmic_axis() {
        let drawn = lanes(&[lane("redb (A/A)", 1.0), lane("fjall", 100.0)], &|value| {
            format!("{value}")
        });
        assert!(drawn.is_logarithmic);
        assert!(drawn.tracks[0].0.contains("repeat of redb: median 1"));
    }
}
