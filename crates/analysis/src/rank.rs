//! Where a system stands in a cell: a verdict seen from one system.

use serde::Serialize;

use super::{Cell, Comparison, Metric, Tone, Word};

/// A system's place among those it was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rank {
    /// Shown to be the best.
    Best,
    /// Equivalent to the best, within the margin.
    Tied,
    /// Whichever is better, neither it nor the best is much better than the other.
    Close,
    /// Undecided against the best.
    Open,
    /// Shown to be behind the best.
    Behind,
    /// Not ranked: the systems do not promise the same, or the metric ranks nothing under this load.
    NotComparable,
}

impl Cell {
    /// Where a system stands in one metric; `None` when there is nothing to stand against.
    #[must_use]
    pub fn rank(&self, system: &str, metric: Metric) -> Option<Rank> {
        self.verdicts
            .iter()
            .filter(|verdict| verdict.metric == metric && verdict.systems.iter().any(|name| name == system))
            .find_map(|verdict| {
                if verdict.tone == Tone::NotComparable {
                    return Some(Rank::NotComparable);
                }
                let leader = verdict.leader.as_deref()?;
                let leads = leader == system;
                match verdict.tone {
                    Tone::Plain | Tone::NotComparable => None,
                    Tone::Shown if leads => Some(Rank::Best),
                    Tone::Same if leads => Some(Rank::Tied),
                    Tone::Bounded if leads => Some(Rank::Close),
                    Tone::Undecided if leads => Some(Rank::Open),
                    Tone::Shown | Tone::Same | Tone::Bounded | Tone::Undecided => {
                        Some(match self.comparison(metric, leader, system)?.word {
                            Word::Equivalent => Rank::Tied,
                            Word::Bounded => Rank::Close,
                            Word::Faster => Rank::Behind,
                            Word::Slower | Word::Undecided => Rank::Open,
                            Word::NotComparable => Rank::NotComparable,
                        })
                    }
                }
            })
    }

    /// The comparison of a system with another one: a leader with who is behind it, a level with its baseline.
    #[must_use]
    pub fn comparison(&self, metric: Metric, a: &str, b: &str) -> Option<&Comparison> {
        self.comparisons
            .iter()
            .find(|comparison| comparison.metric == metric && comparison.a == a && comparison.b == b)
    }
}
