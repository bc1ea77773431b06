//! Puts the advice together.

use dbdyno_decide::{
    Candidate as Chooseable, Criterion, Decision, Problem, Standing, Utility, Verdict, decide,
};
use dbdyno_stats::{Better, Sample};

use super::compose::{Citations, Pieces, told};
use super::gather::{Candidate, Source, candidates, check_work, observations, of_work};
use super::judge::{Judged, judge, standing_name, with_integrity};
use super::next::{experiments, same_work};
use super::{
    ADVICE_FORMAT, Advice, AdviceError, Goal, GoalCell, GoalRow, Need, RankRow, RequirementCell,
    RequirementKind, RequirementRow, Word, WorkChoice, Worth, noise, scope, sentences,
};
use crate::number;

impl Advice {
    /// What these results say to this need.
    ///
    /// # Errors
    /// When need and results do not fit together: work that nobody did, or that means more than one thing.
    pub fn of(need: &Need, sources: &[Source<'_>]) -> Result<Self, AdviceError> {
        let candidates = chosen(need, candidates(sources))?;
        let need = &with_integrity(need, &candidates);
        let works = works(need);
        for work in &works {
            check_work(&candidates, sources, work)?;
        }
        let judged: Vec<Vec<Judged<'_>>> = candidates
            .iter()
            .map(|one| {
                need.requirements
                    .iter()
                    .map(|requirement| judge(requirement, one, &works))
                    .collect()
            })
            .collect();
        let unranked = scope::unranked(need, &candidates);
        let problem = problem(need, &candidates, &judged, sources, &unranked);
        let decision = decide(&problem);
        let comparable: Vec<&Candidate<'_>> = decision
            .ranked
            .iter()
            .map(|ranked| &candidates[ranked.candidate])
            .collect();
        let mut refusals = scope::refusals(need, &comparable, sources, &works);
        if !unranked.is_empty() && unranked.iter().all(Option::is_some) {
            refusals.extend(unranked.iter().flatten().cloned());
            refusals.dedup();
        }
        let mut citations = Citations::default();
        let pieces = cited(
            need,
            sources,
            &candidates,
            &judged,
            &problem,
            &decision,
            &mut citations,
        );
        let refused = !refusals.is_empty();
        let ahead = decision.ranked.get(1).and_then(|next| Some(next.behind?.ratio));
        let (word, systems) = answer(&pieces, refused);
        Ok(Self {
            format: ADVICE_FORMAT,
            title: need.title.clone(),
            word,
            systems,
            why: sentences::why(&pieces, &refusals),
            requirements: requirement_rows(&pieces),
            ranking: if refused { Vec::new() } else { rank_rows(&pieces) },
            goals: goal_rows(&pieces, refused),
            sensitivity: if refused {
                Vec::new()
            } else {
                sentences::sensitivity(&pieces)
            },
            second_opinion: if refused {
                None
            } else {
                sentences::second_opinion(&pieces)
            },
            next: if refused {
                Vec::new()
            } else {
                experiments(&pieces, &works)
            },
            not_measured: sentences::not_measured(&pieces),
            cautions: [
                scope::cautions(&pieces, &works),
                noise::cautions(need, sources, ahead.filter(|_| !refused)),
            ]
            .concat(),
            scope: scope::rows(&candidates, sources, &works),
            evidence: citations.0,
        })
    }
}

/// The candidates that the need names, or all.
fn chosen<'a>(need: &Need, all: Vec<Candidate<'a>>) -> Result<Vec<Candidate<'a>>, AdviceError> {
    let known: Vec<String> = all.iter().map(|one| one.label.clone()).collect();
    let is_named = |one: &Candidate<'_>, name: &String| *name == one.label || *name == one.system.name;
    if let Some(unknown) = need
        .systems
        .iter()
        .find(|name| !all.iter().any(|one| is_named(one, name)))
    {
        return Err(AdviceError {
            message: format!("no completed trial is of a system `{unknown}`"),
            help: format!("the systems in these results are {}", number::list(&known)),
            place: None,
        });
    }
    let wanted =
        |one: &Candidate<'_>| need.systems.is_empty() || need.systems.iter().any(|name| is_named(one, name));
    let chosen: Vec<Candidate<'a>> = all.into_iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err(AdviceError {
            message: "there is no completed trial in these results".to_owned(),
            help: "measure something first, e.g. with `dbdyno study run studies/quickstart.toml`".to_owned(),
            place: None,
        });
    }
    Ok(chosen)
}

