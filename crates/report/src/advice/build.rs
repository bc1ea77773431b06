//! Puts the advice together.

use dbdyno_decide::{
    Candidate as Chooseable, Compliance, Criterion, Decision, Problem, Recommendation, Utility, decide,
};
use dbdyno_stats::Better;

use super::catalogue::Catalogue;
use super::compose::{Citations, Pieces, levels};
use super::doubt::{Value, median, observations};
use super::gather::{Candidate, Source, candidates, given_again, with_prices, with_rates};
use super::goals::{Unjudged, counted, unjudged};
use super::integrity::with_integrity;
use super::judge::judge;
use super::judged::{Context, Judged};
use super::metric::better;
use super::next::experiments;
use super::restless::level_range;
use super::unjudged::{INTEGRITY, sentence};
use super::why::clause;
use super::work::{NoWork, check_work};
use super::{
    ADVICE_FORMAT, Advice, AdviceError, Goal, Need, RequirementKind, Word, WorkChoice, Worth, money, noise,
    published, rows, scope, sentences, without,
};
use crate::number;

impl Advice {
    /// What these results say to this need; `catalogue` is what is known beside them.
    ///
    /// # Errors
    /// When need and results do not fit together: a system that nobody measured, or work that means more than one thing.
    pub fn of(need: &Need, sources: &[Source<'_>], catalogue: &Catalogue) -> Result<Self, AdviceError> {
        let mut advice = Self::as_stated(need, sources, catalogue)?;
        let advise = |other: &Need| Self::as_stated(other, sources, catalogue);
        let others = without::statements(&advice, need, advise)?;
        advice.sensitivity.extend(others);
        advice.published = published::claims(need, &chosen(need, candidates(sources))?, advise)?;
        Ok(advice)
    }

    /// The advice, without what it would be under other requirements or among other systems.
    fn as_stated(need: &Need, sources: &[Source<'_>], catalogue: &Catalogue) -> Result<Self, AdviceError> {
        let candidates = with_prices(chosen(need, candidates(sources))?, need.prices.as_ref());
        let need = &with_rates(&with_integrity(need, &candidates, INTEGRITY), &candidates);
        let works: Vec<(&WorkChoice, Option<NoWork>)> = works(need)
            .into_iter()
            .map(|work| {
                let absent = check_work(&candidates, sources, work);
                Ok((work, absent.map_err(|why| AdviceError::ambiguous(work, why))?))
            })
            .collect::<Result<_, AdviceError>>()?;
        let context = Context {
            candidates: &candidates,
            works: &works,
            catalogue,
            currency: need.prices.as_ref().map(|prices| prices.currency.as_str()),
        };
        let judged = judged(need, &context);
        let goals = judged_goals(need, &candidates, &judged, &works);
        let none_judged = goals.iter().all(|(_, why)| why.is_some());
        let counting = &with_goals(need, &goals, none_judged);
        let values: Vec<Vec<Vec<Value<'_>>>> = candidates
            .iter()
            .zip(&judged)
            .map(|(one, judged)| {
                let is_at_level = levels(judged).is_empty();
                let of = |goal: &Goal| counted(one, &goal.work, goal.metric, is_at_level);
                counting.goals.iter().map(of).collect()
            })
            .collect();
        let chooseable = chooseable(counting, &candidates, &judged, &values, sources);
        let bound = noise::bound(counting, sources);
        let problem = problem(counting, need, &values, chooseable, bound);
        let decision = decide(&problem);
        let comparable: Vec<&Candidate<'_>> = decision
            .ranked
            .iter()
            .map(|ranked| &candidates[ranked.candidate])
            .collect();
        let done: Vec<&WorkChoice> = works.iter().map(|(work, _)| *work).collect();
        let mut refusals = scope::refusals(need, &comparable, sources, &done);
        if none_judged {
            refusals.extend(goals.iter().filter_map(|(goal, why)| match why {
                Some(why) if !why.is_not_measured() => Some(sentence(why, goal)),
                _ => None,
            }));
        }
        let mut citations = Citations::default();
        let (of_all_goals, of_requirements) =
            cited(need, sources, &candidates, &judged, &goals, &mut citations);
        let pieces = Pieces {
            given_again: given_again(sources),
            need: counting,
            goals: &goals,
            works: &works,
            catalogue,
            candidates: &candidates,
            judged: &judged,
            values: &values,
            problem: &problem,
            decision: &decision,
            of_goals: of_counting(&of_all_goals, &goals, none_judged),
            of_all_goals,
            of_requirements,
        };
        let refused = !refusals.is_empty();
        let (word, systems) = answer(&pieces, refused);
        Ok(Self {
            format: ADVICE_FORMAT,
            title: need.title.clone(),
            word,
            systems,
            why: sentences::why(&pieces, &refusals, sources),
            requirements: rows::requirements(&pieces),
            ranking: if refused {
                Vec::new()
            } else {
                rows::ranking(&pieces)
            },
            goals: rows::goals(&pieces, refused),
            sensitivity: if refused {
                Vec::new()
            } else {
                sentences::sensitivity(&pieces)
            },
            next: experiments(&pieces, refused),
            not_measured: sentences::not_measured(&pieces),
            cautions: [
                money::cautions(need),
                scope::cautions(&pieces),
                noise::cautions(need, sources, within_noise(&problem, &decision, refused)),
            ]
            .concat(),
            scope: scope::rows(&candidates, sources, &done),
            published: Vec::new(),
            evidence: citations.0,
        })
    }
}

/// How many times as good the first is as the next one, where they are ranked and equal systems would differ by as much.
fn within_noise(problem: &Problem, decision: &Decision, refused: bool) -> Option<f64> {
    let ahead = decision.ranked.get(1)?.behind?.ratio;
    (!refused && ahead <= problem.noise).then_some(ahead)
}

/// How each candidate stands to each requirement.
fn judged<'a>(need: &Need, context: &Context<'_, 'a>) -> Vec<Vec<Judged<'a>>> {
    let of_candidate = |one: &Candidate<'a>| {
        let judge = |requirement| judge(requirement, one, context);
        need.requirements.iter().map(judge).collect()
    };
    context.candidates.iter().map(of_candidate).collect()
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
            message: format!("no completed trial measured a system `{unknown}`"),
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
        if !works.iter().any(|known| known.is_same(work)) {
            works.push(work);
        }
    }
    works
}

