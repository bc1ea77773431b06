//! Axes, grid and labels that figures share.

use maud::{Markup, html};

use crate::scale::Scale;
use crate::{Plot, color_class, label, place};

/// Height of one line of a legend.
pub const LEGEND_LINE: f64 = 15.0;
/// About how many characters fit on a line of a legend.
const LEGEND_CHARACTERS: usize = 40;
/// The longest name in a legend.
const LEGEND_NAME: usize = 20;
/// About the width of a character at an axis, and what two labels are apart at least.
const TICK_CHARACTER: f64 = 5.8;
const TICK_GAP: f64 = 2.0;
/// The width of a digit or letter there, of a sign of percent, and of a point or space, in a wide font such as DejaVu Sans.
const WIDE_CHARACTER: f64 = 6.7;
const WIDE_PERCENT: f64 = 10.0;
const WIDE_POINT: f64 = 3.4;

/// Names in their colours, at the top of a figure.
pub struct Legend<'a>(Vec<Vec<(&'a str, usize)>>);

impl<'a> Legend<'a> {
    /// Breaks the names into lines.
    pub fn new(names: impl IntoIterator<Item = (&'a str, usize)>) -> Self {
        let mut lines: Vec<Vec<(&str, usize)>> = Vec::new();
        let mut used = 0;
        for (name, color) in names {
            let width = name.chars().count().min(LEGEND_NAME) + 4;
            match lines.last_mut() {
                Some(line) if used + width <= LEGEND_CHARACTERS => line.push((name, color)),
                _ => {
                    lines.push(vec![(name, color)]);
                    used = 0;
                }
            }
            used += width;
        }
        Self(lines)
    }

    /// Its height, zero without names.
    pub fn height(&self) -> f64 {
        LEGEND_LINE * self.0.len() as f64
    }

    /// Drawn from the top of the figure.
    pub fn draw(&self, left: f64) -> Markup {
        html! {
            @for (index, line) in self.0.iter().enumerate() {
                text class="legend" x=(place(left)) y=(place(LEGEND_LINE * index as f64 + 10.0)) {
                    @for (at, (name, color)) in line.iter().enumerate() {
                        tspan class=(color_class(*color)) data-series=(name) dx=[(at > 0).then_some("12")] {
                            "● " (label(name, LEGEND_NAME))
                        }
                    }
                }
            }
        }
    }
}

/// A ratio at an axis.
pub fn ratio(value: f64) -> String {
    let text = format!("{value:.2}");
    format!("{}×", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Which way an axis goes.
#[derive(Clone, Copy)]
pub enum Direction {
    /// From left to right.
    Across,
    /// Upwards.
    Up,
}

/// What the page's script needs to draw an axis as the other kind: `x linear LOW HIGH START END OTHER_LOW OTHER_HIGH`, then the other
/// axis's ticks as `|VALUE LABEL`. `None` if only one kind shows the values.
pub fn other_axis(
    direction: Direction,
    scale: &Scale,
    values: &[f64],
    wanted: usize,
    plot: &Plot<'_>,
) -> Option<String> {
    let other = scale.other(values)?;
    let ticks = other.marks(wanted, |value| plot.tick_or_zero(value));
    if ticks.is_empty() || scale.ticks(wanted).is_empty() {
        return None;
    }
    let (low, high) = scale.bounds();
    let (other_low, other_high) = other.bounds();
    let mut text = format!(
        "{} {} {low:.5e} {high:.5e} {} {} {other_low:.5e} {other_high:.5e}",
        match direction {
            Direction::Across => "x",
            Direction::Up => "y",
        },
        if scale.is_logarithmic() {
            "logarithmic"
        } else {
            "linear"
        },
        place(scale.start()),
        place(scale.end()),
    );
    let labels: Vec<(f64, &str)> = match direction {
        Direction::Across => legible(&other, &ticks),
        Direction::Up => ticks
            .iter()
            .map(|(value, label)| (*value, label.as_str()))
            .collect(),
    };
    for (value, label) in labels {
        text.push_str(&format!("|{value:.5e} {label}"));
    }
    Some(text)
}

/// Leaves the label empty where it would touch the one to its left.
fn legible<'a>(scale: &Scale, ticks: &'a [(f64, String)]) -> Vec<(f64, &'a str)> {
    let mut free = f64::NEG_INFINITY;
    ticks
        .iter()
        .map(|(value, label)| {
            let half = TICK_CHARACTER * label.chars().count() as f64 / 2.0;
            let at = scale.place(*value);
            if at - half < free {
                return (*value, "");
            }
            free = at + half + TICK_GAP;
            (*value, label.as_str())
        })
        .collect()
}

/// The width of a text of the size of labels at an axis, in a wide font.
pub fn wide(text: &str) -> f64 {
    let widths = text.chars().map(|letter| match letter {
        '%' => WIDE_PERCENT,
        '.' | ',' | ' ' => WIDE_POINT,
        _ => WIDE_CHARACTER,
    });
    widths.sum()
}

/// Vertical grid lines with their labels below.
pub fn vertical_grid(scale: &Scale, ticks: &[(f64, String)], top: f64, bottom: f64) -> Markup {
    html! {
        (vertical_lines(scale, ticks, top, bottom))
        (labels_below(scale, ticks, bottom))
    }
}

/// Vertical grid lines alone.
pub fn vertical_lines(scale: &Scale, ticks: &[(f64, String)], top: f64, bottom: f64) -> Markup {
    let lines: String = ticks
        .iter()
        .map(|(value, _)| format!("M{} {}V{}", place(scale.place(*value)), place(top), place(bottom)))
        .collect();
    html! { path class="grid" d=(lines) {} }
}

/// The labels of a horizontal axis.
pub fn labels_below(scale: &Scale, ticks: &[(f64, String)], bottom: f64) -> Markup {
    html! {
        g class="tick" text-anchor="middle" {
            @for (value, label) in legible(scale, ticks).into_iter().filter(|(_, label)| !label.is_empty()) {
                text x=(place(scale.place(value))) y=(place(bottom + 13.0)) { (label) }
            }
        }
    }
}

/// Horizontal grid lines with their labels to the left.
pub fn horizontal_grid(scale: &Scale, ticks: &[(f64, String)], left: f64, right: f64) -> Markup {
    let lines: String = ticks
        .iter()
        .map(|(value, _)| format!("M{} {}H{}", place(left), place(scale.place(*value)), place(right)))
        .collect();
    html! {
        path class="grid" d=(lines) {}
        g class="tick" text-anchor="end" {
            @for (value, label) in ticks {
                text x=(place(left - 5.0)) y=(place(scale.place(*value) + 3.5)) { (label) }
            }
        }
    }
}

/// Invisible columns that say their values when pointed at: `(from, to, text)`.
pub fn hover_columns(columns: &[(f64, f64, String)], top: f64, bottom: f64) -> Markup {
    html! {
        @for (from, to, text) in columns {
            rect class="hover" x=(place(*from)) width=(place(to - from)) y=(place(top)) height=(place(bottom - top)) {
                title { (text) }
            }
        }
    }
}

/// Moves labels apart so that none is closer than `distance` to the next, keeping their order and staying within
/// `top..bottom` if they fit at all.
pub fn spread_apart(places: &mut [(f64, usize)], distance: f64, top: f64, bottom: f64) {
    places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut least = top;
    for (place, _) in places.iter_mut() {
        *place = place.max(least);
        least = *place + distance;
    }
    let mut most = bottom;
    for (place, _) in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - distance;
    }
}

#[cfg(test)]
mod tests {
    use super::{Legend, Scale, legible, spread_apart};

