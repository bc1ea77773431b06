//! An interval as a line along a horizontal axis, with an arrowhead where it goes on beyond the axis.

use maud::{Markup, html};

use crate::place;
use crate::scale::Scale;

/// Length of an arrowhead, and how far it spreads to either side.
const HEAD: f64 = 5.0;
const SPREAD: f64 = 3.5;

/// The interval at the height `y`.
pub fn whisker(scale: &Scale, y: f64, (low, high): (f64, f64)) -> Markup {
    let (least, most) = scale.bounds();
    let (from, to) = (scale.place(low), scale.place(high));
    let head = |tip: f64, back: f64| {
        let (back, above, below) = (place(back), place(y - SPREAD), place(y + SPREAD));
        format!("M{back} {above}L{} {}L{back} {below}", place(tip), place(y))
    };
    let mut path = format!("M{} {}H{}", place(from), place(y), place(to));
    if low < least {
        path.push_str(&head(from, from + HEAD));
    }
    if high > most {
        path.push_str(&head(to, to - HEAD));
    }
    html! { path class="whisker" d=(path) {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_beyond_the_axis_ends_in_an_arrow() {
        let scale = Scale::linear(1.0, 3.0, 0.0, 100.0);
        for (interval, expected) in [
            ((1.5, 2.0), "M25 9H50"),
            ((1.0, 3.0), "M0 9H100"),
            ((-4.0, 2.0), "M0 9H50M5 5.5L0 9L5 12.5"),
            ((1.5, 9.0), "M25 9H100M95 5.5L100 9L95 12.5"),
        ] {
            let drawn = whisker(&scale, 9.0, interval).into_string();
            assert!(drawn.contains(&format!("d=\"{expected}\"")), "{drawn}");
        }
    }
}
