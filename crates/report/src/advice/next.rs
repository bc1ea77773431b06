//! What to measure next: experiments, and what each promises.

use std::collections::BTreeSet;

use dbdyno_decide::{Compliance, Experiment, Obstacle, Ranked, Recommendation, SURE, prospects};

use super::compose::{Pieces, names};
use super::doubt::{Doubt, Value};
use super::gather::of_work;
use super::judged::Lacking;
use super::next_study::NextMeasurements;
use super::work::NoWork;
use super::{Metric, Next, RateChoice, RequirementKind, WorkChoice};
use crate::number;

/// How many trials of each an experiment ends with, at least.
const ENOUGH_TRIALS: usize = 10;
/// How many trials a first measurement has: fewer give no interval of a median.
const FIRST_TRIALS: usize = 6;
/// How many trials an objective takes to be shown.
const TRIALS_OF_OBJECTIVE: usize = 5;
/// An experiment that is expected to move nothing by more is not worth its minutes.
const WORTH_TELLING: f64 = 0.005;

/// The experiments, what must come first and what promises most in front. When systems are not ranked (`refused`), more trials
/// promise nothing.
pub fn experiments(pieces: &Pieces<'_>, refused: bool) -> Vec<Next> {
    let mut found: Vec<Next> = at_levels(pieces).into_iter().collect();
    found.extend(absent(pieces));
    found.extend(comparable(pieces));
    if !refused {
        found.extend(missing(pieces));
        found.extend(requirements(pieces));
        found.extend(more_trials(pieces));
    }
    found
}

/// Who is neither out nor has to be measured at another level.
fn at_level(pieces: &Pieces<'_>) -> Vec<usize> {
    left(pieces)
        .into_iter()
        .filter(|candidate| pieces.levels(*candidate).is_empty())
        .collect()
}

/// Who is not out.
fn left(pieces: &Pieces<'_>) -> Vec<usize> {
    let all = 0..pieces.candidates.len();
    all.filter(|candidate| pieces.problem.candidates[*candidate].compliance != Compliance::Violated)
        .collect()
}

/// First trials of systems that were measured below a required level only: all work that counts, at that level.
fn at_levels(pieces: &Pieces<'_>) -> Option<Next> {
    let who: Vec<usize> = left(pieces)
        .into_iter()
        .filter(|candidate| !pieces.levels(*candidate).is_empty())
        .collect();
    let levels: BTreeSet<String> = who
        .iter()
        .flat_map(|candidate| pieces.levels(*candidate))
        .map(|(option, wanted)| format!("{option} `{wanted}`"))
        .collect();
    let works: Vec<&WorkChoice> = pieces.works.iter().map(|(work, _)| *work).collect();
    let why = format!(
        "they are not measured at {}",
        number::list(&levels.into_iter().collect::<Vec<_>>())
    );
    NextMeasurements {
        who,
        works,
        trials: FIRST_TRIALS,
        ..NextMeasurements::default()
    }
    .next(pieces, &why, None)
}

/// First trials of work that nobody did.
fn absent(pieces: &Pieces<'_>) -> Vec<Next> {
    let nobody_did = pieces.works.iter().filter(|(_, absent)| absent.is_some());
    let next = |(work, _): &(&WorkChoice, Option<NoWork>)| {
        let mut who = at_level(pieces);
        if who.is_empty() {
            who = left(pieces);
        }
        let measured = NextMeasurements {
            who,
            works: vec![work],
            trials: FIRST_TRIALS,
            // Without a rate, a latency would not be comparable.
            rate: (work.rate.is_none() && is_of_latency(pieces, work)).then_some(RateChoice::Common),
            ..NextMeasurements::default()
        };
        measured.next(pieces, "the need asks for it, and it is not measured", None)
    };
    nobody_did.filter_map(next).collect()
}

/// Whether the need wants only latencies of this work.
fn is_of_latency(pieces: &Pieces<'_>, work: &WorkChoice) -> bool {
    let of_goals = pieces.goals.iter().map(|(goal, _)| (&goal.work, goal.metric));
    let of_requirements = pieces.need.requirements.iter().filter_map(|one| match &one.kind {
        RequirementKind::Objective { objective, work } => Some((work, objective.metric)),
        _ => None,
    });
    let mut metrics = of_goals
        .chain(of_requirements)
        .filter(|(known, _)| known.is_same(work))
        .map(|(_, metric)| metric)
        .peekable();
    metrics.peek().is_some() && metrics.all(Metric::is_latency)
}

