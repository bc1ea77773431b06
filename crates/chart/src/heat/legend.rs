//! The legend of a heat map: its shades with their labels, of which none touches another.

use dbdyno_vocabulary::number;
use maud::{Markup, html};

use super::{SHADES, class};
use crate::{WIDTH, frame, place};

/// What stands before the shades.
const CAPTION: &str = "share, up to";
/// The side of a shade, from it to its label, and from one label to the next shade.
const SIDE: f64 = 9.0;
const NEAR: f64 = 3.0;
const GAP: f64 = 7.0;
/// The baseline of the text.
const LINE: f64 = 10.0;

/// The shades from left to right.
struct Row {
    caption: &'static str,
    /// Where each begins, with its label; an empty one where there is no room.
    shades: Vec<(f64, String)>,
    /// Where the last one ends.
    end: f64,
}

impl Row {
    /// The caption, the shades and their labels without the `dropped` ones, side by side.
    fn new(left: f64, caption: &'static str, dropped: &[usize]) -> Self {
        let mut next = left;
        if !caption.is_empty() {
            next += frame::wide(caption) + GAP;
        }
        let mut shades = Vec::new();
        for (shade, most) in SHADES.into_iter().enumerate() {
            let is_dropped = dropped.contains(&shade);
            let label = if is_dropped {
                String::new()
            } else {
                number::share(most)
            };
            let room = if is_dropped {
                0.0
            } else {
                NEAR + frame::wide(&label) + GAP
            };
            shades.push((next, label));
            next += SIDE + room;
        }
        Self {
            caption,
            shades,
            end: next - GAP,
        }
    }

    /// With as many labels as fit between two places without touching. Those at both ends stay: they show the scale.
    fn fitting(left: f64, right: f64) -> Self {
        let rows: [(&'static str, &[usize]); 4] = [
            (CAPTION, &[]),
            (CAPTION, &[1, 3]),
            (CAPTION, &[1, 2, 3]),
            ("", &[1, 2, 3]),
        ];
        let mut rows = rows
            .into_iter()
            .map(|(caption, dropped)| Self::new(left, caption, dropped));
        rows.find(|row| row.end <= right)
            .unwrap_or_else(|| Self::new(left, "", &[0, 1, 2, 3]))
    }
}

/// The shades with their labels, above the figure from its edge on: at the axis there is not enough room for all.
pub fn legend() -> Markup {
    let row = Row::fitting(0.0, WIDTH);
    html! {
        g class="tick" {
            @if !row.caption.is_empty() { text x="0" y=(place(LINE)) { (row.caption) } }
            @for (at, label) in row.shades.iter().filter(|(_, label)| !label.is_empty()) {
                text x=(place(at + SIDE + NEAR)) y=(place(LINE)) { (label) }
            }
        }
        @for (shade, (at, _)) in row.shades.iter().enumerate() {
            rect class=(class(shade)) x=(place(*at)) y=(place(LINE - 8.0)) width=(place(SIDE)) height=(place(SIDE)) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From where to where the caption, the shades and the labels go, from left to right.
    fn boxes(row: &Row, left: f64) -> Vec<(f64, f64)> {
        let mut boxes = Vec::new();
        if !row.caption.is_empty() {
            boxes.push((left, left + frame::wide(row.caption)));
        }
        for (at, label) in &row.shades {
            let end = at + SIDE;
            boxes.push((*at, end));
            if !label.is_empty() {
                boxes.push((end + NEAR, end + NEAR + frame::wide(label)));
            }
        }
        boxes
    }

    #[test]
    fn nothing_in_the_legend_overlaps_at_any_width() {
        let mut labels = SHADES.len();
        for right in (60..=400).rev().map(f64::from) {
            let row = Row::fitting(0.0, right);
            let boxes = boxes(&row, 0.0);
            for pair in boxes.windows(2) {
                assert!(pair[0].1 <= pair[1].0, "{right}: {boxes:?}");
            }
            let end = boxes.last().unwrap().1;
            assert!(end <= right.max(85.0), "{right}: {boxes:?}");
            let shown = row.shades.iter().filter(|(_, label)| !label.is_empty());
            let shown = shown.count();
            assert!(shown <= labels, "fewer labels the less room there is: {right}");
            labels = shown;
            assert_eq!(row.shades.len(), SHADES.len());
            assert_eq!(row.shades.last().unwrap().1, "100%");
        }
        assert_eq!(labels, 1);
    }

    #[test]
    fn a_figure_has_all_labels_where_they_do_not_touch() {
        let row = Row::fitting(0.0, WIDTH);
        assert_eq!(
            row.shades
                .iter()
                .map(|(_, label)| label.as_str())
                .collect::<Vec<_>>(),
            ["0.01%", "0.1%", "1%", "10%", "100%"]
        );
        let drawn = legend().0;
        let places = |tag: &str| -> Vec<f64> {
            let drawn = drawn.split(tag).skip(1);
            let place = |rest: &str| rest.split("x=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
            drawn.map(|rest| place(rest).unwrap()).collect()
        };
        let (texts, shades) = (places("<text "), places("<rect "));
        assert_eq!((texts.len(), shades.len()), (SHADES.len() + 1, SHADES.len()));
        // The caption, then a shade and its label by turns.
        assert!(
            texts[0] + frame::wide(CAPTION) < shades[0],
            "{texts:?} {shades:?}"
        );
        for (index, (_, label)) in row.shades.iter().enumerate() {
            assert!(shades[index] + SIDE < texts[index + 1]);
            let limit = shades.get(index + 1).copied().unwrap_or(WIDTH);
            assert!(
                texts[index + 1] + frame::wide(label) < limit,
                "{label}: {texts:?}"
            );
        }
    }
}
