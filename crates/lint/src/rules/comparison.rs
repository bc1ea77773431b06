//! `comparison-column`: a column of percentages, ratios or speed-ups is made of the other columns. Which ones, and how, is seldom
//! printed: so the rule takes the reading that most rows follow, and reports the rows that do not.

use std::collections::BTreeSet;

use crate::words::{list, number};
use crate::{Certainty, Comparison, Figure, Finding, Number, Place, Printed, Rule};

/// Share of a quotient that its digits may leave open for it to say something.
const OPEN: f64 = 0.25;
/// Different numbers that two columns must give before the rule reports rows that do not follow: a few agree by chance.
const FEWEST: usize = 3;
/// The same for a column and its baseline, which is a number more.
const FEWEST_BESIDE_BASELINE: usize = 2;
/// Columns that are tried.
const COLUMNS: usize = 32;

/// A way in which the column may have been made.
#[derive(Clone, Copy)]
struct Reading {
    /// Columns above and below the line, by number.
    columns: [usize; 2],
    /// The row whose value stands below the line.
    against: Against,
    /// Whether the value of the other row stands above the line.
    inverse: bool,
    /// What the quotient was turned into.
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Against {
    /// The same row.
    Itself,
    /// The last row before, or the same one, whose own number says that it is a baseline.
    Baseline,
    /// The row above.
    Above,
}

#[derive(Clone, Copy)]
enum Form {
    /// `a / b`
    Quotient,
    /// `a / b - 1`
    More,
    /// `1 - a / b`
    Less,
}

pub fn check(printed: &Printed) -> Vec<Finding> {
    printed.comparisons.iter().flat_map(of_column).collect()
}

fn of_column(column: &Comparison) -> Vec<Finding> {
    let baselines = baselines(column);
    let follows = |reading: &Reading| -> Vec<Option<bool>> {
        (0..column.rows.len())
            .map(|row| {
                implied(column, reading, &baselines, row).map(|value| value.agrees(column.rows[row].printed))
            })
            .collect()
    };
    // A baseline follows itself, whatever the reading; equal numbers are one.
    let shown = |reading: &Reading, follows: &[Option<bool>]| {
        let rows = (0..column.rows.len()).filter(|row| follows[*row] == Some(true));
        let own = rows.filter(|row| reading.against != Against::Baseline || baselines[*row] != Some(*row));
        let numbers: BTreeSet<u64> = own
            .map(|row| column.rows[row].printed.value().to_bits())
            .collect();
        numbers.len()
    };
    let best = readings(column)
        .into_iter()
        .map(|reading| {
            let follows = follows(&reading);
            (shown(&reading, &follows), reading, follows)
        })
        // Where a reading is as good as another, the first one: columns of the same row come before a baseline.
        .rev()
        .max_by_key(|(shown, ..)| *shown);
    let Some((shown, reading, follows)) = best else {
        return vec![nothing_gives(column)];
    };
    let wrong: Vec<usize> = (0..column.rows.len())
        .filter(|row| follows[*row] == Some(false))
        .collect();
    let right = follows.iter().filter(|row| **row == Some(true)).count();
    if wrong.is_empty() && shown > 0 {
        return Vec::new();
    }
    let fewest = if reading.against == Against::Baseline {
        FEWEST_BESIDE_BASELINE
    } else {
        FEWEST
    };
    if shown >= fewest && right > wrong.len() {
        let reported = wrong.into_iter();
        return reported
            .map(|row| of_row(column, &reading, &baselines, row, right))
            .collect();
    }
    vec![nothing_gives(column)]
}

fn nothing_gives(column: &Comparison) -> Finding {
    let printed: Vec<String> = column
        .rows
        .iter()
        .map(|row| number(row.printed.value()))
        .collect();
    let arithmetic = format!(
        "{} is {}; no quotient of two columns of one unit, and of no column with a row as its baseline or with the row above, gives these numbers",
        column.column,
        list(&printed),
    );
    let explanation = "what it compares is not printed, or not all of it is right";
    Finding::new(
        Rule::ComparisonColumn,
        Certainty::Notice,
        &Place::around(&column.table, column.rows.iter().map(|row| &row.place))
            .part(format_args!("column {}", column.column)),
        arithmetic,
        explanation,
    )
}

fn of_row(
    column: &Comparison,
    reading: &Reading,
    baselines: &[Option<usize>],
    row: usize,
    right: usize,
) -> Finding {
    let computed = implied(column, reading, baselines, row).unwrap_or(Figure::exact(f64::NAN));
    let of = |column_number: usize| &column.others[column_number];
    let first = of(reading.columns[0]);
    let made_of = match (reading.against, baselines[row]) {
        (Against::Above, _) => format!("{first} against that of the row above"),
        (Against::Baseline, Some(baseline)) => {
            format!("{first} against that of {}", column.rows[baseline].place)
        }
        _ => format!("{first} against {}", of(reading.columns[1])),
    };
    let arithmetic = format!(
        "{} = {}; {made_of} gives {} here, and what is printed in {right} other rows",
        column.column,
        number(column.rows[row].printed.value()),
        number(computed.value())
    );
    let explanation = "this row does not follow the interpretation that the others follow: a misprint, or numbers of other runs";
    let place = &column.rows[row].place;
    Finding::new(
        Rule::ComparisonColumn,
        Certainty::Likely,
        place,
        arithmetic,
        explanation,
    )
    .doubting(Number::Column(column.column.clone()), Some(computed.value()))
}

/// For each row the row that it may be compared with: the last one before it, or itself, that is one time, or 0% off, its baseline.
fn baselines(column: &Comparison) -> Vec<Option<usize>> {
    let whole = if column.percent { 100.0 } else { 1.0 };
    let is_baseline = |row: usize| {
        let printed = column.rows[row].printed.value();
        printed == whole || printed == 0.0
    };
    let first = (0..column.rows.len()).find(|row| is_baseline(*row));
    let mut last = first;
    (0..column.rows.len())
        .map(|row| {
            if is_baseline(row) {
                last = Some(row);
            }
            last
        })
        .collect()
}

fn readings(column: &Comparison) -> Vec<Reading> {
    let columns = 0..column.others.len().min(COLUMNS);
    let forms = [Form::Quotient, Form::More, Form::Less];
    let unit = |column_number: usize| unit_of(&column.others[column_number]);
    let pairs = columns
        .clone()
        .flat_map(|above| columns.clone().map(move |below| [above, below]))
        .filter(|[above, below]| above != below && unit(*above) == unit(*below))
        .map(|columns| (columns, Against::Itself, false));
    let of_rows = |against: Against| {
        let columns = columns.clone();
        columns.flat_map(move |of| [false, true].map(|inverse| ([of, of], against, inverse)))
    };
    pairs
        .chain(of_rows(Against::Baseline))
        .chain(of_rows(Against::Above))
        .flat_map(|(columns, against, inverse)| {
            forms.map(move |form| Reading {
                columns,
                against,
                inverse,
                form,
            })
        })
        .collect()
}

/// The last word of a column's name, which is its unit where it has one.
fn unit_of(column: &str) -> &str {
    let words = column.trim_end_matches([')', ']']);
    words
        .rsplit(['_', ' ', '(', '['])
        .next()
        .filter(|word| word.len() < words.len())
        .unwrap_or_default()
}

/// What the column would say in this row.
fn implied(
    column: &Comparison,
    reading: &Reading,
    baselines: &[Option<usize>],
    row: usize,
) -> Option<Figure> {
    let measured = |value: Option<Figure>| value.filter(|value| value.is_measured());
    let own = &column.rows[row];
    let above = measured(own.beside[reading.columns[0]])?;
    let is_own_baseline = baselines[row] == Some(row);
    let below = match reading.against {
        Against::Itself => own.beside[reading.columns[1]],
        Against::Baseline => column.rows[baselines[row]?].beside[reading.columns[1]],
        // The first row of a group has none to be compared with, and often says so by a zero.
        Against::Above if is_own_baseline => return None,
        Against::Above => own.above.get(reading.columns[1]).copied().flatten(),
    };
    let below = measured(below)?;
    let is_itself = reading.against == Against::Baseline && is_own_baseline;
    let quotient = match (is_itself, reading.inverse) {
        // A number over itself is one, whatever its digits leave open.
        (true, _) => Figure::exact(1.0),
        (false, false) => above / below,
        (false, true) => below / above,
    };
    let result = match reading.form {
        Form::Quotient => quotient,
        Form::More => quotient + Figure::exact(-1.0),
        Form::Less => Figure::exact(1.0) + quotient * -1.0,
    };
    // What the digits leave so wide open agrees with anything.
    let open = quotient.high() - quotient.low() > quotient.value() * OPEN;
    (!open).then(|| if column.percent { result * 100.0 } else { result })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ComparisonRow;

    /// Rows of numbers, the column itself first; digits as in whole numbers and tenths.
    fn column(name: &str, others: [&str; 2], rows: &[[f64; 3]]) -> Comparison {
        let beside = |first: f64, second: f64| {
            vec![
                Some(Figure::of_shortest_decimal(first)),
                Some(Figure::of_shortest_decimal(second)),
            ]
        };
        let rows = rows
            .iter()
            .enumerate()
            .map(|(index, [printed, first, second])| ComparisonRow {
                place: Place::row(index, format!("t, row {}", index + 1)),
                printed: Figure::of_shortest_decimal(*printed),
                beside: beside(*first, *second),
                above: index.checked_sub(1).map_or_else(Vec::new, |above| {
                    let [_, first, second] = rows[above];
                    beside(first, second)
                }),
            });
        Comparison {
            table: "t".to_owned(),
            column: name.to_owned(),
            percent: name.contains('%'),
            others: others.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }

    #[test]
    fn a_ratio_of_two_columns() {
        let mut ratios = column(
            "ratio",
            ["a_s", "b_s"],
            &[
                [2.0, 100.0, 50.0],
                [1.6, 80.0, 50.0],
                [0.5, 25.0, 50.0],
                [4.0, 200.0, 50.0],
            ],
        );
        assert_eq!(of_column(&ratios), []);
        ratios.rows[3].printed = Figure::of_shortest_decimal(5.5);
        let findings = of_column(&ratios);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].place.name, "t, row 4");
        assert_eq!(
            findings[0].arithmetic,
            "ratio = 5.5; a_s against b_s gives 4 here, and what is printed in 3 other rows"
        );
    }

