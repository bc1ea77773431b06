//! What a paper's own tables say of its claims.

use dbdyno_lint::{Certainty, Doubt, Figure, Finding, Number, PrintedCell, Rule, number_in};

use crate::claim_verdict::ClaimVerdict;
use crate::predicate::{Predicate, PrintedVerdict, Syntax, evaluate, parse};
use crate::{Paper, Table};

/// A claim, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Its name here.
    pub id: String,
    /// Its words.
    pub text: String,
    /// What the printed tables say; `None` where nothing was printed that could.
    pub verdict: Option<PrintedVerdict>,
    /// Cells that the verdict rests on and that a finding doubts, which leave it as it is: it is the same with what the other numbers
    /// give in their place.
    pub doubted: Vec<String>,
    /// Why nothing can test it, where nothing can.
    pub untested: Option<String>,
}

impl Judged {
    /// The verdict in one or two words.
    #[must_use]
    pub fn word(&self) -> ClaimVerdict {
        self.verdict
            .as_ref()
            .map_or(ClaimVerdict::NotJudged, PrintedVerdict::word)
    }

    /// What the verdict rests on, where it is not that the claim holds.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        match &self.verdict {
            Some(PrintedVerdict::Fails { against, .. }) => against,
            Some(PrintedVerdict::Undecided { reasons }) => reasons,
            Some(PrintedVerdict::Ambiguous { what }) => std::slice::from_ref(what),
            Some(PrintedVerdict::Holds { .. }) | None => &[],
        }
    }
}

/// Judges every claim; `findings` are those of the same paper.
///
/// # Errors
/// Where a predicate is none; [`crate::parse`] has refused such a paper before.
pub fn judge(paper: &Paper, findings: &[Finding]) -> Result<Vec<Judged>, Syntax> {
    let doubts: Vec<(Rule, &Doubt)> = findings
        .iter()
        .filter(|finding| finding.certainty != Certainty::Notice)
        .flat_map(|finding| finding.doubts.iter().map(|doubt| (finding.rule, doubt)))
        .collect();
    let judged = paper.claims.iter().map(|claim| {
        let predicate = claim.predicate.as_deref().map(parse).transpose()?;
        let (verdict, doubted) = match predicate {
            None => (None, Vec::new()),
            Some(predicate) => {
                let (verdict, doubted) = weighed(&predicate, paper, &doubts);
                (Some(covered(verdict, claim.uncovered.as_deref())), doubted)
            }
        };
        Ok(Judged {
            id: claim.id.clone(),
            text: claim.text.clone(),
            verdict,
            doubted,
            untested: claim.untested.clone(),
        })
    });
    judged.collect()
}

/// What holds of a part of a sentence leaves the sentence open; what fails of a part refutes it.
fn covered(verdict: PrintedVerdict, uncovered: Option<&str>) -> PrintedVerdict {
    match (verdict, uncovered) {
        (PrintedVerdict::Holds { .. }, Some(uncovered)) => PrintedVerdict::Undecided {
            reasons: vec![uncovered.to_owned()],
        },
        (verdict, _) => verdict,
    }
}

/// The verdict, undecided where another value of a doubted cell would change it; beside it, the doubted cells that change nothing.
fn weighed(predicate: &Predicate, paper: &Paper, doubts: &[(Rule, &Doubt)]) -> (PrintedVerdict, Vec<String>) {
    let (verdict, cells) = evaluate(predicate, &paper.tables);
    if !matches!(
        verdict,
        PrintedVerdict::Holds { .. } | PrintedVerdict::Fails { .. }
    ) {
        return (verdict, Vec::new());
    }
    let same = |other: &PrintedVerdict| std::mem::discriminant(other) == std::mem::discriminant(&verdict);
    let (mut reasons, mut harmless) = (Vec::new(), Vec::new());
    for (table, row, column) in &cells {
        let row_number = paper.row_number(*table, *row);
        for (rule, doubt) in doubts
            .iter()
            .filter(|(_, doubt)| doubt.place.is_about(row_number))
        {
            let Some(to_column) = unit_of(column, doubt) else {
                continue;
            };
            let place = format!("{} of {} ({rule})", column, doubt.place);
            let other = doubt.instead.map(|value| value * to_column);
            let stays = other.is_some_and(|value| {
                let mut tables = paper.tables.clone();
                put(&mut tables[*table], *row, column, value);
                same(&evaluate(predicate, &tables).0)
            });
            match other {
                Some(other) if stays => harmless.push(format!(
                    "{place}; the verdict is the same with {other:.1} in its place"
                )),
                Some(other) => reasons.push(format!(
                    "rests on {place}; the verdict changes with {other:.1} in its place"
                )),
                None => reasons.push(format!("rests on {place}")),
            }
        }
    }
    if reasons.is_empty() {
        (verdict, harmless)
    } else {
        (PrintedVerdict::Undecided { reasons }, harmless)
    }
}

/// What turns a doubted number of this row into the unit of this column; `None` where the doubt is of another column.
fn unit_of(column: &str, doubt: &Doubt) -> Option<f64> {
    if doubt.number == Number::Column(column.to_owned()) {
        return Some(1.0);
    }
    let (number, unit) = number_in(column)?;
    (number == doubt.number).then_some(1.0 / unit)
}

fn put(table: &mut Table, row: usize, column: &str, value: f64) {
    let column = table.columns.iter().position(|name| name == column);
    if let Some(cell) = column.and_then(|column| table.rows[row].get_mut(column)) {
        *cell = PrintedCell::Number(Figure::exact(value));
    }
}
