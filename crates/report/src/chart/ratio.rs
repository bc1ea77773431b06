//! All systems against one of them: a row for each cell, ratios with their intervals, the margin shaded.

use maud::{Markup, html};

use super::scale::Scale;
use super::{Data, Figure, WIDTH, color_class, frame, or_empty, place, shortened};
use crate::model::{Bounds, Cell, MARGIN, Metric, System, Word};
use crate::number;

const SIDE: f64 = 12.0;
const TITLE: f64 = 18.0;
const LANE: f64 = 14.0;

/// One system's ratio to the reference in one cell.
struct Point<'a> {
    system: &'a System,
    ratio: f64,
    interval: Option<Bounds>,
    word: &'static str,
}

/// The figure; `None` when nothing was compared with `reference`.
pub fn ratio(
    cells: &[Cell],
    systems: &[System],
    reference: &str,
    metric: Metric,
    title: &str,
) -> Option<Figure> {
    let rows: Vec<(&Cell, Vec<Point<'_>>)> = cells
        .iter()
        .map(|cell| (cell, points(cell, systems, reference, metric)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let values: Vec<f64> = rows
        .iter()
        .flat_map(|(_, points)| points)
        .flat_map(|point| {
            let ends = point
                .interval
                .iter()
                .flat_map(|interval| [interval.low, interval.high]);
            std::iter::once(point.ratio).chain(ends)
        })
        .filter(|value| *value > 0.0)
        .collect();
    let low = values.iter().copied().reduce(f64::min)?.min(0.8);
    let high = values.iter().copied().reduce(f64::max)?.max(1.25);
    let scale = Scale::logarithmic(low, high, SIDE, WIDTH - SIDE);
    let ticks: Vec<(f64, String)> = scale
        .ticks(5)
        .into_iter()
        .map(|value| (value, tick(value)))
        .collect();
    let shown = systems.iter().filter(|system| {
        rows.iter()
            .any(|(_, points)| points.iter().any(|point| point.system.name == system.name))
    });
    let legend = frame::Legend::new(shown.map(|system| (system.name.as_str(), system.color)));
    let first = legend.height() + 6.0;
    let heights: Vec<f64> = rows
        .iter()
        .map(|(_, points)| TITLE + LANE * points.len() as f64)
        .collect();
    let bottom = first + heights.iter().sum::<f64>() + 4.0;
    let (band_low, band_high) = (scale.place(1.0 / (1.0 + MARGIN)), scale.place(1.0 + MARGIN));
    let mut top = first;
    Some(Figure {
        name: format!("{}-ratio", metric.slug()),
        title: title.to_owned(),
        description: format!("{title}: {}.", told(&rows, metric)),
        height: bottom + 20.0,
        content: html! {
            (legend.draw(SIDE))
            rect class="margin" x=(place(band_low)) width=(place(band_high - band_low)) y=(place(first)) height=(place(bottom - first)) {}
            (frame::vertical_grid(&scale, &ticks, first, bottom))
            line class="one" x1=(place(scale.place(1.0))) x2=(place(scale.place(1.0))) y1=(place(first)) y2=(place(bottom)) {}
            @for ((cell, points), height) in rows.iter().zip(&heights) {
                (row(cell, points, metric, &scale, top))
                @let () = { top += height; };
            }
        },
        data: data(&rows, reference, metric),
    })
}

fn data(rows: &[(&Cell, Vec<Point<'_>>)], reference: &str, metric: Metric) -> Data {
    let ratio = format!("{}_ratio", metric.slug().replace('-', "_"));
    let mut data = Data::new([
        "cell",
        "system",
        "reference",
        ratio.as_str(),
        "interval_low",
        "interval_high",
        "verdict",
    ]);
    for (cell, points) in rows {
        for point in points {
            data.row([
                &cell.title,
                &point.system.name,
                &reference,
                &point.ratio,
                &or_empty(point.interval.map(|interval| interval.low)),
                &or_empty(point.interval.map(|interval| interval.high)),
                &point.word,
            ]);
        }
    }
    data
}

fn tick(value: f64) -> String {
    let text = format!("{value:.2}");
    format!("{}×", text.trim_end_matches('0').trim_end_matches('.'))
}

fn told(rows: &[(&Cell, Vec<Point<'_>>)], metric: Metric) -> String {
    rows.iter()
        .map(|(cell, points)| {
            let points: Vec<String> = points
                .iter()
                .map(|point| {
                    format!(
                        "{} {} ({})",
                        point.system.name,
                        number::times(point.ratio, None, metric.quantity(), None),
                        point.word
                    )
                })
                .collect();
            format!("{}: {}", cell.title, points.join(", "))
        })
        .collect::<Vec<_>>()
        .join("; ")
}

fn points<'a>(cell: &Cell, systems: &'a [System], reference: &str, metric: Metric) -> Vec<Point<'a>> {
    let compared = || {
        cell.comparisons
            .iter()
            .filter(|comparison| comparison.metric == metric && comparison.word != Word::NotComparable)
    };
    systems
        .iter()
        .filter_map(|system| {
            let straight =
                compared().find(|comparison| comparison.a == system.name && comparison.b == reference);
            let reversed =
                compared().find(|comparison| comparison.b == system.name && comparison.a == reference);
            let point = match (straight, reversed) {
                (Some(comparison), _) => Point {
                    system,
                    ratio: comparison.ratio,
                    interval: comparison.interval,
                    word: comparison.word.name(),
                },
                (None, Some(comparison)) => Point {
                    system,
                    ratio: 1.0 / comparison.ratio,
                    interval: comparison.interval.map(|interval| Bounds {
                        low: 1.0 / interval.high,
                        high: 1.0 / interval.low,
                        confidence: interval.confidence,
                    }),
                    word: comparison.word.reversed().name(),
                },
                (None, None) => return None,
            };
            point.ratio.is_finite().then_some(point)
        })
        .collect()
}

fn row(cell: &Cell, points: &[Point<'_>], metric: Metric, scale: &Scale, top: f64) -> Markup {
    html! {
        text class="name" x=(place(SIDE)) y=(place(top + 13.0)) { (shortened(&cell.title, 44)) }
        @for (index, point) in points.iter().enumerate() {
            @let y = top + TITLE + LANE * (index as f64 + 0.5);
            @let undecided = point.word == "undecided";
            g class=(format!("{}{}", color_class(point.system.color), if undecided { " faint" } else { "" })) {
                @if let Some(interval) = &point.interval {
                    path class="whisker" d=(format!("M{} {y}H{}", place(scale.place(interval.low)), place(scale.place(interval.high)), y = place(y))) {}
                }
                circle class=(if undecided { "ring" } else { "disc" }) cx=(place(scale.place(point.ratio))) cy=(place(y)) r="4.2" {
                    title {
                        @let interval = point.interval.map(|interval| (interval.low, interval.high));
                        (cell.title) "\n" (point.system.name) ": " (number::times(point.ratio, interval, metric.quantity(), None)) ", " (point.word)
                    }
                }
            }
        }
    }
}
