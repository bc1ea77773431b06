//! Studies that vary options of servers: every level is compared with its baseline, and with nothing else.

use std::collections::BTreeMap;

use super::{
    Cell, CellSystem, Comparison, Metric, MetricVerdict, Pace, Sentence, System, Tone, Unranked, Word,
};
use super::{metric::JUDGED, sentences};
use crate::number;

/// The levels of a study, each with its baseline, in the order of the systems; empty where nothing is varied.
pub fn levels(systems: &[System]) -> Vec<(&str, &str)> {
    let level = |system: &&System| system.twin_of.is_none();
    let with_base = systems.iter().filter(level).filter_map(|system| {
        let base = system.base.as_deref()?;
        (base != system.name).then_some((system.name.as_str(), base))
    });
    with_base.collect()
}

/// Whether the study varies options of servers.
pub fn is_varied(systems: &[System]) -> bool {
    systems.iter().any(|system| system.base.is_some())
}

/// What distinguishes a level from its baseline, by their names: `security=tls`.
pub fn label<'a>(level: &'a str, base: &str) -> &'a str {
    level.strip_prefix(base).map_or(level, str::trim_start)
}

/// The pairs of one group that are compared, as places in the cell, and why the metric does not rank them.
pub fn pairs(
    metric: Metric,
    group: &[usize],
    measured: &[CellSystem],
    systems: &[System],
) -> Vec<(usize, usize, Option<Unranked>)> {
    let place = |name: &str| {
        let of_group =
            |index: &&usize| measured[**index].name == name && measured[**index].metric(metric).is_some();
        group.iter().find(of_group).copied()
    };
    let pace = |index: usize| -> (&str, Pace) { (&measured[index].name, measured[index].pace) };
    levels(systems)
        .into_iter()
        .filter_map(|(level, base)| {
            let (level, base) = (place(level)?, place(base)?);
            Some((level, base, Unranked::new(metric, [pace(level), pace(base)])))
        })
        .collect()
}

/// What the levels of a cell are against their baselines, one sentence for each metric and baseline.
pub fn verdicts(cell: &Cell, systems: &[System]) -> Vec<MetricVerdict> {
    let mut by_base: BTreeMap<(Metric, &str), Vec<&Comparison>> = BTreeMap::new();
    for comparison in cell.comparisons.iter().filter(|own| JUDGED.contains(&own.metric)) {
        let own = by_base.entry((comparison.metric, &comparison.b)).or_default();
        own.push(comparison);
    }
    let paces: Vec<(&str, Pace)> = cell
        .systems
        .iter()
        .filter(|own| {
            levels(systems)
                .iter()
                .any(|(level, base)| own.name == *level || own.name == *base)
        })
        .map(|own| (own.name.as_str(), own.pace))
        .collect();
    // Said once, whatever the baselines.
    let by_design: Vec<(Metric, Unranked)> = JUDGED
        .into_iter()
        .filter_map(|metric| {
            let why = Unranked::new(metric, paces.iter().copied()).filter(Unranked::is_by_design)?;
            Some((metric, why))
        })
        .collect();
    let unranked = by_design.iter().map(|(metric, why)| MetricVerdict {
        metric: *metric,
        systems: paces.iter().map(|(name, _)| (*name).to_owned()).collect(),
        unranked: Some(why.clone()),
        leader: None,
        tied: Vec::new(),
        tone: Tone::NotComparable,
        sentence: sentences::not_comparable(*metric, why),
    });
    let is_ranked = |metric: Metric| by_design.iter().all(|(other, _)| *other != metric);
    let judged = by_base
        .iter()
        .filter(|((metric, _), _)| is_ranked(*metric))
        .map(|((metric, base), compared)| verdict(*metric, base, compared));
    unranked.chain(judged).collect()
}

fn verdict(metric: Metric, base: &str, compared: &[&Comparison]) -> MetricVerdict {
    let words: Vec<Word> = compared.iter().map(|comparison| comparison.word).collect();
    let mut systems = vec![base.to_owned()];
    systems.extend(compared.iter().map(|comparison| comparison.a.clone()));
    let parts: Vec<String> = compared.iter().map(|comparison| part(comparison, base)).collect();
    MetricVerdict {
        metric,
        systems,
        unranked: None,
        leader: None,
        tied: Vec::new(),
        tone: tone(&words),
        sentence: format!("{} against {base}: {}.", capitalised(metric), parts.join("; ")),
    }
}

fn capitalised(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput => "Throughput",
        Metric::LoadThroughput => "Load throughput",
        Metric::LatencyP99 => "P99 latency",
        Metric::LatencyP50 => "Median latency",
    }
}

