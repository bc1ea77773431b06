//! What to measure next: experiments, what each promises, how long it takes, and the study file that does it.

use dbdyno_decide::{Experiment, Obstacle, Ranked, SURE, Standing, Verdict, prospects};
use dbdyno_record::TrialRecord;

use super::compose::Pieces;
use super::gather::{of_the_run, of_work};
use super::{Next, RequirementKind, WorkChoice, scope};
use crate::number;

/// How many trials of each an experiment ends with, at least.
const ENOUGH_TRIALS: usize = 10;
/// How many trials a first measurement has: fewer give no interval of a median.
const FIRST_TRIALS: usize = 6;
/// How many trials an objective takes to be shown.
const TRIALS_OF_OBJECTIVE: usize = 5;
/// An experiment that is expected to move nothing by more is not worth its minutes.
const WORTH_TELLING: f64 = 0.005;

/// The experiments, what must come first and what promises most in front.
pub fn experiments(pieces: &Pieces<'_>, works: &[&WorkChoice]) -> Vec<Next> {
    let mut found = missing(pieces);
    found.extend(requirements(pieces));
    found.extend(more_trials(pieces, works));
    found
}

/// First trials of what is lacking altogether.
fn missing(pieces: &Pieces<'_>) -> Vec<Next> {
    let mut found: Vec<(Vec<usize>, &WorkChoice)> = Vec::new();
    for (candidate, goals) in &pieces.decision.unmeasured {
        for goal in goals {
            let work = &pieces.need.goals[*goal].work;
            // What trials of this work did not record, more of them would not either.
            if !of_work(&pieces.candidates[*candidate], work).is_empty() {
                continue;
            }
            match found.iter_mut().find(|(_, known)| same_work(known, work)) {
                Some((who, _)) if !who.contains(candidate) => who.push(*candidate),
                Some(_) => {}
                None => found.push((vec![*candidate], work)),
            }
        }
    }
    let next = |(who, work): (Vec<usize>, &WorkChoice)| {
        let what = format!("without it {} cannot be ranked", names(pieces, &who));
        next(pieces, &who, work, FIRST_TRIALS, &what, None)
    };
    found.into_iter().filter_map(next).collect()
}

/// More trials of objectives that are neither shown nor violated.
fn requirements(pieces: &Pieces<'_>) -> Vec<Next> {
    let mut found = Vec::new();
    for (index, requirement) in pieces.need.requirements.iter().enumerate() {
        let RequirementKind::Objective { work, .. } = &requirement.kind else {
            continue;
        };
        let open = |candidate: &usize| {
            pieces.problem.candidates[*candidate].standing == Standing::NotShown
                && pieces.judged[*candidate][index].standing == Standing::NotShown
        };
        let who: Vec<usize> = (0..pieces.candidates.len()).filter(open).collect();
        let fewest = who
            .iter()
            .map(|candidate| pieces.judged[*candidate][index].trials.len())
            .min();
        let Some(fewest) = fewest else { continue };
        let trials = TRIALS_OF_OBJECTIVE.saturating_sub(fewest).max(fewest).max(1);
        let what = format!("it would show whether {} is kept", requirement.text);
        found.extend(next(pieces, &who, work, trials, &what, None));
    }
    found
}

