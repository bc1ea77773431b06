//! The sentences of advice: why, and what would turn it round.

use std::collections::BTreeMap;

use dbdyno_decide::{Compliance, Flip, Obstacle, Ranked, Recommendation};

use super::compose::{Pieces, names, statement};
use super::doubt::{Doubt, Value};
use super::gather::Source;
use super::goals::Unjudged;
use super::judged::Lacking;
use super::unjudged;
use super::{Goal, Requirement, RequirementKind, Statement, behind, close, restless, why};
use crate::number;

/// Why the answer is what it is.
pub fn why(pieces: &Pieces<'_>, refusals: &[String], sources: &[Source<'_>]) -> Vec<Statement> {
    let mut why: Vec<Statement> = Vec::new();
    let everybody: Vec<usize> = (0..pieces.candidates.len()).collect();
    for refusal in refusals {
        why.push(statement(refusal.clone(), pieces.goals_of(&everybody)));
    }
    if refusals.is_empty() {
        match &pieces.decision.verdict {
            Recommendation::NobodyLeft => {
                why.push(statement("No system meets the hard requirements.", Vec::new()))
            }
            Recommendation::NobodyMeasured if is_nothing_measured(pieces) => {
                why.push(statement(
                    "No goal was measured, so no system can be ranked.",
                    Vec::new(),
                ));
                why.extend(not_measured_goals(pieces));
            }
            Recommendation::NobodyMeasured => why.push(statement(
                format!(
                    "No system was measured {}, so none can be ranked.",
                    what_nobody_has(pieces)
                ),
                Vec::new(),
            )),
            _ => {
                why.extend(ranking(pieces));
                why.extend(rest(pieces));
                why.extend(close::statements(pieces, sources));
            }
        }
    }
    why.extend(requirements(pieces));
    let requires_integrity = |requirement: &Requirement| requirement.kind == RequirementKind::Integrity;
    if pieces.need.requirements.first().is_some_and(requires_integrity) {
        // Nothing is more important to know.
        why.splice(0..0, out(pieces));
    } else {
        why.extend(out(pieces));
    }
    why.extend(unranked(pieces));
    why
}

/// Whether there is nothing of any goal.
fn is_nothing_measured(pieces: &Pieces<'_>) -> bool {
    let is_absent = |why: &Option<Unjudged>| why.as_ref().is_some_and(Unjudged::is_not_measured);
    pieces.goals.iter().all(|(_, why)| is_absent(why))
}

