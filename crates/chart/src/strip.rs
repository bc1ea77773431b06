//! One quantity: a row for each system with its median, its interval and every trial as a dot.

use dbdyno_vocabulary::shown_name;
use maud::{Markup, html};

use crate::frame::Direction;
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, color_class, frame, label, place};

const ROW: f64 = 42.0;
const TOP: f64 = 4.0;
const AXIS: f64 = 20.0;
const SIDE: f64 = 8.0;
/// About how many values the axis names.
const TICKS: usize = 4;
/// How far trials' dots are moved apart across the row, by turns.
const JITTER: [f64; 5] = [0.0, -3.6, 3.6, -1.8, 1.8];

/// One system.
pub struct Row<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// The median over trials.
    pub median: f64,
    /// The median in words.
    pub median_text: String,
    /// What the median is taken of, e.g. `6 trials`.
    pub counted: String,
    /// The median's interval where there is one.
    pub interval: Option<(f64, f64)>,
    /// Every trial.
    pub values: Vec<Value<'a>>,
}

/// One trial.
pub struct Value<'a> {
    /// Name of the trial.
    pub trial: &'a str,
    /// Its block.
    pub block: u32,
    /// The value.
    pub value: f64,
    /// Why it stands out, when it does.
    pub outlier: Option<&'a str>,
}

/// The figure; `None` without a row.
/// `pooled` draws all dots of a system as one path.
pub fn strip(rows: &[Row<'_>], plot: &Plot<'_>, pooled: bool) -> Option<Figure> {
    if rows.is_empty() {
        return None;
    }
    let values: Vec<f64> = rows
        .iter()
        .flat_map(|row| {
            let ends = row.interval.into_iter().flat_map(|(low, high)| [low, high]);
            row.values.iter().map(|value| value.value).chain(ends)
        })
        .collect();
    let scale = Scale::fitting(&values, SIDE, WIDTH - SIDE - 8.0);
    let other = frame::other_axis(Direction::Across, &scale, &values, TICKS, plot);
    let ticks = scale.marks(TICKS, |value| plot.tick_or_zero(value));
    let bottom = TOP + ROW * rows.len() as f64;
    let description = rows
        .iter()
        .map(|row| format!("{} {}", shown_name(row.name), row.median_text))
        .collect::<Vec<_>>()
        .join(", ");
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title_over(&scale),
        description: format!("{}, median over trials: {description}.", plot.title),
        height: bottom + AXIS,
        content: html! {
            g data-axis=[other] { (frame::vertical_grid(&scale, &ticks, TOP, bottom)) }
            @for (index, row) in rows.iter().enumerate() {
                (draw(row, plot, pooled, &scale, TOP + ROW * index as f64))
            }
        },
        data: data(rows, plot),
    })
}

/// Every mark: the trials as dots, the median, and both ends of its interval.
fn data(rows: &[Row<'_>], plot: &Plot<'_>) -> Data {
    let mut data = Data::new(["system", "mark", "trial", "block", plot.value, "stands_out"]);
    for row in rows {
        for value in &row.values {
            data.row([
                &row.name,
                &"trial",
                &value.trial,
                &value.block,
                &value.value,
                &value.outlier.unwrap_or_default(),
            ]);
        }
        let mut mark = |mark: &str, value: f64| data.row([&row.name, &mark, &"", &"", &value, &""]);
        mark("median", row.median);
        if let Some((low, high)) = row.interval {
            mark("interval_low", low);
            mark("interval_high", high);
        }
    }
    data
}

/// Strokes of no length with round ends: a dot each.
fn dots(row: &Row<'_>, scale: &Scale, middle: f64) -> String {
    let plain = row.values.iter().enumerate();
    plain
        .filter(|(_, value)| value.outlier.is_none())
        .map(|(index, value)| {
            let (x, y) = (scale.place(value.value), middle + JITTER[index % JITTER.len()]);
            format!("M{} {}h0", place(x), place(y))
        })
        .collect()
}

fn draw(row: &Row<'_>, plot: &Plot<'_>, pooled: bool, scale: &Scale, top: f64) -> Markup {
    let format = plot.format;
    let middle = top + 28.0;
    let median = scale.place(row.median);
    let spread = row.interval.map_or_else(String::new, |(low, high)| {
        format!(", 95% interval {} to {}", format(low), format(high))
    });
    let meaning = format!(
        "{}: median {} of {}{spread}",
        shown_name(row.name),
        row.median_text,
        row.counted
    );
    html! {
        g class=(color_class(row.color)) data-series=(row.name) {
            text class="name" x=(place(SIDE)) y=(place(top + 14.0)) { (label(row.name, 26)) }
            text class="value" x=(place(WIDTH - SIDE)) y=(place(top + 14.0)) text-anchor="end" {
                (row.median_text)
            }
            // A bar needs a zero to stand on.
            @if !scale.is_logarithmic() {
                rect class="bar" x=(place(scale.start())) y=(place(middle - 7.0)) height="14"
                    width=(place(median - scale.start())) {
                    title { (meaning) }
                }
            }
            @if let Some((low, high)) = row.interval {
                path class="whisker" d=(format!(
                    "M{0} {2}H{1}M{0} {3}V{4}M{1} {3}V{4}",
                    place(scale.place(low)), place(scale.place(high)), place(middle), place(middle - 4.0), place(middle + 4.0)
                )) {}
            }
            path class="median" d=(format!("M{} {}V{}", place(median), place(middle - 8.0), place(middle + 8.0))) {
                title { (meaning) }
            }
            @if pooled {
                path class="dots" d=(dots(row, scale, middle)) {}
            }
            @for (index, value) in row.values.iter().enumerate().filter(|(_, value)| !pooled || value.outlier.is_some()) {
                circle class=(if value.outlier.is_some() { "dot outlier" } else { "dot" })
                    cx=(place(scale.place(value.value))) cy=(place(middle + JITTER[index % JITTER.len()])) r="2.6" {
                    title {
                        (shown_name(row.name)) ", block " (value.block) ": " (format(value.value))
                        @if let Some(reason) = value.outlier { " · stands out: " (reason) }
                    }
                }
            }
        }
    }
}
