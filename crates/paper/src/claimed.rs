//! What of a part of a paper is needed to judge some of its claims.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Claim, LOAD, Operations, Paper, Rerun};
use crate::numbers::THROUGHPUT;
use crate::predicate::{Predicate, parse};
use crate::rerun_error::RerunError;

/// The part of this name; the first one without a name.
pub(crate) fn part<'a>(paper: &'a Paper, name: Option<&str>) -> Result<&'a Rerun, RerunError> {
    let found = paper
        .reruns
        .iter()
        .find(|rerun| name.is_none_or(|name| rerun.part == name));
    found.ok_or_else(|| RerunError::Part {
        paper: paper.head.id.clone(),
        part: name.unwrap_or_default().to_owned(),
        known: paper.reruns.iter().map(|rerun| rerun.part.clone()).collect(),
    })
}

/// The parts that judge these claims, in the paper's order, each with its claims. A claim belongs to the part that was made for it, or
/// else to the first part that measures all that it asks about; with `part`, all of them belong to that one.
///
/// # Errors
/// When the paper has no such claim, no run can judge it, or the part does not measure what it asks about.
pub fn parts_for(
    paper: &Paper,
    claims: &[String],
    part: Option<&str>,
) -> Result<Vec<(String, Vec<String>)>, RerunError> {
    if part.is_some() {
        self::part(paper, part)?;
    }
    let mut parts: Vec<(String, Vec<String>)> = paper
        .reruns
        .iter()
        .map(|rerun| (rerun.part.clone(), Vec::new()))
        .collect();
    for (id, predicate) in in_order(paper, claims)? {
        let judging: Vec<&Rerun> = paper
            .reruns
            .iter()
            .filter(|rerun| measures(rerun, &predicate))
            .collect();
        let made_for_it = judging.iter().find(|rerun| rerun.for_claims.contains(id));
        let chosen = match part {
            None => made_for_it.or(judging.first()),
            Some(part) => judging.iter().find(|rerun| rerun.part == part),
        };
        let Some(chosen) = chosen else {
            return Err(RerunError::ClaimElsewhere {
                claim: id.clone(),
                part: part.map(str::to_owned),
                judging: judging.into_iter().map(|rerun| rerun.part.clone()).collect(),
            });
        };
        for (name, own) in &mut parts {
            if *name == chosen.part {
                own.push(id.clone());
            }
        }
    }
    parts.retain(|(_, own)| !own.is_empty());
    Ok(parts)
}

/// The part with only what these claims ask about: systems, workloads, sizes and rates that none of them names are left out. Where a
/// claim is silent about one of these, all of it stays.
///
/// # Errors
/// See [`parts_for`].
pub fn narrowed(paper: &Paper, rerun: &Rerun, claims: &[String]) -> Result<Rerun, RerunError> {
    parts_for(paper, claims, Some(&rerun.part))?;
    let predicates: Vec<Predicate> = in_order(paper, claims)?
        .into_iter()
        .map(|(_, predicate)| predicate)
        .collect();
    let named = |attribute: &str| -> Option<BTreeSet<String>> {
        let words: Option<Vec<BTreeSet<String>>> = predicates
            .iter()
            .map(|predicate| predicate.all_words(attribute))
            .collect();
        Some(words?.into_iter().flatten().collect())
    };
    let mut narrow = rerun.clone();
    if let Some(systems) = named("system") {
        narrow.systems.retain(|system| systems.contains(&system.id));
    }
    if let Some(mut workloads) = named("workload") {
        workloads.remove(LOAD);
        // Every run begins with a load: one workload is enough for it.
        match workloads.is_empty() {
            true => narrow.workloads.truncate(1),
            false => narrow
                .workloads
                .retain(|workload| workloads.contains(&workload.id)),
        }
    }
    let retain = |sizes: &mut Vec<u64>, named: Option<BTreeSet<String>>| {
        if let Some(named) = named {
            sizes.retain(|size| named.contains(&size.to_string()));
        }
    };
    match &mut narrow.operations {
        Operations::AsRecords(_) => retain(&mut narrow.records, named("records").or_else(|| named("ops"))),
        Operations::Counts(counts) => {
            retain(&mut narrow.records, named("records"));
            retain(counts, named("ops"));
        }
        Operations::Timed(_) => retain(&mut narrow.records, named("records")),
    }
    if let Some(rates) = named("rate") {
        narrow.rates.retain(|rate| rates.contains(&rate.to_string()));
    }
    Ok(narrow)
}

