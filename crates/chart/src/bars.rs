//! A quantity of several systems side by side, group by group, from zero.

use dbdyno_vocabulary::shown_name;
use maud::html;

use crate::frame::{self, Legend};
use crate::scale::Scale;
use crate::{Data, Figure, Plot, WIDTH, color_class, ends, label, place};

const HEIGHT: f64 = 150.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = WIDTH - 16.0;
/// The share of a group's width that its bars fill.
const FILLED: f64 = 0.78;
/// No bar is wider, however few there are.
const WIDEST: f64 = 34.0;
/// The longest name below a group.
const GROUP_NAME: usize = 14;

/// Bars that belong together.
pub struct Group<'a> {
    /// What they have in common, below them.
    pub name: &'a str,
    /// The bars, in the order of systems.
    pub bars: Vec<Bar<'a>>,
}

/// One system's bar.
pub struct Bar<'a> {
    /// Name of the system.
    pub name: &'a str,
    /// Index of its colour.
    pub color: usize,
    /// Its height.
    pub value: f64,
    /// The value's interval where there is one.
    pub interval: Option<(f64, f64)>,
}

/// The figure; `None` without a bar. `group` says what the groups are, as the name of a column.
pub fn bars(groups: &[Group<'_>], plot: &Plot<'_>, group: &str) -> Option<Figure> {
    let all = || groups.iter().flat_map(|group| &group.bars);
    let highest = all()
        .map(|bar| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value)))
        .reduce(f64::max)?;
    let mut systems: Vec<(&str, usize)> = Vec::new();
    for bar in all() {
        if !systems.iter().any(|(name, _)| *name == bar.name) {
            systems.push((bar.name, bar.color));
        }
    }
    let legend = Legend::new(systems.iter().copied());
    let top = legend.height() + 8.0;
    let bottom = top + HEIGHT;
    let y = Scale::from_zero(highest, bottom, top);
    let y_ticks: Vec<(f64, String)> = y
        .ticks(4)
        .into_iter()
        .map(|value| (value, plot.tick_or_zero(value)))
        .collect();
    let room = (RIGHT - LEFT) / groups.len() as f64;
    let width = (room * FILLED / systems.len() as f64).min(WIDEST);
    let middle = |index: usize| LEFT + room * (index as f64 + 0.5);
    let left_of = |index: usize, bar: &Bar<'_>| {
        let slot = systems
            .iter()
            .position(|(name, _)| *name == bar.name)
            .unwrap_or(0);
        middle(index) + width * (slot as f64 - systems.len() as f64 / 2.0)
    };
    let values: Vec<String> = groups
        .iter()
        .flat_map(|group| group.bars.iter().map(move |bar| (group, bar)))
        .map(|(group, bar)| format!("{} {} of {}", group.name, (plot.format)(bar.value), bar.name))
        .collect();
    Some(Figure {
        name: plot.name.to_owned(),
        title: plot.title.to_owned(),
        description: format!("{}: {}.", plot.title, values.join(", ")),
        height: bottom + 22.0,
        content: html! {
            (legend.draw(LEFT))
            (frame::horizontal_grid(&y, &y_ticks, LEFT, RIGHT))
            @for (index, group) in groups.iter().enumerate() {
                text class="tick" text-anchor="middle" x=(place(middle(index))) y=(place(bottom + 13.0)) { (label(group.name, GROUP_NAME)) }
                @for bar in &group.bars {
                    @let left = left_of(index, bar);
                    g class=(color_class(bar.color)) data-series=(bar.name) {
                        @let (top, right) = (y.place(bar.value), left + width);
                        rect class="bar" x=(place(left)) width=(place(width)) y=(place(top)) height=(place(bottom - top)) {
                            title { (shown_name(bar.name)) ", " (group.name) ": " ((plot.format)(bar.value)) }
                        }
                        path class="line" d=(format!("M{} {}H{}", place(left), place(top), place(right))) {}
                        @if let Some((low, high)) = bar.interval {
                            path class="whisker" d=(format!("M{} {}V{}", place(left + width / 2.0), place(y.place(low)), place(y.place(high)))) {}
                        }
                    }
                }
            }
        },
        data: data(groups, plot, group),
    })
}

fn data(groups: &[Group<'_>], plot: &Plot<'_>, group: &str) -> Data {
    let mut data = Data::new(["system", group, plot.value, "interval_low", "interval_high"]);
    for group in groups {
        for bar in &group.bars {
            let [low, high] = ends(bar.interval);
            data.row([&bar.name, &group.name, &bar.value, &low, &high]);
        }
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot<'a>() -> Plot<'a> {
        Plot {
            name: "latency",
            title: "Latency",
            value: "latency_ms",
            format: &|value| format!("{value} ms"),
        }
    }

    fn bar(name: &str, value: f64, interval: Option<(f64, f64)>) -> Bar<'_> {
        Bar {
            name,
            color: 0,
            value,
            interval,
        }
    }

    #[test]
    fn a_bar_begins_at_zero_and_keeps_its_place_where_another_is_missing() {
        let groups = [
            Group {
                name: "A",
                bars: vec![bar("x", 4.0, Some((3.0, 5.0))), bar("y", 2.0, None)],
            },
            Group {
                name: "B",
                bars: vec![bar("y", 1.0, None)],
            },
        ];
        let figure = bars(&groups, &plot(), "workload").expect("bars");
        let drawn = figure.content.0;
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert_eq!(
            drawn.matches("class=\"whisker\"").count(),
            1,
            "one has an interval"
        );
        assert!(
            figure.description.contains("B 1 ms of y"),
            "{}",
            figure.description
        );
        assert_eq!(
            figure.data.csv(),
            "system,workload,latency_ms,interval_low,interval_high\nx,A,4,3,5\ny,A,2,,\ny,B,1,,\n"
        );
        let lefts: Vec<f64> = drawn
            .match_indices("<rect class=\"bar\" x=\"")
            .map(|(at, found)| {
                drawn[at + found.len()..]
                    .split('"')
                    .next()
                    .unwrap()
                    .parse()
                    .unwrap()
            })
            .collect();
        let room = (RIGHT - LEFT) / 2.0;
        assert!(
            (lefts[2] - lefts[1] - room).abs() < 0.2,
            "the second bar of each group: {lefts:?}"
        );
    }

    #[test]
    fn without_a_bar_there_is_no_figure() {
        assert!(bars(&[], &plot(), "workload").is_none());
    }
}
