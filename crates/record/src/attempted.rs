//! Percentiles over everything that was asked. An operation that failed, was stuck or was never sent had no answer within
//! the time that was waited for it: it ranks behind every answer, and a percentile that falls on it is at least that time.

use crate::{KnownLatency, OperationRecord, TrialRecord};

/// A percentile over operations of which some may never have been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantile {
    /// Nanoseconds to the answer.
    Exact(u64),
    /// It falls on operations without an answer, which were waited for this long.
    AtLeast(u64),
}

impl Quantile {
    /// The nanoseconds, exact or not.
    #[must_use]
    pub fn ns(self) -> u64 {
        match self {
            Self::Exact(ns) | Self::AtLeast(ns) => ns,
        }
    }

    /// Whether the true value may be any larger one.
    #[must_use]
    pub fn is_bound(self) -> bool {
        matches!(self, Self::AtLeast(_))
    }
}

/// The latencies of successful operations, and the waits for those that failed, were stuck or were never sent. Answers "not found" are in neither.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempted<'a> {
    answered: KnownLatency<'a>,
    waited: KnownLatency<'a>,
    failures: u64,
}

impl Attempted<'_> {
    /// Operations with and without an answer.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.answered.count() + self.failures
    }

    /// The share of operations without an answer, 0 to 1.
    #[must_use]
    pub fn failure_share(&self) -> f64 {
        self.failures as f64 / self.count().max(1) as f64
    }

    /// What `percentile` percent (above 0, to 100) of the operations do not exceed; `None` without operations, or where an
    /// imported result does not state it.
    #[must_use]
    pub fn percentile(&self, percentile: f64) -> Option<Quantile> {
        if self.failures == 0 {
            return self.answered.percentile_ns(percentile).map(Quantile::Exact);
        }
        let answered = self.answered.count();
        // A hair less than what 99.9 is in binary.
        let rank = (percentile / 100.0 * self.count() as f64 - 1e-6).ceil().max(1.0) as u64;
        if rank > answered {
            let known = self.waited.count();
            // Of an older record the waits for failures and the times of answers "not found" cannot be told apart: the shortest
            // of them are taken.
            let wait = (known > 0)
                .then(|| {
                    self.waited
                        .percentile_ns(share_of((rank - answered).min(known), known))
                })
                .flatten();
            let longest = self.answered.percentile_ns(100.0);
            return Some(Quantile::AtLeast(wait.max(longest).unwrap_or(0)));
        }
        if self.answered.histogram().is_none() {
            // Only the percentiles of successes are stated.
            return self.answered.percentile_ns(percentile).map(Quantile::Exact);
        }
        let among_answers = share_of(rank, answered);
        self.answered.percentile_ns(among_answers).map(Quantile::Exact)
    }

    /// The smallest latency of an answer; `None` without answers.
    #[must_use]
    pub fn min_ns(&self) -> Option<u64> {
        self.answered.percentile_ns(0.0)
    }

    /// The mean over all operations; `None` where it is not known. A failure counts as its wait, and no less than the longest answer:
    /// with failures it is a lower bound.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        let (answered, failures) = (self.answered.count() as f64, self.failures as f64);
        let own = self.answered.mean_ns();
        if self.failures == 0 {
            return own;
        }
        let own = if answered > 0.0 { own? } else { 0.0 };
        let longest = self.answered.percentile_ns(100.0).unwrap_or(0) as f64;
        let wait = self.waited.mean_ns().unwrap_or(0.0).max(longest);
        Some((own * answered + wait * failures) / (answered + failures))
    }

    /// Successful operations alone; percentiles that only they have, such as those of curves.
    #[must_use]
    pub fn answered(&self) -> &KnownLatency<'_> {
        &self.answered
    }

    /// Adds other operations.
    pub fn merge(&mut self, other: &Self) {
        self.answered.merge(&other.answered);
        self.waited.merge(&other.waited);
        self.failures += other.failures;
    }
}

impl TrialRecord {
    /// The latency that users feel in the measured phase, of one kind of operation or of all together, whether the record holds
    /// histograms or the figures of an imported log. Reports, verdicts, advice and objectives read it here. Empty without a
    /// measured phase.
    #[must_use]
    pub fn latency(&self, kind: Option<&str>) -> Attempted<'_> {
        let operations = self.measure.iter().flat_map(|measure| &measure.operations);
        let wanted = operations.filter(|(name, _)| kind.is_none_or(|kind| kind == name.as_str()));
        attempted(wanted.map(|(_, operation)| operation))
    }
}

impl<'a> From<KnownLatency<'a>> for Attempted<'a> {
    fn from(answered: KnownLatency<'a>) -> Self {
        Self {
            answered,
            ..Self::default()
        }
    }
}

/// The percentile of a histogram at which its value number `rank` of `count` stands.
fn share_of(rank: u64, count: u64) -> f64 {
    (rank as f64 - 0.5) / count as f64 * 100.0
}

