//! What a paper's own tables say of its claims.

use dbdyno_lint::{Certainty, Finding};

use crate::Paper;
use crate::predicate::{Syntax, Verdict, evaluate, parse};

/// A claim, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Its name here.
    pub id: String,
    /// Its words.
    pub text: String,
    /// What the printed tables say; `None` where nothing was printed that could.
    pub verdict: Option<Verdict>,
    /// Rows that the verdict rests on and that a finding doubts: the place and the rule.
    pub doubted: Vec<String>,
}

/// Judges every claim; `findings` are those of the same paper.
///
/// # Errors
/// Where a predicate is none; [`crate::parse`] has refused such a paper before.
pub fn judge(paper: &Paper, findings: &[Finding]) -> Result<Vec<Judged>, Syntax> {
    let judged = paper.claims.iter().map(|claim| {
        let predicate = claim.predicate.as_deref().map(parse).transpose()?;
        let (verdict, rows) = predicate
            .map(|predicate| evaluate(&predicate, &paper.tables))
            .unzip();
        let places: Vec<String> = rows
            .into_iter()
            .flatten()
            .flat_map(|(table, row)| places(paper, table, row))
            .collect();
        let doubted = findings
            .iter()
            .filter(|finding| finding.certainty != Certainty::Notice && places.contains(&finding.place));
        Ok(Judged {
            id: claim.id.clone(),
            text: claim.text.clone(),
            verdict,
            doubted: doubted
                .map(|finding| format!("{} ({})", finding.place, finding.rule))
                .collect(),
        })
    });
    judged.collect()
}

/// How findings call a row: by its number, and by its first cell.
fn places(paper: &Paper, table: usize, row: usize) -> Vec<String> {
    let table = &paper.tables[table];
    let by_number = format!("{}, row {}", table.name(), row + 1);
    let by_label = table.rows[row]
        .first()
        .map(|label| format!("{}, {label}", table.name()));
    std::iter::once(by_number).chain(by_label).collect()
}