fn part(comparison: &Comparison, base: &str) -> String {
    let level = label(&comparison.a, base);
    match comparison.word {
        Word::Faster | Word::Slower => format!("{level} {}", times(comparison)),
        Word::Equivalent => format!("{level} equivalent, {}", times(comparison)),
        Word::Undecided => format!("{level} undecided, {} ({})", times(comparison), comparison.why),
        Word::NotComparable => format!("{level} not comparable ({})", comparison.why),
    }
}

/// The ratio of a level to its baseline, with its interval.
pub fn times(comparison: &Comparison) -> String {
    let interval = comparison.interval.map(|interval| (interval.low, interval.high));
    number::times(comparison.ratio, interval, comparison.metric.quantity(), None)
}

/// What the words of several comparisons show together.
fn tone(words: &[Word]) -> Tone {
    let any = |wanted: &[Word]| words.iter().any(|word| wanted.contains(word));
    if any(&[Word::Faster, Word::Slower]) {
        Tone::Shown
    } else if any(&[Word::Undecided]) {
        Tone::Undecided
    } else if any(&[Word::Equivalent]) {
        Tone::Same
    } else {
        Tone::NotComparable
    }
}

/// The first sentences of a report: what every level does to its baseline, over all cells.
pub fn summary(systems: &[System], cells: &[Cell]) -> Vec<Sentence> {
    let mut bases: Vec<&str> = levels(systems).into_iter().map(|(_, base)| base).collect();
    bases.dedup();
    let mut said = Vec::new();
    for base in bases {
        for metric in JUDGED {
            said.extend(of_base(systems, cells, base, metric));
        }
    }
    said
}

fn of_base(systems: &[System], cells: &[Cell], base: &str, metric: Metric) -> Option<Sentence> {
    let mut all = Vec::new();
    let (mut parts, mut open) = (Vec::new(), Vec::new());
    for (level, _) in levels(systems).into_iter().filter(|(_, own)| *own == base) {
        let compared: Vec<&Comparison> = cells
            .iter()
            .flat_map(|cell| &cell.comparisons)
            .filter(|own| own.metric == metric && own.a == level && own.b == base)
            .filter(|own| own.word != Word::NotComparable)
            .collect();
        all.extend(compared.iter().map(|comparison| comparison.word));
        match compared.as_slice() {
            [] => {}
            // Why stands with the workload; what was shown comes first here.
            [only] if only.word == Word::Undecided => open.push(label(level, base)),
            compared => parts.push(format!("{} {}", label(level, base), over_cells(compared))),
        }
    }
    if !open.is_empty() {
        parts.push(format!("undecided for {}", number::list(&open)));
    }
    (!parts.is_empty()).then(|| Sentence {
        text: format!("{} against {base}: {}.", capitalised(metric), parts.join("; ")),
        tone: tone(&all),
    })
}

/// One level over all cells: `1.24x lower (1.20x to 1.28x)`, `1.10x to 1.31x lower on 4 of 5 workloads`, `undecided`.
fn over_cells(compared: &[&Comparison]) -> String {
    if let [only] = compared {
        return match only.word {
            Word::Faster | Word::Slower => times(only),
            Word::Equivalent => "equivalent".to_owned(),
            Word::Undecided | Word::NotComparable => "undecided".to_owned(),
        };
    }
    let of = |word: Word| compared.iter().filter(|own| own.word == word).count();
    let mut parts = Vec::new();
    for word in [Word::Slower, Word::Faster] {
        let shown: Vec<f64> = compared
            .iter()
            .filter(|own| own.word == word)
            .map(|own| own.lead())
            .collect();
        let ends = |fold: fn(f64, f64) -> f64| shown.iter().copied().reduce(fold);
        if let (Some(low), Some(high)) = (ends(f64::min), ends(f64::max)) {
            let worse = compared[0].metric.quantity() == number::Quantity::Level;
            let direction = if worse == (word == Word::Slower) {
                "higher"
            } else {
                "lower"
            };
            parts.push(format!(
                "{}x to {}x {direction} on {}",
                number::ratio_digits(low),
                number::ratio_digits(high),
                share(shown.len(), compared.len())
            ));
        }
    }
    for (word, name) in [(Word::Equivalent, "equivalent"), (Word::Undecided, "undecided")] {
        if of(word) > 0 {
            parts.push(format!("{name} on {}", share(of(word), compared.len())));
        }
    }
    parts.join(", ")
}

fn share(number: usize, total: usize) -> String {
    if number == total {
        format!("all {total} workloads")
    } else {
        format!("{number} of {total}")
    }
}
