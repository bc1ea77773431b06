//! Every trial in the order in which they ran, each relative to its own kind, so that all of them share one axis: what drifts and
//! what stands out.

use dbdyno_vocabulary::{number, shown_name};
use maud::{Markup, html};

use crate::frame::{self, Legend};
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, color_class, place, steps};

const HEIGHT: f64 = 170.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 10.0;
/// The axis goes at least this far to either side of 1.
const NEAREST: f64 = 1.1;
/// And at most this far: beyond it a single trial would hide the drift of all others. It stands at the edge.
const FURTHEST: f64 = 2.0;
/// The line of medians has at most so many levels, each of at least so many trials; with fewer than three it says nothing.
const MOST_LEVELS: usize = 12;
const TRIALS_OF_LEVEL: usize = 8;
const FEWEST_LEVELS: usize = 3;

/// One trial.
pub struct Trial<'a> {
    /// Name of the trial.
    pub name: &'a str,
    /// Name of its system.
    pub system: &'a str,
    /// What it measured.
    pub cell: &'a str,
    /// Its number in the order, from 1.
    pub place: usize,
    /// Its value.
    pub value: f64,
    /// The value over the median of its own kind.
    pub relative: f64,
    /// Why it does not count or is invalid, when that is so.
    pub doubt: Option<&'a str>,
    /// Why it stands out, when it does.
    pub outlier: Option<&'a str>,
}

/// What stands for a trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Dot,
    /// It stands out.
    Hollow,
    /// It is in doubt.
    Cross,
    /// Higher than the axis.
    Above,
    /// Lower than the axis.
    Below,
}

impl Trial<'_> {
    fn shape(&self, furthest: f64) -> Shape {
        let distance = self.relative.ln();
        let is_inside = distance.abs() <= furthest.ln() + 1e-9;
        match (self.doubt, is_inside) {
            (Some(_), _) => Shape::Cross,
            (None, false) if distance > 0.0 => Shape::Above,
            (None, false) => Shape::Below,
            (None, true) if self.outlier.is_some() => Shape::Hollow,
            (None, true) => Shape::Dot,
        }
    }

    fn remark(&self) -> String {
        match (self.doubt, self.outlier) {
            (Some(doubt), _) => doubt.to_owned(),
            (None, Some(outlier)) => format!("stands out: {outlier}"),
            (None, None) => String::new(),
        }
    }
}

/// Some trials' median.
struct Level {
    from: f64,
    to: f64,
    median: f64,
}

/// The figure; `None` without a trial. `systems` are names and colours in the order of the legend, `margin` is the difference that
/// does not matter, as a share; `pooled` draws all dots of a system as one path.
pub fn run_order(
    trials: &[Trial<'_>],
    systems: &[(&str, usize)],
    plot: &Plot<'_>,
    margin: f64,
    pooled: bool,
) -> Option<Figure> {
    let known = trials.iter().filter(|trial| trial.relative.is_finite());
    let mut trials: Vec<&Trial<'_>> = known.filter(|trial| trial.relative >= 0.0).collect();
    trials.sort_by_key(|trial| trial.place);
    let (first, last) = (trials.first()?.place, trials.last()?.place);
    let furthest = trials
        .iter()
        .map(|trial| trial.relative.max(1.0 / trial.relative))
        .fold(NEAREST, f64::max)
        .min(FURTHEST);
    let present: Vec<(&str, usize)> = systems
        .iter()
        .copied()
        .filter(|(name, _)| trials.iter().any(|trial| trial.system == *name))
        .collect();
    let legend = Legend::new(present.iter().copied());
    let top = legend.height() + 8.0;
    let bottom = top + HEIGHT;
    let x = Scale::linear(first as f64 - 0.5, last as f64 + 0.5, LEFT, RIGHT);
    let y = Scale::logarithmic(1.0 / furthest, furthest, bottom, top);
    let x_ticks: Vec<(f64, String)> = x
        .ticks(6)
        .into_iter()
        .filter(|value| value.fract() == 0.0)
        .map(|value| (value, value.to_string()))
        .collect();
    let y_ticks = y.marks(5, frame::ratio);
    let [high, low] = [1.0 + margin, 1.0 / (1.0 + margin)].map(|end| y.place(end));
    let levels = levels(&trials);
    let line = levels.iter().map(|level| {
        (
            x.place(level.from),
            x.place(level.to),
            Some(y.place(level.median)),
        )
    });
    let line = steps(line);
    let at = |trial: &Trial<'_>| (x.place(trial.place as f64), y.place(trial.relative));
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title.to_owned(),
        description: description(&trials, plot),
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            rect class="margin" x=(place(LEFT)) width=(place(RIGHT - LEFT)) y=(place(high)) height=(place(low - high)) {}
            (frame::vertical_grid(&x, &x_ticks, top, bottom))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            line class="one" x1=(place(LEFT)) x2=(place(RIGHT)) y1=(place(y.place(1.0))) y2=(place(y.place(1.0))) {}
            @for (name, color) in &present {
                @let own: Vec<&Trial<'_>> = trials.iter().copied().filter(|trial| trial.system == *name).collect();
                g class=(color_class(*color)) data-series=(name) {
                    @if pooled {
                        @let dots = own.iter().filter(|trial| trial.shape(furthest) == Shape::Dot);
                        path class="dots" d=(dots.map(|trial| dot(at(trial))).collect::<String>()) {}
                    }
                    @for trial in &own {
                        @let shape = trial.shape(furthest);
                        @if !(pooled && shape == Shape::Dot) { (mark(trial, shape, at(trial), plot)) }
                    }
                }
            }
            @if !levels.is_empty() { path class="halo" d=(line) {} path class="over" d=(line) {} }
        },
        data: data(&trials, &levels, plot),
    })
}

