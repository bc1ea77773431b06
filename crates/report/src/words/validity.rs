//! Why no verdict rests on the trials of a system, in words.

use dbdyno_analysis::Unreliable;
use dbdyno_analysis::validity::Defect;
use dbdyno_record::MOST_LOST;
use dbdyno_vocabulary::{Text, named, text};

use crate::number;

/// Why, as a clause for places that take no marks.
pub fn clause(why: &Unreliable) -> String {
    told(why).flat()
}

/// Why, as a clause.
pub fn told(why: &Unreliable) -> Text {
    let Unreliable {
        system,
        trials,
        because,
    } = why;
    let system = named(system);
    let trials = number::plural(*trials, "trial", "trials");
    match because {
        Defect::Invalid { invalid, codes } => text![
            format!("{invalid} of {trials} of "),
            system,
            format!(
                " {} invalid ({})",
                number::agreeing(invalid, "is", "are"),
                codes.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
            ),
        ],
        Defect::NoAnswers { share, p99_ns } => {
            let p99 = p99_ns.map_or_else(String::new, |p99| {
                format!("; its p99 is at least {}", number::duration_ns(p99 as f64))
            });
            text![
                format!("{} of the operations of ", number::share(*share)),
                system,
                format!(" had no answer{p99}"),
            ]
        }
        Defect::LostToErrors(lost) => text![
            system,
            format!(
                " lost {} or more to errors in {lost} of {trials}",
                number::share(MOST_LOST)
            ),
        ],
        Defect::NeverSteady(restless) => text![
            "no steady state: ",
            system,
            format!(" never settled in {restless} of {trials}; warm up and measure longer"),
        ],
    }
}
