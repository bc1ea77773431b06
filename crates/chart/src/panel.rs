//! Small multiples: a panel for each cell, a dot with its interval for each system, one axis for all panels.

use maud::{Markup, html};

use crate::frame::Direction;
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, color_class, ends, frame, place, shortened};

const LANE: f64 = 18.0;
const TOP: f64 = 2.0;
const AXIS: f64 = 20.0;
/// Where the axis ends: values stand to the right.
const RIGHT: f64 = WIDTH - 66.0;
/// Names stand to the left, shortened to this many characters of about this width.
const LONGEST_NAME: usize = 16;
const CHARACTER: f64 = 7.2;
/// Between a name and the axis.
const GAP: f64 = 10.0;
/// About how many values the axis names.
const TICKS: usize = 3;

/// One cell.
pub struct Panel<'a> {
    /// The figure's name in its section.
    pub name: String,
    /// What the cell is.
    pub title: String,
    /// Its systems.
    pub rows: Vec<Row<'a>>,
}

/// One system in one cell.
pub struct Row<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// The median over trials.
    pub median: f64,
    /// The median in words.
    pub text: String,
    /// The median's interval where there is one.
    pub interval: Option<(f64, f64)>,
    /// Its place among the systems, in a word; empty where there is none.
    pub rank: &'a str,
    /// Whether it was shown to be the best.
    pub is_best: bool,
}

/// A figure for each panel that has a row. Dots stand on no base, so the axis they share may be logarithmic.
pub fn panels(panels: &[Panel<'_>], plot: &Plot<'_>) -> Vec<Figure> {
    let values: Vec<f64> = panels
        .iter()
        .flat_map(|panel| &panel.rows)
        .flat_map(|row| {
            let ends = row.interval.into_iter().flat_map(|(low, high)| [low, high]);
            std::iter::once(row.median).chain(ends)
        })
        .collect();
    let names = panels
        .iter()
        .flat_map(|panel| &panel.rows)
        .map(|row| row.name.chars().count());
    let longest = names.max().unwrap_or_default().min(LONGEST_NAME);
    let left = GAP + CHARACTER * longest as f64;
    let scale = Scale::of_dots(&values, left, RIGHT);
    // All panels share it, so that they keep one axis.
    let other = frame::other_axis(Direction::Across, &scale, &values, TICKS, plot);
    panels
        .iter()
        .filter(|panel| !panel.rows.is_empty())
        .map(|panel| figure(panel, plot, &scale, other.as_deref()))
        .collect()
}

fn figure(panel: &Panel<'_>, plot: &Plot<'_>, scale: &Scale, other: Option<&str>) -> Figure {
    let bottom = TOP + LANE * panel.rows.len() as f64;
    let ticks = scale.marks(TICKS, |value| plot.tick_or_zero(value));
    let described: Vec<String> = panel
        .rows
        .iter()
        .map(|row| match row.rank {
            "" => format!("{} {}", row.name, row.text),
            rank => format!("{} {} ({rank})", row.name, row.text),
        })
        .collect();
    Figure {
        name: panel.name.clone(),
        title: panel.title.clone(),
        description: format!(
            "{}, {}, median over trials: {}.",
            panel.title,
            plot.title,
            described.join(", ")
        ),
        height: bottom + AXIS,
        content: html! {
            g data-axis=[other] { (frame::vertical_grid(scale, &ticks, TOP, bottom)) }
            @for (index, row) in panel.rows.iter().enumerate() {
                (draw(row, plot, scale, TOP + LANE * (index as f64 + 0.5)))
            }
        },
        data: data(panel, plot),
    }
}

fn draw(row: &Row<'_>, plot: &Plot<'_>, scale: &Scale, middle: f64) -> Markup {
    let format = plot.format;
    html! {
        g class=(color_class(row.color)) data-series=(row.name) {
            text class="name" x=(place(scale.start() - GAP)) y=(place(middle + 4.0)) text-anchor="end" { (shortened(row.name, LONGEST_NAME)) }
            @if let Some((low, high)) = row.interval {
                path class="whisker" d=(format!(
                    "M{} {y}H{}", place(scale.place(low)), place(scale.place(high)), y = place(middle)
                )) {}
            }
            circle class="disc" cx=(place(scale.place(row.median))) cy=(place(middle)) r="4.2" {
                title {
                    (row.name) ": median " (row.text)
                    @if let Some((low, high)) = row.interval { ", 95% interval " (format(low)) " to " (format(high)) }
                    @if !row.rank.is_empty() { ", " (row.rank) }
                }
            }
            text class=(if row.is_best { "value" } else { "tick" }) x=(place(WIDTH)) y=(place(middle + 4.0)) text-anchor="end" {
                (row.text)
            }
        }
    }
}

fn data(panel: &Panel<'_>, plot: &Plot<'_>) -> Data {
    let mut data = Data::new(["system", plot.value, "interval_low", "interval_high", "rank"]);
    for row in &panel.rows {
        let [low, high] = ends(row.interval);
        data.row([&row.name, &row.median, &low, &high, &row.rank]);
    }
    data
}
