//! Latency against throughput: one line for each system, its knee or capacity and the objective marked.

use dbdyno_vocabulary::{number, shown_name};
use maud::{Markup, html};

use crate::frame::{self, Direction, Legend};
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, axis_label, color_class, ends, or_empty, path, place};

const HEIGHT: f64 = 176.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = WIDTH - 12.0;
/// About how many latencies the upright axis names.
const TICKS: usize = 5;

/// One system's line.
pub struct Line<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// The result in words.
    pub sentence: &'a str,
    /// The throughput that is marked: the edge of a capacity, or the knee.
    pub marked: Option<f64>,
    /// The steps, in any order.
    pub steps: Vec<Step>,
}

/// All trials at one load.
pub struct Step {
    /// Operations per second asked for; `None` in a closed loop.
    pub rate: Option<f64>,
    /// Clients.
    pub clients: u32,
    /// Operations per second.
    pub throughput: f64,
    /// The latency; a step is drawn when it is above zero.
    pub latency: f64,
    /// The latency's interval where there is one.
    pub interval: Option<(f64, f64)>,
    /// Only a lower bound of the latency is known.
    pub at_least: bool,
    /// How many trials there were.
    pub trials: usize,
    /// How many trials sustained the rate.
    pub sustained: usize,
    /// What the step shows when pointed at.
    pub text: String,
}

impl Step {
    fn is_drawn(&self) -> bool {
        self.latency > 0.0
    }

    /// Whether most trials came to their rate: a latency beyond that grows with the length of the trial.
    fn is_sustained(&self) -> bool {
        2 * self.sustained > self.trials
    }
}

impl Line<'_> {
    fn drawn(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_drawn())
    }
}

/// The figure; `None` without a single step. `objective` is the latency that is allowed.
pub fn rising_load(lines: &[Line<'_>], plot: &Plot<'_>, objective: Option<f64>) -> Option<Figure> {
    let steps = || lines.iter().flat_map(Line::drawn);
    let most = steps().map(|step| step.throughput).reduce(f64::max)?;
    let ends = || {
        let steps = lines.iter().flat_map(|line| &line.steps);
        steps
            .filter_map(|step| step.interval)
            .flat_map(|(low, high)| [low, high])
    };
    let latencies = || steps().map(|step| step.latency).chain(ends()).chain(objective);
    let low = latencies().reduce(f64::min)?;
    let high = latencies().reduce(f64::max)?;
    let legend = Legend::new(lines.iter().map(|line| (line.name, line.color)));
    let top = legend.height() + 8.0;
    let bottom = top + HEIGHT;
    let x = Scale::from_zero(most, LEFT, RIGHT);
    let y = Scale::logarithmic(low, high, bottom, top);
    let x_ticks = x.marks(4, |value| axis_label(&number::rate(value)));
    let values: Vec<f64> = latencies().collect();
    let other = frame::other_axis(Direction::Up, &y, &values, TICKS, plot);
    let y_ticks = y.marks(TICKS, |value| plot.tick(value));
    let results: Vec<String> = lines
        .iter()
        .map(|line| format!("{}: {}", shown_name(line.name), line.sentence))
        .collect();
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title.to_owned(),
        description: format!("{}. {}.", plot.title, results.join(". ")),
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            (frame::vertical_grid(&x, &x_ticks, top, bottom))
            g data-axis=[other] { (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT)) }
            @if let Some(objective) = objective {
                @let at = place(y.place(objective));
                line class="objective" x1=(place(LEFT)) x2=(place(RIGHT)) y1=(at) y2=(at) {}
                text class="tick" x=(place(LEFT + 4.0)) y=(place(y.place(objective) - 4.0)) { "objective " ((plot.format)(objective)) }
            }
            @for line in lines { (draw(line, &x, &y, (top, bottom))) }
        },
        data: data(lines, plot),
    })
}

fn data(lines: &[Line<'_>], plot: &Plot<'_>) -> Data {
    let mut data = Data::new([
        "system",
        "clients",
        "asked_operations_per_second",
        "operations_per_second",
        plot.value,
        "interval_low",
        "interval_high",
        "lower_bound",
        "trials",
        "trials_at_rate",
    ]);
    for line in lines {
        for step in line.drawn() {
            let [low, high] = ends(step.interval);
            data.row([
                &line.name,
                &step.clients,
                &or_empty(step.rate),
                &step.throughput,
                &step.latency,
                &low,
                &high,
                &step.at_least,
                &step.trials,
                &step.sustained,
            ]);
        }
    }
    data
}

fn draw(line: &Line<'_>, x: &Scale, y: &Scale, (top, bottom): (f64, f64)) -> Markup {
    let mut steps: Vec<&Step> = line.drawn().collect();
    steps.sort_by(|a, b| {
        let load = |step: &Step| (step.rate.unwrap_or(0.0), step.clients);
        let (a, b) = (load(a), load(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    let at = |step: &Step| (x.place(step.throughput), y.place(step.latency));
    html! {
        g class=(color_class(line.color)) data-series=(line.name) {
            path class="line" d=(path(steps.iter().map(|step| Some(at(step))))) {}
            @if let Some(marked) = line.marked {
                @let at = place(x.place(marked));
                line class="mark-line" x1=(at) x2=(at) y1=(place(top)) y2=(place(bottom)) {}
            }
            @for step in &steps {
                @let (across, up) = at(step);
                @if let Some((low, high)) = step.interval {
                    line class="whisker" x1=(place(across)) x2=(place(across)) y1=(place(y.place(low))) y2=(place(y.place(high))) {}
                }
                circle class=(if step.is_sustained() { "dot" } else { "dot outlier" }) cx=(place(across)) cy=(place(up)) r="3" {
                    title { (step.text) }
                }
            }
        }
    }
}
