//! Why a metric ranks nothing, in words.

use dbdyno_analysis::{MissedRate, Unranked};
use dbdyno_stats::Comparison;
use dbdyno_vocabulary::{Text, named, text};

use crate::number;

/// The reason, with words for who missed a rate.
pub fn told(why: &Unranked) -> Unranked<Text> {
    why.map(|missed| {
        let MissedRate {
            system,
            rate,
            sustained,
            trials,
        } = missed;
        let trials = number::plural(*trials, "trial", "trials");
        text![
            named(system),
            format!(" sustained {} in {sustained} of {trials}", number::rate(*rate)),
        ]
    })
}

/// Why, as a clause for places that take no marks.
pub fn clause(why: &Unranked) -> String {
    reason(&told(why)).flat()
}

/// Why, as a clause in which systems are marked.
pub fn reason(why: &Unranked<Text>) -> Text {
    match why {
        Unranked::OwnSpeed => "at full speed each system ran at its own throughput".into(),
        Unranked::RatesDiffer => "latency is comparable only when all systems get the same load".into(),
        Unranked::RateMissed { by } => text![
            "latency is comparable only at a rate that all of them sustain, but ",
            Text::list(by.iter().cloned()),
        ],
        Unranked::NotRecorded => "no trial recorded whether the rate was sustained".into(),
        Unranked::Asked => {
            "every system received this rate; throughput is comparable only at full speed".into()
        }
    }
}

/// Why, short enough to stand beside a verdict.
pub const fn short(why: &Unranked) -> &'static str {
    match why {
        Unranked::OwnSpeed => "each system ran at its own throughput",
        Unranked::RatesDiffer => "the loads differ",
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
