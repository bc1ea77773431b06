//! What a search found, in words and figures.

use dbdyno_stats::capacity::{Doubt, SearchResult, Survey};

use super::{CapacityAnswer, RisingLoadStep, Tone};
use crate::model::CapacityWord;
use crate::number;

/// A rate below so many times the lowest that says enough was not followed by a lower one.
const NEARLY: f64 = 1.5;

/// The answer of a search, its sentence and its tone.
#[allow(clippy::too_many_lines, reason = "one arm for each answer of a search")]
pub fn tell(
    survey: &Survey,
    steps: &[RisingLoadStep],
    clients: Option<u32>,
) -> (CapacityAnswer, String, Tone) {
    let mut reported = CapacityAnswer {
        word: CapacityWord::Open,
        estimate: None,
        interval: None,
        held: None,
        missed: None,
    };
    let (sentence, tone) = match survey.answer() {
        SearchResult::Open => ("the search is not finished".to_owned(), Tone::Undecided),
        SearchResult::Capacity {
            estimate,
            held,
            missed,
            interval,
            disturbed,
        } => {
            reported.word = CapacityWord::Capacity;
            reported.estimate = Some(estimate);
            reported.interval = interval;
            (reported.held, reported.missed) = (Some(held), Some(missed));
            let range = format!("{} to {}", number::rate(held), number::rate(missed));
            let doubt = if interval.is_some() {
                format!("95% interval {range}")
            } else {
                format!("between {range}; too few trials for an interval")
            };
            let clients = clients.map_or_else(String::new, |clients| {
                format!(" with {}", number::plural(clients as usize, "client", "clients"))
            });
            let beside = if disturbed {
                ". Most trials on both sides were disturbed: a quieter machine may reach more"
            } else {
                ""
            };
            let sentence = format!(
                "capacity {}{clients} ({doubt}): {}; {}{beside}",
                number::rate(estimate),
                at(steps, held),
                at(steps, missed)
            );
            (sentence, Tone::Shown)
        }
        SearchResult::Unbounded { held } => {
            reported.word = CapacityWord::Unbounded;
            reported.held = Some(held);
            let sentence = format!("unbounded: held at the highest rate tested; {}", at(steps, held));
            (sentence, Tone::Undecided)
        }
        SearchResult::None { lowest } => {
            reported.word = CapacityWord::None;
            reported.missed = Some(lowest);
            // Lower ones were left out only because a trial would have said too little.
            let shorter = if lowest > survey.seen.lowest * NEARLY {
                ""
            } else {
                " at which a trial of this length has enough operations"
            };
            (
                format!(
                    "none: missed even at the lowest rate{shorter}; {}",
                    at(steps, lowest)
                ),
                Tone::Shown,
            )
        }
        SearchResult::Undecided { held, missed, doubt } => {
            reported.word = match doubt {
                Doubt::Disturbance | Doubt::Client => CapacityWord::NotMeasurableHere,
                _ => CapacityWord::Undecided,
            };
            (reported.held, reported.missed) = (held, missed);
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
            let sentence = match doubt {
                Doubt::Disagreement => {
                    format!(
                        "undecided: trials disagree; {known}. Longer trials or a quieter machine would decide"
                    )
                }
                Doubt::Disturbance => format!(
                    "not measurable here: the trials that missed were disturbed every time they ran, and those that held were not; {known}. Search on a quieter machine"
                ),
                Doubt::Client => format!(
                    "not measurable here: in the trials that missed, the load generator was at its limit; {known}. Give it a quieter machine, or one of its own"
                ),
                Doubt::ShortTrials => format!(
                    "undecided: a trial of this length has too few operations for the objective below {}, which the system does not reach. Longer trials would decide",
                    number::rate(survey.seen.lowest)
                ),
                Doubt::NoThroughput => "undecided: the pilot's operations all failed".to_owned(),
            };
            (sentence, Tone::Undecided)
        }
    };
    (reported, sentence, tone)
}

/// `p99(read) 8.70 ms at 39.8k/s, kept in 6 of 6 trials`.
fn at(steps: &[RisingLoadStep], rate: f64) -> String {
    let Some(step) = steps.iter().find(|step| step.rate == Some(rate)) else {
        return format!("nothing measured at {}", number::rate(rate));
    };
    let sustained = if 2 * step.sustained < step.trials {
        " (the rate was not achieved)"
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
