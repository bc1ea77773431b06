//! Whether a predicate holds on printed tables.

use std::collections::BTreeSet;

use super::{Comparison, Factor, Predicate, Product, Sentence, Word};
use crate::{Cell, Table};

/// What printed tables say of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// In every case.
    Holds {
        /// Comparisons made.
        cases: usize,
    },
    /// Not in these cases.
    Fails {
        /// Comparisons made.
        cases: usize,
        /// Each that does not hold, written out.
        against: Vec<String>,
    },
    /// Nothing printed is against it, and these numbers were not printed.
    Undecided {
        /// What is missing.
        missing: Vec<String>,
    },
    /// It asks for a number that several cells answer: the predicate is wrong, not the paper.
    Ambiguous {
        /// The number.
        what: String,
    },
}

/// What each variable stands for.
pub(crate) type Bound<'a> = Vec<(&'a str, &'a str)>;

/// The tables, and which of their rows were looked at: number of the table, number of the row, from 0.
struct Looked<'a> {
    tables: &'a [Table],
    rows: BTreeSet<(usize, usize)>,
}

enum Trouble {
    Missing(String),
    Ambiguous(String),
}

/// Evaluates a predicate. A row has as attributes its cells by their columns, and the table's `table` (its id), `system`,
/// `workload` and `topology`. Beside the verdict: the rows that it rests on, as numbers of table and row from 0.
#[must_use]
pub fn evaluate(predicate: &Predicate, tables: &[Table]) -> (Verdict, BTreeSet<(usize, usize)>) {
    let mut looked = Looked {
        tables,
        rows: BTreeSet::new(),
    };
    let verdict = judged(predicate, &mut looked);
    (verdict, looked.rows)
}

fn judged(predicate: &Predicate, looked: &mut Looked<'_>) -> Verdict {
    let (mut cases, mut against, mut missing) = (0, Vec::new(), Vec::new());
    for sentence in &predicate.0 {
        for bound in bindings(sentence) {
            for comparison in &sentence.comparisons {
                cases += 1;
                match compare(comparison, &bound, looked) {
                    Ok(None) => {}
                    Ok(Some(false_one)) => against.push(told(&bound, &false_one)),
                    Err(Trouble::Missing(what)) => missing.push(what),
                    Err(Trouble::Ambiguous(what)) => return Verdict::Ambiguous { what },
                }
            }
        }
    }
    if !against.is_empty() {
        Verdict::Fails { cases, against }
    } else if missing.is_empty() {
        Verdict::Holds { cases }
    } else {
        missing.dedup();
        Verdict::Undecided { missing }
    }
}

/// Every choice of the variables, the last one changing first.
pub(crate) fn bindings(sentence: &Sentence) -> Vec<Bound<'_>> {
    sentence
        .variables
        .iter()
        .fold(vec![Vec::new()], |choices, (name, words)| {
            let extended = choices.iter().flat_map(|choice: &Bound<'_>| {
                words.iter().map(|word| {
                    let mut choice = choice.clone();
                    choice.push((name, word));
                    choice
                })
            });
            extended.collect()
        })
}

/// What is said of one choice of the variables.
pub(crate) fn told(bound: &[(&str, &str)], what: &str) -> String {
    let names: Vec<String> = bound
        .iter()
        .map(|(name, word)| format!("{name} = {word}"))
        .collect();
    if names.is_empty() {
        what.to_owned()
    } else {
        format!("{}: {what}", names.join(", "))
    }
}

/// What is false, with its numbers; `None` when all of it holds.
fn compare(
    comparison: &Comparison,
    bound: &Bound<'_>,
    looked: &mut Looked<'_>,
) -> Result<Option<String>, Trouble> {
    let mut left = product(&comparison.first, bound, looked)?;
    for (relation, right) in &comparison.rest {
        let right = product(right, bound, looked)?;
        if !relation.holds(left, right) {
            let rounded = |value: f64| (value * 1e4).round() / 1e4;
            return Ok(Some(format!(
                "not {} {} {}",
                rounded(left),
                relation.sign(),
                rounded(right)
            )));
        }
        left = right;
    }
    Ok(None)
}

fn product(product: &Product, bound: &Bound<'_>, looked: &mut Looked<'_>) -> Result<f64, Trouble> {
    let mut value = factor(&product.first, bound, looked)?;
    for (divides, by) in &product.rest {
        let by = factor(by, bound, looked)?;
        value = if *divides { value / by } else { value * by };
    }
    Ok(value)
}

