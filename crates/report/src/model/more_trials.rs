//! What would decide the undecided: how many more trials, and how long they take.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dbdyno_record::TrialRecord;
use dbdyno_vocabulary::{Text, text};
use jiff::Timestamp;

use super::Comparison;
use crate::number;

/// How long more trials of a study take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoreTrials {
    /// One trial of every system in every cell; `None` where the records do not show it.
    block: Option<Duration>,
}

impl MoreTrials {
    /// From the study's own trials: a block lasts from its first trial to that of the next block, starts of servers and loads included. The
    /// median of the blocks tolerates one in which the study paused.
    pub fn of(trials: &[TrialRecord]) -> Self {
        let mut began: BTreeMap<u32, Vec<Timestamp>> = BTreeMap::new();
        for trial in trials {
            if let Ok(at) = trial.started_at.parse() {
                began.entry(trial.block).or_default().push(at);
            }
        }
        let firsts: Vec<Timestamp> = began
            .values()
            .filter_map(|own| own.iter().min().copied())
            .collect();
        let length = |from: Timestamp, to: Timestamp| from.duration_until(to).unsigned_abs();
        let mut lengths: Vec<Duration> = firsts.windows(2).map(|pair| length(pair[0], pair[1])).collect();
        if lengths.is_empty() {
            lengths.extend(began.values().filter_map(|own| only_block(own)));
        }
        lengths.sort_unstable();
        Self {
            block: lengths
                .get(lengths.len() / 2)
                .copied()
                .filter(|length| !length.is_zero()),
        }
    }

    /// `` `--trials +4` (about 3 minutes) ``: what would probably decide all of these comparisons; `None` where more trials would not.
    pub fn decide(&self, open: &[&Comparison]) -> Option<Text> {
        let needed: Option<Vec<usize>> = open.iter().map(|own| own.more_blocks).collect();
        needed?.into_iter().max().map(|most| self.request(most))
    }

    /// What would decide these comparisons, or why more trials would not.
    pub fn would_decide(&self, open: &[&Comparison]) -> Text {
        match self.decide(open) {
            Some(trials) => text![trials, " would probably decide it"],
            None => {
                let why: BTreeSet<&str> = open.iter().map(|own| own.why.as_str()).collect();
                Text::list(why)
            }
        }
    }

    fn request(&self, trials: usize) -> Text {
        let time = self.block.map_or_else(String::new, |block| {
            let all = block.saturating_mul(u32::try_from(trials).unwrap_or(u32::MAX));
            format!(" (about {})", about(all))
        });
        Text::new().code(format!("--trials +{trials}")).plain(time)
    }
}

/// A block without a next one: from its first trial to its last, and one more as long as the others on average.
fn only_block(began: &[Timestamp]) -> Option<Duration> {
    let (first, last) = (began.iter().min()?, began.iter().max()?);
    let gaps = u32::try_from(began.len())
        .ok()?
        .checked_sub(1)
        .filter(|gaps| *gaps > 0)?;
    let between = first.duration_until(*last).unsigned_abs();
    Some(between + between / gaps)
}

/// A length of time in words.
fn about(length: Duration) -> String {
    let seconds = length.as_secs_f64();
    match seconds {
        seconds if seconds < 90.0 => number::plural(seconds.ceil().max(1.0) as u64, "second", "seconds"),
        seconds if seconds < 5400.0 => number::plural((seconds / 60.0).round() as u64, "minute", "minutes"),
        seconds => format!("{:.1} hours", seconds / 3600.0),
    }
}
