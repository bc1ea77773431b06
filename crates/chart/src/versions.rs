//! A quantity over versions: a dot with its interval for each point, and where its level changes.

use maud::{Markup, html};

use crate::frame;
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, color_class, ends, path, place, shortened};

/// Height of the plot, and the space above it for the words of changes.
const PLOT: f64 = 130.0;
const TOP: f64 = 18.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 12.0;
/// About how many values the upright axis names.
const TICKS: usize = 4;
/// The axis goes at least so far around the values, as a share: noise of a percent must not look like a change.
const AROUND: f64 = 0.06;
/// The longest label of a point, and about how wide its characters are.
const LABEL: usize = 9;
const CHARACTER: f64 = 6.2;

/// One point.
pub struct Point<'a> {
    /// Which version.
    pub label: &'a str,
    /// The median.
    pub value: f64,
    /// The value in words.
    pub text: String,
    /// Its interval where there is one.
    pub interval: Option<(f64, f64)>,
    /// Points with one number are comparable; the line has a gap between others.
    pub kind: usize,
    /// Whether no verdict rests on it.
    pub is_doubtful: bool,
    /// The change that begins here.
    pub change: Option<Change>,
}

/// A change of level.
pub struct Change {
    /// In words, e.g. `12% lower`.
    pub words: String,
    /// Whether it is for the worse.
    pub is_worse: bool,
}

/// The figure of one series in its colour; `None` without a point.
pub fn versions(points: &[Point<'_>], color: usize, plot: &Plot<'_>) -> Option<Figure> {
    let known: Vec<&Point<'_>> = points.iter().filter(|point| point.value.is_finite()).collect();
    if known.is_empty() {
        return None;
    }
    let spans = known.iter().map(|point| {
        let (low, high) = point.interval.unwrap_or((point.value, point.value));
        (low.min(point.value), high.max(point.value))
    });
    let (low, high) = spans.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (from, to)| {
        (low.min(from), high.max(to))
    });
    let air = (high * AROUND).max((high - low) * 0.08).max(f64::MIN_POSITIVE);
    let bottom = TOP + PLOT;
    let y = Scale::linear((low - air).max(0.0), high + air, bottom, TOP);
    let x = Scale::linear(-0.5, known.len() as f64 - 0.5, LEFT, RIGHT);
    let y_ticks = y.marks(TICKS, |value| plot.tick_or_zero(value));
    let at = |index: usize| x.place(index as f64);
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title.to_owned(),
        description: described(&known, plot),
        height: bottom + 22.0,
        content: html! {
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            g class="tick" text-anchor="middle" {
                @for index in named(&known) {
                    text x=(place(at(index))) y=(place(bottom + 14.0)) { (shortened(known[index].label, LABEL)) }
                }
            }
            g class=(color_class(color)) {
                path class="trace" d=(lines(&known, at, |value| y.place(value))) {}
                @for (index, point) in known.iter().enumerate() { (dot(point, at(index), &y, plot)) }
            }
            @for (index, point) in known.iter().enumerate() {
                @if let Some(change) = &point.change { (mark(change, at(index) - (at(1) - at(0)) / 2.0, bottom)) }
            }
        },
        data: data(&known, plot),
    })
}

