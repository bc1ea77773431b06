//! Axes, grid and labels that figures share.

use maud::{Markup, html};

use crate::scale::Scale;
use crate::{color_class, place, shortened};

/// Height of one line of a legend.
pub const LEGEND_LINE: f64 = 15.0;
/// About how many characters fit on a line of a legend.
const LEGEND_CHARACTERS: usize = 46;

/// Names in their colours, at the top of a figure.
pub struct Legend(Vec<Vec<(String, usize)>>);

impl Legend {
    /// Breaks the names into lines.
    pub fn new<'a>(names: impl IntoIterator<Item = (&'a str, usize)>) -> Self {
        let mut lines: Vec<Vec<(String, usize)>> = Vec::new();
        let mut used = 0;
        for (name, color) in names {
            let name = shortened(name, 20);
            let width = name.chars().count() + 4;
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
                        tspan class=(color_class(*color)) dx=[(at > 0).then_some("12")] { "● " (name) }
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

/// Vertical grid lines with their labels below.
pub fn vertical_grid(scale: &Scale, ticks: &[(f64, String)], top: f64, bottom: f64) -> Markup {
    let lines: String = ticks
        .iter()
        .map(|(value, _)| format!("M{} {}V{}", place(scale.place(*value)), place(top), place(bottom)))
        .collect();
    html! {
        path class="grid" d=(lines) {}
        g class="tick" text-anchor="middle" {
            @for (value, label) in ticks {
                text x=(place(scale.place(*value))) y=(place(bottom + 13.0)) { (label) }
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
    use super::spread_apart;

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
