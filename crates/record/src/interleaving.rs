//! How a trial was measured in turns with others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::slice_head::{self, LateInHeads, SliceHead};
use crate::steadiness::Level;

/// The turns of a trial that was measured in slices, beside others of its block and cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interleaving {
    /// The trials that took turns with it, by name.
    pub beside: Vec<String>,
    /// The beginning of each slice that is not measured, nanoseconds.
    pub head_ns: u64,
    /// The time that was asked to be measured of each slice, nanoseconds.
    pub slice_ns: u64,
    /// Its slices, in order.
    pub slices: Vec<SliceRecord>,
    /// What the system used in its own slices and while it was parked; absent where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<ParkedWork>,
}

/// One slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceRecord {
    /// The round that it belongs to, from 0: in a round, every trial has one slice.
    pub round: u32,
    /// Successful operations.
    pub ok: u64,
    /// The time for which they count, nanoseconds.
    pub measured_ns: u64,
    /// The reference work just before it; absent without a reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<BusyReference>,
    /// The reference work just after it; absent without a reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_after: Option<BusyReference>,
    /// What its system had used since its slice before, while others were measured; absent where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<WhileParked>,
    /// The speed in its head, in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<SliceHead>,
}

/// Resources that a system used while others were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhileParked {
    /// CPU time, seconds.
    pub cpu_seconds: f64,
    /// Read from and written to storage by its processes, bytes; absent for embedded stores, whose process is that of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_bytes: Option<u64>,
}

/// How the CPUs stood to each other: a fixed amount of work that is bound by the throughput of a core, and hand-offs of a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusyReference {
    /// The fastest that the work has been, CPU time in nanoseconds.
    pub one_ns: f64,
    /// On all CPUs at once: the mean. Twice as long where they share a core.
    pub all_ns: f64,
    /// How long the line takes from one CPU to the next, nanoseconds; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_ns: Option<f64>,
}

/// How near the CPUs of a machine are to each other. On a rented one this changes in spells, and nothing that a guest can read says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoreMode {
    /// On cores that share a cache.
    Near,
    /// On cores that share no cache.
    Far,
    /// On one physical core.
    Shared,
}

/// CPU time of a system by whose turn it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParkedWork {
    /// In its own slices, seconds.
    pub own_cpu_seconds: f64,
    /// While others were measured, seconds.
    pub parked_cpu_seconds: f64,
    /// Of that, work that was put off: what is more than an idle system of its kind always uses, and than Java's compilers took, seconds.
    pub deferred_cpu_seconds: f64,
    /// Time that was added to the measured time for work that was put off, nanoseconds; 0 where there was little of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub charged_ns: u64,
    /// What its processes read from storage and wrote to it; absent for embedded stores, whose process is that of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io: Option<ParkedIo>,
}

/// Storage traffic of a system's processes by whose turn it was. The kernel counts a whole folio, up to 2 MiB, for one page that is
/// written in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParkedIo {
    /// In its own slices, bytes.
    pub own_bytes: u64,
    /// While others were measured, bytes.
    pub parked_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// From this ratio on, CPUs share a core: the work takes twice as long on both CPUs of one core as it can, and as long as it can on
/// cores of their own. Where one CPU of two shares its core with another guest, the mean is 1.5 times as long.
pub const SHARED_CORE: f64 = 1.6;
/// From this time on, CPUs hand a cache line to each other through no common cache, nanoseconds. Measured on two virtual CPUs of an AMD
/// EPYC: 30 to 60 with one, 150 to 270 without.
pub const FAR_NS: f64 = 90.0;

/// So many slices at a level say how fast it was.
const FEWEST_AT_A_LEVEL: u32 = 2;
/// A drift of a phase that has one level is of this size at least: from one half of the phase to the other by half of it.
const SMALLEST_DRIFT: f64 = 0.10;

/// The share of a trial's slices from which on a mode's part says something of the trial.
const LEAST_OF_MODE: f64 = 0.25;

