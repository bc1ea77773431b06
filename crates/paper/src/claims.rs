//! What a paper's own tables say of its claims.

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
}

/// Judges every claim.
///
/// # Errors
/// Where a predicate is none; [`crate::parse`] has refused such a paper before.
pub fn judge(paper: &Paper) -> Result<Vec<Judged>, Syntax> {
    let judged = paper.claims.iter().map(|claim| {
        let predicate = claim.predicate.as_deref().map(parse).transpose()?;
        Ok(Judged {
            id: claim.id.clone(),
            text: claim.text.clone(),
            verdict: predicate.map(|predicate| evaluate(&predicate, &paper.tables)),
        })
    });
    judged.collect()
}
