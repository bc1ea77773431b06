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

/// Time of a fixed amount of work that is bound by the throughput of a core, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusyReference {
    /// On one CPU.
    pub one_ns: f64,
    /// On all CPUs at once: the last to be done. Longer than on one where they share a core.
    pub all_ns: f64,
}

/// CPU time of a system by whose turn it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParkedWork {
    /// In its own slices, seconds.
    pub own_cpu_seconds: f64,
    /// While others were measured, seconds.
    pub parked_cpu_seconds: f64,
    /// Of that, work that was put off: what is more than an idle system of its kind always uses, seconds.
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

impl BusyReference {
    /// Whether the CPUs shared a core.
    #[must_use]
    pub fn shares_a_core(&self) -> bool {
        self.all_ns > SHARED_CORE * self.one_ns
    }
}

impl Interleaving {
    /// The share of the slices in which the CPUs shared a core; `None` without readings.
    #[must_use]
    pub fn shared_core_share(&self) -> Option<f64> {
        let looked = self.slices.iter().filter_map(|slice| slice.reference);
        let (count, shared) = looked.fold((0_u32, 0_u32), |(count, shared), reference| {
            (count + 1, shared + u32::from(reference.shares_a_core()))
        });
        (count > 0).then(|| f64::from(shared) / f64::from(count))
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
}
