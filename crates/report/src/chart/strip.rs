//! One metric of one cell: a row for each system with its median, its interval and every trial as a dot.

use maud::{Markup, html};

use super::scale::Scale;
use super::{Data, Figure, WIDTH, color_class, frame, place, shortened};
use crate::model::{CellSystem, Metric, Summary};

const ROW: f64 = 42.0;
const TOP: f64 = 4.0;
const AXIS: f64 = 20.0;
const SIDE: f64 = 8.0;
/// How far trials' dots are moved apart across the row, by turns.
const JITTER: [f64; 5] = [0.0, -3.6, 3.6, -1.8, 1.8];

/// The figure; `None` when no system has the metric.
/// `pooled` draws all dots of a system as one path.
pub fn strip(systems: &[CellSystem], metric: Metric, pooled: bool, title: &str) -> Option<Figure> {
    let rows: Vec<(&CellSystem, &Summary)> = systems
        .iter()
        .filter_map(|system| Some((system, system.metric(metric)?)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let values: Vec<f64> = rows
        .iter()
        .flat_map(|(_, summary)| {
            let ends = summary
                .estimate
                .interval
                .iter()
                .flat_map(|interval| [interval.low, interval.high]);
            summary.values.iter().map(|value| value.value).chain(ends)
        })
        .collect();
    let scale = Scale::fitting(&values, SIDE, WIDTH - SIDE - 8.0);
    let ticks: Vec<(f64, String)> = scale
        .ticks(4)
        .into_iter()
        .map(|value| (value, axis_label(metric, value)))
        .collect();
    let bottom = TOP + ROW * rows.len() as f64;
    let description = rows
        .iter()
        .map(|(system, summary)| format!("{} {}", system.name, system.text(metric, summary.estimate.median)))
        .collect::<Vec<_>>()
        .join(", ");
    Some(Figure {
        name: metric.slug(),
        title: if scale.is_logarithmic() {
            format!("{title}, logarithmic axis")
        } else {
            title.to_owned()
        },
        description: format!("{title}, median over trials: {description}."),
        height: bottom + AXIS,
        content: html! {
            (frame::vertical_grid(&scale, &ticks, TOP, bottom))
            @for (index, (system, summary)) in rows.iter().enumerate() {
                (row(system, summary, metric, pooled, &scale, TOP + ROW * index as f64))
            }
        },
        data: data(&rows, metric),
    })
}

/// Every mark: the trials as dots, the median, and both ends of its interval.
fn data(rows: &[(&CellSystem, &Summary)], metric: Metric) -> Data {
    let mut data = Data::new(["system", "mark", "trial", "block", metric.column(), "stands_out"]);
    for (system, summary) in rows {
        for value in &summary.values {
            data.row([
                &system.name,
                &"trial",
                &value.trial,
                &value.block,
                &value.value,
                &value.outlier.as_deref().unwrap_or_default(),
            ]);
        }
        let mut mark = |mark: &str, value: f64| data.row([&system.name, &mark, &"", &"", &value, &""]);
        mark("median", summary.estimate.median);
        if let Some(interval) = &summary.estimate.interval {
            mark("interval_low", interval.low);
            mark("interval_high", interval.high);
        }
    }
    data
}

/// Strokes of no length with round ends: a dot each.
fn dots(summary: &Summary, scale: &Scale, middle: f64) -> String {
    let plain = summary.values.iter().enumerate();
    plain
        .filter(|(_, value)| value.outlier.is_none())
        .map(|(index, value)| {
            let (x, y) = (scale.place(value.value), middle + JITTER[index % JITTER.len()]);
            format!("M{} {}h0", place(x), place(y))
        })
        .collect()
}

fn axis_label(metric: Metric, value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    super::axis_label(&metric.format(value))
}

fn row(
    system: &CellSystem,
    summary: &Summary,
    metric: Metric,
    pooled: bool,
    scale: &Scale,
    top: f64,
) -> Markup {
    let middle = top + 28.0;
    let median = scale.place(summary.estimate.median);
    let interval = summary.estimate.interval.as_ref();
    let spread = interval.map_or(String::new(), |interval| {
        format!(
            "{} to {}",
            metric.format(interval.low),
            metric.format(interval.high)
        )
    });
    html! {
        g class=(color_class(system.color)) {
            text class="name" x=(place(SIDE)) y=(place(top + 14.0)) { (shortened(&system.name, 26)) }
            text class="value" x=(place(WIDTH - SIDE)) y=(place(top + 14.0)) text-anchor="end" {
                (system.text(metric, summary.estimate.median))
            }
            rect class="bar" x=(place(scale.start())) y=(place(middle - 7.0)) height="14"
                width=(place(median - scale.start())) {
                title {
                    (system.name) ": median " (system.text(metric, summary.estimate.median))
                    " of " (summary.estimate.counted())
                    @if !spread.is_empty() { ", 95% interval " (spread) }
                }
            }
            @if let Some(interval) = interval {
                @let (low, high) = (scale.place(interval.low), scale.place(interval.high));
                path class="whisker" d=(format!(
                    "M{0} {2}H{1}M{0} {3}V{4}M{1} {3}V{4}",
                    place(low), place(high), place(middle), place(middle - 4.0), place(middle + 4.0)
                )) {}
            }
            path class="median" d=(format!("M{} {}V{}", place(median), place(middle - 8.0), place(middle + 8.0))) {}
            @if pooled {
                path class="dots" d=(dots(summary, scale, middle)) {}
            }
            @for (index, value) in summary.values.iter().enumerate().filter(|(_, value)| !pooled || value.outlier.is_some()) {
                circle class=(if value.outlier.is_some() { "dot outlier" } else { "dot" })
                    cx=(place(scale.place(value.value))) cy=(place(middle + JITTER[index % JITTER.len()])) r="2.6" {
                    title {
                        (system.name) ", block " (value.block) ": " (metric.format(value.value))
                        @if let Some(reason) = &value.outlier { " · stands out: " (reason) }
                    }
                }
            }
        }
    }
}
