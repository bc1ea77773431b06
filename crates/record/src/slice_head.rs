//! What the heads of slices show: how long a system takes to come back to speed after others had their turns.

use serde::{Deserialize, Serialize};

/// With fewer operations, the second half of a head says nothing of the speed.
pub const FEWEST_LATE_OPERATIONS: u64 = 100;
/// With fewer slices, heads do not say what a switch costs,
const FEWEST_SLICES: usize = 4;
/// and with fewer than these, scatter may look like a system that is late.
const FEWEST_LATE: usize = 8;

/// How the operations of a slice's head compare with its measured ones, in a closed loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceHead {
    /// By how much longer they took than as many measured ones, nanoseconds, the mean of the clients. By chance it can be below 0.
    pub lost_ns: i64,
    /// How long an operation took that began in the second half of the head, as a multiple of a measured one; absent with fewer than
    /// [`FEWEST_LATE_OPERATIONS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ratio: Option<f64>,
}

/// How long a system took to come back to speed, nanoseconds: the median of what these heads of its slices lost. `None` with fewer than
/// four.
#[must_use]
pub(crate) fn lost_ns(heads: impl Iterator<Item = SliceHead>) -> Option<f64> {
    let lost = sorted(heads.map(|head| head.lost_ns as f64).collect(), FEWEST_SLICES)?;
    Some(middle(&lost))
}

/// How much longer operations took in the second halves of these heads than in the measured parts. `None` with fewer than eight that
/// know it.
#[must_use]
pub(crate) fn late(heads: impl Iterator<Item = SliceHead>) -> Option<LateInHeads> {
    let ratios = sorted(heads.filter_map(|head| head.late_ratio).collect(), FEWEST_LATE)?;
    Some(LateInHeads {
        median: middle(&ratios),
        in_three_of_four: ratios[ratios.len() / 4],
    })
}

/// How long operations took in the second halves of a trial's heads, as multiples of measured ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateInHeads {
    /// The median of the slices.
    pub median: f64,
    /// At least so much in three of four slices.
    pub in_three_of_four: f64,
}

/// In order, where there are enough of them.
fn sorted(mut values: Vec<f64>, fewest: usize) -> Option<Vec<f64>> {
    values.sort_by(f64::total_cmp);
    (values.len() >= fewest).then_some(values)
}

/// The median of values in order, of which there are some.
fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        (sorted[half - 1] + sorted[half]) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lost_ns: i64, late_ratio: Option<f64>) -> SliceHead {
        SliceHead { lost_ns, late_ratio }
    }

    #[test]
    fn a_stall_in_one_head_is_not_what_a_switch_costs() {
        let heads = [
            head(1_000, Some(1.0)),
            head(900_000_000, Some(60.0)),
            head(3_000, Some(1.1)),
            head(-1_000, Some(0.9)),
        ];
        assert_eq!(lost_ns(heads.into_iter()), Some(2_000.0));
        assert_eq!(late(heads.into_iter()), None, "four may be chance");
        let late = late(heads.into_iter().chain(heads)).unwrap();
        assert!((late.median - 1.05).abs() < 1e-9, "{late:?}");
        assert_eq!(late.in_three_of_four, 1.0);
    }

    #[test]
    fn few_heads_say_nothing() {
        let few = || [head(1, Some(1.0)); 3].into_iter();
        assert_eq!((lost_ns(few()), late(few())), (None, None));
        let slow = || [head(1, None); 4].into_iter();
        assert_eq!((lost_ns(slow()), late(slow())), (Some(1.0), None));
    }
}