/// All work that counts, each once.
fn works(need: &Need) -> Vec<&WorkChoice> {
    let of_requirements = need
        .requirements
        .iter()
        .filter_map(|requirement| match &requirement.kind {
            RequirementKind::Objective { work, .. } => Some(work),
            _ => None,
        });
    let mut works: Vec<&WorkChoice> = Vec::new();
    for work in need.goals.iter().map(|goal| &goal.work).chain(of_requirements) {
        if !works.iter().any(|known| same_work(known, work)) {
            works.push(work);
        }
    }
    works
}

fn problem(
    need: &Need,
    candidates: &[Candidate<'_>],
    judged: &[Vec<Judged<'_>>],
    sources: &[Source<'_>],
    unranked: &[Option<String>],
) -> Problem {
    let chooseable: Vec<Chooseable> = candidates
        .iter()
        .zip(judged)
        .enumerate()
        .map(|(index, (one, judged))| Chooseable {
            standing: judged
                .iter()
                .map(|judged| judged.standing)
                .max()
                .unwrap_or(Standing::Shown),
            evidence: need
                .goals
                .iter()
                .map(|goal| observations(index, &of_work(one, &goal.work), sources, goal.metric))
                .collect(),
        })
        .collect();
    let criteria = need.goals.iter().enumerate().map(|(index, goal)| {
        let medians = chooseable.iter().filter_map(|one| median(one, index));
        let mut criterion = criterion(goal, medians);
        // With no goal left the answer is refused, and weights of zero would divide by zero.
        if unranked[index].is_some() && unranked.iter().any(Option::is_none) {
            criterion.weight = 0.0;
        }
        criterion
    });
    Problem {
        criteria: criteria.collect(),
        candidates: chooseable,
        margin: need.margin,
        weight_spread: need.weight_spread,
        draws: need.draws,
        seed: need.seed,
    }
}

fn median(candidate: &Chooseable, goal: usize) -> Option<f64> {
    let values = candidate.evidence[goal].iter().map(|one| one.value).collect();
    Sample::new(values).ok().map(|sample| sample.median())
}

fn criterion(goal: &Goal, medians: impl Iterator<Item = f64>) -> Criterion {
    let better = goal.metric.better();
    let best = medians.filter(|median| *median > 0.0).reduce(match better {
        Better::Higher => f64::max,
        Better::Lower => f64::min,
    });
    let utility = match goal.worth {
        Worth::Ratio(reference) => Utility::Ratio {
            reference: reference.or(best).unwrap_or(1.0),
        },
        Worth::Enough(reference) => Utility::Enough { reference },
        Worth::Objective { limit, times } => Utility::Objective {
            limit,
            worth: times.log2(),
        },
    };
    Criterion {
        weight: goal.weight,
        better,
        utility,
    }
}

/// Everything with its evidence numbered.
fn cited<'a>(
    need: &'a Need,
    sources: &'a [Source<'a>],
    candidates: &'a [Candidate<'a>],
    judged: &'a [Vec<Judged<'a>>],
    problem: &'a Problem,
    decision: &'a Decision,
    citations: &mut Citations,
) -> Pieces<'a> {
    let mut of_goals = vec![Vec::new(); candidates.len()];
    for (index, goal) in need.goals.iter().enumerate() {
        for (candidate, one) in candidates.iter().enumerate() {
            let trials: Vec<_> = of_work(one, &goal.work)
                .into_iter()
                .filter(|(_, trial)| goal.metric.measure(trial).is_some())
                .collect();
            let value = median(&problem.candidates[candidate], index).unwrap_or(f64::NAN);
            let what = format!(
                "{} of {}: median {} of {}, {}",
                goal.metric.name(),
                one.label,
                goal.metric.format(value),
                number::plural(trials.len(), "trial", "trials"),
                scope::work(&goal.work, &trials)
            );
            of_goals[candidate].push(citations.cite(what, &trials, sources));
        }
    }
    let mut of_requirements = vec![Vec::new(); candidates.len()];
    for (index, requirement) in need.requirements.iter().enumerate() {
        for (candidate, one) in candidates.iter().enumerate() {
            let judged = &judged[candidate][index];
            let what = format!("{}, {}: {}", requirement.text, one.label, judged.why);
            of_requirements[candidate].push(citations.cite(what, &judged.trials, sources));
        }
    }
    Pieces {
        need,
        candidates,
        judged,
        problem,
        decision,
        of_goals,
        of_requirements,
    }
}