impl OperationRecord {
    /// Its operations, answered or not, as users feel them: response times with a rate.
    #[must_use]
    pub fn attempted(&self) -> Attempted<'_> {
        let mut waited = match &self.waited {
            Some(waited) => waited.into(),
            None => self.known_failed(),
        };
        let mut failures = self.error_count();
        if let Some(unfinished) = &self.unfinished {
            waited.merge(&unfinished.into());
            failures += unfinished.count();
        }
        Attempted {
            answered: self.known_latency(),
            waited,
            failures,
        }
    }

    /// The percentile over all of its operations; see [`Attempted::percentile`].
    #[must_use]
    pub fn percentile(&self, percentile: f64) -> Option<Quantile> {
        self.attempted().percentile(percentile)
    }
}

/// All of some operations together.
#[must_use]
pub fn attempted<'a>(records: impl IntoIterator<Item = &'a OperationRecord>) -> Attempted<'a> {
    let mut all = Attempted::default();
    for record in records {
        all.merge(&record.attempted());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Latency, Stated, StatedLatency};

    /// `ok` answers of 1 ms to `ok` ms and `failures` that were waited for 10 s.
    fn record(ok: u64, failures: u64) -> OperationRecord {
        let mut record = OperationRecord {
            ok,
            ..OperationRecord::default()
        };
        (1..=ok).for_each(|number| record.service.record(number * 1_000_000));
        if failures > 0 {
            record.errors.insert("timeout".to_owned(), failures);
            let mut waited = Latency::new();
            (0..failures).for_each(|_| waited.record(10_000_000_000));
            record.waited = Some(waited);
        }
        record
    }

    fn close(quantile: Option<Quantile>, wanted: Quantile) -> bool {
        quantile.is_some_and(|quantile| {
            quantile.is_bound() == wanted.is_bound()
                && (quantile.ns() as f64 / wanted.ns() as f64 - 1.0).abs() < 2e-3
        })
    }

    #[test]
    fn failures_rank_behind_every_answer() {
        assert!(close(record(99, 1).percentile(99.0), Quantile::Exact(99_000_000)));
        assert!(close(
            record(98, 2).percentile(99.0),
            Quantile::AtLeast(10_000_000_000)
        ));
        // Half of what was asked is the 50th of 98 answers.
        assert!(close(record(98, 2).percentile(50.0), Quantile::Exact(50_000_000)));
        assert!(close(
            record(0, 5).percentile(1.0),
            Quantile::AtLeast(10_000_000_000)
        ));
        assert_eq!(record(0, 0).percentile(50.0), None);
        let clean = record(100, 0);
        for percentile in [1.0, 50.0, 99.0, 99.9, 100.0] {
            let quantile = clean.percentile(percentile).unwrap();
            assert_eq!(
                quantile,
                Quantile::Exact(clean.known_latency().percentile_ns(percentile).unwrap())
            );
        }
    }

    /// A server that refuses at once does not shorten the tail: what fails fast is no quick answer.
    #[test]
    fn quick_failures_are_no_quick_answers() {
        let mut refusing = record(98, 2);
        let mut waited = Latency::new();
        (0..2).for_each(|_| waited.record(1_000));
        refusing.waited = Some(waited);
        assert!(close(refusing.percentile(99.0), Quantile::AtLeast(98_000_000)));
        let attempts = attempted([&refusing]);
        assert!(
            attempts.mean_ns() > record(98, 0).known_latency().mean_ns(),
            "{attempts:?}"
        );
    }

    /// Whoever edits a record may write anything into it.
    #[test]
    fn sums_of_edited_records_do_not_overflow() {
        let mut edited = record(0, 1);
        edited.ok = u64::MAX;
        assert_eq!(edited.attempts(), u64::MAX);
    }

    #[test]
    fn kinds_and_older_records_add_up() {
        let (reads, mut writes) = (record(100, 0), record(90, 10));
        let all = attempted([&reads, &writes]);
        assert_eq!((all.count(), all.failure_share()), (200, 0.05));
        assert!(all.percentile(95.1).unwrap().is_bound());
        assert!(!all.percentile(95.0).unwrap().is_bound());
        let mut stuck = record(100, 0);
        stuck.unfinished = writes.waited.clone();
        assert!(close(stuck.percentile(99.0), Quantile::AtLeast(10_000_000_000)));
        writes.failed = writes.waited.take().unwrap();
        assert!(close(writes.percentile(95.0), Quantile::AtLeast(10_000_000_000)));
    }

    #[test]
    fn stated_percentiles_stand_as_far_as_answers_reach() {
        let stated = StatedLatency {
            count: 99,
            mean_ns: Some(2e6),
            max_ns: Some(5_000_000),
            percentiles_ns: [("50".to_owned(), 1_000_000), ("99".to_owned(), 4_000_000)].into(),
            ..StatedLatency::default()
        };
        let mut record = OperationRecord {
            ok: 99,
            stated: Some(Stated {
                service: Some(stated),
                ..Stated::default()
            }),
            ..OperationRecord::default()
        };
        record.errors.insert("timeout".to_owned(), 1);
        assert_eq!(record.percentile(99.0), Some(Quantile::Exact(4_000_000)));
        record.errors.insert("timeout".to_owned(), 5);
        assert_eq!(record.percentile(99.0), Some(Quantile::AtLeast(5_000_000)));
        assert_eq!(record.percentile(50.0), Some(Quantile::Exact(1_000_000)));
    }
}
