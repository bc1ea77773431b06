//! `impossible-value` and `order`: what a single number, or the order of a few, gives away.

use crate::words::number;
use crate::{Certainty, Figure, Finding, Line, Part, Printed, Rule};

/// How far tools' histograms round a value: HdrHistogram keeps three digits.
const HISTOGRAM: f64 = 0.005;
/// YCSB's own histogram gives the start of a bucket of a millisecond, microseconds.
const BUCKET_US: f64 = 1000.0;

/// Times, counts and rates of something that happened are above zero.
pub fn impossible(printed: &Printed) -> Vec<Finding> {
    printed.lines.iter().flat_map(impossible_in).collect()
}

fn impossible_in(line: &Line) -> Vec<Finding> {
    let mut values: Vec<(String, Option<Figure>)> = vec![
        ("ops".to_owned(), line.operations),
        ("run_time_s".to_owned(), line.run_time_s),
        ("throughput_ops_s".to_owned(), line.throughput),
        ("target_ops_s".to_owned(), line.rate),
        ("avg_us".to_owned(), line.mean_latency_us),
        ("clients".to_owned(), line.clients.map(Figure::exact)),
    ];
    let mut not_negative: Vec<(String, Option<Figure>)> = Vec::new();
    for part in &line.parts {
        let kind = &part.kind;
        // A kind that did not occur has no latency either.
        let occurred = [part.count, part.mean_latency_us]
            .into_iter()
            .flatten()
            .any(|value| value.value() > 0.0);
        let of_kind = [
            (format!("{kind}_ops"), part.count),
            (format!("{kind}_avg_us"), part.mean_latency_us),
        ];
        if occurred {
            values.extend(of_kind);
        } else {
            not_negative.extend(of_kind);
        }
        not_negative.push((format!("{kind}_min_us"), part.min_latency_us));
        not_negative.push((format!("{kind}_max_us"), part.max_latency_us));
        not_negative.push((format!("{kind}_ok"), part.succeeded));
        let percentiles = part.percentiles_us.iter();
        not_negative
            .extend(percentiles.map(|(percent, value)| (format!("{kind}_p{percent}_us"), Some(*value))));
    }
    let all = values
        .iter()
        .map(|entry| (entry, true))
        .chain(not_negative.iter().map(|entry| (entry, false)));
    all.filter_map(|((column, value), above_zero)| {
        let value = value.filter(|value| value.value().is_finite())?.value();
        let (certainty, explanation) = if value < 0.0 {
            (Certainty::Certain, "no time, count or rate is negative")
        } else if value == 0.0 && above_zero {
            let words = "a zero often stands for what was not measured, or was too short for the digits; nothing can be held against it";
            (Certainty::Likely, words)
        } else {
            return None;
        };
        let arithmetic = format!("{column} = {}", number(value));
        let finding = Finding::new(Rule::ImpossibleValue, certainty, &line.place, arithmetic, explanation);
        Some(finding.doubting(column, None))
    })
    .collect()
}

/// The smallest latency, percentiles, the largest one; and the mean between both ends.
pub fn order(printed: &Printed) -> Vec<Finding> {
    let lines = printed.lines.iter();
    lines
        .flat_map(|line| line.parts.iter().filter_map(|part| disorder(line, part)))
        .collect()
}

fn disorder(line: &Line, part: &Part) -> Option<Finding> {
    let named = |name: &str, value: Option<Figure>| value.map(|value| (name.to_owned(), value));
    let mut percentiles = part.percentiles_us.clone();
    percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rising = percentiles.into_iter().map(|(percent, value)| {
        let bucket = value.value() % BUCKET_US == 0.0;
        let slack = if bucket { BUCKET_US } else { 0.0 };
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
        let arithmetic = format!("{}: {}", part.kind, wrong.join("; "));
        let explanation = "the smallest latency, the percentiles and the largest latency rise in this order, and the mean lies between the \
                           ends; these are of different runs or columns";
        let finding = Finding::new(Rule::Order, Certainty::Certain, &line.place, arithmetic, explanation);
        finding.doubting(format!("{}_avg_us", part.kind), None)
    })
}
