//! HOW it is drawn: plain numbers as SVG.
//!
//! A caller passes names, colours and values, and a [`Plot`] that names the quantity and formats its values; no figure knows
//! what was measured. The SVG holds coordinates only. Colours, strokes and fonts come from the page's style sheet by class, so
//! that one figure serves light, dark and print.

pub mod bars;
mod bins;
pub mod changes;
pub mod curve;
mod data;
mod frame;
pub mod heat;
pub mod histogram;
pub mod lanes;
pub mod ratio;
pub mod rising_load;
pub mod run_order;
mod scale;
pub mod sizes;
pub mod strip;
pub mod timeline;
pub mod versions;
mod whisker;

use dbdyno_vocabulary::{number, shown_name, twin_original, words};
use maud::Markup;

pub use data::Data;
use data::{ends, or_empty};

/// Width of every figure's coordinate system: a phone's, so that text is legible there and never shrinks.
pub const WIDTH: f64 = 320.0;

/// What a figure shows, and how its values are written.
#[derive(Clone, Copy)]
pub struct Plot<'a> {
    /// The figure's name in its section.
    pub name: &'a str,
    /// What it shows.
    pub title: &'a str,
    /// What the values are, with their unit, as the name of a column.
    pub value: &'a str,
    /// A value with its unit, for people.
    pub format: &'a dyn Fn(f64) -> String,
}

impl Plot<'_> {
    /// A value at an axis.
    fn tick(&self, value: f64) -> String {
        axis_label(&(self.format)(value))
    }

    /// A value at an axis that can begin at zero, which needs no unit.
    fn tick_or_zero(&self, value: f64) -> String {
        if value == 0.0 {
            "0".to_owned()
        } else {
            self.tick(value)
        }
    }

    /// The title; it says when equal distances are ratios.
    fn title_over(&self, scale: &scale::Scale) -> String {
        if scale.is_logarithmic() {
            format!("{}, logarithmic axis", self.title)
        } else {
            self.title.to_owned()
        }
    }
}

/// A figure with its name and description, for eyes and for screen readers.
pub struct Figure {
    /// Its name among the figures of its section: small letters, digits and dashes.
    pub name: String,
    /// What it shows, with its unit.
    pub title: String,
    /// What it shows, in a sentence with the main figures.
    pub description: String,
    /// Height of the coordinate system.
    pub height: f64,
    /// The content.
    pub content: Markup,
    /// Exactly what is drawn, as a table.
    pub data: Data,
}

/// A coordinate with one decimal, without a useless `.0`: a page has tens of thousands of them.
pub fn place(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // Never `-0`.
    if rounded == 0.0 {
        "0".to_owned()
    } else {
        rounded.to_string()
    }
}

/// The class of a system's colour; there are eight, then they begin again with a dashed stroke.
pub fn color_class(color: usize) -> String {
    if color < COLORS {
        format!("s{color}")
    } else {
        format!("s{} again", color % COLORS)
    }
}

/// How many different colours there are.
pub const COLORS: usize = 8;

/// A value at an axis: round values need no zeros behind the point (`10k/s`, `1 ms`).
fn axis_label(text: &str) -> String {
    let Some((whole, rest)) = text.split_once('.') else {
        return text.to_owned();
    };
    let unit = rest.trim_start_matches('0');
    if unit.starts_with(|next: char| next.is_ascii_digit()) {
        text.to_owned()
    } else {
        format!("{whole}{unit}")
    }
}

/// `1 operation`, `1 234 operations`.
fn operations(count: u64) -> String {
    let noun = words::agreeing(&count, "operation", "operations");
    format!("{} {noun}", number::count(count))
}

/// A path through points; a gap begins a new stretch.
fn path(points: impl IntoIterator<Item = Option<(f64, f64)>>) -> String {
    let mut path = String::new();
    let mut drawing = false;
    for point in points {
        match point {
            Some((x, y)) => {
                path.push_str(if drawing { "L" } else { "M" });
                path.push_str(&format!("{} {}", place(x), place(y)));
                drawing = true;
            }
            None => drawing = false,
        }
    }
    path
}

/// A line in steps: from, to and height of each stretch. One that is missing, or has no height, is a gap.
fn steps(stretches: impl IntoIterator<Item = (f64, f64, Option<f64>)>) -> String {
    let mut path = String::new();
    let mut drawn_to = String::new();
    for (from, to, height) in stretches {
        let Some(height) = height else { continue };
        let (from, to, height) = (place(from), place(to), place(height));
        if drawn_to == from {
            path.push_str(&format!("V{height}"));
        } else {
            path.push_str(&format!("M{from} {height}"));
        }
        path.push_str(&format!("H{to}"));
        drawn_to = to;
    }
    path
}

/// An area between two lines that have the same places on the horizontal axis: there along the first, back along the second.
fn area(low: &[(f64, f64)], high: &[(f64, f64)]) -> String {
    let there = low.iter().chain(high.iter().rev());
    let outline = path(there.map(|point| Some(*point)));
    if outline.is_empty() {
        outline
    } else {
        outline + "Z"
    }
}

/// A system's name for people, shortened to what fits.
fn label(name: &str, most: usize) -> String {
    let shown = shown_name(name);
    // The repeat of a study is one system: that it is a repeat says more than both ends of its name.
    if twin_original(name).is_some() && shown.chars().count() > most {
        return "repeat".to_owned();
    }
    shortened(&shown, most)
}

/// Shortens a name to what fits; the full one is in the tables. Both ends stay: names of variants often differ at the end only.
fn shortened(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (first, last) = (kept.div_ceil(2), kept / 2);
    letters[..first]
        .iter()
        .chain(['…'].iter())
        .chain(&letters[letters.len() - last..])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hold_each_value_for_its_stretch_and_break_at_gaps() {
        let stretches = [
            (0.0, 1.0, Some(5.0)),
            (1.0, 2.0, Some(7.0)),
            (2.0, 3.0, None),
            (3.0, 4.0, Some(1.0)),
        ];
        assert_eq!(steps(stretches), "M0 5H1V7H2M3 1H4");
    }

    #[test]
    fn paths_break_at_gaps_and_coordinates_are_short() {
        let path = path([Some((0.0, 1.26)), Some((10.04, 2.0)), None, Some((20.0, -0.01))]);
        assert_eq!(path, "M0 1.3L10 2M20 0");
    }

    #[test]
    fn the_ninth_system_has_the_first_colour_again_but_dashed() {
        assert_eq!(
            (color_class(0), color_class(8)),
            ("s0".to_owned(), "s0 again".to_owned())
        );
    }

    #[test]
    fn axis_labels_lose_useless_zeros() {
        assert_eq!(axis_label("10.0k/s"), "10k/s");
        assert_eq!(axis_label("1.00 ms"), "1 ms");
        assert_eq!(axis_label("1.50 ms"), "1.50 ms");
        assert_eq!(axis_label("1.05 ms"), "1.05 ms");
        assert_eq!(axis_label("850 ns"), "850 ns");
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("redb", 8), "redb");
        assert_eq!(shortened("redb-with-a-long-name", 8), "redb…ame");
        let of = |level: &str| shortened(&format!("lab:postgres?security={level}"), 20);
        assert_ne!(of("none"), of("tls"));
    }
}
