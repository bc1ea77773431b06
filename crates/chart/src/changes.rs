//! Before and after: a row for each test and a lane for each system in it, with what changed and its interval around no change.

use maud::{Markup, html};

use crate::scale::Scale;
use crate::whisker::whisker;
use crate::{Data, Figure, WIDTH, color_class, ends, frame, place, shortened};

const SIDE: f64 = 12.0;
/// The height of a test's title, and of each of its systems.
const TITLE: f64 = 20.0;
const LANE: f64 = 33.0;
/// From the top of a lane to its dot, which stands below the words, and how far the lines of the axis reach to either side of it.
const DOT: f64 = 17.0;
const LINES: (f64, f64) = (5.0, 14.0);
/// The longest title, name and change in characters.
const TITLE_CHARACTERS: usize = 44;
const NAME_CHARACTERS: usize = 22;
/// The axis goes at least so far to either side of no change.
const NEAREST: f64 = 1.1;
/// An interval that reaches this many times beyond the largest or the smallest ratio is cut at the edge of the figure.
const FARTHEST: f64 = 4.0;
/// About how many values the axis names.
const TICKS: usize = 4;

/// The figure, and how its ratios are read.
pub struct Changes<'a> {
    /// The figure's name in its section.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The name of the column of ratios.
    pub value: &'a str,
    /// The difference that does not matter, as a share.
    pub margin: f64,
}

/// One test.
pub struct Row<'a> {
    /// Its title.
    pub title: &'a str,
    /// Every system compared in it.
    pub lanes: Vec<Lane<'a>>,
}

/// One system after, relative to before.
pub struct Lane<'a> {
    /// Name of the system.
    pub system: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// After by before.
    pub ratio: f64,
    /// The ratio's interval where there is one.
    pub interval: Option<(f64, f64)>,
    /// The change in words.
    pub change: String,
    /// The verdict in words.
    pub verdict: &'a str,
    /// Whether the verdict leaves open what is right.
    pub undecided: bool,
}

