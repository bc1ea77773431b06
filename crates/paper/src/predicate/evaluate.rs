//! Whether a predicate holds on printed tables.

use std::collections::BTreeSet;

use dbdyno_lint::Figure;

use super::{Comparison, Factor, Predicate, Product, Relation, Sentence, Word};
use crate::Table;
use crate::claim_verdict::ClaimVerdict;

/// What printed tables say of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintedVerdict {
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
    /// Nothing printed is against it, and what was printed does not bear it out.
    Undecided {
        /// Why not: numbers that were not printed, digits that are too few, cells that are no evidence.
        reasons: Vec<String>,
    },
    /// It asks for a number that several cells answer: the predicate is wrong, not the paper.
    Ambiguous {
        /// The number.
        what: String,
    },
}

impl PrintedVerdict {
    /// The verdict in a word.
    #[must_use]
    pub const fn word(&self) -> ClaimVerdict {
        match self {
            Self::Holds { .. } => ClaimVerdict::Holds,
            Self::Fails { .. } => ClaimVerdict::Fails,
            Self::Undecided { .. } | Self::Ambiguous { .. } => ClaimVerdict::Undecided,
        }
    }
}

/// The column of how many features a system has.
pub(crate) const FEATURES: &str = "features";

/// What each variable stands for.
pub(crate) type Bound<'a> = Vec<(&'a str, &'a str)>;

/// A cell by the numbers of its table and its row, from 0, and the name of its column.
pub type Place = (usize, usize, String);

/// The tables, and which of their cells were looked at.
struct Looked<'a> {
    tables: &'a [Table],
    cells: BTreeSet<Place>,
}

enum EvaluateError {
    Missing(String),
    Derived(String),
    Ambiguous(String),
}

/// What came of a comparison, with its numbers where it does not hold.
enum Compared {
    Holds,
    Fails(String),
    TooClose(String),
}

/// Evaluates a predicate. A row has as attributes its cells by their columns, and the table's `table` (its id), `system`,
/// `workload` and `topology`. A comparison holds, or does not, only where it does so for all that the printed digits leave open; a cell
/// that was worked out from the text is no evidence for it. Beside the verdict: the cells that it rests on.
#[must_use]
pub fn evaluate(predicate: &Predicate, tables: &[Table]) -> (PrintedVerdict, BTreeSet<Place>) {
    let mut looked = Looked {
        tables,
        cells: BTreeSet::new(),
    };
    let verdict = judged(predicate, &mut looked);
    (verdict, looked.cells)
}

/// What came of all comparisons.
#[derive(Default)]
struct Tally {
    cases: usize,
    against: Vec<String>,
    reasons: Vec<String>,
}

impl Tally {
    /// Adds one comparison for one choice of the variables.
    ///
    /// # Errors
    /// The number that several cells answer.
    fn add(&mut self, bound: &Bound<'_>, compared: Result<Compared, EvaluateError>) -> Result<(), String> {
        self.cases += 1;
        match compared {
            Ok(Compared::Holds) => {}
            Ok(Compared::Fails(false_one)) => self.against.push(described(bound, &false_one)),
            Ok(Compared::TooClose(numbers)) => {
                let why = format!("too few digits are printed to decide {numbers}");
                self.reasons.push(described(bound, &why));
            }
            Err(EvaluateError::Missing(what)) => self.reasons.push(format!("not printed: {what}")),
            Err(EvaluateError::Derived(what)) => {
                self.reasons
                    .push(format!("worked out from the text, so no evidence for it: {what}"));
            }
            Err(EvaluateError::Ambiguous(what)) => return Err(what),
        }
        Ok(())
    }

    /// Adds a sentence that one choice is enough for, by the tally of each choice.
    fn add_some(&mut self, sentence: &Sentence, choices: Vec<Self>) {
        self.cases += 1;
        if choices
            .iter()
            .any(|choice| choice.against.is_empty() && choice.reasons.is_empty())
        {
            return;
        }
        if choices.iter().all(|choice| !choice.against.is_empty()) {
            self.against.push(format!("for no choice of {}", names(sentence)));
        } else {
            let open = choices.into_iter().filter(|choice| choice.against.is_empty());
            self.reasons.extend(open.flat_map(|choice| choice.reasons));
        }
    }
}

fn judged(predicate: &Predicate, looked: &mut Looked<'_>) -> PrintedVerdict {
    let mut tally = Tally::default();
    for sentence in &predicate.0 {
        let mut choices = Vec::new();
        for bound in bindings(sentence) {
            let mut choice = Tally::default();
            let into = if sentence.is_some { &mut choice } else { &mut tally };
            for comparison in &sentence.comparisons {
                let compared = compare(comparison, &bound, looked);
                if let Err(what) = into.add(&bound, compared) {
                    return PrintedVerdict::Ambiguous { what };
                }
            }
            choices.push(choice);
        }
        if sentence.is_some {
            tally.add_some(sentence, choices);
        }
    }
    let Tally {
        cases,
        against,
        mut reasons,
    } = tally;
    if !against.is_empty() {
        PrintedVerdict::Fails { cases, against }
    } else if reasons.is_empty() {
        PrintedVerdict::Holds { cases }
    } else {
        reasons.dedup();
        PrintedVerdict::Undecided { reasons }
    }
}