impl BusyReference {
    /// Where the CPUs were.
    #[must_use]
    pub fn mode(&self) -> CoreMode {
        if self.all_ns > SHARED_CORE * self.one_ns {
            CoreMode::Shared
        } else if self.handoff_ns.is_some_and(|ns| ns > FAR_NS) {
            CoreMode::Far
        } else {
            CoreMode::Near
        }
    }
}

impl SliceRecord {
    /// Where the CPUs were during the slice: where they were before it, if they were there after it, too.
    #[must_use]
    pub fn mode(&self) -> Option<CoreMode> {
        let before = self.reference?.mode();
        let moved = self.reference_after.is_some_and(|after| after.mode() != before);
        (!moved).then_some(before)
    }
}

impl CoreMode {
    /// Where the CPUs were, as the end of a sentence about them.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Near => "shared a cache",
            Self::Far => "shared no cache",
            Self::Shared => "shared one physical core",
        }
    }
}

/// The share of each mode among the slices whose mode is known, the largest first; empty without readings.
#[must_use]
pub fn mode_shares<'a>(slices: impl IntoIterator<Item = &'a SliceRecord>) -> Vec<(CoreMode, f64)> {
    let mut counts: BTreeMap<CoreMode, u32> = BTreeMap::new();
    for mode in slices.into_iter().filter_map(SliceRecord::mode) {
        *counts.entry(mode).or_default() += 1;
    }
    let all: u32 = counts.values().sum();
    let share = |(mode, count): (CoreMode, u32)| (mode, f64::from(count) / f64::from(all));
    let mut shares: Vec<(CoreMode, f64)> = counts.into_iter().map(share).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

impl Interleaving {
    /// Whether the CPUs moved during its slices, as far as readings say.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        let own = |slice: &SliceRecord| [slice.reference, slice.reference_after];
        let mut modes = self
            .slices
            .iter()
            .flat_map(own)
            .flatten()
            .map(|reading| reading.mode());
        let first = modes.next();
        modes.any(|mode| Some(mode) != first)
    }

    /// Whether these levels of its throughput may come from the CPUs, which moved: slices that were measured in the mode that prevailed
    /// differ from one level to another by less than half of what the levels do.
    #[must_use]
    pub fn explains(&self, levels: &[Level]) -> bool {
        let halves;
        let levels = match levels {
            [only] => {
                let whole_ns: u64 = self.slices.iter().map(|slice| slice.measured_ns).sum();
                let later = Level {
                    from_ns: whole_ns / 2,
                    throughput_per_second: only.throughput_per_second * (1.0 + SMALLEST_DRIFT),
                    ..*only
                };
                halves = [*only, later];
                &halves[..]
            }
            several => several,
        };
        self.has_moved() && !self.differ_in_a_mode(levels)
    }

    fn differ_in_a_mode(&self, levels: &[Level]) -> bool {
        let Some(&(usual, _)) = mode_shares(&self.slices).first() else {
            return false;
        };
        let mut at_levels = vec![(0, 0, 0); levels.len()];
        let mut begins_ns = 0;
        for slice in &self.slices {
            let middle_ns = begins_ns + slice.measured_ns / 2;
            begins_ns += slice.measured_ns;
            let level = levels.iter().rposition(|level| level.from_ns <= middle_ns);
            if let Some(level) = level.filter(|_| slice.mode() == Some(usual)) {
                let (slices, ok, measured_ns) = &mut at_levels[level];
                *slices += 1;
                *ok += slice.ok;
                *measured_ns += slice.measured_ns;
            }
        }
        let known: Vec<(f64, f64)> = at_levels
            .into_iter()
            .zip(levels)
            .filter(|((slices, ok, _), _)| *slices >= FEWEST_AT_A_LEVEL && *ok > 0)
            .map(|((_, ok, measured_ns), level)| {
                (ok as f64 * 1e9 / measured_ns as f64, level.throughput_per_second)
            })
            .collect();
        let differs = |a: &(f64, f64), b: &(f64, f64)| {
            (a.0 / b.0).ln().abs() > (a.1 / b.1).ln().abs() / 2.0 && a.1 != b.1
        };
        known
            .iter()
            .enumerate()
            .any(|(index, a)| known[..index].iter().any(|b| differs(a, b)))
    }

    /// How long its system took to come back to speed in each slice, nanoseconds, as its heads say: the median of what they lost.
    /// `None` with fewer than four slices that know it.
    #[must_use]
    pub fn lost_in_heads_ns(&self) -> Option<f64> {
        slice_head::lost_ns(self.heads())
    }

    /// How much longer operations took in the second halves of its heads than in the measured parts. `None` with fewer than eight
    /// slices that know it.
    #[must_use]
    pub fn late_in_heads(&self) -> Option<LateInHeads> {
        slice_head::late(self.heads())
    }

    fn heads(&self) -> impl Iterator<Item = SliceHead> {
        self.slices.iter().filter_map(|slice| slice.head)
    }

    /// Successful operations per second in the slices of one mode, each with its part of the time that was charged for work that
    /// was put off; `None` where fewer than a quarter of the slices were measured in it.
    #[must_use]
    pub fn throughput_in(&self, mode: CoreMode) -> Option<f64> {
        let is_own = |slice: &&SliceRecord| slice.mode() == Some(mode);
        let own: Vec<&SliceRecord> = self.slices.iter().filter(is_own).collect();
        if (own.len() as f64) < LEAST_OF_MODE * self.slices.len() as f64 {
            return None;
        }
        let ok: u64 = own.iter().map(|slice| slice.ok).sum();
        let own_ns: u64 = own.iter().map(|slice| slice.measured_ns).sum();
        let whole_ns: u64 = self.slices.iter().map(|slice| slice.measured_ns).sum();
        let charged_ns = self.work.map_or(0, |work| work.charged_ns);
        let time_ns = own_ns as f64 * (1.0 + charged_ns as f64 / whole_ns.max(1) as f64);
        (time_ns > 0.0).then(|| ok as f64 * 1e9 / time_ns)
    }
}