fn factor(factor: &Factor, bound: &Bound<'_>, looked: &mut Looked<'_>) -> Result<f64, Trouble> {
    let (column, conditions) = match factor {
        Factor::Number(number) => return Ok(*number),
        Factor::Cell { column, conditions } => (column, conditions),
    };
    let conditions = words(conditions, bound);
    let mut found = looked.tables.iter().enumerate().flat_map(|(number, table)| {
        let rows = (0..table.rows.len())
            .filter(|row| conditions.iter().all(|condition| meets(table, *row, *condition)));
        rows.filter_map(move |row| table.number(row, column).map(|value| (value, (number, row))))
    });
    let what = || {
        let conditions: Vec<String> = conditions
            .iter()
            .map(|(name, word)| format!("{name} = {word}"))
            .collect();
        format!("{column} ({})", conditions.join(", "))
    };
    match (found.next(), found.next()) {
        (None, _) => Err(Trouble::Missing(what())),
        (Some((value, row)), None) => {
            looked.rows.insert(row);
            Ok(value)
        }
        (Some(_), Some(_)) => Err(Trouble::Ambiguous(what())),
    }
}

/// The conditions with the words that their variables stand for.
pub(crate) fn words<'a>(
    conditions: &'a [(String, Word)],
    bound: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let conditions = conditions.iter().map(|(attribute, word)| {
        let word = match word {
            Word::Plain(word) => word.as_str(),
            Word::Variable(name) => {
                let found = bound.iter().find(|(known, _)| known == name);
                found.map_or("", |(_, word)| *word)
            }
        };
        (attribute.as_str(), word)
    });
    conditions.collect()
}

fn meets(table: &Table, row: usize, (attribute, word): (&str, &str)) -> bool {
    let of_table = match attribute {
        "table" => Some(table.id.as_str()),
        "system" => table.system.as_deref(),
        "workload" => table.workload.as_deref(),
        "topology" => table.topology.as_deref(),
        _ => None,
    };
    if let Some(value) = of_table {
        return value == word;
    }
    let column = table.columns.iter().position(|name| name == attribute);
    column
        .and_then(|column| table.rows[row].get(column))
        .is_some_and(|cell| match cell {
            Cell::Number(number) => word.parse() == Ok(*number),
            Cell::Text(text) => text == word,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::parse;

    fn tables() -> Vec<Table> {
        let row = |ops: f64, time: f64| vec![Cell::Number(ops), Cell::Number(time)];
        let table = |id: &str, system: &str, rows: Vec<Vec<Cell>>| Table {
            id: id.to_owned(),
            system: Some(system.to_owned()),
            workload: None,
            topology: None,
            metric: None,
            again: std::collections::BTreeMap::new(),
            approx: false,
            observed: None,
            columns: vec!["ops".to_owned(), "time".to_owned()],
            rows,
        };
        vec![
            table("1", "a", vec![row(10.0, 1.0), row(20.0, 2.0)]),
            table(
                "2",
                "b",
                vec![row(10.0, 3.0), row(20.0, 1.5), row(30.0, f64::NAN)],
            ),
        ]
    }

    fn verdict(text: &str) -> Verdict {
        evaluate(&parse(text).unwrap(), &tables()).0
    }

    #[test]
    fn what_holds_and_what_does_not() {
        assert_eq!(
            verdict("time(system=a, ops=10) < time(system=b, ops=10) <= 3"),
            Verdict::Holds { cases: 1 }
        );
        assert_eq!(
            verdict("for all n in 10 20: time(system=a, ops=$n) < time(system=b, ops=$n)"),
            Verdict::Fails {
                cases: 2,
                against: vec!["n = 20: not 2 < 1.5".to_owned()]
            }
        );
        assert_eq!(
            verdict("time(table=2, ops=10) / time(table=1, ops=10) * 2 >= 6; 1 > 2"),
            Verdict::Fails {
                cases: 2,
                against: vec!["not 1 > 2".to_owned()]
            }
        );
    }

    #[test]
    fn what_a_verdict_rests_on_is_told() {
        let predicate = parse("time(system=a, ops=20) < time(system=b, ops=10) and 1 < 2").unwrap();
        assert_eq!(
            evaluate(&predicate, &tables()).1,
            BTreeSet::from([(0, 1), (1, 0)])
        );
    }

    #[test]
    fn what_was_not_printed_is_undecided_unless_something_else_is_against_it() {
        assert_eq!(
            verdict("time(system=b, ops=30) > 1 and 2 > 1"),
            Verdict::Undecided {
                missing: vec!["time (system = b, ops = 30)".to_owned()]
            }
        );
        assert!(matches!(
            verdict("time(system=c) > 1 and 2 < 1"),
            Verdict::Fails { cases: 2, .. }
        ));
    }

    #[test]
    fn a_number_that_is_not_one_is_told() {
        assert_eq!(
            verdict("time(system=a) > 1"),
            Verdict::Ambiguous {
                what: "time (system = a)".to_owned()
            }
        );
    }
}
