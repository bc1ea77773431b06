//! What a search found, in words and figures.

use dbdyno_record::{LadderPoint, Objective, Purpose, TrialRecord};
use dbdyno_stats::capacity::{Answer, Outcome, Probe, Role, Survey};

use super::{Bounds, CapacityAnswer, LadderStep, Tone};
use crate::ladder_plan::LadderPlan;
use crate::number;

/// All that the search of one system has seen.
pub fn survey(plan: &LadderPlan, trials: &[&TrialRecord]) -> Survey {
    let points = || {
        trials
            .iter()
            .filter_map(|trial| Some((*trial, LadderPoint::of(trial)?)))
    };
    Survey {
        clients: plan.clients,
        step: plan.step,
        trials: plan.trials,
        pilots: points()
            .filter(|(_, point)| point.purpose == Purpose::Pilot)
            .map(|(_, point)| (point.clients, point.throughput))
            .collect(),
        probes: points()
            .filter_map(|(trial, point)| {
                let role = match point.purpose {
                    Purpose::Search => Role::Search,
                    Purpose::Confirm => Role::Confirm,
                    Purpose::Pilot | Purpose::Step => return None,
                };
                Some(Probe {
                    role,
                    rate: point.rate?,
                    outcome: outcome(plan.objective.as_ref()?, trial),
                })
            })
            .collect(),
    }
}

fn outcome(objective: &Objective, trial: &TrialRecord) -> Outcome {
    let judged = objective.judge(trial);
    match (judged.kept, judged.client_bound) {
        (true, _) => Outcome::Holds,
        (false, true) => Outcome::ClientBound,
        (false, false) => Outcome::Misses,
    }
}

/// The answer, its sentence and its tone.
pub fn tell(answer: &Answer, steps: &[LadderStep], clients: Option<u32>) -> (CapacityAnswer, String, Tone) {
    let mut told = CapacityAnswer {
        word: "open",
        estimate: None,
        interval: None,
        held: None,
        missed: None,
    };
    let (sentence, tone) = match answer {
        Answer::Open => ("the search is not finished".to_owned(), Tone::Undecided),
        Answer::Capacity {
            estimate,
            held,
            missed,
            interval,
        } => {
            told.word = "capacity";
            told.estimate = Some(*estimate);
            told.interval = interval.map(Bounds::from);
            (told.held, told.missed) = (Some(*held), Some(*missed));
            let range = format!("{} to {}", number::rate(*held), number::rate(*missed));
            let doubt = if interval.is_some() {
                format!("95% interval {range}")
            } else {
                format!("between {range}; too few trials for an interval")
            };
            let clients = clients.map_or_else(String::new, |clients| {
                format!(" with {}", number::plural(clients as usize, "client", "clients"))
            });
            let sentence = format!(
                "capacity {}{clients} ({doubt}): {}; {}",
                number::rate(*estimate),
                at(steps, *held),
                at(steps, *missed)
            );
            (sentence, Tone::Shown)
        }
        Answer::Unbounded { held } => {
            told.word = "unbounded";
            told.held = *held;
            let sentence = match held {
                Some(held) => format!(
                    "unbounded: not reached by what this client can ask; {}, and beyond it the load generator is the limit",
                    at(steps, *held)
                ),
                None => "unbounded: the load generator is the limit at every rate".to_owned(),
            };
            (sentence, Tone::Undecided)
        }
        Answer::None { lowest } => {
            told.word = "none";
            told.missed = Some(*lowest);
            (
                format!("none: missed even at the lowest rate; {}", at(steps, *lowest)),
                Tone::Shown,
            )
        }
        Answer::Undecided { held, missed } => {
            told.word = "undecided";
            (told.held, told.missed) = (*held, *missed);
            let parts: Vec<String> = [
                held.map(|rate| {
                    format!(
                        "the highest rate that was shown to hold is {}",
                        number::rate(rate)
                    )
                }),
                missed.map(|rate| format!("the lowest that was shown to miss is {}", number::rate(rate))),
            ]
            .into_iter()
            .flatten()
            .collect();
            let known = if parts.is_empty() {
                "no rate was shown to hold or to miss".to_owned()
            } else {
                parts.join(", ")
            };
            (
                format!("undecided: trials disagree; {known}. Longer trials or a quieter machine would tell"),
                Tone::Undecided,
            )
        }
    };
    (told, sentence, tone)
}

/// `p99(read) 8.70 ms at 39.8k/s, kept in 6 of 6 trials`.
fn at(steps: &[LadderStep], rate: f64) -> String {
    let Some(step) = steps.iter().find(|step| step.rate == Some(rate)) else {
        return format!("nothing measured at {}", number::rate(rate));
    };
    let sustained = if 2 * step.sustained < step.trials {
        " (the rate did not come about)"
    } else {
        ""
    };
    format!(
        "{} at {}{sustained}, kept in {} of {}",
        number::list(&step.objective),
        number::rate(rate),
        step.kept.unwrap_or(0),
        number::plural(step.trials, "trial", "trials")
    )
}