fn answer(pieces: &Pieces<'_>, refused: bool) -> (Word, Vec<String>) {
    let named = |who: &[usize]| who.iter().map(|one| pieces.name(*one).to_owned()).collect();
    match &pieces.decision.verdict {
        _ if refused => {
            let who: Vec<usize> = pieces
                .decision
                .ranked
                .iter()
                .map(|ranked| ranked.candidate)
                .collect();
            let mut names: Vec<String> = named(&who);
            // Not in the order of a ranking that was refused.
            names.sort();
            (Word::Refused, names)
        }
        Verdict::Recommend(one) => (Word::Recommend, named(&[*one])),
        Verdict::Shortlist(some) => (Word::Shortlist, named(some)),
        Verdict::Undecided(some) => (Word::Undecided, named(some)),
        Verdict::NobodyLeft => (Word::Nobody, Vec::new()),
        Verdict::NobodyMeasured => {
            let who: Vec<usize> = pieces.decision.unmeasured.iter().map(|(one, _)| *one).collect();
            (Word::Undecided, named(&who))
        }
    }
}

fn requirement_rows(pieces: &Pieces<'_>) -> Vec<RequirementRow> {
    let requirements = pieces.need.requirements.iter().enumerate();
    let row = |(index, requirement): (usize, &super::Requirement)| RequirementRow {
        requirement: requirement.text.clone(),
        systems: (0..pieces.candidates.len())
            .map(|candidate| {
                let judged = &pieces.judged[candidate][index];
                RequirementCell {
                    system: pieces.name(candidate).to_owned(),
                    standing: standing_name(judged.standing),
                    why: told(
                        judged.why.clone(),
                        pieces.of_requirements[candidate][index].into_iter().collect(),
                    ),
                }
            })
            .collect(),
    };
    requirements.map(row).collect()
}

fn rank_rows(pieces: &Pieces<'_>) -> Vec<RankRow> {
    let row = |ranked: &dbdyno_decide::Ranked| RankRow {
        system: pieces.name(ranked.candidate).to_owned(),
        probability_non_dominated: ranked.probability_non_dominated,
        probability_first_as_stated: ranked.probability_first_as_stated,
        probability_first: ranked.probability_first,
        score: ranked.score,
        behind: ranked
            .behind
            .map(|behind| (behind.ratio, behind.low, behind.high)),
        tied: ranked.tied_with_first,
    };
    pieces.decision.ranked.iter().map(row).collect()
}

fn goal_rows(pieces: &Pieces<'_>, refused: bool) -> Vec<GoalRow> {
    let total: f64 = pieces
        .problem
        .criteria
        .iter()
        .map(|criterion| criterion.weight)
        .sum();
    let cell = |index: usize, goal: &Goal, candidate: usize| {
        let value = median(&pieces.problem.candidates[candidate], index);
        let ranked = pieces
            .decision
            .ranked
            .iter()
            .find(|ranked| ranked.candidate == candidate);
        let contribution = ranked.filter(|_| !refused).map(|ranked| {
            let part = ranked.contributions[index];
            part.weight * part.utility
        });
        GoalCell {
            system: pieces.name(candidate).to_owned(),
            value,
            shown: value.map_or_else(|| "not measured".to_owned(), |value| goal.metric.format(value)),
            trials: pieces.observed(candidate, index).len(),
            contribution,
            evidence: pieces.of_goals[candidate][index],
        }
    };
    let row = |(index, goal): (usize, &Goal)| {
        let trials: Vec<_> = pieces
            .candidates
            .iter()
            .flat_map(|one| of_work(one, &goal.work))
            .collect();
        GoalRow {
            goal: goal.name.clone(),
            measured: format!("{}, {}", goal.metric.name(), scope::work(&goal.work, &trials)),
            weight: pieces.problem.criteria[index].weight / total,
            worth: worth(goal),
            systems: (0..pieces.candidates.len())
                .map(|candidate| cell(index, goal, candidate))
                .collect(),
        }
    };
    pieces.need.goals.iter().enumerate().map(row).collect()
}

fn worth(goal: &Goal) -> String {
    let value = |value: f64| goal.metric.format(value);
    match goal.worth {
        Worth::Ratio(None) => "its ratio to the best".to_owned(),
        Worth::Ratio(Some(reference)) => format!("its ratio to {}", value(reference)),
        Worth::Enough(reference) => format!("its ratio to {}, which is enough", value(reference)),
        Worth::Objective { limit, times } => {
            let side = match goal.metric.better() {
                Better::Higher => "at least",
                Better::Lower => "at most",
            };
            format!(
                "{side} {}: worth being {} as good",
                value(limit),
                number::ratio(times)
            )
        }
    }
}