    #[test]
    fn labels_of_an_axis_do_not_touch() {
        let scale = Scale::linear(0.0, 100.0, 0.0, 100.0);
        let ticks = [0.0, 20.0, 40.0, 90.0].map(|value| (value, "100k/s".to_owned()));
        let labels = legible(&scale, &ticks);
        assert_eq!(
            labels
                .iter()
                .map(|(_, label)| label.is_empty())
                .collect::<Vec<_>>(),
            [false, true, false, false]
        );
    }

    #[test]
    fn long_names_share_no_line_of_a_legend_which_holds_them_whole() {
        let long = "postgres-with-a-name-of-forty-characters";
        let other = "cassandra-with-a-name-of-some-characters";
        let legend = Legend::new([(long, 0), (other, 1), ("redb", 2)]);
        assert_eq!(legend.height(), 30.0);
        let drawn = legend.draw(10.0).0;
        assert!(drawn.contains(&format!("data-series=\"{long}\"")), "{drawn}");
        assert!(!drawn.contains(&format!("● {long}")), "{drawn}");
    }

    #[test]
    fn labels_do_not_overlap_and_keep_their_order() {
        let mut places = [(50.0, 0), (51.0, 1), (99.0, 2), (98.0, 3)];
        spread_apart(&mut places, 12.0, 0.0, 100.0);
        assert_eq!(places.map(|place| place.1), [0, 1, 3, 2]);
        for pair in places.windows(2) {
            assert!(pair[1].0 - pair[0].0 >= 12.0 - 1e-9, "{places:?}");
        }
        assert!(places[3].0 <= 100.0);
    }
}
