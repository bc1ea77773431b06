//! What to read first: the answer of every test, a line each, in words that need no glossary.

use dbdyno_analysis::Word;
use dbdyno_vocabulary::{Text, named, text};

use super::more_trials::MoreTrials;
use super::{Cell, Comparison, Metric, MetricVerdict, Sentence, Tone, Unranked, close, sentences};
use crate::number::Quantity;
use crate::words::comparability::reason;
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

/// The answers, cell by cell; cells without systems to compare have none.
pub fn lines(cells: &[Cell], more: &MoreTrials) -> Vec<Sentence> {
    cells.iter().filter_map(|cell| line(cell, more)).collect()
}

/// The verdicts of a cell that answer what it was measured for.
pub fn answering(cell: &Cell) -> Vec<&MetricVerdict> {
    let is_answer = |verdict: &&MetricVerdict| {
        let is_another_question = verdict.unranked.as_ref().is_some_and(Unranked::is_by_design);
        verdict.tone != Tone::Plain && !is_another_question
    };
    cell.verdicts.iter().filter(is_answer).collect()
}

fn line(cell: &Cell, more: &MoreTrials) -> Option<Sentence> {
    let verdicts = answering(cell);
    let tone = match verdicts.as_slice() {
        [] => return None,
        [one] => one.tone,
        // A winner among some of the systems is not the winner of the test.
        _ => Tone::NotComparable,
    };
    let parts = verdicts
        .iter()
        .filter_map(|verdict| of_verdict(cell, verdict, more));
    Some(Sentence {
        text: Text::new()
            .strong(&cell.title)
            .plain(" – ")
            .text(Text::joined(parts, "; "))
            .plain("."),
        tone,
    })
}

/// What a verdict says; nothing where it has neither a leader nor a reason why not.
fn of_verdict(cell: &Cell, verdict: &MetricVerdict, more: &MoreTrials) -> Option<Text> {
    let metric = verdict.metric;
    if let Some(why) = &verdict.unranked {
        return Some(text![metric.name(), " not comparable: ", reason(why)]);
    }
    if let Some(why) = &verdict.refused_for {
        return Some(match answering(cell).len() {
            1 => text![format!("no verdict on {}: ", metric.name()), why],
            // What the others have is said beside it.
            _ => why.clone(),
        });
    }
    let answer = Answer::new(cell, metric, verdict.leader.as_deref()?).text(more);
    Some(match &verdict.among {
        Some(promise) => text!["with ", promise, ": ", answer],
        None => answer,
    })
}

/// The leader of a group of systems against the others.
struct Answer<'a> {
    cell: &'a Cell,
    metric: Metric,
    leader: &'a str,
    beaten: Vec<&'a Comparison>,
    close: Vec<&'a Comparison>,
    open: Vec<&'a Comparison>,
}

impl<'a> Answer<'a> {
    fn new(cell: &'a Cell, metric: Metric, leader: &'a str) -> Self {
        let with = |is: fn(Word) -> bool| -> Vec<&Comparison> {
            let own = cell.comparisons.iter();
            own.filter(|own| own.metric == metric && own.a == leader && is(own.word))
                .collect()
        };
        Self {
            cell,
            metric,
            leader,
            beaten: with(|word| word == Word::Faster),
            close: with(Word::is_close),
            open: with(Word::is_open),
        }
    }

    fn text(&self, more: &MoreTrials) -> Text {
        if !self.open.is_empty() {
            return self.undecided(more);
        }
        if self.close.is_empty() {
            let ahead = ahead(self.metric, &self.beaten);
            return match self.metric.quantity() {
                Quantity::Speed => text![named(self.leader), ", ", ahead],
                Quantity::Level => text![named(self.leader), format!(", {} ", self.metric.name()), ahead],
            };
        }
        let mut parts = vec![self.together()];
        parts.extend(self.beaten.iter().map(|beaten| self.behind_all(beaten)));
        Text::joined(parts, "; ")
    }

    /// The systems at the top, and how close they are.
    fn together(&self) -> Text {
        let top = self.top();
        let what = self.of_what();
        match self.widest(&top) {
            Some(bound) => text![
                Text::names(top),
                format!(" within {} of each other", close::at_most(bound)),
                what
            ],
            // Not every two of them are close: only what was shown of the leader is said.
            None => {
                let widest = self
                    .close
                    .iter()
                    .filter_map(|own| own.bound())
                    .fold(1.0, f64::max);
                text![
                    Text::names(top.into_iter().skip(1)),
                    format!(" within {} of ", close::at_most(widest)),
                    named(self.leader),
                    what
                ]
            }
        }
    }

