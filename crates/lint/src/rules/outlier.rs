//! `outlier`: a run of more than twice the runs' median, or less than half of it. It is told, never dropped.

use crate::words::number;
use crate::{Certainty, Finding, Printed, Repeats, Rule};

const FAR: f64 = 2.0;

pub fn check(printed: &Printed) -> Vec<Finding> {
    printed.repeats.iter().flat_map(of_repeats).collect()
}

fn of_repeats(repeats: &Repeats) -> Vec<Finding> {
    let values = &repeats.values;
    // Of all runs, the one in question too: without it, an outlier among few siblings would accuse the others.
    let Some(median) = median(&mut values.clone()).filter(|_| values.len() > 2) else {
        return Vec::new();
    };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let far = values
        .iter()
        .enumerate()
        .filter(|(_, value)| !(1.0 / FAR..=FAR).contains(&(**value / median)));
    far.map(|(index, value)| Finding {
        rule: Rule::Outlier,
        place: format!("{}, run {}", repeats.place, index + 1),
        certainty: Certainty::Likely,
        arithmetic: format!(
            "{} {} is {} times {}, the median of the runs; their mean is {}",
            number(*value),
            repeats.what,
            number(value / median),
            number(median),
            number(mean)
        ),
        explanation: "one run decides the mean; something disturbed it, or the others".to_owned(),
    })
    .collect()
}

/// The value in the middle, or the mean of the two there.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}
