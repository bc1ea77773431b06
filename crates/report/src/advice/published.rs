//! What published studies claim of a need, beside what was measured here.

use dbdyno_paper::{ClaimVerdict, Paper, find, judge, printed};
use serde::Serialize;

use super::gather::Candidate;
use super::{AdviceError, Need, PublishedClaim, Word};

/// A claim of a published study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Published {
    /// The study's id.
    pub paper: String,
    /// The claim's id.
    pub claim: String,
    /// The claim, as the study words it.
    pub text: String,
    /// The databases that it speaks for.
    pub favours: Vec<String>,
    /// What the study's own printed numbers say of it.
    pub printed: ClaimVerdict,
    /// How it stands to the answer.
    pub standing: Standing,
}

/// How a published claim stands to the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The answer names systems of these databases alone.
    Agrees,
    /// The answer names systems of other databases.
    Disagrees,
    /// The answer names these databases and others, or none.
    Open,
    /// No system of these databases was measured.
    NotMeasured,
}

/// The claims that a need names.
pub fn claims(
    need: &Need,
    candidates: &[Candidate<'_>],
    word: Word,
    systems: &[String],
) -> Result<Vec<Published>, AdviceError> {
    let of = |claim: &PublishedClaim| published(claim, standing(claim, candidates, word, systems));
    need.published.iter().map(of).collect()
}

fn published(named: &PublishedClaim, standing: Standing) -> Result<Published, AdviceError> {
    let PublishedClaim { paper: id, claim, .. } = named;
    let paper: Paper = find(id)
        .map_err(|error| unknown(error.to_string(), "`dbdyno paper list` shows the studies"))?
        .ok_or_else(|| {
            unknown(
                format!("there is no published study `{id}`"),
                "`dbdyno paper list` shows the studies",
            )
        })?;
    let judged = judge(&paper, &dbdyno_lint::check(&printed(&paper)))
        .map_err(|error| unknown(format!("claim {claim} of {id}: {error}"), "choose another claim"))?;
    let judged = judged
        .into_iter()
        .find(|judged| judged.id == *claim)
        .ok_or_else(|| {
            unknown(
                format!("the study {id} has no claim `{claim}`"),
                "`dbdyno paper show ID` shows the claims of a study",
            )
        })?;
    Ok(Published {
        paper: id.clone(),
        claim: claim.clone(),
        printed: judged.word(),
        text: judged.text,
        favours: named.favours.clone(),
        standing,
    })
}

fn unknown(message: String, help: &str) -> AdviceError {
    AdviceError {
        message,
        help: help.to_owned(),
        place: None,
    }
}

fn standing(
    claim: &PublishedClaim,
    candidates: &[Candidate<'_>],
    word: Word,
    systems: &[String],
) -> Standing {
    let is_its = |one: &&Candidate<'_>| claim.favours.contains(&one.system.driver);
    if !candidates.iter().any(|one| is_its(&one)) {
        return Standing::NotMeasured;
    }
    if !matches!(word, Word::Recommend | Word::Shortlist) {
        return Standing::Open;
    }
    let answer = || candidates.iter().filter(|one| systems.contains(&one.label));
    match answer().filter(is_its).count() {
        0 => Standing::Disagrees,
        own if own == answer().count() => Standing::Agrees,
        _ => Standing::Open,
    }
}