    /// The quantity, where it is not the one that "as fast" says.
    fn of_what(&self) -> String {
        match self.metric.quantity() {
            Quantity::Speed => String::new(),
            Quantity::Level => format!(" in {}", self.metric.name()),
        }
    }

    fn top(&self) -> Vec<&'a str> {
        let others = self.close.iter().map(|own| own.b.as_str());
        std::iter::once(self.leader).chain(others).collect()
    }

    /// How far the intervals between any two of these reach; `None` unless every two of them are close.
    fn widest(&self, systems: &[&str]) -> Option<f64> {
        let mut widest = 1.0_f64;
        for (index, first) in systems.iter().enumerate() {
            for second in &systems[index + 1..] {
                let pair = self.between(first, second)?;
                widest = widest.max(pair.bound().filter(|_| pair.word.is_close())?);
            }
        }
        Some(widest)
    }

    fn between(&self, first: &str, second: &str) -> Option<&'a Comparison> {
        let straight = self.cell.comparison(self.metric, first, second);
        straight.or_else(|| self.cell.comparison(self.metric, second, first))
    }

    /// A system that the leader beats, with the others at the top that beat it, too.
    fn behind_all(&self, beaten: &Comparison) -> Text {
        let top = self.top();
        let leads: Option<Vec<f64>> = top
            .iter()
            .map(|own| {
                let comparison = self.cell.comparison(self.metric, own, &beaten.b)?;
                (comparison.word == Word::Faster).then(|| comparison.lead())
            })
            .collect();
        let Some(leads) = leads else {
            return text![named(self.leader), " ", ahead(self.metric, &[beaten])];
        };
        let mut digits: Vec<String> = leads.iter().map(|lead| coarse(*lead)).collect();
        digits.dedup();
        let range = match digits.as_slice() {
            [one] => one.clone(),
            _ => {
                let least = leads.iter().copied().fold(f64::INFINITY, f64::min);
                let most = leads.iter().copied().fold(0.0, f64::max);
                format!("{} to {}", coarse(least), coarse(most))
            }
        };
        let who = if top.len() == 2 { "both" } else { "all" };
        text![format!("{who} {range} {} ", than(self.metric)), named(&beaten.b)]
    }

    /// What is open, what would close it, and what was shown all the same.
    fn undecided(&self, more: &MoreTrials) -> Text {
        let others = self.open.iter().map(|own| own.b.as_str());
        let names = Text::names(std::iter::once(self.leader).chain(others));
        let known = self.open.iter().filter(|own| own.interval.is_some());
        let ratios: Vec<Text> = known.map(|own| sentences::times(own)).collect();
        let mut first = text!["undecided between ", names, self.of_what()];
        if !ratios.is_empty() {
            first.push(text![", ", named(self.leader), " ", Text::list(ratios)]);
        }
        let mut parts = vec![first, more.would_decide(&self.open)];
        if !self.close.is_empty() {
            parts.push(
                Self {
                    open: Vec::new(),
                    beaten: Vec::new(),
                    close: self.close.clone(),
                    ..*self
                }
                .together(),
            );
        }
        if !self.beaten.is_empty() {
            parts.push(text![named(self.leader), " ", ahead(self.metric, &self.beaten)]);
        }
        Text::joined(parts, "; ")
    }
}

/// `3.6x as fast as sqlite, 6.0x as redb`.
fn ahead(metric: Metric, beaten: &[&Comparison]) -> Text {
    let parts = beaten.iter().enumerate().map(|(index, own)| {
        let than = match metric.quantity() {
            Quantity::Speed if index > 0 => "as",
            Quantity::Speed | Quantity::Level => than(metric),
        };
        text![format!("{} {than} ", coarse(own.lead())), named(&own.b)]
    });
    Text::joined(parts, ", ")
}

fn than(metric: Metric) -> &'static str {
    match metric.quantity() {
        Quantity::Speed => "as fast as",
        Quantity::Level => "lower than",
    }
}

/// A ratio above one with as many digits as a first look needs: `12x`, `3.6x`, `1.07x`.
fn coarse(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 9.95 => format!("{ratio:.0}x"),
        ratio if ratio >= 1.195 => format!("{ratio:.1}x"),
        ratio => format!("{ratio:.2}x"),
    }
}