impl ParkedWork {
    /// CPU time of work that was put off, as a share of that in its own slices.
    #[must_use]
    pub fn deferred_share(&self) -> f64 {
        if self.own_cpu_seconds > 0.0 {
            self.deferred_cpu_seconds / self.own_cpu_seconds
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reading of CPUs that share a cache, share none, or share a core.
    fn reading(mode: CoreMode) -> BusyReference {
        BusyReference {
            one_ns: 1.0,
            all_ns: if mode == CoreMode::Shared { 1.9 } else { 1.1 },
            handoff_ns: Some(if mode == CoreMode::Far { 160.0 } else { 40.0 }),
        }
    }

    fn slice(ok: u64, before: Option<CoreMode>, after: Option<CoreMode>) -> SliceRecord {
        SliceRecord {
            round: 0,
            ok,
            measured_ns: 250_000_000,
            reference: before.map(reading),
            reference_after: after.map(reading),
            parked: None,
            head: None,
        }
    }

    #[test]
    fn a_slice_has_the_mode_that_readings_at_both_ends_agree_on() {
        use CoreMode::{Far, Near, Shared};
        for mode in [Near, Far, Shared] {
            assert_eq!(slice(1, Some(mode), Some(mode)).mode(), Some(mode));
            assert_eq!(slice(1, Some(mode), None).mode(), Some(mode));
        }
        assert_eq!(slice(1, Some(Near), Some(Far)).mode(), None);
        assert_eq!(slice(1, None, Some(Far)).mode(), None);
        let old = BusyReference {
            handoff_ns: None,
            ..reading(Far)
        };
        assert_eq!(old.mode(), Near);
    }

    #[test]
    fn a_phase_whose_cpus_moved_is_not_called_restless() {
        use CoreMode::{Far, Near};
        let turns = |slices: Vec<SliceRecord>| Interleaving {
            beside: Vec::new(),
            head_ns: 1,
            slice_ns: 250_000_000,
            slices,
            work: None,
        };
        let stayed = turns(vec![slice(1, Some(Far), Some(Far)), slice(1, None, Some(Far))]);
        let moved = turns(vec![
            slice(1, Some(Far), Some(Far)),
            slice(1, Some(Far), Some(Near)),
        ]);
        assert!(!stayed.has_moved() && moved.has_moved());
        assert!(never_steady("throughput", &[], Some(stayed)) && never_steady("throughput", &[], None));
        assert!(!never_steady("throughput", &[], Some(moved.clone())));
        assert!(never_steady("pauses", &[], Some(moved)));
    }

    /// Whether a phase with these levels, which did not settle, never did so of itself.
    fn never_steady(judged_by: &str, levels: &[(u64, f64)], interleaving: Option<Interleaving>) -> bool {
        let level = |&(from_ns, throughput_per_second): &(u64, f64)| Level {
            from_ns,
            throughput_per_second,
            latency_p50_ns: None,
        };
        let conditions = crate::Conditions {
            steady: Some(crate::SteadyState {
                steadiness: crate::Steadiness::Never,
                judged_by: judged_by.to_owned(),
                windows: 20,
                window_ns: 1,
                levels: levels.iter().map(level).collect(),
                pauses: None,
            }),
            interleaving,
            ..crate::Conditions::default()
        };
        conditions.never_steady()
    }

    #[test]
    fn levels_that_slices_of_one_mode_have_too_are_the_systems() {
        use CoreMode::{Far, Near};
        let quarter_ns = 250_000_000;
        // Slices of the first level and of the second; the CPUs moved before the last one.
        let turns = |slow: u64, second: CoreMode, third: CoreMode| {
            let of = |ok, mode| slice(ok, Some(mode), Some(mode));
            Some(Interleaving {
                beside: Vec::new(),
                head_ns: 1,
                slice_ns: quarter_ns,
                slices: vec![
                    of(200, Near),
                    of(200, Near),
                    of(200, Near),
                    of(200, Near),
                    of(100, second),
                    of(slow, second),
                    of(slow, third),
                ],
                work: None,
            })
        };
        let levels = [(0, 800.0), (4 * quarter_ns, 400.0)];
        assert!(!never_steady("throughput", &levels, turns(100, Far, Far)));
        assert!(never_steady("throughput", &levels, turns(100, Near, Far)));
        // One slice of the mode says too little of the second level.
        assert!(!never_steady("throughput", &levels, turns(100, Far, Near)));
        // A drift has one level.
        let drift = [(0, 600.0)];
        assert!(never_steady("throughput", &drift, turns(100, Near, Far)));
        assert!(!never_steady("throughput", &drift, turns(100, Far, Far)));
    }

    #[test]
    fn shares_of_modes_are_those_of_slices_with_readings() {
        use CoreMode::{Far, Near};
        assert_eq!(mode_shares(&[slice(1, None, None)]), []);
        let slices = [
            slice(1, None, None),
            slice(1, Some(Near), Some(Far)),
            slice(1, Some(Near), Some(Near)),
            slice(1, Some(Far), Some(Far)),
            slice(1, Some(Far), Some(Far)),
            slice(1, Some(Far), None),
        ];
        assert_eq!(mode_shares(&slices), [(Far, 0.75), (Near, 0.25)]);
    }

    #[test]
    fn each_mode_has_a_throughput_where_enough_slices_have_the_mode() {
        use CoreMode::{Far, Near};
        let slice = |ok, mode| slice(ok, Some(mode), Some(mode));
        let mut turns = Interleaving {
            beside: Vec::new(),
            head_ns: 1,
            slice_ns: 250_000_000,
            slices: vec![
                slice(100, Near),
                slice(110, Near),
                slice(50, Far),
                slice(90, Near),
            ],
            work: None,
        };
        assert_eq!(turns.throughput_in(Near), Some(400.0));
        assert_eq!(turns.throughput_in(Far), Some(200.0));
        turns.work = Some(ParkedWork {
            charged_ns: 250_000_000,
            ..ParkedWork::default()
        });
        assert_eq!(turns.throughput_in(Near), Some(320.0), "a quarter more time");
        turns.slices.push(slice(100, Near));
        assert_eq!(turns.throughput_in(Far), None, "one slice of five");
    }
}