/// First trials of work at a rate, or without one, where the results have only what does not compare systems.
fn comparable(pieces: &Pieces<'_>) -> Vec<Next> {
    let of_goals = pieces.goals.iter().filter_map(|(goal, why)| {
        let rate = why.as_ref()?.at_a_rate()?;
        Some((&goal.work, rate, goal.name.as_str()))
    });
    let of_requirements = pieces
        .need
        .requirements
        .iter()
        .enumerate()
        .filter_map(|(index, one)| {
            let RequirementKind::Objective { work, .. } = &one.kind else {
                return None;
            };
            // With a rate, or the word that there is none, the need would not take other trials.
            let open = work.rate.is_none()
                && left(pieces)
                    .iter()
                    .any(|candidate| pieces.judged[*candidate][index].lacking == Some(Lacking::Rate));
            open.then_some((work, true, one.text.as_str()))
        });
    let mut found: Vec<(&WorkChoice, bool, Vec<&str>)> = Vec::new();
    for (work, rate, of) in of_goals.chain(of_requirements) {
        match found
            .iter_mut()
            .find(|(known, at, _)| known.is_same(work) && *at == rate)
        {
            Some((.., names)) => names.push(of),
            None => found.push((work, rate, vec![of])),
        }
    }
    let next = |(work, rate, names): (&WorkChoice, bool, Vec<&str>)| {
        let measured = NextMeasurements {
            who: left(pieces),
            works: vec![work],
            trials: FIRST_TRIALS,
            rate: Some(if rate {
                RateChoice::Common
            } else {
                RateChoice::Unlimited
            }),
            ..NextMeasurements::default()
        };
        let how = if rate {
            "at one rate, which pilot trials find"
        } else {
            "without a rate"
        };
        let names = number::list(&names);
        measured.next(pieces, &format!("{names} can be compared {how}"), None)
    };
    found.into_iter().filter_map(next).collect()
}

/// First trials of what is lacking altogether.
fn missing(pieces: &Pieces<'_>) -> Vec<Next> {
    let mut found: Vec<(Vec<usize>, &WorkChoice)> = Vec::new();
    for (candidate, goals) in &pieces.decision.unmeasured {
        for goal in goals {
            let work = &pieces.need.goals[*goal].work;
            // What trials of this work did not record, more of them would not either.
            if !pieces.levels(*candidate).is_empty()
                || !of_work(&pieces.candidates[*candidate], work).is_empty()
            {
                continue;
            }
            match found.iter_mut().find(|(_, known)| known.is_same(work)) {
                Some((who, _)) if !who.contains(candidate) => who.push(*candidate),
                Some(_) => {}
                None => found.push((vec![*candidate], work)),
            }
        }
    }
    let next = |(who, work): (Vec<usize>, &WorkChoice)| {
        let what = format!("without it {} cannot be ranked", names(pieces, &who));
        let measured = NextMeasurements {
            who,
            works: vec![work],
            trials: FIRST_TRIALS,
            ..NextMeasurements::default()
        };
        measured.next(pieces, &what, None)
    };
    found.into_iter().filter_map(next).collect()
}

/// Trials that would show whether objectives of the same work are kept.
struct Showing<'a> {
    work: &'a WorkChoice,
    objectives: Vec<&'a str>,
    who: BTreeSet<usize>,
    trials: usize,
}

/// More trials of objectives that are neither shown nor violated: one experiment for each work.
fn requirements(pieces: &Pieces<'_>) -> Vec<Next> {
    let mut found: Vec<Showing<'_>> = Vec::new();
    for (index, requirement) in pieces.need.requirements.iter().enumerate() {
        let RequirementKind::Objective { work, .. } = &requirement.kind else {
            continue;
        };
        let open = |candidate: &usize| {
            let judged = &pieces.judged[*candidate][index];
            pieces.problem.candidates[*candidate].compliance == Compliance::NotShown
                && judged.compliance == Compliance::NotShown
                && judged.lacking.is_none()
                && pieces.levels(*candidate).is_empty()
        };
        let who: Vec<usize> = (0..pieces.candidates.len()).filter(open).collect();
        let fewest = who
            .iter()
            .map(|candidate| pieces.judged[*candidate][index].trials.len())
            .min();
        let Some(fewest) = fewest else { continue };
        let trials = TRIALS_OF_OBJECTIVE.saturating_sub(fewest).max(fewest).max(1);
        match found.iter_mut().find(|known| known.work.is_same(work)) {
            Some(known) => {
                known.objectives.push(&requirement.text);
                known.who.extend(who);
                known.trials = known.trials.max(trials);
            }
            None => found.push(Showing {
                work,
                objectives: vec![&requirement.text],
                who: who.into_iter().collect(),
                trials,
            }),
        }
    }
    let next = |showing: Showing<'_>| {
        let who: Vec<usize> = showing.who.into_iter().collect();
        let are = if showing.objectives.len() == 1 {
            "is"
        } else {
            "are"
        };
        let what = format!(
            "it would show whether {} {are} kept",
            number::list(&showing.objectives)
        );
        let measured = NextMeasurements {
            longer: needs_time(pieces, &who, showing.work),
            who,
            works: vec![showing.work],
            trials: showing.trials,
            ..NextMeasurements::default()
        };
        measured.next(pieces, &what, None)
    };
    found.into_iter().filter_map(next).collect()
}

