//! Why a metric ranks nothing, in words.

use dbdyno_analysis::{MissedRate, Unranked};
use dbdyno_stats::Comparison;

use crate::number;

/// The same with the words for who missed a rate.
pub fn told(why: &Unranked) -> Unranked<String> {
    why.map(|missed| {
        let MissedRate {
            system,
            rate,
            sustained,
            trials,
        } = missed;
        format!(
            "{system} sustained {} in {sustained} of {}",
            number::rate(*rate),
            number::plural(*trials, "trial", "trials")
        )
    })
}

/// Why, as a clause.
pub fn clause(why: &Unranked) -> String {
    reason(&told(why))
}

/// The same of what is told already.
pub fn reason(why: &Unranked<String>) -> String {
    match why {
        Unranked::OwnSpeed => "each system ran at its own throughput, in a closed loop".to_owned(),
        Unranked::RatesDiffer => "latency is comparable only at one common rate".to_owned(),
        Unranked::RateMissed { by } => format!(
            "latency is comparable only at a rate that all of them sustain, but {}",
            number::list(by)
        ),
        Unranked::NotRecorded => "no trial recorded whether the rate was sustained".to_owned(),
        Unranked::Asked => {
            "every system received this rate; throughput is comparable only in a closed loop".to_owned()
        }
    }
}

/// Why, short enough to stand beside a verdict.
pub const fn short(why: &Unranked) -> &'static str {
    match why {
        Unranked::OwnSpeed => "each system ran at its own throughput",
        Unranked::RatesDiffer => "no common rate",
        Unranked::RateMissed { .. } => "not all sustained the rate",
        Unranked::NotRecorded => "not recorded whether the rate was sustained",
        Unranked::Asked => "throughput equals the rate",
    }
}

/// Takes the verdict of a comparison away, for this reason.
pub fn refuse(why: &Unranked, comparison: &mut Comparison) {
    comparison.refuse();
    comparison.reason = clause(why);
    short(why).clone_into(&mut comparison.why);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_missed_the_rate_is_named_with_the_trials() {
        let missed = MissedRate {
            system: "d".to_owned(),
            rate: 100.0,
            sustained: 2,
            trials: 4,
        };
        assert_eq!(
            clause(&Unranked::RateMissed { by: vec![missed] }),
            "latency is comparable only at a rate that all of them sustain, but d sustained 100/s in 2 of 4 trials"
        );
    }
}