/// Whether runs of some part have every cell that a claim asks about.
#[must_use]
pub fn is_measured(paper: &Paper, claim: &Claim) -> bool {
    asked_of_runs(paper, &claim.id)
        .is_ok_and(|predicate| paper.reruns.iter().any(|rerun| measures(rerun, &predicate)))
}

/// Refuses a run without one of the sizes that its claims name; the sizes are the paper's, by ours.
///
/// # Errors
/// See [`RerunError::ClaimSize`].
pub(crate) fn check_sizes(
    paper: &Paper,
    claims: &[String],
    records: &BTreeMap<u64, u64>,
    operations: Option<&BTreeMap<u64, u64>>,
) -> Result<(), RerunError> {
    for (claim, predicate) in in_order(paper, claims)? {
        let sizes = [("records", Some(records)), ("ops", operations)];
        for (attribute, known) in sizes.into_iter().filter_map(|(name, known)| Some((name, known?))) {
            let is_known = |word: &String| known.values().any(|size| size.to_string() == *word);
            if let Some(size) = predicate
                .words(attribute)
                .into_iter()
                .find(|word| !is_known(word))
            {
                return Err(RerunError::ClaimSize {
                    claim: claim.clone(),
                    size,
                    of: if attribute == "ops" {
                        "operations"
                    } else {
                        attribute
                    },
                    known: known.values().map(u64::to_string).collect(),
                });
            }
        }
    }
    Ok(())
}

/// The claims with what each asks of new runs, each once, in the paper's order.
fn in_order<'a>(paper: &Paper, claims: &'a [String]) -> Result<Vec<(&'a String, Predicate)>, RerunError> {
    let mut asked = Vec::new();
    for claim in claims {
        if !asked.iter().any(|(known, _)| *known == claim) {
            asked.push((claim, asked_of_runs(paper, claim)?));
        }
    }
    asked.sort_by_key(|(id, _)| paper.claims.iter().position(|claim| claim.id == **id));
    Ok(asked)
}

/// What a claim asks of new runs.
fn asked_of_runs(paper: &Paper, id: &str) -> Result<Predicate, RerunError> {
    let claim = paper.claims.iter().find(|claim| claim.id == id);
    let claim = claim.ok_or_else(|| RerunError::Claim {
        paper: paper.head.id.clone(),
        claim: id.to_owned(),
        known: paper.claims.iter().map(|claim| claim.id.clone()).collect(),
    })?;
    let predicate = claim.again.as_deref().or(claim.predicate.as_deref()).map(parse);
    match predicate {
        Some(Ok(predicate)) => Ok(predicate),
        Some(Err(_)) | None => Err(RerunError::ClaimUntested {
            claim: id.to_owned(),
            why: untested(claim),
        }),
    }
}

fn untested(claim: &Claim) -> String {
    let why = claim.untested.clone();
    why.unwrap_or_else(|| "it asks nothing of new runs".to_owned())
}

