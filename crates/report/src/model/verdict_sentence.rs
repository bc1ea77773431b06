//! The verdict of one metric in one cell, in words.

use dbdyno_analysis::grouped::grouped;
use dbdyno_vocabulary::{Text, named, text};

use super::{CellSystem, Comparison, Metric, Summary, Word, close, sentences};
use crate::number;
use crate::words::figures::{Medians, MetricFigures};
use crate::words::names::Named;

/// `of throughput`, `of p99 latency`.
pub fn metric_phrase(metric: Metric) -> String {
    format!("of {}", metric.name())
}

/// The verdict about a leader. `against` are its comparisons with all others.
pub fn verdict(metric: Metric, leader: &CellSystem, summary: &Summary, against: &[&Comparison]) -> Text {
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
        return text![
            named(&leader.name),
            format!(" has {value} {}.", metric_phrase(metric))
        ];
    }
    if same.is_empty() && close.is_empty() && open.is_empty() {
        return sentence.ahead(&beaten);
    }
    let mut text = Text::new();
    let besides = |what: &str, others: &[&Comparison]| {
        text![" ", what, " ", named(&leader.name), ": ", ratios(others), "."]
    };
    if !open.is_empty() {
        text = sentence.undecided(&open);
    }
    if !close.is_empty() {
        text.push(match text.is_empty() {
            true => sentence.close(&close),
            false => besides("Close to", &close),
        });
    }
    if !same.is_empty() {
        text.push(match text.is_empty() {
            true => sentence.same(&same),
            false => besides("Equivalent to", &same),
        });
    }
    if !beaten.is_empty() {
        text.push(besides("Shown behind", &beaten));
    }
    text
}

struct Sentence<'a> {
    metric: Metric,
    leader: &'a str,
    value: &'a str,
}

impl Sentence<'_> {
    fn ahead(&self, beaten: &[&Comparison]) -> Text {
        let superlative = match self.metric {
            Metric::Throughput => "has the highest throughput",
            Metric::LoadThroughput => "loads fastest",
            Metric::LatencyP99 => "has the lowest p99 latency",
            Metric::LatencyP50 => "has the lowest median latency",
        };
        text![
            named(self.leader),
            format!(" {superlative}: {}, ", self.value),
            ratios(beaten),
            "."
        ]
    }

    fn same(&self, same: &[&Comparison]) -> Text {
        let margin = number::share(super::MARGIN);
        text![
            self.names(same),
            format!(" are equivalent in {} (within {margin}): ", self.metric.name()),
            named(self.leader),
            format!(" has {}, ", self.value),
            ratios(same),
            "."
        ]
    }

    fn close(&self, close: &[&Comparison]) -> Text {
        let reach = close.iter().filter_map(|own| own.bound()).fold(1.0, f64::max);
        let bound = match close {
            [_] => close::neither(reach, self.metric.quantity()).into(),
            _ => text![
                "none differs from ",
                named(self.leader),
                " by more than ",
                close::at_most(reach)
            ],
        };
        text![
            self.names(close),
            format!(" are close in {} (", self.metric.name()),
            bound,
            "): ",
            named(self.leader),
            format!(" has {}, ", self.value),
            ratios(close),
            "."
        ]
    }

    fn undecided(&self, open: &[&Comparison]) -> Text {
        text![
            format!("Undecided on {} between ", self.metric.name()),
            self.names(open),
            ": ",
            named(self.leader),
            format!("'s median is {}, ", self.value),
            ratios(open),
            ". ",
            reasons(open)
        ]
    }

    fn names(&self, others: &[&Comparison]) -> Text {
        let others = others.iter().map(|comparison| comparison.b.as_str());
        Text::names(std::iter::once(self.leader).chain(others))
    }
}

fn ratios(comparisons: &[&Comparison]) -> Text {
    Text::list(comparisons.iter().map(|comparison| sentences::times(comparison)))
}

/// Why comparisons are undecided, in a sentence; those with one reason are named together.
fn reasons(open: &[&Comparison]) -> Text {
    let by_reason = grouped(open.iter().map(|own| (own.why.as_str(), own.b.as_str())));
    if let [(why, _)] = by_reason[..] {
        return format!("Reason: {why}.").into();
    }
    let each = by_reason
        .into_iter()
        .map(|(why, names)| text![Text::names(names), ": ", why]);
    text!["Reasons: ", Text::joined(each, "; "), "."]
}
