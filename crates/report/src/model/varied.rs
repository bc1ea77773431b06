//! Studies that vary options of servers: every level is compared with its baseline, and with nothing else.

use std::collections::BTreeMap;

use dbdyno_analysis::baseline::{by_base, label, levels};
use dbdyno_analysis::grouped::grouped;
use dbdyno_analysis::metric::JUDGED;
use dbdyno_vocabulary::{Text, named, text};

use super::more_trials::MoreTrials;
use super::{Cell, Comparison, Metric, MetricVerdict, Pace, Sentence, System, Tone, Unranked, Word};
use super::{close, sentences};
use crate::number;
use crate::words::comparability::told;
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

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
            let why = dbdyno_analysis::Unranked::new(metric, paces.iter().copied());
            let why = told(&why?);
            why.is_by_design().then_some((metric, why))
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
        among: None,
        refused_for: None,
    });
    let is_ranked = |metric: Metric| by_design.iter().all(|(other, _)| *other != metric);
    let judged = by_base
        .iter()
        .filter(|((metric, _), _)| is_ranked(*metric))
        .map(|((metric, base), compared)| verdict(*metric, base, compared));
    unranked.chain(judged).collect()
}

/// What was shown first, then what is undecided, with each reason once.
fn verdict(metric: Metric, base: &str, compared: &[&Comparison]) -> MetricVerdict {
    let words: Vec<Word> = compared.iter().map(|comparison| comparison.word).collect();
    let mut systems = vec![base.to_owned()];
    systems.extend(compared.iter().map(|comparison| comparison.a.clone()));
    let of = |words: &[Word]| -> Vec<&Comparison> {
        let all = compared.iter().copied();
        all.filter(|comparison| words.contains(&comparison.word))
            .collect()
    };
    let different = of(&[Word::Faster, Word::Slower]);
    let mut parts: Vec<String> = different
        .iter()
        .map(|comparison| format!("{} {}", label(&comparison.a, base), sentences::ratio(comparison)))
        .collect();
    let same = of(&[Word::Equivalent]);
    parts.extend(same.iter().map(|comparison| {
        format!(
            "{} equivalent, {}",
            label(&comparison.a, base),
            sentences::ratio(comparison)
        )
    }));
    parts.extend(of(&[Word::Bounded]).iter().map(|comparison| {
        format!(
            "{} {} ({})",
            label(&comparison.a, base),
            sentences::ratio(comparison),
            close::neither(comparison.bound().unwrap_or(f64::INFINITY), metric.quantity())
        )
    }));
    for (word, name) in [
        (Word::Undecided, "undecided"),
        (Word::NotComparable, "not comparable"),
    ] {
        parts.extend(
            by_reason(&of(&[word]), base)
                .into_iter()
                .map(|(why, levels)| format!("{name} for {} ({why})", number::list(&levels))),
        );
    }
    MetricVerdict {
        metric,
        systems,
        unranked: None,
        leader: None,
        tied: Vec::new(),
        tone: tone(&words),
        sentence: against(metric, base, &parts),
        among: None,
        refused_for: None,
    }
}

/// What was shown of levels against their baseline.
fn against(metric: Metric, base: &str, parts: &[String]) -> Text {
    text![
        format!("{} against ", capitalised(metric)),
        named(base),
        format!(": {}.", parts.join("; "))
    ]
}

/// The levels of each reason, in the order in which the reasons come.
fn by_reason<'a>(compared: &[&'a Comparison], base: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let reasons = compared.iter().map(|comparison| {
        let level = label(&comparison.a, base);
        (comparison.why.as_str(), level)
    });
    grouped(reasons)
}

fn capitalised(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput => "Throughput",
        Metric::LoadThroughput => "Load throughput",
        Metric::LatencyP99 => "P99 latency",
        Metric::LatencyP50 => "Median latency",
    }
}

/// What the words of several comparisons show together.
fn tone(words: &[Word]) -> Tone {
    let any = |wanted: &[Word]| words.iter().any(|word| wanted.contains(word));
    if any(&[Word::Faster, Word::Slower]) {
        Tone::Shown
    } else if any(&[Word::Undecided]) {
        Tone::Undecided
    } else if any(&[Word::Bounded]) {
        Tone::Bounded
    } else if any(&[Word::Equivalent]) {
        Tone::Same
    } else {
        Tone::NotComparable
    }
}

/// The first sentences of a report: what was shown of the levels of each baseline, over all cells, then how much is undecided.
pub fn summary(systems: &[System], cells: &[Cell], more: &MoreTrials) -> Vec<Sentence> {
    let by_base = by_base(systems);
    let mut said = Vec::new();
    for metric in JUDGED {
        said.extend(
            by_base
                .iter()
                .filter_map(|(base, levels)| of_base(cells, base, levels, metric)),
        );
    }
    said.extend(undecided(systems, cells, more));
    said
}

/// The comparisons of a level with its baseline in one metric, a cell each.
fn over_cells<'a>(cells: &'a [Cell], metric: Metric, level: &str, base: &str) -> Vec<&'a Comparison> {
    cells
        .iter()
        .filter_map(|cell| cell.comparison(metric, level, base))
        .filter(|own| own.word != Word::NotComparable)
        .collect()
}

