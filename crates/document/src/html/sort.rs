//! Which columns of a table a page sorts by, the values behind the words of their cells, and names for links.

use dbdyno_vocabulary::{Rate, Share, Size, Time};

use crate::{Align, Order, Table, TableCell};

/// With fewer rows in every group, the order is seen at a glance.
const FEWEST_ROWS: usize = 3;

/// How each of the columns is sorted at first; `None` for one that is not. If the table does not say it for any, every column of numbers is
/// sorted. An overview is not: its rows are different workloads, whose numbers do not rank.
pub(super) fn orders(table: &Table, columns: &[usize]) -> Vec<Option<Order>> {
    if table.columns.iter().any(|column| column.order.is_some()) {
        return columns.iter().map(|index| table.columns[*index].order).collect();
    }
    let has_rows = table.groups.iter().any(|group| group.rows.len() >= FEWEST_ROWS);
    columns
        .iter()
        .map(|index| {
            (has_rows && !table.is_overview)
                .then(|| order(table, *index))
                .flatten()
        })
        .collect()
}

/// Times are sorted from the shortest, other numbers from the largest. A column with anything but numbers, or with only one, is not.
fn order(table: &Table, index: usize) -> Option<Order> {
    if table.columns[index].align != Align::Right || table.columns[index].is_header {
        return None;
    }
    let rows = table.groups.iter().flat_map(|group| &group.rows);
    let cells = rows.filter_map(|row| row.cells.get(index));
    let mut known: Vec<f64> = Vec::new();
    let mut has_times = false;
    for cell in cells {
        let text = cell.text.flat();
        if cell.value.is_none() && is_unknown(&text) {
            continue;
        }
        has_times |= time(&text).is_some();
        known.push(value(cell)?);
    }
    let first = *known.first()?;
    let differ = known.iter().any(|value| *value != first);
    differ.then_some(if has_times {
        Order::Ascending
    } else {
        Order::Descending
    })
}

/// The number that a cell is sorted by: its own, or what its words say.
pub(super) fn value(cell: &TableCell) -> Option<f64> {
    cell.value.or_else(|| {
        let text = cell.text.flat();
        time(&text).or_else(|| number(&text))
    })
}

/// Whether a cell is nothing but its number, so that a page need not have it twice.
pub(super) fn says_it(cell: &TableCell) -> bool {
    let is_alone = cell.detail.is_empty() && cell.mark.is_none() && cell.explanation.is_none();
    let digits = cell.text.flat().replace('\u{202f}', "");
    is_alone && digits.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_unknown(text: &str) -> bool {
    matches!(text.trim(), "" | "–" | "-" | "not run")
}

/// The words without what stands before a number and between its digits.
fn bare(text: &str) -> String {
    text.trim_start_matches([' ', '>', '<', '=', '≥', '≤', '±', '+'])
        .trim_end_matches(['×', ' '])
        .replace(['\u{202f}', '\u{a0}'], "")
}

/// Nanoseconds.
fn time(text: &str) -> Option<f64> {
    let time = Time::parse(&bare(text)).ok()?;
    Some(time.get().as_nanos() as f64)
}

fn number(text: &str) -> Option<f64> {
    let text = bare(text);
    if let Some(rest) = text.strip_prefix(['-', '\u{2212}']) {
        return number(rest).map(|value| -value);
    }
    if text.ends_with('%') {
        Share::parse(&text).ok().map(Share::get)
    } else if text.ends_with('B') {
        Size::parse(&text).ok().map(|size| size.get() as f64)
    } else {
        Rate::parse(&text).ok().map(Rate::get)
    }
}

/// Words as a part of an address: small letters, digits and single dashes.
pub(super) fn slug(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Row};

    fn of(columns: Vec<Column>, rows: &[&[&str]]) -> Vec<Option<Order>> {
        let rows = rows.iter().map(|row| Row::new(row.iter().copied())).collect();
        let count = columns.len();
        let table = Table::new("t", columns, rows);
        orders(&table, &(0..count).collect::<Vec<_>>())
    }

    #[test]
    fn columns_of_numbers_sort_and_columns_of_anything_else_do_not() {
        let columns = || {
            let numbers = ["rate", "p99", "interval", "same"].map(Column::numbers);
            std::iter::once(Column::header("system"))
                .chain(numbers)
                .collect::<Vec<_>>()
        };
        let rows: [&[&str]; 3] = [
            &["a", "12.3k/s", "1.20 ms", "1 to 2", "0"],
            &["b", "–", ">= 850 ns", "2 to 3", "0"],
            &["c", "999/s", "3.5 min", "3 to 4", "0"],
        ];
        let expected = [None, Some(Order::Descending), Some(Order::Ascending), None, None];
        assert_eq!(of(columns(), &rows), expected);
        assert_eq!(of(columns(), &rows[..2]), [None; 5]);
    }

    #[test]
    fn words_have_the_value_that_they_say() {
        for (text, expected) in [
            ("12.3k/s", 12_300.0),
            ("4.10 µs", 4_100.0),
            (">= 2.00 s", 2e9),
            ("1\u{202f}234\u{202f}567", 1_234_567.0),
            ("1.50 KiB", 1_536.0),
            ("1.83×", 1.83),
            ("-2", -2.0),
        ] {
            assert_eq!(value(&TableCell::new(text)), Some(expected), "{text}");
        }
        let share = value(&TableCell::new("±3.8%")).unwrap();
        assert!((share - 0.038).abs() < 1e-12, "{share}");
        for text in ["1 to 2", "word", "", "–"] {
            assert_eq!(value(&TableCell::new(text)), None, "{text}");
        }
    }

    #[test]
    fn a_plain_number_needs_no_value_beside_it() {
        for (text, expected) in [
            ("12", true),
            ("1\u{202f}234", true),
            ("12k", false),
            ("–", false),
            ("inf", false),
        ] {
            assert_eq!(says_it(&TableCell::new(text)), expected, "{text}");
        }
        assert!(!says_it(&TableCell::new("12").detail("of 13")));
    }

    #[test]
    fn a_slug_has_letters_digits_and_dashes() {
        assert_eq!(slug("Workload A · redb (A/A)"), "workload-a-redb-a-a");
        assert_eq!(slug("<\">"), "");
    }
}
