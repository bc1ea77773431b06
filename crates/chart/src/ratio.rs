//! Many systems against one of them: a row for each cell, ratios with their intervals, the margin shaded.

use dbdyno_vocabulary::{number, shown_name};
use maud::{Markup, html};

use crate::scale::Scale;
use crate::whisker::whisker;
use crate::{Data, Figure, WIDTH, color_class, ends, frame, place, shortened};

const SIDE: f64 = 12.0;
const TITLE: f64 = 18.0;
const LANE: f64 = 14.0;
/// An interval that reaches this many times beyond the largest or the smallest ratio is cut at the edge of the figure. Drawn in full, it
/// would squeeze all others into a point.
const FARTHEST: f64 = 100.0;

/// What is drawn.
pub struct Ratios<'a> {
    /// The figure's name in its section.
    pub name: &'a str,
    /// What it shows.
    pub title: &'a str,
    /// What the ratios are, as the name of a column.
    pub value: &'a str,
    /// Name of the system that the others are compared with.
    pub reference: &'a str,
    /// Which words the ratios take.
    pub quantity: number::Quantity,
    /// The difference that does not matter, as a share.
    pub margin: f64,
    /// Names and colours in the order of the legend, which leaves out those without a point.
    pub systems: &'a [(&'a str, usize)],
}

/// One cell.
pub struct Row<'a> {
    /// Title of the cell.
    pub title: &'a str,
    /// Every system compared in it.
    pub points: Vec<Point<'a>>,
}

/// One system's ratio to the reference in one cell.
pub struct Point<'a> {
    /// Name of the system.
    pub system: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// The ratio.
    pub ratio: f64,
    /// The ratio's interval where there is one.
    pub interval: Option<(f64, f64)>,
    /// The verdict in a word.
    pub verdict: &'a str,
    /// Whether the verdict is open, and the point is hollow and faint.
    pub undecided: bool,
}

/// The figure; `None` without a row that has points.
pub fn ratio(rows: &[Row<'_>], ratios: &Ratios<'_>) -> Option<Figure> {
    let rows: Vec<&Row<'_>> = rows.iter().filter(|row| !row.points.is_empty()).collect();
    let points = || rows.iter().flat_map(|row| &row.points);
    points().next()?;
    let drawn = points().map(|point| point.ratio);
    let drawn = drawn.filter(|ratio| *ratio > 0.0 && ratio.is_finite());
    let (least, most) = drawn.fold((0.8_f64, 1.25_f64), |(least, most), ratio| {
        (least.min(ratio), most.max(ratio))
    });
    let ends = points().flat_map(|point| point.interval.into_iter().flat_map(|(low, high)| [low, high]));
    let (low, high) = ends.fold((least, most), |(low, high), end| {
        (
            low.min(end.max(least / FARTHEST)),
            high.max(end.min(most * FARTHEST)),
        )
    });
    let scale = Scale::logarithmic(low, high, SIDE, WIDTH - SIDE);
    let ticks = scale.marks(5, frame::ratio);
    let systems = ratios.systems.iter().copied();
    let legend = frame::Legend::new(systems.filter(|(name, _)| points().any(|point| point.system == *name)));
    let first = legend.height() + 6.0;
    let heights: Vec<f64> = rows
        .iter()
        .map(|row| TITLE + LANE * row.points.len() as f64)
        .collect();
    let bottom = first + heights.iter().sum::<f64>() + 4.0;
    let (band_low, band_high) = (
        scale.place(1.0 / (1.0 + ratios.margin)),
        scale.place(1.0 + ratios.margin),
    );
    let mut top = first;
    Some(Figure {
        name: ratios.name.to_owned(),
        title: ratios.title.to_owned(),
        description: format!("{}: {}.", ratios.title, described(&rows, ratios.quantity)),
        height: bottom + 20.0,
        content: html! {
            (legend.draw(SIDE))
            rect class="margin" x=(place(band_low)) width=(place(band_high - band_low)) y=(place(first)) height=(place(bottom - first)) {}
            (frame::vertical_grid(&scale, &ticks, first, bottom))
            line class="one" x1=(place(scale.place(1.0))) x2=(place(scale.place(1.0))) y1=(place(first)) y2=(place(bottom)) {}
            @for (row, height) in rows.iter().zip(&heights) {
                (draw(row, ratios.quantity, &scale, top))
                @let () = { top += height; };
            }
        },
        data: data(&rows, ratios),
    })
}

fn data(rows: &[&Row<'_>], ratios: &Ratios<'_>) -> Data {
    let mut data = Data::new([
        "cell",
        "system",
        "reference",
        ratios.value,
        "interval_low",
        "interval_high",
        "verdict",
    ]);
    for row in rows {
        for point in &row.points {
            let [low, high] = ends(point.interval);
            data.row([
                &row.title,
                &point.system,
                &ratios.reference,
                &point.ratio,
                &low,
                &high,
                &point.verdict,
            ]);
        }
    }
    data
}

fn described(rows: &[&Row<'_>], quantity: number::Quantity) -> String {
    rows.iter()
        .map(|row| {
            let points: Vec<String> = row
                .points
                .iter()
                .map(|point| {
                    let times = number::times(point.ratio, None, quantity);
                    format!("{} {times} ({})", point.system, point.verdict)
                })
                .collect();
            format!("{}: {}", row.title, points.join(", "))
        })
        .collect::<Vec<_>>()
        .join("; ")
}

fn draw(row: &Row<'_>, quantity: number::Quantity, scale: &Scale, top: f64) -> Markup {
    html! {
        text class="name" x=(place(SIDE)) y=(place(top + 13.0)) { (shortened(row.title, 40)) }
        @for (index, point) in row.points.iter().enumerate() {
            @let y = top + TITLE + LANE * (index as f64 + 0.5);
            g class=(format!("{}{}", color_class(point.color), if point.undecided { " faint" } else { "" })) data-series=(point.system) {
                @if let Some(interval) = point.interval {
                    (whisker(scale, y, interval))
                }
                circle class=(if point.undecided { "ring" } else { "disc" }) cx=(place(scale.place(point.ratio))) cy=(place(y)) r="4.2" {
                    title {
                        (row.title) "\n" (shown_name(point.system)) ": " (number::times(point.ratio, point.interval, quantity)) ", " (point.verdict)
                    }
                }
            }
        }
    }
}