/// What was shown of a baseline's levels, differences first; `None` where nothing was.
fn of_base(cells: &[Cell], base: &str, levels: &[&str], metric: Metric) -> Option<Sentence> {
    let mut words = Vec::new();
    let (mut different, mut same) = (Vec::new(), Vec::<(String, Vec<&str>)>::new());
    let unit = unit(cells);
    for level in levels {
        let compared = over_cells(cells, metric, level, base);
        words.extend(compared.iter().map(|comparison| comparison.word));
        let differences = differences(&compared, unit);
        let no_difference = no_difference(&compared, unit);
        let level = label(level, base);
        if differences.is_empty() {
            if let Some(no_difference) = no_difference {
                match same.iter_mut().find(|(known, _)| *known == no_difference) {
                    Some((_, levels)) => levels.push(level),
                    None => same.push((no_difference, vec![level])),
                }
            }
        } else {
            let parts: Vec<String> = differences.into_iter().chain(no_difference).collect();
            different.push(format!("{level} {}", parts.join(", ")));
        }
    }
    let same = same
        .iter()
        .map(|(no_difference, levels)| format!("{} {no_difference}", number::list(levels)));
    let parts: Vec<String> = different.into_iter().chain(same).collect();
    (!parts.is_empty()).then(|| Sentence {
        text: against(metric, base, &parts),
        tone: tone(&words),
    })
}

/// The differences of one level: `1.24x lower`, over several cells `1.10x to 1.31x lower on 4 of 5 workloads`.
fn differences(compared: &[&Comparison], unit: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for word in [Word::Slower, Word::Faster] {
        let shown: Vec<&Comparison> = compared.iter().copied().filter(|own| own.word == word).collect();
        let leads = || shown.iter().map(|own| own.lead());
        let (Some(low), Some(high)) = (leads().reduce(f64::min), leads().reduce(f64::max)) else {
            continue;
        };
        if compared.len() == 1 {
            parts.push(number::times(shown[0].ratio, None, shown[0].metric.quantity()));
            continue;
        }
        let is_level = shown[0].metric.quantity() == number::Quantity::Level;
        let direction = if is_level == (word == Word::Slower) {
            "higher"
        } else {
            "lower"
        };
        let (low, high) = (number::ratio_digits(low), number::ratio_digits(high));
        let range = if low == high {
            format!("{low}x")
        } else {
            format!("{low}x to {high}x")
        };
        let share = share(shown.len(), compared.len(), unit);
        parts.push(format!("{range} {direction} on {share}"));
    }
    parts
}

/// Where one level is equivalent or close to its baseline; `None` where neither was shown anywhere.
fn no_difference(compared: &[&Comparison], unit: &str) -> Option<String> {
    let mut parts = Vec::new();
    for word in [Word::Equivalent, Word::Bounded] {
        let same: Vec<&&Comparison> = compared.iter().filter(|own| own.word == word).collect();
        let reach = same.iter().filter_map(|own| own.bound()).fold(1.0, f64::max);
        let name = match word {
            Word::Bounded => format!("within {}", close::at_most(reach)),
            word => word.name().to_owned(),
        };
        match (same.len(), compared.len()) {
            (0, _) => {}
            (1, 1) => parts.push(name),
            (same, all) => parts.push(format!("{name} on {}", share(same, all, unit))),
        }
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn share(number: usize, total: usize, unit: &str) -> String {
    if number == total {
        format!("all {total} {unit}")
    } else {
        format!("{number} of {total} {unit}")
    }
}

/// What several cells that compare one metric are: workloads, unless a factor besides the rate varies, too.
fn unit(cells: &[Cell]) -> &'static str {
    let mut factors = cells.iter().flat_map(|cell| cell.factors.keys());
    if factors.all(|factor| factor == "rate") {
        "workloads"
    } else {
        "tests"
    }
}

/// How many comparisons are undecided and what would decide them, in one sentence: the section of the prices has each of them.
fn undecided(systems: &[System], cells: &[Cell], more: &MoreTrials) -> Option<Sentence> {
    let mut all_open: Vec<&Comparison> = Vec::new();
    let mut parts = Vec::new();
    for metric in JUDGED {
        let levels = levels(systems);
        let all: Vec<&Comparison> = levels
            .iter()
            .flat_map(|(level, base)| over_cells(cells, metric, level, base))
            .collect();
        let open = all.iter().copied().filter(|own| own.word == Word::Undecided);
        let open: Vec<&Comparison> = open.collect();
        let name = metric.name();
        match (open.len(), all.len()) {
            (0, _) => {}
            (1, 1) => parts.push(format!("the only comparison of {name}")),
            (open, all) if open == all => parts.push(format!("all {all} comparisons of {name}")),
            (open, all) => parts.push(format!("{open} of {all} comparisons of {name}")),
        }
        all_open.extend(open);
    }
    let decide = more
        .decide(&all_open)
        .map(|trials| text!["; ", trials, " would probably decide them"]);
    (!parts.is_empty()).then(|| Sentence {
        text: text![
            format!("Undecided: {}", number::list(&parts)),
            decide.unwrap_or_default(),
            "."
        ],
        tone: Tone::Undecided,
    })
}
