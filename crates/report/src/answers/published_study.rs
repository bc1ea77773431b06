//! What a published study measured, and how: the facts in which studies of one question differ.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_lint::Certainty;
use dbdyno_paper::{ClaimVerdict, Paper, PaperError, find, judge, printed};
use serde::Serialize;

/// A published study beside others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedStudy {
    /// Its id.
    pub id: String,
    /// Its databases with their versions, by the names of their drivers.
    pub versions: BTreeMap<String, BTreeSet<String>>,
    /// How it ran, in its own words: label and value.
    pub protocol: Vec<(&'static str, String)>,
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

/// What is compared of the protocols: its key in the papers' files, and its label.
const PROTOCOL: [(&str, &str); 3] = [
    ("threads", "client threads"),
    ("runs", "runs behind a number"),
    ("record_counts", "records"),
];

/// The studies of these ids.
pub fn of_ids(ids: &BTreeSet<&str>) -> Result<Vec<PublishedStudy>, PaperError> {
    let papers = ids.iter().filter_map(|id| find(id).transpose());
    papers.map(|paper| Ok(of_paper(&paper?))).collect()
}

fn of_paper(paper: &Paper) -> PublishedStudy {
    let findings = dbdyno_lint::check(&printed(paper));
    let claims = judge(paper, &findings).unwrap_or_default();
    let count = |word| claims.iter().filter(|claim| claim.word() == word).count();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for system in &paper.systems {
        let known = versions.entry(system.db.clone()).or_default();
        known.insert(system.version.to_string());
    }
    PublishedStudy {
        id: paper.head.id.clone(),
        versions,
        protocol: PROTOCOL.map(|(key, label)| (label, paper.stated(key))).to_vec(),
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