/// The names of a sentence's variables.
pub(crate) fn names(sentence: &Sentence) -> String {
    let names: Vec<&str> = sentence.variables.iter().map(|(name, _)| name.as_str()).collect();
    names.join(", ")
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

/// The sentence about one choice of the variables.
pub(crate) fn described(bound: &[(&str, &str)], what: &str) -> String {
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

fn compare(
    comparison: &Comparison,
    bound: &Bound<'_>,
    looked: &mut Looked<'_>,
) -> Result<Compared, EvaluateError> {
    let mut left = product(&comparison.first, bound, looked)?;
    let mut close = None;
    for (relation, right) in &comparison.rest {
        let right = product(right, bound, looked)?;
        let rounded = |value: Figure| (value.value() * 1e4).round() / 1e4;
        let numbers = format!("{} {} {}", rounded(left), relation.sign(), rounded(right));
        match holds(*relation, left, right) {
            Some(true) => {}
            Some(false) => return Ok(Compared::Fails(format!("not {numbers}"))),
            None => close = close.or(Some(numbers)),
        }
        left = right;
    }
    Ok(close.map_or(Compared::Holds, Compared::TooClose))
}

/// Whether it holds for all numbers that the digits allow, or for none of them; `None` where it depends.
fn holds(relation: Relation, left: Figure, right: Figure) -> Option<bool> {
    let ends = [left.low(), left.high()]
        .into_iter()
        .flat_map(|left| [right.low(), right.high()].map(|right| relation.holds(left, right)));
    let (all, any) = ends.fold((true, false), |(all, any), holds| (all && holds, any || holds));
    (all == any).then_some(all)
}

fn product(product: &Product, bound: &Bound<'_>, looked: &mut Looked<'_>) -> Result<Figure, EvaluateError> {
    let mut value = factor(&product.first, bound, looked)?;
    for (divides, by) in &product.rest {
        let by = factor(by, bound, looked)?;
        value = if *divides { value / by } else { value * by };
    }
    Ok(value)
}

fn factor(factor: &Factor, bound: &Bound<'_>, looked: &mut Looked<'_>) -> Result<Figure, EvaluateError> {
    let (column, conditions) = match factor {
        Factor::Number(number) => return Ok(Figure::exact(*number)),
        Factor::Cell { column, conditions } => (column, conditions),
    };
    let conditions = words(conditions, bound);
    if column == FEATURES {
        let found = features(looked.tables, &conditions);
        return found.ok_or_else(|| EvaluateError::Missing(format!("{column} ({conditions:?})")));
    }
    let mut found = looked.tables.iter().enumerate().flat_map(|(number, table)| {
        let rows = (0..table.rows.len())
            .filter(|row| conditions.iter().all(|condition| meets(table, *row, *condition)));
        rows.filter_map(move |row| table.figure(row, column).map(|value| (value, number, row)))
    });
    let what = || {
        let conditions: Vec<String> = conditions
            .iter()
            .map(|(name, word)| format!("{name} = {word}"))
            .collect();
        format!("{column} ({})", conditions.join(", "))
    };
    match (found.next(), found.next()) {
        (None, _) => Err(EvaluateError::Missing(what())),
        (Some((_, table, row)), None) if looked.tables[table].is_derived(row, column) => {
            Err(EvaluateError::Derived(what()))
        }
        (Some((value, table, row)), None) => {
            looked.cells.insert((table, row, column.clone()));
            Ok(value)
        }
        (Some(_), Some(_)) => Err(EvaluateError::Ambiguous(what())),
    }
}

/// How many properties a table without numbers states a system to have: the cells of the column `edition` that begin with `yes`.
fn features(tables: &[Table], conditions: &[(&str, &str)]) -> Option<Figure> {
    let named = |attribute: &str| {
        let found = conditions.iter().find(|(name, _)| *name == attribute);
        found.map(|(_, word)| *word)
    };
    let (id, edition) = (named("table")?, named("edition")?);
    let table = tables.iter().find(|table| table.id == id)?;
    let column = table.columns.iter().position(|name| name == edition)?;
    let cells = table.rows.iter().filter_map(|row| row.get(column)?.text());
    let count = cells.filter(|text| text.starts_with("yes")).count();
    Some(Figure::exact(count as f64))
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
        .is_some_and(|cell| match cell.text() {
            Some(text) => text == word,
            None => word.parse().ok() == cell.number(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::parse;
    use dbdyno_lint::PrintedCell;

    fn tables() -> Vec<Table> {
        let row =
            |ops: f64, time: f64| vec![PrintedCell::from(ops), PrintedCell::Number(Figure::exact(time))];
        let table = |id: &str, system: &str, rows: Vec<Vec<PrintedCell>>| Table {
            id: id.to_owned(),
            system: Some(system.to_owned()),
            workload: None,
            topology: None,
            metric: None,
            again: std::collections::BTreeMap::new(),
            approx: false,
            observed: None,
            stands_for: Vec::new(),
            not_rerun: None,
            derived_cells: vec![(PrintedCell::from(40.0), "time".to_owned())],
            columns: vec!["ops".to_owned(), "time".to_owned()],
            rows,
        };
        vec![
            table("1", "a", vec![row(10.0, 1.0), row(20.0, 2.0)]),
            table(
                "2",
                "b",
                vec![
                    row(10.0, 3.0),
                    row(20.0, 1.5),
                    vec![PrintedCell::from(30.0), PrintedCell::Absent],
                    row(40.0, 7.0),
                    vec![PrintedCell::from(50.0), PrintedCell::from(3.0)],
                ],
            ),
        ]
    }

    fn verdict(text: &str) -> PrintedVerdict {
        evaluate(&parse(text).unwrap(), &tables()).0
    }

    #[test]
    fn what_holds_and_what_does_not() {
        assert_eq!(
            verdict("time(system=a, ops=10) < time(system=b, ops=10) <= 3"),
            PrintedVerdict::Holds { cases: 1 }
        );
        assert_eq!(
            verdict("for all n in 10 20: time(system=a, ops=$n) < time(system=b, ops=$n)"),
            PrintedVerdict::Fails {
                cases: 2,
                against: vec!["n = 20: not 2 < 1.5".to_owned()]
            }
        );
        assert_eq!(
            verdict("time(table=2, ops=10) / time(table=1, ops=10) * 2 >= 6; 1 > 2"),
            PrintedVerdict::Fails {
                cases: 2,
                against: vec!["not 1 > 2".to_owned()]
            }
        );
    }

    #[test]
    fn one_choice_is_enough_for_some() {
        assert_eq!(
            verdict("for some n in 10 20: time(system=a, ops=$n) > time(system=b, ops=$n)"),
            PrintedVerdict::Holds { cases: 1 }
        );
        assert_eq!(
            verdict(
                "for some n in 10 20: time(system=a, ops=$n) > time(system=b, ops=$n) and time(system=a, ops=$n) > 2"
            ),
            PrintedVerdict::Fails {
                cases: 1,
                against: vec!["for no choice of n".to_owned()]
            }
        );
        assert_eq!(
            verdict("for some n in 10 30: time(system=b, ops=$n) > 4"),
            PrintedVerdict::Undecided {
                reasons: vec!["not printed: time (system = b, ops = 30)".to_owned()]
            }
        );
    }

    #[test]
    fn what_a_verdict_rests_on_is_reported() {
        let predicate = parse("time(system=a, ops=20) < time(system=b, ops=10) and 1 < 2").unwrap();
        assert_eq!(
            evaluate(&predicate, &tables()).1,
            BTreeSet::from([(0, 1, "time".to_owned()), (1, 0, "time".to_owned())])
        );
    }

    #[test]
    fn what_was_not_printed_is_undecided_unless_something_else_is_against_it() {
        assert_eq!(
            verdict("time(system=b, ops=30) > 1 and 2 > 1"),
            PrintedVerdict::Undecided {
                reasons: vec!["not printed: time (system = b, ops = 30)".to_owned()]
            }
        );
        assert!(matches!(
            verdict("time(system=c) > 1 and 2 < 1"),
            PrintedVerdict::Fails { cases: 2, .. }
        ));
    }

    #[test]
    fn what_was_worked_out_is_no_evidence_and_digits_decide() {
        assert_eq!(
            verdict("time(ops=40) > 6"),
            PrintedVerdict::Undecided {
                reasons: vec!["worked out from the text, so no evidence for it: time (ops = 40)".to_owned()]
            }
        );
        // 3 is printed, and 3.4 would be printed as 3.
        assert_eq!(
            verdict("time(ops=50) < 3.2"),
            PrintedVerdict::Undecided {
                reasons: vec!["too few digits are printed to decide 3 < 3.2".to_owned()]
            }
        );
        assert_eq!(verdict("time(ops=50) < 4.2"), PrintedVerdict::Holds { cases: 1 });
        assert!(matches!(
            verdict("time(ops=50) < 2.4"),
            PrintedVerdict::Fails { .. }
        ));
    }

    #[test]
    fn a_number_that_is_not_one_is_reported() {
        assert_eq!(
            verdict("time(system=a) > 1"),
            PrintedVerdict::Ambiguous {
                what: "time (system = a)".to_owned()
            }
        );
    }
}