/// More trials of who may be best, by what they promise.
fn more_trials(pieces: &Pieces<'_>, works: &[&WorkChoice]) -> Vec<Next> {
    let (Verdict::Shortlist(contenders) | Verdict::Undecided(contenders)) = &pieces.decision.verdict else {
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
            .filter(|(_, goal)| same_work(&goal.work, work))
            .map(|(index, _)| index)
            .collect()
    };
    let mut planned: Vec<(Experiment, &WorkChoice)> = Vec::new();
    for work in works {
        let criteria = goals(work);
        let counts = criteria.iter().flat_map(|goal| {
            who.iter()
                .map(|candidate| pieces.observed(*candidate, *goal).len())
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
            let what = format!(
                "the probability of being best is expected to move by {}, and one system would reach {} with a probability of {}",
                number::share(prospect.expected_change),
                number::share(SURE),
                number::share(prospect.decides)
            );
            let promise = Some((prospect.expected_change, prospect.decides));
            let next = next(pieces, &who, work, experiment.trials, &what, promise)?;
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

/// Whether two choices mean the same work.
pub fn same_work(a: &WorkChoice, b: &WorkChoice) -> bool {
    (&a.workload, a.records, a.clients, a.rate) == (&b.workload, b.records, b.clients, b.rate)
}

fn names(pieces: &Pieces<'_>, who: &[usize]) -> String {
    number::list(
        &who.iter()
            .map(|candidate| pieces.name(*candidate))
            .collect::<Vec<_>>(),
    )
}

fn next(
    pieces: &Pieces<'_>,
    who: &[usize],
    work: &WorkChoice,
    trials: usize,
    why: &str,
    promise: Option<(f64, f64)>,
) -> Option<Next> {
    let all: Vec<(usize, &TrialRecord)> = pieces
        .candidates
        .iter()
        .flat_map(|one| of_work(one, work))
        .collect();
    let (_, example) = all.last()?;
    let minutes: f64 = who
        .iter()
        .map(|candidate| {
            let own = of_work(&pieces.candidates[*candidate], work);
            median_seconds(if own.is_empty() { &all } else { &own }) * trials as f64 / 60.0
        })
        .sum();
    Some(Next {
        what: format!(
            "{} of {} under {}: {why}.",
            number::plural(trials, "more trial", "more trials"),
            names(pieces, who),
            scope::work(work, &all)
        ),
        expected_change: promise.map(|(change, _)| change),
        decides: promise.map(|(_, decides)| decides),
        minutes,
        study: study(pieces, who, example, trials, all.len()),
    })
}

/// How long a trial took, by its phases; starting servers comes on top.
fn median_seconds(trials: &[(usize, &TrialRecord)]) -> f64 {
    let seconds = |trial: &TrialRecord| {
        let load = trial.load.as_ref().map_or(0, |load| load.duration_ns);
        let measure = trial.measure.as_ref().map_or(0, |measure| measure.duration_ns);
        let warmup = trial.conditions.warmup_ns.unwrap_or(trial.settings.warmup_ns);
        (load + warmup + measure) as f64 / 1e9
    };
    let mut all: Vec<f64> = trials.iter().map(|(_, trial)| seconds(trial)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// The study file of an experiment: the work as it was, of these systems.
fn study(
    pieces: &Pieces<'_>,
    who: &[usize],
    example: &TrialRecord,
    trials: usize,
    measured: usize,
) -> String {
    let settings = &example.settings;
    let mut text = format!(
        "# Made by `dbdyno advise`; the results belong beside those it was made from.\n\
         name = {}\nseed = {}\ntrials = {trials}\nrecords = {}\nclients = {}\n",
        quoted(&format!(
            "next-{}-{measured}",
            crate::model::cells::slug(&example.workload.name)
        )),
        // Other operations than before, so that the new trials say something new.
        1000 + measured,
        example.workload.records,
        settings.clients,
    );
    if let Some(rate) = settings.rate {
        let arrivals = settings.arrivals.as_deref().unwrap_or("constant");
        text.push_str(&format!(
            "rates = [\"{rate}\"]\narrivals = {}\n",
            quoted(arrivals)
        ));
    }
    if let Some(operations) = settings.operations {
        text.push_str(&format!("operations = {operations}\n"));
    }
    if let Some(duration_ns) = settings.duration_ns {
        text.push_str(&format!("duration = \"{}\"\n", time(duration_ns)));
    }
    // A warm-up that ended by itself does so again; the longest of a start says little of the trial that is the example.
    text.push_str(&match example.conditions.warmup_ns {
        Some(_) => "warmup = \"auto\"\n".to_owned(),
        None => format!("warmup = \"{}\"\n", time(settings.warmup_ns)),
    });
    for candidate in who {
        let system = pieces.candidates[*candidate].system;
        let same = who
            .iter()
            .filter(|other| pieces.candidates[**other].system.name == system.name);
        let name = if same.count() > 1 {
            pieces.name(*candidate)
        } else {
            &system.name
        };
        text.push_str(&format!(
            "\n[[system]]\nname = {}\naddress = {}\n",
            quoted(name),
            quoted(&system.address)
        ));
    }
    text.push_str(&format!(
        "\n[[workload]]\nname = {}\n[workload.properties]\n",
        quoted(&example.workload.name)
    ));
    for (name, value) in example
        .workload
        .properties
        .iter()
        .filter(|(name, _)| !of_the_run(name))
    {
        text.push_str(&format!("{} = {}\n", quoted(name), quoted(value)));
    }
    text
}

fn time(nanoseconds: u64) -> String {
    match nanoseconds {
        whole if whole.is_multiple_of(1_000_000_000) => format!("{}s", whole / 1_000_000_000),
        whole if whole.is_multiple_of(1_000_000) => format!("{}ms", whole / 1_000_000),
        other => format!("{other}ns"),
    }
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
