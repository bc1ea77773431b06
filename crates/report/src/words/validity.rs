//! Why no verdict rests on the trials of a system, in words.

use dbdyno_analysis::Unreliable;
use dbdyno_analysis::validity::Defect;
use dbdyno_record::MOST_LOST;

use crate::number;

/// Why, as a clause.
pub fn clause(why: &Unreliable) -> String {
    let Unreliable {
        system,
        trials,
        because,
    } = why;
    let trials = number::plural(*trials, "trial", "trials");
    match because {
        Defect::Invalid { invalid, codes } => format!(
            "{invalid} of {trials} of {system} {} invalid ({})",
            number::agreeing(invalid, "is", "are"),
            codes.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        ),
        Defect::NoAnswers { share, p99_ns } => {
            let p99 = p99_ns.map_or_else(String::new, |p99| {
                format!("; its p99 is at least {}", number::duration_ns(p99 as f64))
            });
            format!(
                "{} of the operations of {system} had no answer{p99}",
                number::share(*share)
            )
        }
        Defect::LostToErrors(lost) => format!(
            "{system} lost {} or more to errors in {lost} of {trials}",
            number::share(MOST_LOST)
        ),
        Defect::NeverSteady(restless) => format!(
            "no steady state: {system} never settled in {restless} of {trials}; warm up and measure longer"
        ),
    }
}
