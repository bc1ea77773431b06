//! Where a series stands: whether it changed, since when, and how sure that is.

use dbdyno_analysis::Undecided;
use dbdyno_stats::Interval;

use crate::history::{History, Series};
use crate::model::Word;

/// Where a series stands.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// It changed.
    Moved(Moved),
    /// The last point is as good as the level before.
    Unchanged,
    /// Whether it is cannot be said.
    Undecided(Undecided),
    /// It ranks nothing, e.g. latency without a rate.
    Unranked,
    /// There is nothing to compare the last point with.
    Alone,
}

/// The newest change of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The point that it begins at.
    pub since: String,
    /// The new level, or the last point, by the level before.
    pub ratio: f64,
    /// Its interval, where it is the last point that changed.
    pub interval: Option<(f64, f64)>,
    /// Whether it is for the worse.
    pub is_worse: bool,
}

impl Series {
    /// Where the series stands.
    #[must_use]
    pub fn state(&self) -> State {
        let word = self.last.as_ref().map(|last| last.found.word);
        if let Some(moved) = self.moved() {
            return State::Moved(moved);
        }
        match (word, self.last.as_ref().and_then(|last| last.undecided())) {
            (_, Some(why)) => State::Undecided(why),
            (Some(Word::NotComparable), _) => State::Unranked,
            (Some(_), None) => State::Unchanged,
            // A level that begins at the last point is a change, so this point is the first of its conditions.
            (None, None) => State::Alone,
        }
    }

    fn moved(&self) -> Option<Moved> {
        let differing = self.last.as_ref().filter(|last| last.found.word.is_difference());
        if let (Some(last), Some(point)) = (differing, self.points.last()) {
            return Some(Moved {
                since: point.label.clone(),
                ratio: last.found.ratio,
                interval: last.found.interval.map(Interval::ends),
                is_worse: last.found.word == Word::Slower,
            });
        }
        let (point, change) = self
            .points
            .iter()
            .rev()
            .find_map(|point| Some((point, point.change?)))?;
        Some(Moved {
            since: point.label.clone(),
            ratio: change.ratio,
            interval: None,
            is_worse: change.slower,
        })
    }
}

impl History {
    /// Every series with where it stands: those that got slower, those that got faster, the largest change first, then the undecided ones
    /// and the others.
    #[must_use]
    pub fn states(&self) -> Vec<(&Series, State)> {
        let mut states: Vec<(&Series, State)> = self
            .series
            .iter()
            .map(|series| (series, series.state()))
            .collect();
        let rank = |state: &State| match state {
            State::Moved(moved) if moved.is_worse => (0, -moved.ratio.ln().abs()),
            State::Moved(moved) => (1, -moved.ratio.ln().abs()),
            State::Undecided(_) => (2, 0.0),
            State::Unchanged => (3, 0.0),
            State::Alone => (4, 0.0),
            State::Unranked => (5, 0.0),
        };
        states.sort_by(|(_, one), (_, other)| {
            let (one, other) = (rank(one), rank(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        states
    }
}
