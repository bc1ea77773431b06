//! What published studies claim of a need, beside what was measured here.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_paper::{ClaimVerdict, Paper, find, judge, printed};
use serde::Serialize;

use super::gather::Candidate;
use super::{Advice, AdviceError, Need, PublishedClaim, Word};

/// A claim of a published study.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// How these results stand to it.
    pub standing: Standing,
    /// What that rests on; `None` where no system of one side is ranked.
    pub lead: Option<Lead>,
    /// The best system of each database that it speaks for, and that is behind one for which it does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<String>,
}

/// How a published claim stands to what these results say of the databases that its study compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Among the databases of the study, only those that the claim speaks for may be best.
    Agrees,
    /// The same, and others that it speaks for as well are behind a database for which it does not.
    AgreesInPart,
    /// None of the databases that it speaks for may be best among those of the study.
    Disagrees,
    /// These databases and others may be best, or one side could not be ranked.
    Open,
    /// The databases that it speaks for were not measured, or none that the study compared them with.
    NotMeasured,
}

/// The best system of the one side of a claim against the best of the other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// The better one.
    pub first: String,
    /// The best one of the other side.
    pub other: String,
    /// How many times as good the first one is, with its 95% interval.
    pub times: (f64, f64, f64),
}

/// The claims that a need names. A study knows nothing of databases that it did not measure, so a claim is held against the answer that
/// `advise` gives when only the databases of its study may be chosen.
pub fn claims(
    need: &Need,
    candidates: &[Candidate<'_>],
    advise: impl Fn(&Need) -> Result<Advice, AdviceError>,
) -> Result<Vec<Published>, AdviceError> {
    // Studies that compared the same databases share an answer.
    let mut answers: BTreeMap<Vec<String>, Advice> = BTreeMap::new();
    let mut claims = Vec::new();
    for named in &need.published {
        let paper = paper(named)?;
        let sides = Sides::of(named, &paper, candidates);
        let answer = if sides.is_one_sided() {
            None
        } else {
            let compared = sides.all();
            if !answers.contains_key(&compared) {
                let systems = compared.clone();
                let answer = advise(&Need {
                    systems,
                    ..need.clone()
                })?;
                answers.insert(compared.clone(), answer);
            }
            answers.get(&compared)
        };
        claims.push(published(named, &paper, &sides, answer)?);
    }
    Ok(claims)
}

/// Labels of measured systems: of the databases that a claim speaks for, and of the others that its study compared.
struct Sides {
    /// With their databases.
    favoured: BTreeMap<String, String>,
    others: BTreeSet<String>,
}

impl Sides {
    fn of(claim: &PublishedClaim, paper: &Paper, candidates: &[Candidate<'_>]) -> Self {
        let compared: BTreeSet<&str> = paper.systems.iter().map(|system| system.db.as_str()).collect();
        let is_favoured = |one: &&Candidate<'_>| claim.favours.contains(&one.system.driver);
        let is_compared = |one: &&Candidate<'_>| compared.contains(one.system.driver.as_str());
        let labels = |one: &Candidate<'_>| one.label.clone();
        Self {
            favoured: candidates
                .iter()
                .filter(is_favoured)
                .map(|one| (one.label.clone(), one.system.driver.clone()))
                .collect(),
            others: candidates
                .iter()
                .filter(|one| is_compared(one) && !is_favoured(one))
                .map(labels)
                .collect(),
        }
    }

    fn all(&self) -> Vec<String> {
        self.favoured.keys().chain(&self.others).cloned().collect()
    }

    fn is_one_sided(&self) -> bool {
        self.favoured.is_empty() || self.others.is_empty()
    }

    /// How the claim stands to the answer among all of these systems.
    fn standing(&self, answer: &Advice) -> Standing {
        let is_named = |name: &&String| self.favoured.contains_key(*name);
        let named = answer.systems.iter().filter(is_named).count();
        // An answer on a part of the goals says nothing of who is behind on the others.
        let is_whole = answer.goals.iter().all(|goal| goal.unjudged.is_none());
        let tells = match answer.word {
            Word::Recommend | Word::Shortlist => true,
            // Those that it names may be best, and all others are behind.
            Word::Undecided => is_whole,
            Word::Nobody | Word::Refused => false,
        };
        match named {
            // Who is out was compared with nobody.
            _ if self.lead(answer).is_none() || !tells => Standing::Open,
            0 => Standing::Disagrees,
            all if all < answer.systems.len() => Standing::Open,
            _ if self.behind(answer).is_empty() => Standing::Agrees,
            _ => Standing::AgreesInPart,
        }
    }

    /// The best system of each favoured database that is behind the best of the others.
    fn behind(&self, answer: &Advice) -> Vec<String> {
        let mut ranked = answer.ranking.iter().map(|row| &row.system);
        let ahead: BTreeSet<&String> = ranked
            .by_ref()
            .take_while(|name| !self.others.contains(*name))
            .filter_map(|name| self.favoured.get(name))
            .collect();
        let mut behind: BTreeMap<&String, &String> = BTreeMap::new();
        for name in ranked {
            if let Some(database) = self.favoured.get(name).filter(|own| !ahead.contains(own)) {
                behind.entry(database).or_insert(name);
            }
        }
        behind.into_values().cloned().collect()
    }

    fn lead(&self, answer: &Advice) -> Option<Lead> {
        let first = answer.ranking.first()?;
        let is_favoured = self.favoured.contains_key(&first.system);
        let mut following = answer.ranking.iter().skip(1);
        let other = following.find(|row| self.favoured.contains_key(&row.system) != is_favoured)?;
        Some(Lead {
            first: first.system.clone(),
            other: other.system.clone(),
            times: other.behind?,
        })
    }
}

fn paper(named: &PublishedClaim) -> Result<Paper, AdviceError> {
    let help = "`dbdyno paper list` shows the studies";
    find(&named.paper)
        .map_err(|error| unknown(error.to_string(), help))?
        .ok_or_else(|| unknown(format!("there is no published study `{}`", named.paper), help))
}

fn published(
    named: &PublishedClaim,
    paper: &Paper,
    sides: &Sides,
    answer: Option<&Advice>,
) -> Result<Published, AdviceError> {
    let PublishedClaim { paper: id, claim, .. } = named;
    let judged = judge(paper, &dbdyno_lint::check(&printed(paper)))
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
        standing: answer.map_or(Standing::NotMeasured, |answer| sides.standing(answer)),
        lead: answer.and_then(|answer| sides.lead(answer)),
        behind: answer.map_or_else(Vec::new, |answer| sides.behind(answer)),
    })
}

fn unknown(message: String, help: &str) -> AdviceError {
    AdviceError {
        message,
        help: help.to_owned(),
        place: None,
    }
}