/// The figure; `None` without a ratio.
pub fn changes(rows: &[Row<'_>], about: &Changes<'_>) -> Option<Figure> {
    let is_drawn = |lane: &Lane<'_>| lane.ratio > 0.0 && lane.ratio.is_finite();
    let rows: Vec<(&str, Vec<&Lane<'_>>)> = rows
        .iter()
        .map(|row| {
            (
                row.title,
                row.lanes.iter().filter(|lane| is_drawn(lane)).collect(),
            )
        })
        .filter(|(_, lanes): &(&str, Vec<&Lane<'_>>)| !lanes.is_empty())
        .collect();
    if rows.is_empty() {
        return None;
    }
    let scale = axis(&rows);
    let ticks = scale.marks(TICKS, percent);
    let heights: Vec<f64> = rows
        .iter()
        .map(|(_, lanes)| TITLE + LANE * lanes.len() as f64)
        .collect();
    let first = 2.0;
    let bottom = first + heights.iter().sum::<f64>() + 6.0;
    let mut top = first;
    Some(Figure {
        name: about.name.to_owned(),
        title: about.title.to_owned(),
        description: format!("{}: {}.", about.title, described(&rows)),
        height: bottom + 20.0,
        content: html! {
            (frame::labels_below(&scale, &ticks, bottom))
            @for ((title, lanes), height) in rows.iter().zip(&heights) {
                @for index in 0..lanes.len() {
                    (lines(&scale, &ticks, about.margin, top + TITLE + LANE * index as f64 + DOT))
                }
                (draw(title, lanes, &scale, top))
                @let () = { top += height; };
            }
        },
        data: data(&rows, about),
    })
}

/// As far to the left as to the right, so that no change is in the middle.
fn axis(rows: &[(&str, Vec<&Lane<'_>>)]) -> Scale {
    let lanes = || rows.iter().flat_map(|(_, lanes)| lanes);
    let reach = |ratio: f64| ratio.max(1.0 / ratio);
    let farthest = lanes().map(|lane| reach(lane.ratio)).fold(NEAREST, f64::max);
    let most = 1.0 + FARTHEST * (farthest - 1.0);
    let ends = lanes().flat_map(|lane| lane.interval.into_iter().flat_map(|(low, high)| [low, high]));
    let ends = ends.filter(|end| *end > 0.0 && end.is_finite());
    let reached = ends.map(reach).fold(farthest, f64::max).min(most) * 1.01;
    Scale::logarithmic(1.0 / reached, reached, SIDE, WIDTH - SIDE)
}

/// A ratio as a change at the axis: `−10%`, `no change`, `+25%`, `3×`.
fn percent(ratio: f64) -> String {
    let percent = ((ratio - 1.0) * 1e3).round() / 10.0;
    if percent == 0.0 {
        "no change".to_owned()
    } else if ratio >= 3.0 {
        frame::ratio(ratio)
    } else if percent > 0.0 {
        format!("+{percent}%")
    } else {
        format!("−{}%", -percent)
    }
}

/// The margin and the lines of the axis around the dot of one lane: none of them runs through words.
fn lines(scale: &Scale, ticks: &[(f64, String)], margin: f64, dot: f64) -> Markup {
    let [low, high] = [1.0 / (1.0 + margin), 1.0 + margin].map(|end| scale.place(end));
    let (top, bottom) = (dot - LINES.0, dot + LINES.1);
    let one = place(scale.place(1.0));
    html! {
        rect class="margin" x=(place(low)) width=(place(high - low)) y=(place(top)) height=(place(bottom - top)) {}
        (frame::vertical_lines(scale, ticks, top, bottom))
        line class="one" x1=(one) x2=(one) y1=(place(top)) y2=(place(bottom)) {}
    }
}

fn draw(title: &str, lanes: &[&Lane<'_>], scale: &Scale, top: f64) -> Markup {
    html! {
        text class="name" x=(place(SIDE)) y=(place(top + 14.0)) { (shortened(title, TITLE_CHARACTERS)) }
        @for (index, lane) in lanes.iter().enumerate() {
            @let y = top + TITLE + LANE * index as f64 + DOT;
            @let text = y - 8.0;
            g class=(format!("{}{}", color_class(lane.color), if lane.undecided { " faint" } else { "" })) data-series=(lane.system) {
                text class="name" x=(place(SIDE)) y=(place(text)) { (shortened(lane.system, NAME_CHARACTERS)) }
                text class="tick" x=(place(WIDTH - SIDE)) y=(place(text)) text-anchor="end" { (lane.change) }
                @if let Some(interval) = lane.interval {
                    (whisker(scale, y, interval))
                }
                circle class=(if lane.undecided { "ring" } else { "disc" }) cx=(place(scale.place(lane.ratio))) cy=(place(y)) r="4.2" {
                    title { (title) "\n" (lane.system) ": " (lane.change) ", " (lane.verdict) }
                }
            }
        }
    }
}

fn data(rows: &[(&str, Vec<&Lane<'_>>)], about: &Changes<'_>) -> Data {
    let mut data = Data::new([
        "test",
        "system",
        about.value,
        "interval_low",
        "interval_high",
        "verdict",
    ]);
    for (title, lanes) in rows {
        for lane in lanes {
            let [low, high] = ends(lane.interval);
            data.row([title, &lane.system, &lane.ratio, &low, &high, &lane.verdict]);
        }
    }
    data
}

fn described(rows: &[(&str, Vec<&Lane<'_>>)]) -> String {
    let lanes = rows
        .iter()
        .flat_map(|(title, lanes)| lanes.iter().map(move |lane| (title, lane)));
    let described =
        lanes.map(|(title, lane)| format!("{title}, {} {} ({})", lane.system, lane.change, lane.verdict));
    described.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(ratio: f64, interval: Option<(f64, f64)>) -> Lane<'static> {
        Lane {
            system: "redb",
            color: 0,
            ratio,
            interval,
            change: "12% lower (9 to 15)".to_owned(),
            verdict: "slower",
            undecided: false,
        }
    }

    const ABOUT: Changes<'_> = Changes {
        name: "throughput",
        title: "Throughput",
        value: "ratio",
        margin: 0.05,
    };

    #[test]
    fn no_change_is_in_the_middle_and_what_has_no_ratio_is_left_out() {
        let rows = [
            Row {
                title: "C: read only",
                lanes: vec![lane(0.88, Some((0.85, 0.91))), lane(f64::NAN, None)],
            },
            Row {
                title: "gone",
                lanes: vec![lane(0.0, None)],
            },
        ];
        let figure = changes(&rows, &ABOUT).unwrap();
        let drawn = figure.content.into_string();
        assert!(drawn.contains("class=\"one\" x1=\"160\""), "{drawn}");
        assert!(
            drawn.contains(">no change<") && drawn.contains(">12% lower (9 to 15)<"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("<circle").count(), 1);
        assert!(!drawn.contains("gone"));
        assert_eq!(figure.data.csv().lines().count(), 2);
        assert!(changes(&rows[1..], &ABOUT).is_none());
    }

    #[test]
    fn no_line_runs_through_words() {
        let row = |title| Row {
            title,
            lanes: vec![lane(0.88, Some((0.03, 1.93))), lane(1.2, None)],
        };
        let drawn = changes(&[row("A"), row("B")], &ABOUT)
            .unwrap()
            .content
            .into_string();
        let number = |text: &str, name: &str| -> f64 {
            let value = text.split(&format!(" {name}=\"")).nth(1).unwrap();
            value.split('"').next().unwrap().parse().unwrap()
        };
        let parts = |name: &str| -> Vec<String> {
            let parts = drawn.split('<').filter(|part| part.starts_with(name));
            parts.map(str::to_owned).collect()
        };
        let lines: Vec<(f64, f64)> = parts("line class=\"one\"")
            .iter()
            .map(|line| (number(line, "y1"), number(line, "y2")))
            .collect();
        assert_eq!(lines.len(), 4);
        for text in parts("text class=\"name\"") {
            let baseline = number(&text, "y");
            for (top, bottom) in &lines {
                assert!(
                    baseline - 9.0 >= *bottom || baseline + 2.5 <= *top,
                    "{text}: {top} to {bottom}"
                );
            }
        }
        // The interval from 0.03 on goes further than the axis.
        assert_eq!(drawn.matches("L12 ").count(), 2, "{drawn}");
    }

    #[test]
    fn changes_at_the_axis_are_percentages() {
        for (ratio, expected) in [(0.9, "−10%"), (1.0, "no change"), (1.25, "+25%"), (4.0, "4×")] {
            assert_eq!(percent(ratio), expected);
        }
    }
}
