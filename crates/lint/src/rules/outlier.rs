//! `outlier`: a run of more than twice the runs' median, or less than half of it. It is reported, never dropped.
//! `mean-vs-median`: a mean of few runs that is far from their median stands for none of them.

use crate::words::{list, number};
use crate::{Certainty, Finding, Number, Printed, Repeats, Rule};

const FAR: f64 = 2.0;
/// Share by which the mean of the runs is off their median, and by which it moves without one of them, when that one decides it.
const OFF: f64 = 0.2;
/// Of more runs than these one alone hardly moves the mean.
const FEW: usize = 10;

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
    far.map(|(index, value)| {
        let arithmetic = format!(
            "{}{} is {} times {}, the median of the runs; their mean is {}",
            number(*value),
            unit(repeats),
            number(value / median),
            number(median),
            number(mean)
        );
        let explanation = "one run decides the mean; something disturbed it, or the others";
        let finding = Finding::new(
            Rule::Outlier,
            Certainty::Likely,
            &repeats.place.part(format_args!("run {}", index + 1)),
            arithmetic,
            explanation,
        );
        finding.doubting_in(&repeats.place, Number::Run(index + 1), None)
    })
    .collect()
}

pub fn means(printed: &Printed) -> Vec<Finding> {
    printed.repeats.iter().filter_map(of_mean).collect()
}

fn of_mean(repeats: &Repeats) -> Option<Finding> {
    let values = &repeats.values;
    let median = median(&mut values.clone()).filter(|_| (3..=FEW).contains(&values.len()))?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let off = mean / median - 1.0;
    // Without which run the mean would be another one: runs of two kinds differ from their median, too.
    let others = (values.len() - 1) as f64;
    let sum = mean * values.len() as f64;
    let decides = |value: &f64| ((sum - value) / others / mean - 1.0).abs() > OFF;
    (off.abs() > OFF && values.iter().any(decides)).then(|| {
        let runs: Vec<String> = values.iter().map(|value| number(*value)).collect();
        let arithmetic = format!(
            "{}{}: their mean is {}, {:+.0}% off their median of {}",
            list(&runs),
            unit(repeats),
            number(mean),
            off * 100.0,
            number(median)
        );
        let explanation = "one run decides the mean of so few; the median represents the others";
        Finding::new(
            Rule::MeanVsMedian,
            Certainty::Likely,
            &repeats.place,
            arithmetic,
            explanation,
        )
    })
}

/// What was measured, after its number.
fn unit(repeats: &Repeats) -> String {
    if repeats.what.is_empty() {
        String::new()
    } else {
        format!(" {}", repeats.what)
    }
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
