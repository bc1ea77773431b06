//! A published study beside others: its set-up, and what its own numbers say of its claims.

use std::collections::BTreeSet;

use dbdyno_lint::Certainty;
use dbdyno_paper::{ClaimVerdict, Paper, PaperError, find, judge, printed};
use serde::Serialize;

use super::setup::Setup;

/// A published study beside others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedStudy {
    /// Its id.
    pub id: String,
    /// What it measured, and how.
    #[serde(flatten)]
    pub setup: Setup,
    /// Contradictions that its printed numbers certainly contain.
    pub contradictions: usize,
    /// Its claims that its own numbers were asked about.
    pub judged: usize,
    /// Those that hold on them.
    pub holding: usize,
    /// Those that fail on them.
    pub failing: usize,
    /// What it cannot say, and whether its authors name that themselves.
    pub limits: Vec<(String, bool)>,
}

/// The studies of these ids.
pub fn of_ids(ids: &BTreeSet<&str>) -> Result<Vec<PublishedStudy>, PaperError> {
    let papers = ids.iter().filter_map(|id| find(id).transpose());
    papers.map(|paper| Ok(of_paper(&paper?))).collect()
}

fn of_paper(paper: &Paper) -> PublishedStudy {
    let findings = dbdyno_lint::check(&printed(paper));
    let claims = judge(paper, &findings).unwrap_or_default();
    let count = |word| claims.iter().filter(|claim| claim.word() == word).count();
    PublishedStudy {
        id: paper.head.id.clone(),
        setup: Setup::of_paper(paper),
        contradictions: findings
            .iter()
            .filter(|finding| finding.certainty == Certainty::Certain)
            .count(),
        judged: claims.len() - count(ClaimVerdict::NotJudged),
        holding: count(ClaimVerdict::Holds),
        failing: count(ClaimVerdict::Fails),
        limits: paper
            .limits
            .iter()
            .map(|limit| (limit.text.clone(), limit.author))
            .collect(),
    }
}
