//! Values over time: a field for each stretch of time and step of value, the stronger the larger its share of the operations of
//! that stretch, with one percentile as a line.

mod legend;

use dbdyno_vocabulary::shown_name;
use maud::html;

use crate::bins::Bins;
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, color_class, frame, operations, place, steps};

const MOST_STEPS: usize = 30;
/// The shares up to which each shade goes: a power of ten each, so that one slow operation of a thousand is seen.
const SHADES: [f64; 5] = [0.0001, 0.001, 0.01, 0.1, 1.0];
const TOP: f64 = 20.0;
const BOTTOM: f64 = TOP + 150.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 10.0;

/// One trial over time.
pub struct Heat<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// What the line is, e.g. `p99`.
    pub line: &'a str,
    /// Where time begins, seconds, unless a column is earlier.
    pub begin_s: f64,
    /// In order of time.
    pub columns: Vec<Column>,
}

/// One stretch of time.
pub struct Column {
    /// Its start, seconds.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Values that occurred, each with the number of operations that had it.
    pub counts: Vec<(f64, u64)>,
    /// The height of the line.
    pub line: f64,
}

/// A column whose values are in steps.
struct Filled<'a> {
    column: &'a Column,
    steps: Vec<u64>,
    total: u64,
}

/// The figure; `None` with less than two stretches in which something happened.
pub fn heat(heat: &Heat<'_>, plot: &Plot<'_>) -> Option<Figure> {
    let values = heat.columns.iter().flat_map(|column| &column.counts);
    let occurred = values.filter(|(_, count)| *count > 0);
    let bins = Bins::around(occurred.map(|(value, _)| *value), MOST_STEPS)?;
    let filled: Vec<Filled<'_>> = heat
        .columns
        .iter()
        .map(|column| {
            let steps = bins.filled(&column.counts);
            let total = steps.iter().copied().fold(0, u64::saturating_add);
            Filled { column, steps, total }
        })
        .filter(|filled| filled.total > 0)
        .collect();
    let (first, last) = (filled.first()?, filled.last()?);
    if filled.len() < 2 {
        return None;
    }
    let x = Scale::linear(
        first.column.from_s.min(heat.begin_s),
        last.column.to_s,
        LEFT,
        RIGHT,
    );
    let y = Scale::logarithmic(bins.edge(0), bins.edge(bins.count()), BOTTOM, TOP);
    let x_ticks = x.marks(6, |value| format!("{} s", (value * 1e3).round() / 1e3));
    let y_ticks = y.marks(5, |value| plot.tick(value));
    let heights = || filled.iter().map(|filled| filled.column.line);
    let line = steps(filled.iter().map(|Filled { column, .. }| {
        let height = y.place(column.line);
        (x.place(column.from_s), x.place(column.to_s), Some(height))
    }));
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title.to_owned(),
        description: format!(
            "{}: {}, {:.0} to {:.0} s, {} from {} to {}.",
            plot.title,
            shown_name(heat.name),
            first.column.from_s,
            last.column.to_s,
            heat.line,
            (plot.format)(heights().reduce(f64::min)?),
            (plot.format)(heights().reduce(f64::max)?),
        ),
        height: BOTTOM + 22.0,
        content: html! {
            (frame::vertical_grid(&x, &x_ticks, TOP, BOTTOM))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            g class=(color_class(heat.color)) data-series=(heat.name) {
                (legend::legend())
                @for (shade, fields) in fields(&filled, &bins, &x, &y).iter().enumerate() {
                    @if !fields.is_empty() { path class=(class(shade)) d=(fields) {} }
                }
            }
            path class="halo" d=(line) {}
            path class="over" d=(line) {}
            (frame::hover_columns(&columns(&filled, &x, heat.line, plot), TOP, BOTTOM))
        },
        data: data(heat, &filled, &bins, plot),
    })
}

fn class(shade: usize) -> String {
    format!("heat heat{shade}")
}

/// The shade of so many of a column's operations; `None` for nothing.
fn shade(count: u64, total: u64) -> Option<usize> {
    let share = count as f64 / total as f64;
    let darkest = SHADES.len() - 1;
    (count > 0).then(|| SHADES.iter().position(|most| share <= *most).unwrap_or(darkest))
}

/// The fields of each shade as one path.
fn fields(filled: &[Filled<'_>], bins: &Bins, x: &Scale, y: &Scale) -> [String; SHADES.len()] {
    let mut paths: [String; SHADES.len()] = Default::default();
    for step in 0..bins.count() {
        let [low, high] = [step, step + 1].map(|edge| place(y.place(bins.edge(edge))));
        for (shade, from_s, to_s) in runs(filled, step) {
            let [from, to] = [from_s, to_s].map(|at_s| place(x.place(at_s)));
            paths[shade].push_str(&format!("M{from} {low}H{to}V{high}H{from}Z"));
        }
    }
    paths
}

/// Neighbouring fields of one step that have one shade, as one: shade, start and end.
fn runs(filled: &[Filled<'_>], step: usize) -> Vec<(usize, f64, f64)> {
    let mut runs: Vec<(usize, f64, f64)> = Vec::new();
    for Filled { column, steps, total } in filled {
        let Some(shade) = shade(steps[step], *total) else {
            continue;
        };
        match runs.last_mut() {
            Some((same, _, to_s)) if *same == shade && *to_s == column.from_s => *to_s = column.to_s,
            _ => runs.push((shade, column.from_s, column.to_s)),
        }
    }
    runs
}

fn columns(filled: &[Filled<'_>], x: &Scale, line: &str, plot: &Plot<'_>) -> Vec<(f64, f64, String)> {
    let columns = filled.iter().map(|Filled { column, total, .. }| {
        let text = format!(
            "{:.0} to {:.0} s: {}\n{line} {}",
            column.from_s,
            column.to_s,
            operations(*total),
            (plot.format)(column.line)
        );
        (x.place(column.from_s), x.place(column.to_s), text)
    });
    columns.collect()
}

/// Every field and every level of the line.
fn data(heat: &Heat<'_>, filled: &[Filled<'_>], bins: &Bins, plot: &Plot<'_>) -> Data {
    let ends = ["from", "to"].map(|end| format!("{}_{end}", plot.value));
    let header = [
        "system",
        "mark",
        "from_s",
        "to_s",
        ends[0].as_str(),
        ends[1].as_str(),
        "operations",
    ];
    let mut data = Data::new(header);
    let edge = |index: usize| (bins.edge(index) * 10.0).round() / 10.0;
    for Filled { column, steps, .. } in filled {
        let (from_s, to_s) = (column.from_s, column.to_s);
        for (step, count) in steps.iter().enumerate().filter(|(_, count)| **count > 0) {
            data.row([
                &heat.name,
                &"count",
                &from_s,
                &to_s,
                &edge(step),
                &edge(step + 1),
                count,
            ]);
        }
        data.row([
            &heat.name,
            &heat.line,
            &from_s,
            &to_s,
            &column.line,
            &column.line,
            &"",
        ]);
    }
    data
}
