//! The verdict of one metric in one cell, in words.

use dbdyno_analysis::grouped::grouped;

use super::{CellSystem, Comparison, Metric, Summary, Word, close, sentences};
use crate::number;

/// `of throughput`, `of p99 latency`.
pub fn metric_phrase(metric: Metric) -> String {
    format!("of {}", metric.name())
}

/// The verdict about a leader. `against` are its comparisons with all others.
pub fn verdict(metric: Metric, leader: &CellSystem, summary: &Summary, against: &[&Comparison]) -> String {
    let value = leader.text(metric, summary.estimate.median);
    let sentence = Sentence {
        metric,
        leader: &leader.name,
        value: &value,
    };
    let of = |is: fn(Word) -> bool| -> Vec<&Comparison> {
        let all = against.iter().copied();
        all.filter(|comparison| is(comparison.word)).collect()
    };
    let beaten = of(|word| word == Word::Faster);
    let same = of(|word| word == Word::Equivalent);
    let close = of(|word| word == Word::Bounded);
    let open = of(Word::is_open);
    if against.is_empty() {
        return format!("{} has {value} {}.", leader.name, metric_phrase(metric));
    }
    if same.is_empty() && close.is_empty() && open.is_empty() {
        return sentence.ahead(&beaten);
    }
    let mut text = String::new();
    if !open.is_empty() {
        text = sentence.undecided(&open);
    }
    if !close.is_empty() {
        text = match text.is_empty() {
            true => sentence.close(&close),
            false => format!("{text} Close to {}: {}.", leader.name, ratios(&close)),
        };
    }
    if !same.is_empty() {
        text = match text.is_empty() {
            true => sentence.same(&same),
            false => format!("{text} Equivalent to {}: {}.", leader.name, ratios(&same)),
        };
    }
    if !beaten.is_empty() {
        text.push_str(&format!(" Shown behind {}: {}.", leader.name, ratios(&beaten)));
    }
    text
}

struct Sentence<'a> {
    metric: Metric,
    leader: &'a str,
    value: &'a str,
}

impl Sentence<'_> {
    fn ahead(&self, beaten: &[&Comparison]) -> String {
        let superlative = match self.metric {
            Metric::Throughput => "has the highest throughput",
            Metric::LoadThroughput => "loads fastest",
            Metric::LatencyP99 => "has the lowest p99 latency",
            Metric::LatencyP50 => "has the lowest median latency",
        };
        format!(
            "{} {superlative}: {}, {}.",
            self.leader,
            self.value,
            ratios(beaten)
        )
    }

    fn same(&self, same: &[&Comparison]) -> String {
        format!(
            "{} are equivalent in {} (within {}): {} has {}, {}.",
            self.names(same),
            self.metric.name(),
            number::share(super::MARGIN),
            self.leader,
            self.value,
            ratios(same)
        )
    }

    fn close(&self, close: &[&Comparison]) -> String {
        let reach = close.iter().filter_map(|own| own.bound()).fold(1.0, f64::max);
        let bound = match close {
            [_] => close::neither(reach, self.metric.quantity()),
            _ => format!(
                "none differs from {} by more than {}",
                self.leader,
                close::at_most(reach)
            ),
        };
        format!(
            "{} are close in {} ({bound}): {} has {}, {}.",
            self.names(close),
            self.metric.name(),
            self.leader,
            self.value,
            ratios(close)
        )
    }

    fn undecided(&self, open: &[&Comparison]) -> String {
        format!(
            "Undecided on {} between {}: {}'s median is {}, {}. {}",
            self.metric.name(),
            self.names(open),
            self.leader,
            self.value,
            ratios(open),
            reasons(open)
        )
    }

    fn names(&self, others: &[&Comparison]) -> String {
        let others = others.iter().map(|comparison| comparison.b.as_str());
        let names: Vec<&str> = std::iter::once(self.leader).chain(others).collect();
        number::list(&names)
    }
}

fn ratios(comparisons: &[&Comparison]) -> String {
    let ratios = comparisons.iter().map(|comparison| sentences::times(comparison));
    number::list(&ratios.collect::<Vec<_>>())
}

/// Why comparisons are undecided, in a sentence; those with one reason are named together.
fn reasons(open: &[&Comparison]) -> String {
    let by_reason = grouped(open.iter().map(|own| (own.why.as_str(), own.b.as_str())));
    if let [(why, _)] = by_reason[..] {
        return format!("Reason: {why}.");
    }
    let each = by_reason
        .iter()
        .map(|(why, names)| format!("{}: {why}", number::list(names)));
    format!("Reasons: {}.", each.collect::<Vec<_>>().join("; "))
}
