//! `impossible-value`, `order` and `contradiction`: what a single number, or the order of a few, gives away.

use std::fmt::Display;

use crate::words::number;
use crate::{
    Certainty, Figure, Finding, Line, Number, OfKind, Part, Place, Printed, Quantity, Repeats, Rule,
};

/// How far tools' histograms round a value: HdrHistogram keeps three digits.
pub const HISTOGRAM: f64 = 0.005;
/// YCSB's own histogram gives the start of a bucket of a millisecond, microseconds.
const BUCKET_US: f64 = 1000.0;

/// Times, counts and rates of something that happened are above zero.
pub fn impossible(printed: &Printed) -> Vec<Finding> {
    let lines = printed.lines.iter().flat_map(impossible_in);
    lines
        .chain(printed.repeats.iter().flat_map(impossible_runs))
        .collect()
}

fn impossible_in(line: &Line) -> Vec<Finding> {
    let mut values: Vec<(Quantity, Option<Figure>)> = vec![
        (Quantity::Operations, line.operations),
        (Quantity::RunTime, line.run_time_s),
        (Quantity::Throughput, line.throughput),
        (Quantity::Rate, line.rate),
        (Quantity::Records, line.records),
        (Quantity::Clients, line.clients.map(Figure::exact)),
    ];
    let mut not_negative: Vec<(Quantity, Option<Figure>)> = Vec::new();
    for part in line.parts.iter().chain([&line.all]) {
        let of = |what: OfKind| what.of(&part.kind);
        // A kind that did not occur has no latency either.
        let occurred = [part.count, part.mean_latency_us]
            .into_iter()
            .flatten()
            .any(|value| value.value() > 0.0);
        let of_kind = [
            (of(OfKind::Count), part.count),
            (of(OfKind::Mean), part.mean_latency_us),
        ];
        if occurred {
            values.extend(of_kind);
        } else {
            not_negative.extend(of_kind);
        }
        not_negative.push((of(OfKind::Min), part.min_latency_us));
        not_negative.push((of(OfKind::Max), part.max_latency_us));
        not_negative.push((of(OfKind::Succeeded), part.succeeded));
        let percentiles = part.percentiles_us.iter();
        not_negative
            .extend(percentiles.map(|(percent, value)| (of(OfKind::Percentile(*percent)), Some(*value))));
    }
    let all = values
        .iter()
        .map(|entry| (entry, true))
        .chain(not_negative.iter().map(|entry| (entry, false)));
    all.filter_map(|((quantity, value), above_zero)| {
        let finding = impossible_value(&line.place, quantity, value.as_ref()?.value(), above_zero)?;
        Some(finding.doubting(quantity.clone(), None))
    })
    .collect()
}

fn impossible_value(place: &Place, name: impl Display, value: f64, above_zero: bool) -> Option<Finding> {
    let (certainty, explanation) = if value < 0.0 && value.is_finite() {
        (Certainty::Certain, "no time, count or rate is negative")
    } else if value == 0.0 && above_zero {
        let words = "a zero often stands for a value that was not measured, or was too small for the digits; it cannot be checked";
        (Certainty::Likely, words)
    } else {
        return None;
    };
    let arithmetic = format!("{name} = {}", number(value));
    Some(Finding::new(
        Rule::ImpossibleValue,
        certainty,
        place,
        arithmetic,
        explanation,
    ))
}

fn impossible_runs(repeats: &Repeats) -> Vec<Finding> {
    let runs = repeats.values.iter().enumerate();
    runs.filter_map(|(index, value)| {
        let run = index + 1;
        let finding = impossible_value(&repeats.place, format_args!("run{run}"), *value, true)?;
        Some(finding.doubting(Number::Run(run), None))
    })
    .collect()
}

/// What a line prints twice.
pub fn contradictions(printed: &Printed) -> Vec<Finding> {
    let lines = printed.lines.iter();
    let reported = lines.flat_map(|line| {
        let own = line.contradictions.iter().cloned();
        own.chain(twice(line)).map(move |words| (line, words))
    });
    reported.map(|(line, words)| {
        let explanation = "one thing has one value: one of these figures is from another run, is in another unit, or was changed";
        Finding::new(
            Rule::Contradiction,
            Certainty::Certain,
            &line.place,
            words,
            explanation,
        )
    })
    .collect()
}

/// Percentiles that two columns print, as in microseconds and in milliseconds, and that differ.
fn twice(line: &Line) -> Vec<String> {
    let parts = line.parts.iter().chain([&line.all]);
    let differing = parts.flat_map(|part| {
        let values = part.percentiles_us.iter().enumerate();
        values.filter_map(move |(index, (percent, value))| {
            let mut earlier = part.percentiles_us[..index].iter();
            let (_, other) = earlier.find(|(other, first)| other == percent && !first.agrees(*value))?;
            let kind = Some(format!("{}_", part.kind)).filter(|_| !part.kind.is_empty());
            Some(format!(
                "{}p{percent} is {} us in one column and {} us in another",
                kind.unwrap_or_default(),
                number(other.value()),
                number(value.value())
            ))
        })
    });
    differing.collect()
}

