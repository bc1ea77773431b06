//! How many operations took how long: an outline in steps over a logarithmic axis, with percentiles marked. It is not filled,
//! because a logarithmic axis has no zero.

use dbdyno_vocabulary::{number, shown_name};
use maud::{Markup, html};

use crate::bins::Bins;
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, axis_label, color_class, frame, operations, place, steps};

const MOST_STEPS: usize = 80;
/// The names of marks stand above the outline, a line each.
const LINE: f64 = 13.0;
const HEIGHT: f64 = 140.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 12.0;

/// Operations of one system.
pub struct Operations<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// Values that occurred, each with the number of operations that had it.
    pub counts: &'a [(f64, u64)],
    /// What is marked, ascending.
    pub marks: &'a [Mark],
}

/// A marked value.
pub struct Mark {
    /// What it is, e.g. `p99`.
    pub name: String,
    /// Where it is.
    pub value: f64,
    /// The value in words.
    pub text: String,
}

/// The figure; `None` without an operation.
pub fn histogram(of: &Operations<'_>, plot: &Plot<'_>) -> Option<Figure> {
    let occurred = of.counts.iter().filter(|(_, count)| *count > 0);
    let bins = Bins::around(occurred.map(|(value, _)| *value), MOST_STEPS)?;
    let filled = bins.filled(of.counts);
    let total = filled.iter().copied().fold(0, u64::saturating_add);
    let (fullest, most) = filled.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let top = LINE * of.marks.len() as f64 + 6.0;
    let bottom = top + HEIGHT;
    let x = Scale::logarithmic(bins.edge(0), bins.edge(bins.count()), LEFT, RIGHT);
    let y = Scale::from_zero(*most as f64, bottom, top);
    let x_ticks = x.marks(4, |value| plot.tick(value));
    let y_ticks: Vec<(f64, String)> = y
        .ticks(3)
        .into_iter()
        // There is no half operation.
        .filter(|value| value.fract() == 0.0)
        .map(|value| (value, axis_label(&number::quantity(value))))
        .collect();
    let marks: Vec<String> = of
        .marks
        .iter()
        .map(|mark| format!("{} {}", mark.name, mark.text))
        .collect();
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title.to_owned(),
        description: format!(
            "{}: {} of {}, from {} to {}, most often {}{}.",
            plot.title,
            operations(total),
            shown_name(of.name),
            (plot.format)(bins.edge(0)),
            (plot.format)(bins.edge(bins.count())),
            range(&bins, fullest, plot),
            if marks.is_empty() {
                String::new()
            } else {
                format!("; {}", marks.join(", "))
            }
        ),
        height: bottom + 22.0,
        content: html! {
            (frame::vertical_grid(&x, &x_ticks, top, bottom))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            g class=(color_class(of.color)) data-series=(of.name) {
                path class="line" d=(outline(&bins, &filled, &x, &y)) {}
                @for (index, mark) in of.marks.iter().enumerate() { (draw(mark, &x, LINE * (index as f64 + 1.0), bottom)) }
            }
            (frame::hover_columns(&columns(&bins, &filled, total, &x, plot), top, bottom))
        },
        data: data(of, &bins, &filled, plot),
    })
}

/// The steps, from the axis and back to it.
fn outline(bins: &Bins, filled: &[u64], x: &Scale, y: &Scale) -> String {
    let edge = |index: usize| x.place(bins.edge(index));
    let end = |index: usize| std::iter::once((edge(index), edge(index), Some(y.place(0.0))));
    let levels = filled
        .iter()
        .enumerate()
        .map(|(index, count)| (edge(index), edge(index + 1), Some(y.place(*count as f64))));
    steps(end(0).chain(levels).chain(end(filled.len())))
}

/// A mark with its name on the side where there is room.
fn draw(mark: &Mark, x: &Scale, line: f64, bottom: f64) -> Markup {
    let at = x.place(mark.value);
    let is_left = at > f64::midpoint(LEFT, RIGHT);
    let (anchor, beside) = if is_left {
        ("end", at - 4.0)
    } else {
        ("start", at + 4.0)
    };
    html! {
        line class="mark-line" x1=(place(at)) x2=(place(at)) y1=(place(line - 9.0)) y2=(place(bottom)) {}
        text class="label" x=(place(beside)) y=(place(line)) text-anchor=(anchor) { (mark.name) " " (mark.text) }
    }
}

fn range(bins: &Bins, index: usize, plot: &Plot<'_>) -> String {
    let edge = |index: usize| (plot.format)(bins.edge(index));
    format!("{} to {}", edge(index), edge(index + 1))
}

fn columns(bins: &Bins, filled: &[u64], total: u64, x: &Scale, plot: &Plot<'_>) -> Vec<(f64, f64, String)> {
    let steps = filled.iter().enumerate().filter(|(_, count)| **count > 0);
    steps
        .map(|(index, count)| {
            let text = format!(
                "{}\n{} ({})",
                range(bins, index, plot),
                operations(*count),
                number::share(*count as f64 / total as f64)
            );
            (x.place(bins.edge(index)), x.place(bins.edge(index + 1)), text)
        })
        .collect()
}

fn data(of: &Operations<'_>, bins: &Bins, filled: &[u64], plot: &Plot<'_>) -> Data {
    let ends = ["from", "to"].map(|end| format!("{}_{end}", plot.value));
    let mut data = Data::new(["system", "mark", ends[0].as_str(), ends[1].as_str(), "operations"]);
    for (index, count) in filled.iter().enumerate() {
        let edge = |index: usize| (bins.edge(index) * 10.0).round() / 10.0;
        data.row([&of.name, &"count", &edge(index), &edge(index + 1), count]);
    }
    for mark in of.marks {
        data.row([&of.name, &mark.name, &mark.value, &mark.value, &""]);
    }
    data
}