/// A stroke of no length with round ends.
fn dot((x, y): (f64, f64)) -> String {
    format!("M{} {}h0", place(x), place(y))
}

fn mark(trial: &Trial<'_>, shape: Shape, (x, y): (f64, f64), plot: &Plot<'_>) -> Markup {
    let from = |dx: f64, dy: f64| format!("M{} {}", place(x + dx), place(y + dy));
    let title = html! {
        title {
            (shown_name(trial.system)) ", " (trial.cell) ", trial " (trial.place) "\n"
            ((plot.format)(trial.value)) ", " (number::ratio(trial.relative)) " the median"
            @if !trial.remark().is_empty() { "\n" (trial.remark()) }
        }
    };
    html! {
        @match shape {
            Shape::Dot => circle class="dot" cx=(place(x)) cy=(place(y)) r="2.4" { (title) },
            Shape::Hollow => circle class="dot outlier" cx=(place(x)) cy=(place(y)) r="2.8" { (title) },
            Shape::Cross => path class="cross" d=(format!("{}l6 6{}l6 -6", from(-3.0, -3.0), from(-3.0, 3.0))) { (title) },
            Shape::Above => path class="dot" d=(from(0.0, -2.0) + "l4 7h-8z") { (title) },
            Shape::Below => path class="dot" d=(from(0.0, 2.0) + "l4 -7h-8z") { (title) },
        }
    }
}

/// The medians of stretches of the order, over trials that count.
fn levels(trials: &[&Trial<'_>]) -> Vec<Level> {
    let sound: Vec<&Trial<'_>> = trials
        .iter()
        .copied()
        .filter(|trial| trial.doubt.is_none())
        .collect();
    let count = (sound.len() / TRIALS_OF_LEVEL).min(MOST_LEVELS);
    if count < FEWEST_LEVELS {
        return Vec::new();
    }
    let chunks: Vec<&[&Trial<'_>]> = (0..count)
        .map(|index| &sound[index * sound.len() / count..(index + 1) * sound.len() / count])
        .collect();
    let start = |chunk: &[&Trial<'_>]| chunk[0].place as f64 - 0.5;
    let end = sound[sound.len() - 1].place as f64 + 0.5;
    let ends = chunks
        .iter()
        .skip(1)
        .map(|next| start(next))
        .chain(std::iter::once(end));
    chunks
        .iter()
        .zip(ends)
        .map(|(chunk, to)| Level {
            from: start(chunk),
            to,
            median: median(chunk),
        })
        .collect()
}

fn median(trials: &[&Trial<'_>]) -> f64 {
    let mut values: Vec<f64> = trials.iter().map(|trial| trial.relative).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    f64::midpoint(values[(values.len() - 1) / 2], values[middle])
}

fn description(trials: &[&Trial<'_>], plot: &Plot<'_>) -> String {
    let count =
        |is_counted: &dyn Fn(&Trial<'_>) -> bool| trials.iter().filter(|trial| is_counted(trial)).count();
    let relative = || trials.iter().map(|trial| trial.relative);
    let extreme = |value: Option<f64>| value.map_or_else(String::new, number::ratio);
    format!(
        "{}: {} trials, from {} to {} of their median; {} disturbed, interrupted, failed or invalid, {} stand out.",
        plot.title,
        trials.len(),
        extreme(relative().reduce(f64::min)),
        extreme(relative().reduce(f64::max)),
        count(&|trial| trial.doubt.is_some()),
        count(&|trial| trial.doubt.is_none() && trial.outlier.is_some()),
    )
}

/// Every trial, and every level of the line with the place where it begins.
fn data(trials: &[&Trial<'_>], levels: &[Level], plot: &Plot<'_>) -> Data {
    let mut data = Data::new([
        "mark",
        "place",
        "trial",
        "cell",
        "system",
        plot.value,
        "relative_to_median",
        "remark",
    ]);
    for trial in trials {
        data.row([
            &"trial",
            &trial.place,
            &trial.name,
            &trial.cell,
            &trial.system,
            &trial.value,
            &rounded(trial.relative),
            &trial.remark(),
        ]);
    }
    for level in levels {
        let median = rounded(level.median);
        data.row([&"median", &level.from, &"", &"", &"", &"", &median, &""]);
    }
    data
}

/// More digits than a figure can show are no more than weight: the values have them.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1e5).round() / 1e5
}