/// More trials of who may be best, by what they promise.
fn more_trials(pieces: &Pieces<'_>) -> Vec<Next> {
    let (Recommendation::Shortlist(contenders) | Recommendation::Undecided(contenders)) =
        &pieces.decision.verdict
    else {
        return Vec::new();
    };
    let mut who = contenders.clone();
    // One alone at the top is still compared with the next one.
    if who.len() < 2 {
        let next = pieces
            .decision
            .ranked
            .get(1)
            .map(|ranked: &Ranked| ranked.candidate);
        who.extend(next.filter(|next| !who.contains(next)));
    }
    if who.len() < 2 {
        return Vec::new();
    }
    let goals = |work: &WorkChoice| -> Vec<usize> {
        let goals = pieces.need.goals.iter().enumerate();
        goals
            .filter(|(_, goal)| goal.work.is_same(work))
            .map(|(index, _)| index)
            .collect()
    };
    let mut planned: Vec<(Experiment, &WorkChoice)> = Vec::new();
    for (work, _) in pieces.works {
        let criteria = goals(work);
        let sound = |values: &[Value<'_>]| values.iter().filter(|one| one.doubt.is_none()).count();
        let counts = criteria.iter().flat_map(|goal| {
            who.iter()
                .map(|candidate| sound(&pieces.values[*candidate][*goal]))
        });
        let Some(fewest) = counts.min() else { continue };
        let trials = if fewest < ENOUGH_TRIALS {
            ENOUGH_TRIALS - fewest
        } else {
            fewest
        };
        let experiment = Experiment {
            candidates: who.clone(),
            criteria,
            trials,
        };
        planned.push((experiment, work));
    }
    let experiments: Vec<Experiment> = planned.iter().map(|(experiment, _)| experiment.clone()).collect();
    let promised = prospects(pieces.problem, &experiments);
    let ranked = &pieces.decision.ranked;
    let is_sure = ranked.iter().any(|one| one.probability_first >= SURE);
    let mut found: Vec<(f64, Next)> = planned
        .iter()
        .zip(promised)
        .filter(|((experiment, _), prospect)| {
            prospect.expected_change >= WORTH_TELLING
                || (!is_sure && prospect.decides >= 0.05)
                || lacks_trials(pieces, experiment)
        })
        .filter_map(|((experiment, work), prospect)| {
            let what = if prospect.expected_change < WORTH_TELLING {
                "a recommendation needs more sound trials of it".to_owned()
            } else {
                format!(
                    "the probability of being best is expected to move by {:.1} percentage points, and one system would reach {} with a \
                     probability of {}",
                    prospect.expected_change * 100.0,
                    number::share(SURE),
                    number::share(prospect.decides)
                )
            };
            let promise = Some((prospect.expected_change, prospect.decides));
            let measured = NextMeasurements {
                longer: needs_time(pieces, &who, work),
                who: who.clone(),
                works: vec![work],
                trials: experiment.trials,
                ..NextMeasurements::default()
            };
            let next = measured.next(pieces, &what, promise)?;
            Some((prospect.expected_change, next))
        })
        .collect();
    found.sort_by(|(a, one), (b, two)| b.total_cmp(a).then(one.minutes.total_cmp(&two.minutes)));
    found.into_iter().map(|(_, next)| next).collect()
}

/// Whether a recommendation fails for want of the trials that this experiment makes.
fn lacks_trials(pieces: &Pieces<'_>, experiment: &Experiment) -> bool {
    pieces.decision.obstacles.iter().any(|obstacle| match obstacle {
        Obstacle::TooFewTrials {
            candidate, criterion, ..
        } => experiment.candidates.contains(candidate) && experiment.criteria.contains(criterion),
        _ => false,
    })
}

/// Whether trials of this work are in doubt that longer phases would remove.
fn needs_time(pieces: &Pieces<'_>, who: &[usize], work: &WorkChoice) -> bool {
    let goals = pieces.need.goals.iter().enumerate();
    let mut values = goals
        .filter(|(_, goal)| goal.work.is_same(work))
        .flat_map(|(index, _)| who.iter().flat_map(move |one| &pieces.values[*one][index]));
    values.any(|one| one.doubt.is_some_and(Doubt::needs_time))
}
