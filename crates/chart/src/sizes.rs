//! A quantity over sizes, one line for each system. Both axes are logarithmic: a power of the size is a straight line.

use maud::html;

use crate::frame::{self, Legend};
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, axis_label, color_class, ends, path, place};
use dbdyno_vocabulary::{number, shown_name};

const BOTTOM: f64 = 150.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = WIDTH - 16.0;
const DOT: f64 = 3.0;

/// One system's line.
pub struct Line<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// By size.
    pub points: Vec<Point>,
}

/// One size.
pub struct Point {
    /// The size.
    pub size: f64,
    /// The value there.
    pub value: f64,
    /// Only a lower bound of the value is known.
    pub at_least: bool,
    /// The value's interval where there is one.
    pub interval: Option<(f64, f64)>,
}

/// The figure; `None` without a single point above zero. `size` says what the sizes are, as the name of a column.
pub fn sizes(lines: &[Line<'_>], plot: &Plot<'_>, size: &str) -> Option<Figure> {
    sizes_over(lines, plot, size, None)
}

/// Like [`sizes`], over an axis that reaches from the smallest to the largest of these sizes at least: so that two figures have one axis.
pub fn sizes_over(
    lines: &[Line<'_>],
    plot: &Plot<'_>,
    size: &str,
    span: Option<(f64, f64)>,
) -> Option<Figure> {
    let (title, format) = (plot.title, plot.format);
    let points = || {
        let points = lines.iter().flat_map(|line| &line.points);
        points.filter(|point| point.size > 0.0 && point.value > 0.0)
    };
    let extremes = |values: Vec<f64>| {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Some((low, high))
    };
    let (smallest, largest) = extremes(points().map(|point| point.size).collect())?;
    let (smallest, largest) = span.map_or((smallest, largest), |(from, to)| {
        (smallest.min(from), largest.max(to))
    });
    let (low, high) = extremes(
        points()
            .flat_map(|point| {
                let (from, to) = point.interval.unwrap_or((point.value, point.value));
                [from, point.value, to]
            })
            .filter(|value| *value > 0.0)
            .collect(),
    )?;
    let legend = Legend::new(lines.iter().map(|line| (line.name, line.color)));
    let top = legend.height() + 8.0;
    let bottom = top + BOTTOM;
    // A single size stands in the middle.
    let x = if smallest < largest {
        Scale::logarithmic(smallest, largest, LEFT + 10.0, RIGHT - 10.0)
    } else {
        Scale::logarithmic(smallest / 2.0, largest * 2.0, LEFT + 10.0, RIGHT - 10.0)
    };
    let y = Scale::logarithmic(low, high, bottom, top);
    let mut at: Vec<f64> = points().map(|point| point.size).collect();
    at.sort_unstable_by(f64::total_cmp);
    at.dedup();
    let x_ticks: Vec<(f64, String)> = at
        .iter()
        .map(|&size| (size, axis_label(&number::quantity(size))))
        .collect();
    let y_ticks = y.marks(4, |value| plot.tick(value));
    let text = |point: &Point| number::bounded(format(point.value), point.at_least);
    let values: Vec<String> = lines
        .iter()
        .flat_map(|line| line.points.iter().map(|point| (line.name, point)))
        .map(|(name, point)| format!("{name} {} at {}", text(point), number::quantity(point.size)))
        .collect();
    Some(Figure {
        name: plot.name.to_owned(),
        title: title.to_owned(),
        description: format!("{title}: {}.", values.join(", ")),
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            (frame::vertical_grid(&x, &x_ticks, top, bottom))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            @for line in lines {
                g class=(color_class(line.color)) data-series=(line.name) {
                    path class="line" d=(path(line.points.iter().map(|point| Some((x.place(point.size), y.place(point.value)))))) {}
                    @for point in &line.points {
                        @let at = x.place(point.size);
                        @if let Some((from, to)) = point.interval {
                            path class="whisker" d=(format!("M{} {}V{}", place(at), place(y.place(from)), place(y.place(to)))) {}
                        }
                        circle class="dot" cx=(place(at)) cy=(place(y.place(point.value))) r=(place(DOT)) {
                            title { (shown_name(line.name)) ", " (number::quantity(point.size)) ": " (text(point)) }
                        }
                    }
                }
            }
        },
        data: data(lines, plot, size),
    })
}

fn data(lines: &[Line<'_>], plot: &Plot<'_>, size: &str) -> Data {
    let mut data = Data::new(["system", size, plot.value, "interval_low", "interval_high"]);
    for line in lines {
        for point in &line.points {
            let [low, high] = ends(point.interval);
            data.row([&line.name, &point.size, &point.value, &low, &high]);
        }
    }
    data
}