    #[test]
    fn a_speed_up_against_the_first_row() {
        let mut speed_ups = column(
            "speedup",
            ["throughput_ops_s", "nodes"],
            &[
                [1.0, 1000.0, 1.0],
                [1.9, 1900.0, 2.0],
                [2.6, 2600.0, 3.0],
                [3.1, 3100.0, 5.0],
            ],
        );
        assert_eq!(of_column(&speed_ups), []);
        speed_ups.rows[2].printed = Figure::of_shortest_decimal(2.9);
        let findings = of_column(&speed_ups);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].arithmetic.contains("that of t, row 1 gives 2.6 here"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_change_against_the_row_above() {
        // From one node to eight, and again of another system, whose first row has no change.
        let true_rows = [
            [0.0, 1000.0, 1.0],
            [90.0, 1900.0, 2.0],
            [36.8, 2600.0, 4.0],
            [19.2, 3100.0, 8.0],
            [0.0, 400.0, 1.0],
            [75.0, 700.0, 2.0],
        ];
        let mut changes = column("change %", ["throughput_ops_s", "nodes"], &true_rows);
        assert_eq!(of_column(&changes), []);
        // Without the first row's zero, which many tables leave empty.
        changes.rows.retain(|row| row.printed.value() != 0.0);
        assert_eq!(of_column(&changes), []);
        let times = [
            [1.0, 100.0, 1.0],
            [1.9, 52.6, 2.0],
            [1.37, 38.4, 4.0],
            [1.19, 32.2, 8.0],
        ];
        assert_eq!(of_column(&column("speedup", ["run_time_s", "nodes"], &times)), []);
        changes.rows[2].printed = Figure::of_shortest_decimal(29.2);
        let findings = of_column(&changes);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].place.name, "t, row 4");
        assert!(
            findings[0]
                .arithmetic
                .contains("that of the row above gives 19.2"),
            "{findings:?}"
        );
    }

    #[test]
    fn percentages_of_change_and_what_nothing_gives() {
        let changes = [[25.0, 100.0, 125.0], [-10.0, 100.0, 90.0], [50.0, 100.0, 150.0]];
        assert_eq!(
            of_column(&column("change %", ["before_s", "after_s"], &changes)),
            []
        );
        let nothing = [[7.0, 100.0, 125.0], [13.0, 100.0, 90.0]];
        let findings = of_column(&column("overhead %", ["before_s", "after_s"], &nothing));
        assert_eq!(findings[0].certainty, Certainty::Notice);
        assert!(
            findings[0]
                .arithmetic
                .starts_with("overhead % is 7 and 13; no quotient of two columns of one unit")
        );
    }
}