/// Whether runs of this part have every cell that the claim asks about.
fn measures(rerun: &Rerun, predicate: &Predicate) -> bool {
    let has = |attribute: &str, known: &dyn Fn(&str) -> bool| {
        predicate.words(attribute).iter().all(|word| known(word))
    };
    let sized = |sizes: &[u64], word: &str| sizes.iter().any(|size| size.to_string() == word);
    let is_of_the_rate = !rerun.rates.is_empty() && predicate.columns().any(|column| column == THROUGHPUT);
    // A table of the paper's is nothing that a run has.
    !is_of_the_rate
        && predicate.words("table").is_empty()
        && has("system", &|word| {
            rerun.systems.iter().any(|system| system.id == word)
        })
        && has("workload", &|word| {
            word == LOAD || rerun.workloads.iter().any(|workload| workload.id == word)
        })
        && has("topology", &|word| rerun.topology == word)
        && has("records", &|word| sized(&rerun.records, word))
        && has("ops", &|word| match &rerun.operations {
            Operations::Counts(counts) => sized(counts, word),
            Operations::AsRecords(_) => sized(&rerun.records, word),
            Operations::Timed(_) => false,
        })
        && has("rate", &|word| {
            rerun.rates.iter().any(|rate| rate.to_string() == word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper(id: &str) -> Paper {
        crate::find(id).unwrap().unwrap()
    }

    fn ids(claims: &[&str]) -> Vec<String> {
        claims.iter().map(|&id| id.to_owned()).collect()
    }

    #[test]
    fn each_claim_belongs_to_the_first_part_that_measures_it() {
        let parts = parts_for(&paper("altoros-2013"), &ids(&["C8", "C5", "C1"]), None).unwrap();
        assert_eq!(
            parts,
            [
                ("single".to_owned(), ids(&["C1", "C8"])),
                ("rates".to_owned(), ids(&["C5"]))
            ]
        );
        let part = |id: &str, claim: &str| parts_for(&paper(id), &ids(&[claim]), None).unwrap()[0].0.clone();
        assert_eq!(part("madureira", "C4"), "nodes");
        // Scans of the part `single` are different work.
        assert_eq!(part("shwaysh-2018", "C1"), "ordered");
    }

    #[test]
    fn a_part_shrinks_to_what_its_claims_ask_about() {
        let paper = paper("altoros-2013");
        let rerun = |part: &str| paper.reruns.iter().find(|rerun| rerun.part == part).unwrap();
        let workloads = |rerun: &Rerun| -> Vec<String> {
            rerun
                .workloads
                .iter()
                .map(|workload| workload.id.clone())
                .collect()
        };
        let narrow = narrowed(&paper, rerun("single"), &ids(&["C1", "C8"])).unwrap();
        assert_eq!((workloads(&narrow), narrow.systems.len()), (ids(&["G"]), 3));
        let only_load = narrowed(&paper, rerun("single"), &ids(&["C1"])).unwrap();
        assert_eq!(workloads(&only_load), ["A"]);
        let narrow = narrowed(&paper, rerun("rates"), &ids(&["C5"])).unwrap();
        assert_eq!(
            (
                narrow.systems[0].id.as_str(),
                narrow.systems.len(),
                workloads(&narrow),
                narrow.rates.len()
            ),
            ("mongodb", 1, ids(&["C"]), 4)
        );
    }

    #[test]
    fn what_a_narrowed_part_measures_is_enough_for_its_claims() {
        for paper in crate::all().unwrap() {
            for rerun in paper.reruns.iter().filter(|rerun| !rerun.for_claims.is_empty()) {
                let parts = parts_for(&paper, &rerun.for_claims, None).unwrap();
                assert_eq!(parts, [(rerun.part.clone(), rerun.for_claims.clone())]);
            }
            for claim in &paper.claims {
                let asked = ids(&[&claim.id]);
                let Ok(parts) = parts_for(&paper, &asked, None) else {
                    continue;
                };
                let rerun = paper
                    .reruns
                    .iter()
                    .find(|rerun| rerun.part == parts[0].0)
                    .unwrap();
                let narrow = narrowed(&paper, rerun, &asked).unwrap();
                let predicate = asked_of_runs(&paper, &claim.id).unwrap();
                assert!(measures(&narrow, &predicate), "{} {}", paper.head.id, claim.id);
                assert!(!narrow.records.is_empty(), "{} {}", paper.head.id, claim.id);
            }
        }
    }

    #[test]
    fn a_claim_that_no_run_of_the_part_judges_is_refused() {
        let refused = |id: &str, claims: &[&str], part| {
            parts_for(&paper(id), &ids(claims), part).unwrap_err().to_string()
        };
        assert_eq!(
            refused("altoros-2013", &["C8"], Some("rates")),
            "the part `rates` does not measure what C8 asks about; `single` and `nodes` do"
        );
        assert_eq!(
            refused("madureira", &["C6"], None),
            "no part of the paper measures what C6 asks about",
            "it rests on a table that is not measured again"
        );
        assert!(
            refused("altoros-2013", &["C8"], Some("rate"))
                .starts_with("altoros-2013 has no part `rate`; it has ")
        );
        assert!(
            refused("altoros-2013", &["C77"], None)
                .starts_with("altoros-2013 has no claim `C77`; it has C1, ")
        );
        assert!(
            refused("madureira", &["H0b"], None)
                .starts_with("no run can test H0b: MongoDB's cluster gave no")
        );
    }
}
