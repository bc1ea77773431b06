//! Puts the page of a paper together from the paper and the result folders of its parts.

use dbdyno_paper::{Paper, Rerun};

use super::PaperPage;
use super::part::Part;
use crate::model::{self, Bars, ReportModel, Side};
use crate::number;
use crate::{AuditReport, StudyResults};

/// Why results are none of this paper.
#[derive(Debug, thiserror::Error)]
pub enum NotOfThePaper {
    /// The study measures no paper again.
    #[error("{study} repeats no published study")]
    NoPaper {
        /// The study.
        study: String,
    },
    /// It measures another one.
    #[error("{study} repeats {found}, not {paper}")]
    Other {
        /// The study.
        study: String,
        /// Its paper.
        found: String,
        /// The paper that was asked for.
        paper: String,
    },
    /// A part that the paper's file does not have.
    #[error("{study} repeats the part {part} of {paper}, which this version does not have")]
    Part {
        /// The study.
        study: String,
        /// Its part.
        part: String,
        /// The paper.
        paper: String,
    },
    /// It was measured for claims that this version's paper does not have, or not in this part.
    #[error("{study} was measured for claims that this version cannot judge: {reason}")]
    Claims {
        /// The study.
        study: String,
        /// Why not.
        reason: String,
    },
    /// Two results were measured for one claim.
    #[error("two of these folders were measured for {claim} of {paper}")]
    ClaimTwice {
        /// The claim.
        claim: String,
        /// The paper.
        paper: String,
    },
    /// Two results of one part.
    #[error("two of these folders repeat the part {part} of {paper}")]
    Twice {
        /// The part.
        part: String,
        /// The paper.
        paper: String,
    },
}

impl PaperPage {
    /// The page of a paper with the results of its parts, and audits of its databases. Parts without results show the printed half,
    /// each set-up once.
    ///
    /// # Errors
    /// When results are of another paper, or two are of one part.
    pub fn build(
        paper: Paper,
        mut results: Vec<StudyResults>,
        audits: Vec<AuditReport>,
    ) -> Result<Self, NotOfThePaper> {
        let mut of_parts: Vec<Option<StudyResults>> = paper.reruns.iter().map(|_| None).collect();
        let mut of_claims: Vec<(Rerun, StudyResults)> = Vec::new();
        for results in results.drain(..) {
            let place = place(&paper, &results)?;
            match of_its_claims(&paper, &paper.reruns[place], &results)? {
                Some(rerun) => {
                    let twice = claims_of(&results).iter().find(|claim| {
                        of_claims
                            .iter()
                            .any(|(_, known)| claims_of(known).contains(claim))
                    });
                    if let Some(claim) = twice {
                        return Err(NotOfThePaper::ClaimTwice {
                            claim: claim.clone(),
                            paper: paper.head.id,
                        });
                    }
                    of_claims.push((rerun, results));
                }
                None if of_parts[place].is_some() => {
                    return Err(NotOfThePaper::Twice {
                        part: paper.reruns[place].part.clone(),
                        paper: paper.head.id,
                    });
                }
                None => of_parts[place] = Some(results),
            }
        }
        let measured: Vec<&str> = paper
            .reruns
            .iter()
            .zip(&of_parts)
            .filter(|(_, results)| results.is_some())
            .map(|(rerun, _)| rerun.topology.as_str())
            .collect();
        let mut parts: Vec<Part> = Vec::new();
        for (rerun, results) in paper.reruns.iter().zip(&of_parts) {
            let is_shown_elsewhere = measured.contains(&rerun.topology.as_str())
                || parts.iter().any(|part| part.rerun.topology == rerun.topology);
            if results.is_none() && is_shown_elsewhere {
                continue;
            }
            let model = results.as_ref().map(ReportModel::build);
            let figures = match &results {
                Some(_) => model::paper_figures(&paper, rerun, results.as_ref()),
                None => printed(&paper, rerun),
            };
            parts.push(Part::new(rerun.clone(), model, figures));
        }
        for (rerun, results) in &of_claims {
            let figures = model::paper_figures(&paper, rerun, Some(results));
            parts.push(Part::new(
                rerun.clone(),
                Some(ReportModel::build(results)),
                figures,
            ));
        }
        Ok(Self {
            printed: model::claims_without_runs(&paper, &audits),
            parts,
            paper,
            audits,
        })
    }
}

/// The claims that results were measured for; none of a whole part.
fn claims_of(results: &StudyResults) -> &[String] {
    let paper = results.asked.paper.as_ref();
    paper.map_or(&[], |paper| &paper.claims)
}

/// The part that was measured for some claims alone, named after them; `None` of a whole part.
fn of_its_claims(
    paper: &Paper,
    rerun: &Rerun,
    results: &StudyResults,
) -> Result<Option<Rerun>, NotOfThePaper> {
    let claims = claims_of(results);
    if claims.is_empty() {
        return Ok(None);
    }
    let narrow = dbdyno_paper::narrowed(paper, rerun, claims).map_err(|error| NotOfThePaper::Claims {
        study: results.name.clone(),
        reason: error.to_string(),
    })?;
    Ok(Some(Rerun {
        part: format!("{} for {}", rerun.part, number::list(claims)),
        ..narrow
    }))
}

/// The printed figures of a set-up, over all that any of its parts varies.
fn printed(paper: &Paper, rerun: &Rerun) -> (Vec<Side>, Vec<Bars>) {
    let (mut sides, bars) = model::paper_figures(paper, rerun, None);
    let mut others = paper.reruns.iter();
    if let Some(at_rates) = others.find(|other| other.topology == rerun.topology && !other.rates.is_empty()) {
        let of_rates = model::paper_figures(paper, at_rates, None).0;
        sides.extend(of_rates.into_iter().filter(|side| side.size == "rate"));
    }
    (sides, bars)
}

/// The number of the part that results are of.
fn place(paper: &Paper, results: &StudyResults) -> Result<usize, NotOfThePaper> {
    let study = results.name.clone();
    let Some(reference) = &results.asked.paper else {
        return Err(NotOfThePaper::NoPaper { study });
    };
    if reference.id != paper.head.id {
        return Err(NotOfThePaper::Other {
            study,
            found: reference.id.clone(),
            paper: paper.head.id.clone(),
        });
    }
    let mut reruns = paper.reruns.iter();
    let place = reruns.position(|rerun| rerun.part == reference.part);
    place.ok_or_else(|| NotOfThePaper::Part {
        study,
        part: reference.part.clone(),
        paper: paper.head.id.clone(),
    })
}
