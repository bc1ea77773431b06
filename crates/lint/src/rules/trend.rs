//! `trend`: a trend that is claimed where the medians of what was printed go up and down.

use super::outlier::median;
use crate::words::number;
use crate::{Certainty, Finding, Printed, Rule, Trend};

pub fn check(printed: &Printed) -> Vec<Finding> {
    printed.trends.iter().filter_map(of_trend).collect()
}

fn of_trend(trend: &Trend) -> Option<Finding> {
    let medians: Vec<(f64, f64)> = trend
        .points
        .iter()
        .filter_map(|(at, runs)| Some((*at, median(&mut runs.clone())?)))
        .collect();
    let against: Vec<String> = medians
        .windows(2)
        .filter(|pair| {
            if trend.upwards {
                pair[1].1 <= pair[0].1
            } else {
                pair[1].1 >= pair[0].1
            }
        })
        .map(|pair| {
            format!(
                "from {} to {} the median goes from {} to {}",
                number(pair[0].0),
                number(pair[1].0),
                number(pair[0].1),
                number(pair[1].1)
            )
        })
        .collect();
    let direction = if trend.upwards { "grow" } else { "fall" };
    (!against.is_empty()).then(|| {
        let explanation = "a trend that its own points do not follow was read into them";
        let arithmetic = format!("it is said to {direction}; {}", against.join("; "));
        Finding::new(
            Rule::Trend,
            Certainty::Likely,
            &trend.place,
            arithmetic,
            explanation,
        )
    })
}