/// Each percentile once; those of which two columns differ are left out.
fn percentiles(part: &Part) -> Vec<(f64, Figure)> {
    let mut percentiles: Vec<(f64, Figure)> = Vec::new();
    for (percent, value) in &part.percentiles_us {
        let mut same = part.percentiles_us.iter().filter(|(other, _)| other == percent);
        let is_known = percentiles.iter().any(|(known, _)| known == percent);
        if !is_known && same.all(|(_, other)| other.agrees(*value)) {
            percentiles.push((*percent, *value));
        }
    }
    percentiles
}

/// The smallest latency, percentiles, the largest one; and the mean between both ends.
pub fn order(printed: &Printed) -> Vec<Finding> {
    let lines = printed.lines.iter();
    lines
        .flat_map(|line| {
            let parts = line.parts.iter().chain([&line.all]);
            parts.filter_map(|part| {
                disorder(line, part).or_else(|| far_mean(line, part, printed.protocol.runs))
            })
        })
        .collect()
}

fn disorder(line: &Line, part: &Part) -> Option<Finding> {
    let named = |name: &str, value: Option<Figure>| value.map(|value| (name.to_owned(), value));
    let mut percentiles = percentiles(part);
    percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rising = percentiles.into_iter().map(|(percent, value)| {
        let slack = bucket(value);
        (
            format!("p{percent}"),
            Figure::exact(value.value()).give(slack.max(value.high() - value.value())),
        )
    });
    let chain: Vec<(String, Figure)> = named("minimum", part.min_latency_us)
        .into_iter()
        .chain(rising)
        .chain(named("maximum", part.max_latency_us))
        .collect();
    let around_mean: Vec<(String, Figure)> = named("minimum", part.min_latency_us)
        .into_iter()
        .chain(named("mean", part.mean_latency_us))
        .chain(named("maximum", part.max_latency_us))
        .collect();
    let falls = |pair: &[(String, Figure)]| pair[0].1.low() > pair[1].1.high() * (1.0 + HISTOGRAM);
    let wrong: Vec<String> = chain
        .windows(2)
        .chain(
            around_mean
                .windows(2)
                .filter(|pair| pair.iter().any(|(name, _)| name == "mean")),
        )
        .filter(|pair| falls(pair))
        .map(|pair| {
            format!(
                "{} {} us is above {} {} us",
                pair[0].0,
                number(pair[0].1.value()),
                pair[1].0,
                number(pair[1].1.value())
            )
        })
        .collect();
    (!wrong.is_empty()).then(|| {
        let explanation = "the smallest latency, the percentiles and the largest latency rise in this order, and the mean lies between the \
                           ends; these come from different runs or columns";
        let finding = Finding::new(Rule::Order, Certainty::Certain, &place(line, part), wrong.join("; "), explanation);
        finding.doubting_in(&line.place, OfKind::Mean.of(&part.kind), None)
    })
}

fn place(line: &Line, part: &Part) -> Place {
    if part.kind.is_empty() {
        line.place.clone()
    } else {
        line.place.part(&part.kind)
    }
}

/// A share 1 - q of the operations takes the percentile q and more, so that the mean is no less than their part of it; and no more than
/// the percentile for the others, and the maximum for them.
fn far_mean(line: &Line, part: &Part, runs: Option<u32>) -> Option<Finding> {
    let (mean, percentiles) = (part.mean_latency_us?, percentiles(part));
    let least_of_all = part.min_latency_us.map_or(0.0, Figure::low).max(0.0);
    let too_small = percentiles.iter().find_map(|(percent, value)| {
        let beyond = 1.0 - percent / 100.0;
        let least = value.low() * beyond + least_of_all * (1.0 - beyond);
        (mean.high() * (1.0 + HISTOGRAM) < least).then(|| {
            format!(
                "{}% of the operations took p{percent} {} us or more, so the mean is at least {} us; printed: {} us",
                number(beyond * 100.0),
                number(value.value()),
                number(least),
                number(mean.value())
            )
        })
    });
    let too_large = || {
        let largest = part.max_latency_us?;
        percentiles.iter().find_map(|(percent, value)| {
            let beyond = 1.0 - percent / 100.0;
            let most = (value.high() + bucket(*value)) * (1.0 - beyond) + largest.high() * beyond;
            (mean.low() > most * (1.0 + HISTOGRAM)).then(|| {
                format!(
                    "all but {}% of the operations took at most p{percent} {} us, and those at most {} us, so the mean is at most {} us; \
                     printed: {} us",
                    number(beyond * 100.0),
                    number(value.value()),
                    number(largest.value()),
                    number(most),
                    number(mean.value())
                )
            })
        })
    };
    let arithmetic = too_small.or_else(too_large)?;
    // Medians over several runs need not keep to it.
    let certainty = if runs == Some(1) {
        Certainty::Certain
    } else {
        Certainty::Likely
    };
    let explanation = "the mean and the percentiles come from different runs, columns or units";
    let finding = Finding::new(
        Rule::Order,
        certainty,
        &place(line, part),
        arithmetic,
        explanation,
    );
    Some(finding.doubting_in(&line.place, OfKind::Mean.of(&part.kind), None))
}

/// How far above a percentile of whole milliseconds the true one may be: it may be the start of a bucket.
fn bucket(value: Figure) -> f64 {
    if value.value() % BUCKET_US == 0.0 {
        BUCKET_US
    } else {
        0.0
    }
}
