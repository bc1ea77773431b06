//! A metric over sizes, both logarithmic: a power of the size is a straight line.

use maud::html;

use super::frame;
use super::scale::Scale;
use super::{Figure, WIDTH, axis_label, color_class, path, place};
use crate::model::{GrowthChart, Metric};
use crate::number;

const BOTTOM: f64 = 190.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 14.0;

/// The figure; `None` without a point above zero.
pub fn growth(chart: &GrowthChart) -> Option<Figure> {
    let points = || {
        chart
            .curves
            .iter()
            .flat_map(|curve| &curve.points)
            .filter(|point| point.median > 0.0 && point.records > 0)
    };
    let values = || {
        points().flat_map(|point| {
            let ends = point
                .interval
                .iter()
                .flat_map(|interval| [interval.low, interval.high]);
            std::iter::once(point.median)
                .chain(ends)
                .filter(|value| *value > 0.0)
        })
    };
    let legend = frame::Legend::new(
        chart
            .curves
            .iter()
            .map(|curve| (curve.system.as_str(), curve.color)),
    );
    let top = legend.height() + 8.0;
    let bottom = BOTTOM + legend.height();
    let records = || points().map(|point| point.records as f64);
    let x = Scale::logarithmic(
        records().reduce(f64::min)?,
        records().reduce(f64::max)?,
        LEFT,
        RIGHT,
    );
    let y = Scale::logarithmic(
        values().reduce(f64::min)?,
        values().reduce(f64::max)?,
        bottom,
        top,
    );
    let ticks = |scale: &Scale, wanted, text: &dyn Fn(f64) -> String| -> Vec<(f64, String)> {
        let ticks = scale.ticks(wanted).into_iter();
        ticks.map(|value| (value, axis_label(&text(value)))).collect()
    };
    let text = |value: f64| match chart.metric {
        Metric::Throughput | Metric::LoadThroughput => number::rate(value),
        Metric::LatencyP99 | Metric::LatencyP50 => number::duration_ns(value),
    };
    let title = format!("{}: {} by number of records", chart.title, chart.metric.name());
    let told: Vec<&str> = chart.curves.iter().map(|curve| curve.sentence.as_str()).collect();
    Some(Figure {
        description: format!("{title}. {}", told.join(" ")),
        title,
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            (frame::vertical_grid(&x, &ticks(&x, 4, &number::quantity), top, bottom))
            (frame::horizontal_grid(&y, &ticks(&y, 5, &text), LEFT, RIGHT))
            @for curve in &chart.curves {
                g class=(color_class(curve.color)) {
                    path class="line" d=(path(curve.points.iter().map(|point| Some((x.place(point.records as f64), y.place(point.median)))))) {}
                    @for point in &curve.points {
                        @let at = place(x.place(point.records as f64));
                        @if let Some(interval) = &point.interval {
                            path class="whisker" d=(format!("M{at} {}V{}", place(y.place(interval.low)), place(y.place(interval.high)))) {}
                        }
                        circle class="disc" cx=(at) cy=(place(y.place(point.median))) r="3.6" {
                            title { (curve.system) ", " (number::count(point.records)) " records: " (text(point.median)) }
                        }
                    }
                }
            }
        },
    })
}