/// All goals, each with why it cannot be judged. Who is out or was not measured at the required level keeps no goal from being
/// judged, as long as somebody else is left.
fn judged_goals(
    need: &Need,
    candidates: &[Candidate<'_>],
    judged: &[Vec<Judged<'_>>],
    works: &[(&WorkChoice, Option<NoWork>)],
) -> Vec<(Goal, Option<Unjudged>)> {
    let is_in = |(_, judged): &(&Candidate<'_>, &Vec<Judged<'_>>)| {
        levels(judged).is_empty() && compliance(judged) != Compliance::Violated
    };
    let all = || candidates.iter().zip(judged);
    let mut left: Vec<&Candidate<'_>> = all().filter(is_in).map(|(one, _)| one).collect();
    if left.is_empty() {
        left = candidates.iter().collect();
    }
    let of_goal = |goal: &Goal| {
        let known = works.iter().find(|(work, _)| work.is_same(&goal.work));
        let absent = known.and_then(|(_, absent)| absent.as_ref());
        (goal.clone(), unjudged(goal, absent, &left))
    };
    need.goals.iter().map(of_goal).collect()
}

/// The worst of these judgements.
fn compliance(judged: &[Judged<'_>]) -> Compliance {
    let all = judged.iter().map(|judged| judged.compliance);
    all.max().unwrap_or(Compliance::Shown)
}

/// The need with the goals that can be judged; with all of them when none can.
fn with_goals(need: &Need, goals: &[(Goal, Option<Unjudged>)], all: bool) -> Need {
    let counts = |(goal, why): &(Goal, Option<Unjudged>)| (all || why.is_none()).then(|| goal.clone());
    Need {
        goals: goals.iter().filter_map(counts).collect(),
        ..need.clone()
    }
}

/// The candidates as the decision takes them.
fn chooseable(
    counting: &Need,
    candidates: &[Candidate<'_>],
    judged: &[Vec<Judged<'_>>],
    values: &[Vec<Vec<Value<'_>>>],
    sources: &[Source<'_>],
) -> Vec<Chooseable> {
    let of_candidate = |index: usize| Chooseable {
        compliance: compliance(&judged[index]),
        evidence: values[index]
            .iter()
            .map(|values| observations(index, values, sources))
            .collect(),
        levels: counting
            .goals
            .iter()
            .map(|goal| level_range(&candidates[index], goal))
            .collect(),
    };
    (0..candidates.len()).map(of_candidate).collect()
}

fn problem(
    counting: &Need,
    stated: &Need,
    values: &[Vec<Vec<Value<'_>>>],
    candidates: Vec<Chooseable>,
    noise: f64,
) -> Problem {
    let criteria = counting.goals.iter().enumerate().map(|(index, goal)| {
        let medians = values.iter().filter_map(|values| median(&values[index]));
        criterion(goal, medians)
    });
    let weight = |need: &Need| -> f64 { need.goals.iter().map(|goal| goal.weight).sum() };
    Problem {
        criteria: criteria.collect(),
        candidates,
        margin: counting.margin,
        noise,
        weight_spread: counting.weight_spread,
        unjudged: 1.0 - weight(counting) / weight(stated),
        draws: counting.draws,
        seed: counting.seed,
    }
}

fn criterion(goal: &Goal, medians: impl Iterator<Item = f64>) -> Criterion {
    let better = better(goal.metric);
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

/// Numbers of evidence, by candidate and goal, or by candidate and requirement.
type Numbers = Vec<Vec<Option<usize>>>;

/// Cites what goals and requirements rest on.
fn cited(
    need: &Need,
    sources: &[Source<'_>],
    candidates: &[Candidate<'_>],
    judged: &[Vec<Judged<'_>>],
    goals: &[(Goal, Option<Unjudged>)],
    citations: &mut Citations,
) -> (Numbers, Numbers) {
    let mut of_goals = vec![Vec::new(); candidates.len()];
    for (goal, _) in goals {
        for (candidate, one) in candidates.iter().enumerate() {
            let is_at_level = levels(&judged[candidate]).is_empty();
            let values = counted(one, &goal.work, goal.metric, is_at_level);
            let trials: Vec<_> = values.iter().map(|one| (one.source, one.trial)).collect();
            let what = format!(
                "{} of {}: median {} of {}, {}",
                goal.metric.name(),
                one.label,
                goal.metric.format(median(&values).unwrap_or(f64::NAN)),
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
            let what = format!("{}, {}: {}", requirement.text, one.label, clause(&judged.why));
            of_requirements[candidate].push(citations.cite(what, &judged.trials, sources));
        }
    }
    (of_goals, of_requirements)
}

/// The numbers of the goals that are judged; of all when none is.
fn of_counting(numbers: &Numbers, goals: &[(Goal, Option<Unjudged>)], all: bool) -> Numbers {
    let row = |row: &Vec<Option<usize>>| {
        let both = row.iter().zip(goals);
        both.filter(|(_, (_, why))| all || why.is_none())
            .map(|(number, _)| *number)
            .collect()
    };
    numbers.iter().map(row).collect()
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
        Recommendation::Recommend(one) => (Word::Recommend, named(&[*one])),
        Recommendation::Shortlist(some) => (Word::Shortlist, named(some)),
        Recommendation::Undecided(some) => (Word::Undecided, named(some)),
        Recommendation::NobodyLeft => (Word::Nobody, Vec::new()),
        Recommendation::NobodyMeasured => {
            let who: Vec<usize> = pieces.decision.unmeasured.iter().map(|(one, _)| *one).collect();
            (Word::Undecided, named(&who))
        }
    }
}