/// A line through the points, with a gap where their kind changes.
fn lines(points: &[&Point<'_>], x: impl Fn(usize) -> f64, y: impl Fn(f64) -> f64) -> String {
    let mut parts = Vec::new();
    for (index, point) in points.iter().enumerate() {
        if index > 0 && points[index - 1].kind != point.kind {
            parts.push(None);
        }
        parts.push(Some((x(index), y(point.value))));
    }
    path(parts)
}

fn dot(point: &Point<'_>, x: f64, y: &Scale, plot: &Plot<'_>) -> Markup {
    let spread = point.interval.map_or_else(String::new, |(low, high)| {
        format!(", 95% interval {} to {}", (plot.format)(low), (plot.format)(high))
    });
    let class = if point.is_doubtful { "ring" } else { "disc" };
    html! {
        @if let Some((low, high)) = point.interval {
            path class="whisker" d=(format!("M{} {}V{}", place(x), place(y.place(low)), place(y.place(high)))) {}
        }
        circle class=(class) cx=(place(x)) cy=(place(y.place(point.value))) r="3.4" {
            title {
                (point.label) ": " (point.text) (spread)
                @if let Some(change) = &point.change { "\n" (change.words) " than the level before" }
                @if point.is_doubtful { "\nbelongs to no level" }
            }
        }
    }
}

/// An upright line where a level begins, with its change above.
fn mark(change: &Change, x: f64, bottom: f64) -> Markup {
    let half = CHARACTER * change.words.chars().count() as f64 / 2.0;
    let text = x.clamp(LEFT + half, (RIGHT - half).max(LEFT + half));
    let class = if change.is_worse { "worse" } else { "better" };
    html! {
        g class=(format!("change {class}")) {
            line x1=(place(x)) x2=(place(x)) y1=(place(TOP)) y2=(place(bottom)) {}
            text x=(place(text)) y=(place(TOP - 5.0)) text-anchor="middle" { (change.words) }
        }
    }
}

/// The points whose labels have room: the first, the last, and some between.
fn named(points: &[&Point<'_>]) -> Vec<usize> {
    let longest = points
        .iter()
        .map(|point| point.label.chars().count().min(LABEL))
        .max();
    let width = CHARACTER * longest.unwrap_or(1) as f64 + 6.0;
    let room = ((RIGHT - LEFT) / width).floor().max(1.0) as usize;
    let step = points.len().div_ceil(room).max(1);
    // Counted from the last one, which a reader looks for first.
    (0..points.len())
        .filter(|index| (points.len() - 1 - index).is_multiple_of(step))
        .collect()
}

fn described(points: &[&Point<'_>], plot: &Plot<'_>) -> String {
    let (first, last) = (points[0], points[points.len() - 1]);
    let changes = points.iter().filter_map(|point| {
        let change = point.change.as_ref()?;
        Some(format!("; {} from {} on", change.words, point.label))
    });
    format!(
        "{}: {} at {}, {} at {}{}.",
        plot.title,
        first.text,
        first.label,
        last.text,
        last.label,
        changes.collect::<String>()
    )
}

fn data(points: &[&Point<'_>], plot: &Plot<'_>) -> Data {
    let mut data = Data::new([
        "point",
        plot.value,
        "interval_low",
        "interval_high",
        "conditions",
        "change",
    ]);
    for point in points {
        let [low, high] = ends(point.interval);
        let change = point.change.as_ref().map_or("", |change| change.words.as_str());
        data.row([&point.label, &point.value, &low, &high, &point.kind, &change]);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(label: &str, value: f64, kind: usize) -> Point<'_> {
        Point {
            label,
            value,
            text: format!("{value}/s"),
            interval: Some((value * 0.99, value * 1.01)),
            kind,
            is_doubtful: false,
            change: None,
        }
    }

    #[test]
    fn a_change_is_marked_and_other_conditions_break_the_line() {
        let labels: Vec<String> = (0..30).map(|number| format!("version-{number}")).collect();
        let mut points: Vec<Point<'_>> = labels
            .iter()
            .enumerate()
            .map(|(index, label)| point(label, 1000.0, index / 20))
            .collect();
        points[10].change = Some(Change {
            words: "12% lower".to_owned(),
            is_worse: true,
        });
        let plot = Plot {
            name: "throughput",
            title: "Throughput",
            value: "per_second",
            format: &|value| format!("{value}/s"),
        };
        let figure = versions(&points, 0, &plot).unwrap();
        let drawn = figure.content.into_string();
        assert!(
            drawn.contains("change worse") && drawn.contains(">12% lower<"),
            "{drawn}"
        );
        let line = drawn.split("class=\"trace\" d=\"").nth(1).unwrap();
        assert_eq!(line.split('"').next().unwrap().matches('M').count(), 2);
        assert!(
            drawn.contains(">version-29<") || drawn.contains(">vers…n-29<"),
            "{drawn}"
        );
        assert!(drawn.matches("…").count() <= 5, "labels do not touch");
        assert!(figure.description.ends_with("12% lower from version-10 on."));
        assert_eq!(figure.data.csv().lines().count(), 31);
        assert!(versions(&[], 0, &plot).is_none());
    }
}