/// What nobody was measured at: levels, where these are all that every system lacks.
fn what_nobody_has(pieces: &Pieces<'_>) -> &'static str {
    let unmeasured = &pieces.decision.unmeasured;
    let lacks_levels = |(candidate, _): &(usize, Vec<usize>)| !pieces.levels(*candidate).is_empty();
    match unmeasured.iter().all(lacks_levels) {
        true => "at the levels that the need requires",
        false => "on every goal that counts",
    }
}

/// The goals of which nothing is measured.
fn not_measured_goals(pieces: &Pieces<'_>) -> Vec<Statement> {
    let tell = |(goal, why): &(Goal, Option<Unjudged>)| match why {
        Some(why) if why.is_not_measured() => Some(statement(
            format!("{}.", unjudged::sentence(why, goal)),
            Vec::new(),
        )),
        _ => None,
    };
    pieces.goals.iter().filter_map(tell).collect()
}

fn ranking(pieces: &Pieces<'_>) -> Vec<Statement> {
    let ranked = &pieces.decision.ranked;
    let Some(first) = ranked.first() else {
        return Vec::new();
    };
    let name = pieces.name(first.candidate);
    // What makes all figures doubtful comes before them.
    let (doubts, obstacles): (Vec<&Obstacle>, Vec<&Obstacle>) =
        pieces.decision.obstacles.iter().partition(|one| is_doubt(one));
    let tell = |obstacle: &&Obstacle| obstacle_statement(pieces, first, obstacle);
    let mut statements: Vec<Statement> = doubts.iter().filter_map(tell).collect();
    let limits = if doubts.is_empty() {
        ""
    } else {
        " The simulations reflect the scatter of these trials, not a bias that all of them share."
    };
    statements.push(statement(
        format!(
            "{name} is best in {} of {} simulations, which vary the measured values and the weights within their uncertainty ({} at exactly the stated weights).{limits}",
            number::share(first.probability_first),
            number::count(pieces.problem.draws as u64),
            number::share(first.probability_first_as_stated)
        ),
        pieces.goals_of(&ranked.iter().map(|one| one.candidate).collect::<Vec<_>>()),
    ));
    if let Some(next) = ranked.get(1)
        && let Some(behind) = next.behind
    {
        statements.push(statement(
            format!(
                "On the weighted goals it is {}x as good as {}, the runner-up (95% interval {}x to {}x; the margin is {}).",
                number::ratio_digits(behind.ratio),
                pieces.name(next.candidate),
                number::ratio_digits(behind.low),
                number::ratio_digits(behind.high),
                number::share(pieces.problem.margin)
            ),
            pieces.goals_of(&[first.candidate, next.candidate]),
        ));
        statements.extend(for_and_against(pieces, first, next));
    }
    statements.extend(behind::sentence(pieces));
    statements.extend(doubtful(pieces, ranked.iter().take(2)));
    statements.extend(restless::statements(pieces));
    for tied in ranked.iter().skip(1).filter(|one| one.tied_with_first) {
        let why = match tied.behind {
            Some(behind) if behind.low > 1.0 => "two equal systems would differ by as much",
            _ => "the interval of the advantage holds 1",
        };
        statements.push(statement(
            format!("{} is tied with {name}: {why}.", pieces.name(tied.candidate)),
            pieces.goals_of(&[first.candidate, tied.candidate]),
        ));
    }
    statements.extend(obstacles.iter().filter_map(tell));
    statements
}

/// Whether trials are too few because some are not sound.
fn is_doubt(obstacle: &Obstacle) -> bool {
    matches!(obstacle, Obstacle::TooFewTrials { trials, sound, .. } if sound < trials)
}

/// What speaks most for the first against the next, and what against.
fn for_and_against(pieces: &Pieces<'_>, first: &Ranked, next: &Ranked) -> Vec<Statement> {
    let lead = |goal: usize| {
        let (own, other) = (first.contributions[goal], next.contributions[goal]);
        own.weight * (own.utility - other.utility)
    };
    let goals = 0..pieces.need.goals.len();
    let most = goals
        .clone()
        .max_by(|a, b| lead(*a).total_cmp(&lead(*b)))
        .filter(|goal| lead(*goal) > 0.0);
    let least = goals
        .min_by(|a, b| lead(*a).total_cmp(&lead(*b)))
        .filter(|goal| lead(*goal) < 0.0);
    let tell = |goal: usize, kind: &str| {
        let wanted = &pieces.need.goals[goal];
        let numbers = [first.candidate, next.candidate]
            .iter()
            .filter_map(|who| pieces.of_goals[*who][goal])
            .collect();
        statement(
            format!(
                "Its greatest {kind} is {}: {} against {}.",
                wanted.name,
                wanted.metric.format(first.contributions[goal].value),
                wanted.metric.format(next.contributions[goal].value)
            ),
            numbers,
        )
    };
    most.map(|goal| tell(goal, "advantage"))
        .into_iter()
        .chain(least.map(|goal| tell(goal, "drawback")))
        .collect()
}

fn obstacle_statement(pieces: &Pieces<'_>, first: &Ranked, obstacle: &Obstacle) -> Option<Statement> {
    let name = pieces.name(first.candidate);
    Some(match obstacle {
        Obstacle::NotSure { probability } => statement(
            format!(
                "{} is below the {} that a recommendation requires.",
                number::share(*probability),
                number::share(dbdyno_decide::SURE)
            ),
            Vec::new(),
        ),
        Obstacle::WithinMargin { next, .. } => statement(
            format!(
                "Its advantage over {} is within the margin: it may not matter.",
                pieces.name(*next)
            ),
            pieces.goals_of(&[first.candidate, *next]),
        ),
        Obstacle::TooFewTrials {
            candidate,
            criterion,
            trials,
            sound,
        } => statement(
            too_few(pieces, *candidate, *criterion, (*trials, *sound)),
            pieces.of_goals[*candidate][*criterion].into_iter().collect(),
        ),
        Obstacle::Unjudged { share } => statement(
            format!(
                "{} of the weight lies on goals that could not be judged; the rest is too little to recommend a system.",
                number::share(*share)
            ),
            Vec::new(),
        ),
        Obstacle::Unmeasured => {
            let others: Vec<usize> = pieces.decision.unmeasured.iter().map(|(one, _)| *one).collect();
            statement(
                format!(
                    "{name} is best of those that were measured; {} {} a measurement of something that counts.",
                    number::list(&others.iter().map(|one| pieces.name(*one)).collect::<Vec<_>>()),
                    number::agreeing(&others.len(), "lacks", "lack")
                ),
                Vec::new(),
            )
        }
        Obstacle::Alone => statement(format!("There is nothing to compare {name} with."), Vec::new()),
        // Ties and requirements have sentences of their own.
        Obstacle::Tied { .. } | Obstacle::NotShown => return None,
    })
}

/// Why trials of something that counts are too few.
fn too_few(pieces: &Pieces<'_>, candidate: usize, goal: usize, (trials, sound): (usize, usize)) -> String {
    let (name, of) = (pieces.name(candidate), &pieces.need.goals[goal].name);
    let fewest = dbdyno_decide::FEWEST_TRIALS;
    if sound == trials {
        return format!(
            "{name} has {} of {of}; a recommendation requires at least {fewest}.",
            number::plural(trials, "trial", "trials")
        );
    }
    let doubts = doubts(&pieces.values[candidate][goal]);
    let which = match sound {
        0 => "No trial".to_owned(),
        some => format!("Only {some} of {trials} trials"),
    };
    let help = if doubts.iter().any(|doubt| doubt.needs_time()) {
        "longer phases would show more"
    } else {
        "measure again while nothing else runs on the machine"
    };
    format!(
        "{which} of {name} for {of} {} sound: {}. A recommendation requires at least {fewest} sound trials; {help}.",
        if sound < 2 { "is" } else { "are" },
        why::of_doubts(&doubts, trials)
    )
}

fn doubts(values: &[Value<'_>]) -> Vec<Doubt> {
    values.iter().filter_map(|one| one.doubt).collect()
}

/// How many trials of these make the answer no surer; too few sound ones are an obstacle, which has its own sentence.
fn doubtful<'a>(pieces: &Pieces<'_>, ranked: impl Iterator<Item = &'a Ranked>) -> Vec<Statement> {
    let is_told = |candidate: usize| {
        let mut doubts = pieces.decision.obstacles.iter().filter(|one| is_doubt(one));
        doubts.any(|one| matches!(one, Obstacle::TooFewTrials { candidate: of, .. } if *of == candidate))
    };
    let tell = |ranked: &Ranked| {
        let mut trials: BTreeMap<(usize, &str), Option<Doubt>> = BTreeMap::new();
        for one in pieces.values[ranked.candidate].iter().flatten() {
            let doubt = trials.entry((one.source, &one.trial.trial)).or_default();
            *doubt = doubt.or(one.doubt);
        }
        let doubts: Vec<Doubt> = trials.values().copied().flatten().collect();
        (!doubts.is_empty()).then(|| {
            statement(
                format!(
                    "{} of {} of {} add no certainty: {}.",
                    doubts.len(),
                    number::plural(trials.len(), "trial", "trials"),
                    pieces.name(ranked.candidate),
                    why::of_doubts(&doubts, trials.len())
                ),
                pieces.goals_of(&[ranked.candidate]),
            )
        })
    };
    ranked
        .filter(|one| !is_told(one.candidate))
        .filter_map(tell)
        .collect()
}

/// What the answer rests on, where not all goals can be judged.
fn rest(pieces: &Pieces<'_>) -> Option<Statement> {
    let reasons: Vec<String> = pieces
        .goals
        .iter()
        .filter_map(|(goal, why)| {
            let word = match why.as_ref()?.is_not_measured() {
                true => "not measured",
                false => "not comparable",
            };
            Some(format!("{} is {word}", goal.name))
        })
        .collect();
    (!reasons.is_empty()).then(|| {
        statement(
            format!(
                "The answer rests on {} of {} goals, with {} of the weights: {}.",
                pieces.need.goals.len(),
                pieces.goals.len(),
                number::share(1.0 - pieces.problem.unjudged),
                number::list(&reasons)
            ),
            Vec::new(),
        )
    })
}

/// How the first stands to the hard requirements.
fn requirements(pieces: &Pieces<'_>) -> Vec<Statement> {
    let Some(first) = pieces.decision.ranked.first().map(|ranked| ranked.candidate) else {
        return Vec::new();
    };
    let name = pieces.name(first);
    let judged = &pieces.judged[first];
    let numbers = || pieces.of_requirements[first].iter().copied().flatten().collect();
    match judged.len() {
        0 => Vec::new(),
        many if judged.iter().all(|one| one.compliance == Compliance::Shown) => {
            let all = if many == 1 {
                "the hard requirement".to_owned()
            } else {
                format!("all {many} hard requirements")
            };
            vec![statement(format!("{name} meets {all}."), numbers())]
        }
        _ => {
            let open = judged.iter().zip(&pieces.need.requirements).enumerate();
            let open = open.filter(|(_, (one, _))| one.compliance == Compliance::NotShown);
            open.map(|(index, (one, requirement))| {
                statement(
                    format!(
                        "Not shown for {name}: {}: {}.",
                        requirement.text,
                        why::clause(&one.why)
                    ),
                    pieces.of_requirements[first][index].into_iter().collect(),
                )
            })
            .collect()
        }
    }
}

/// Systems that one requirement excludes are named one by one up to so many; the table of requirements has the reason of each.
const MOST_NAMED_ALONE: usize = 2;

/// Who is out, and why.
fn out(pieces: &Pieces<'_>) -> Vec<Statement> {
    let mut statements = Vec::new();
    for (index, requirement) in pieces.need.requirements.iter().enumerate() {
        let violates =
            |candidate: &&usize| pieces.judged[**candidate][index].compliance == Compliance::Violated;
        let violating: Vec<usize> = pieces
            .decision
            .violating
            .iter()
            .filter(violates)
            .copied()
            .collect();
        let evidence = |candidate: &usize| pieces.of_requirements[*candidate][index];
        // What each of them lost is worth a sentence.
        if violating.len() > MOST_NAMED_ALONE && requirement.kind != RequirementKind::Integrity {
            statements.push(statement(
                format!("{} are out: {}.", names(pieces, &violating), requirement.text),
                violating.iter().filter_map(evidence).collect(),
            ));
            continue;
        }
        let alone = |candidate: &usize| {
            let why = why::clause(&pieces.judged[*candidate][index].why);
            let name = pieces.name(*candidate);
            statement(
                format!("{name} is out: {}: {why}.", requirement.text),
                evidence(candidate).into_iter().collect(),
            )
        };
        statements.extend(violating.iter().map(alone));
    }
    statements
}

/// Who is neither in nor out.
fn unranked(pieces: &Pieces<'_>) -> Vec<Statement> {
    let tell = |(candidate, goals): &(usize, Vec<usize>)| {
        let levels = pieces.levels(*candidate);
        if !levels.is_empty() {
            let levels: Vec<String> = levels
                .iter()
                .map(|(option, wanted)| format!("{option} `{wanted}`"))
                .collect();
            return statement(
                format!(
                    "{} stays undecided: it was not measured at {}.",
                    pieces.name(*candidate),
                    number::list(&levels)
                ),
                of_levels(pieces, *candidate),
            );
        }
        let goals: Vec<&str> = goals
            .iter()
            .map(|goal| pieces.need.goals[*goal].name.as_str())
            .collect();
        statement(
            format!(
                "{} stays undecided: {} {} not measured for it.",
                pieces.name(*candidate),
                number::list(&goals),
                number::agreeing(&goals.len(), "was", "were")
            ),
            pieces.goals_of(&[*candidate]),
        )
    };
    // When nothing of any goal is measured, no system lacks more than the others.
    let is_told = |(candidate, _): &&(usize, Vec<usize>)| {
        !is_nothing_measured(pieces) || !pieces.levels(*candidate).is_empty()
    };
    pieces
        .decision
        .unmeasured
        .iter()
        .filter(is_told)
        .map(tell)
        .collect()
}

/// The evidence of the levels at which a candidate was measured.
fn of_levels(pieces: &Pieces<'_>, candidate: usize) -> Vec<usize> {
    let judged = pieces.judged[candidate].iter().enumerate();
    judged
        .filter(|(_, one)| matches!(one.lacking, Some(Lacking::Level { .. })))
        .filter_map(|(index, _)| pieces.of_requirements[candidate][index])
        .collect()
}

/// A share of the weights with as many digits as it takes to be neither all nor nothing: no goal can weigh more than all.
fn weight(share: f64) -> String {
    let written = |digits: usize| format!("{share:.digits$}");
    let is_between = |text: &String| text.parse().is_ok_and(|share: f64| share > 0.0 && share < 1.0);
    (2..6).map(written).find(is_between).unwrap_or_else(|| written(2))
}

/// What would turn the answer round.
pub fn sensitivity(pieces: &Pieces<'_>) -> Vec<Statement> {
    let ranked = &pieces.decision.ranked;
    let (Some(first), true) = (ranked.first(), ranked.len() > 1) else {
        return Vec::new();
    };
    let name = pieces.name(first.candidate);
    let evidence = |winner: usize| pieces.goals_of(&[first.candidate, winner]);
    let flip = |flip: &Flip| {
        statement(
            format!(
                "{name}, unless {} weighs {} than {} of all (now {}): then {}.",
                pieces.need.goals[flip.criterion].name,
                if flip.to > flip.from { "more" } else { "less" },
                weight(flip.to),
                weight(flip.from),
                pieces.name(flip.winner)
            ),
            evidence(flip.winner),
        )
    };
    let mut statements: Vec<Statement> = pieces.decision.flips.iter().map(flip).collect();
    match &pieces.decision.shift {
        Some(shift) if shift.from.len() > 1 || statements.is_empty() => {
            let from: Vec<String> = shift
                .from
                .iter()
                // Less than can be read is not worth a word.
                .filter(|(_, share)| *share >= 0.005 || shift.from.len() == 1)
                .map(|(goal, share)| format!("{share:.2} of {}", pieces.need.goals[*goal].name))
                .collect();
            statements.push(statement(
                format!(
                    "The smallest shift of weight that changes it: {} to {}; then {} is as good.",
                    number::list(&from),
                    pieces.need.goals[shift.into].name,
                    pieces.name(shift.winner)
                ),
                evidence(shift.winner),
            ));
        }
        Some(_) => {}
        None => statements.push(statement(
            format!("No weights put another system ahead of {name}: none is better on any goal."),
            pieces.goals_of(&ranked.iter().map(|one| one.candidate).collect::<Vec<_>>()),
        )),
    }
    statements
}

/// What was not measured, of whomever, and what would show it.
pub fn not_measured(pieces: &Pieces<'_>) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    for (index, requirement) in pieces.need.requirements.iter().enumerate() {
        match &requirement.kind {
            RequirementKind::NotMeasured { shown_by } => {
                statements.push(statement(
                    format!("{}: no record contains it; {shown_by}.", requirement.text),
                    Vec::new(),
                ));
            }
            RequirementKind::Budget(_) if pieces.need.prices.is_none() => statements.push(statement(
                format!("{}: {}.", requirement.text, why::NO_PRICES),
                Vec::new(),
            )),
            _ => statements.extend((0..pieces.candidates.len()).filter_map(|candidate| {
                let one = &pieces.judged[candidate][index];
                (one.compliance == Compliance::NotShown).then(|| {
                    statement(
                        format!(
                            "{}, {}: {}.",
                            requirement.text,
                            pieces.name(candidate),
                            why::clause(&one.why)
                        ),
                        pieces.of_requirements[candidate][index].into_iter().collect(),
                    )
                })
            })),
        }
    }
    statements.extend(not_measured_goals(pieces));
    statements.extend(unranked(pieces));
    let is_on_security =
        |requirement: &Requirement| matches!(requirement.kind, RequirementKind::Protection(_));
    statements.push(statement(
        if pieces.need.requirements.iter().any(is_on_security) {
            "Faults and unavailability were not measured, nor were security beyond the requirements, other sizes, rates and machines than those below."
        } else {
            "Faults, unavailability and security were not measured, nor were other sizes, rates and machines than those below."
        },
        Vec::new(),
    ));
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_weight_is_told_as_all_or_nothing() {
        assert_eq!(
            [0.5, 0.999, 0.0004, 1.0].map(weight),
            ["0.50", "0.999", "0.0004", "1.00"]
        );
    }
}
