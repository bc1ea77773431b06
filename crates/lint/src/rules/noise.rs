//! `effect-below-noise`: one and the same thing, measured twice, differs (A/A). An effect smaller than that is none.

use crate::words::number;
use crate::{Certainty, Change, Finding, Printed, Rule};

pub fn check(printed: &Printed) -> Vec<Finding> {
    printed.changes.iter().filter_map(of_change).collect()
}

fn of_change(change: &Change) -> Option<Finding> {
    let (once, again) = (change.run_time_s[0].value(), change.again_s?.value());
    let noise = (once / again - 1.0).abs() * 100.0;
    let percent = change.time_percent.value();
    (percent.abs() < noise).then(|| {
        let arithmetic = format!(
            "the change costs {percent:+.2}% of run time; without it the same work took {} s here and {} s another time, {noise:.2}% apart",
            number(once),
            number(again)
        );
        let explanation = "a result that differs by so much without a change cannot show a smaller effect";
        Finding::new(
            Rule::EffectBelowNoise,
            Certainty::Likely,
            &change.place,
            arithmetic,
            explanation,
        )
    })
}
