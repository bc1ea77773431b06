//! How a trial was measured in turns with others.

use serde::{Deserialize, Serialize};

/// The turns of a trial that was measured in slices, beside others of its block and cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interleaving {
    /// The trials that took turns with it, by name.
    pub beside: Vec<String>,
    /// The beginning of each slice that is not measured, nanoseconds.
    pub head_ns: u64,
    /// What was asked to be measured of each slice, nanoseconds.
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
    /// The reference work at the beginning of the round, while the CPUs were awake; absent without a reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<BusyReference>,
}

/// CPU time of a fixed amount of work that is bound by the throughput of a core, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusyReference {
    /// On one CPU.
    pub one_ns: f64,
    /// On all CPUs at once: the longest. Longer than on one where they share a core.
    pub all_ns: f64,
}

/// Where the CPUs of a machine run. On a rented one this changes in spells, and nothing that a guest can read says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoreMode {
    /// Each on a physical core of its own.
    Apart,
    /// All on one physical core.
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
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// From this ratio on, CPUs that work at once share a core: two threads of one core do 1.5 to 2 times as long as one alone, those
/// of different cores as long as one.
pub const SHARED_CORE: f64 = 1.4;

/// The share of a trial's slices from which on a mode's part says something of the trial.
const LEAST_OF_MODE: f64 = 0.25;

impl BusyReference {
    /// Where the CPUs ran.
    #[must_use]
    pub fn mode(&self) -> CoreMode {
        match self.all_ns > SHARED_CORE * self.one_ns {
            true => CoreMode::Shared,
            false => CoreMode::Apart,
        }
    }
}

impl Interleaving {
    /// The share of the slices in which the CPUs shared a core; `None` without readings.
    #[must_use]
    pub fn shared_core_share(&self) -> Option<f64> {
        let looked = self.slices.iter().filter_map(|slice| slice.reference);
        let (count, shared) = looked.fold((0_u32, 0_u32), |(count, shared), reference| {
            (
                count + 1,
                shared + u32::from(reference.mode() == CoreMode::Shared),
            )
        });
        (count > 0).then(|| f64::from(shared) / f64::from(count))
    }

    /// Successful operations per second in the slices of one mode, each with its part of the time that was charged for work that
    /// was put off; `None` where fewer than a quarter of the slices were measured in it.
    #[must_use]
    pub fn throughput_in(&self, mode: CoreMode) -> Option<f64> {
        let is_own = |slice: &&SliceRecord| slice.reference.is_some_and(|reference| reference.mode() == mode);
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

    #[test]
    fn slices_on_a_shared_core_are_counted_where_there_is_a_reading() {
        let slice = |reference: Option<(f64, f64)>| SliceRecord {
            round: 0,
            ok: 1,
            measured_ns: 1,
            reference: reference.map(|(one_ns, all_ns)| BusyReference { one_ns, all_ns }),
        };
        let of = |slices| Interleaving {
            beside: Vec::new(),
            head_ns: 1,
            slice_ns: 9,
            slices,
            work: None,
        };
        assert_eq!(of(vec![slice(None)]).shared_core_share(), None);
        let looked = vec![slice(None), slice(Some((1.0, 1.1))), slice(Some((1.0, 1.9)))];
        assert_eq!(of(looked).shared_core_share(), Some(0.5));
    }

    #[test]
    fn each_mode_has_a_throughput_where_enough_slices_have_the_mode() {
        let slice = |ok, all_ns| SliceRecord {
            round: 0,
            ok,
            measured_ns: 250_000_000,
            reference: Some(BusyReference { one_ns: 1.0, all_ns }),
        };
        let mut turns = Interleaving {
            beside: Vec::new(),
            head_ns: 1,
            slice_ns: 250_000_000,
            slices: vec![slice(100, 1.0), slice(110, 1.0), slice(50, 1.9), slice(90, 1.0)],
            work: None,
        };
        assert_eq!(turns.throughput_in(CoreMode::Apart), Some(400.0));
        assert_eq!(turns.throughput_in(CoreMode::Shared), Some(200.0));
        turns.work = Some(ParkedWork {
            charged_ns: 250_000_000,
            ..ParkedWork::default()
        });
        assert_eq!(
            turns.throughput_in(CoreMode::Apart),
            Some(320.0),
            "a quarter more time"
        );
        turns.slices.push(slice(100, 1.0));
        assert_eq!(turns.throughput_in(CoreMode::Shared), None, "one slice of five");
    }
}
