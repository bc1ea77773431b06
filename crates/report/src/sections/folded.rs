//! Comparisons that need no row of their own: a line for each workload, in which its loads and systems are joined, and a repeat with its original.

use dbdyno_document::{Column, Row, Table, TableCell, Text, named};
use dbdyno_vocabulary::{text, twin_original};

use crate::test_name::TestName;
use crate::words::change::signed;
use crate::words::load::Load;

/// So many systems are named in a line; the others are counted.
const SYSTEMS: usize = 4;

/// One comparison of a test.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    /// The test.
    pub test: &'a TestName,
    /// How it changed, where that is known.
    pub ratio: Option<f64>,
}

/// A line for each workload. `what` is the title of the column that counts the items, `shared` are levels that all tests share.
pub fn table(caption: &str, what: &str, items: &[Item<'_>], shared: &[(String, String)]) -> Table {
    let mut lines: Vec<(String, Vec<Item<'_>>)> = Vec::new();
    for item in items {
        let place = item.test.place(shared);
        match lines.iter_mut().find(|(known, _)| *known == place) {
            Some((_, line)) => line.push(*item),
            None => lines.push((place, vec![*item])),
        }
    }
    lines.sort_by(|one, other| one.0.cmp(&other.0));
    let columns = vec![
        Column::header("workload"),
        Column::words("load"),
        Column::words("systems"),
        Column::numbers(what),
        Column::numbers("largest change"),
    ];
    let rows = lines.into_iter().map(|(place, items)| row(place, &items));
    Table::new(caption, columns, rows.collect())
}

fn row(place: String, items: &[Item<'_>]) -> Row {
    let mut loads: Vec<String> = Vec::new();
    let mut systems: Vec<&str> = Vec::new();
    for test in items.iter().map(|item| item.test) {
        let at = if test.load == Load::FullSpeed {
            0
        } else {
            loads.len()
        };
        if !loads.contains(&test.load.words()) {
            loads.insert(at, test.load.words());
        }
        if !systems.contains(&test.system.as_str()) {
            systems.push(&test.system);
        }
    }
    let far = |ratio: f64| if ratio > 0.0 { ratio.ln().abs() } else { 0.0 };
    let ratios = items.iter().filter_map(|item| item.ratio);
    let largest = ratios.max_by(|one, other| far(*one).total_cmp(&far(*other)));
    Row::new([
        TableCell::new(place),
        TableCell::new(loads.join(", ")),
        TableCell::new(with_repeats(&systems)),
        TableCell::new(items.len().to_string()),
        TableCell::new(largest.map_or_else(|| "–".to_owned(), |ratio| signed(ratio, None))),
    ])
}

/// `fjall, redb and its repeat`: a repeat is named with its original.
fn with_repeats(systems: &[&str]) -> Text {
    let is_repeat = |name: &str| twin_original(name).is_some_and(|original| systems.contains(&original));
    let mut originals: Vec<&str> = systems.iter().copied().filter(|name| !is_repeat(name)).collect();
    let more = originals.len().saturating_sub(SYSTEMS);
    originals.truncate(SYSTEMS);
    let named = originals.into_iter().map(|name| {
        let is_repeated = systems.iter().any(|other| twin_original(other) == Some(name));
        let repeat = if is_repeated { " and its repeat" } else { "" };
        text![named(name), repeat]
    });
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    text![Text::joined(named, ", "), more]
}
