//! `effect-below-noise`: one and the same thing, measured twice, differs (A/A). An effect smaller than that is none.

use crate::words::number;
use crate::{Certainty, Change, Finding, Printed, Rule};

pub fn check(printed: &Printed) -> Vec<Finding> {
    printed.changes.iter().filter_map(of_change).collect()
}

fn of_change(change: &Change) -> Option<Finding> {
    let (once, again) = (change.run_time_s[0], change.again_s?);
    let noise = (once / again - 1.0).abs() * 100.0;
    (change.time_percent.abs() < noise).then(|| Finding {
        rule: Rule::EffectBelowNoise,
        place: change.place.clone(),
        certainty: Certainty::Likely,
        arithmetic: format!(
            "the change costs {:+.2}% of run time; without it the same work took {} s here and {} s another time, {noise:.2}% apart",
            change.time_percent,
            number(once),
            number(again)
        ),
        explanation: "what differs by so much without a change cannot show an effect that is smaller".to_owned(),
    })
}
