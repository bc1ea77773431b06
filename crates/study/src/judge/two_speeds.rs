//! Two levels that take turns, as on a machine with two speeds: two of its virtual CPUs share no cache at times.
//!
//! A search of change points often sees only one edge of such a series, since what goes back and forth looks to it like noise whose
//! neighbours resemble each other. So the two levels are sought among the values first, and their turns after that.

use std::ops::Range;

/// How many times as fast the faster level is.
const RATIO: std::ops::RangeInclusive<f64> = 1.6..=2.2;
/// The farthest that a value lies from its level, as a share, and the share of values that must not lie farther.
const NEAR: f64 = 0.10;
const NEAR_SHARE: f64 = 0.9;
/// A shorter turn is an outlier.
const SHORTEST_TURN: usize = 3;
/// A level, another, and the first again: what changes once has a new level.
const FEWEST_TURNS: usize = 3;
/// Rounds in which the two levels move to the medians of the values next to them.
const ROUNDS: u32 = 4;

/// The turns that two levels take in this series of positive values; `None` where there are no such levels, or one does not return.
pub(super) fn turns(values: &[f64]) -> Option<Vec<Range<usize>>> {
    if values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    let (low, high) = levels(values)?;
    let middle = (low * high).sqrt();
    let near = values.iter().filter(|value| {
        let level = if **value < middle { low } else { high };
        (**value / level).ln().abs() <= NEAR.ln_1p()
    });
    let are_near = near.count() as f64 >= NEAR_SHARE * values.len() as f64;
    let turns = turns_about(values, middle);
    (are_near && RATIO.contains(&(high / low)) && turns.len() >= FEWEST_TURNS).then_some(turns)
}

/// The two levels that the values gather about.
fn levels(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    // A stall or a burst is no level.
    let outliers = sorted.len() / 20;
    let (mut low, mut high) = (*sorted.get(outliers)?, sorted[sorted.len() - 1 - outliers]);
    for _ in 0..ROUNDS {
        let middle = (low * high).sqrt();
        let (below, above) = sorted.split_at(sorted.partition_point(|value| *value < middle));
        (low, high) = (*below.get(below.len() / 2)?, *above.get(above.len() / 2)?);
    }
    Some((low, high))
}

/// The stretches on one side of the middle, without those that are too short.
fn turns_about(values: &[f64], middle: f64) -> Vec<Range<usize>> {
    let mut turns: Vec<(bool, Range<usize>)> = Vec::new();
    for stretch in values.chunk_by(|left, right| (*left < middle) == (*right < middle)) {
        let (is_low, begin) = (stretch[0] < middle, turns.last().map_or(0, |(_, turn)| turn.end));
        let end = begin + stretch.len();
        match turns.last_mut() {
            Some((low, turn)) if stretch.len() < SHORTEST_TURN || *low == is_low => turn.end = end,
            _ => turns.push((is_low, begin..end)),
        }
    }
    turns.into_iter().map(|(_, turn)| turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stretches of levels with a wobble of a few percent.
    fn series(levels: &[(usize, f64)]) -> Vec<f64> {
        levels
            .iter()
            .flat_map(|&(length, level)| std::iter::repeat_n(level, length))
            .enumerate()
            .map(|(place, level)| level * (1.0 + 0.04 * (place as f64 * 2.399).sin()))
            .collect()
    }

    #[test]
    fn two_levels_that_take_turns_are_found() {
        let found = turns(&series(&[(10, 2.1), (13, 4.0), (17, 2.1)]));
        assert_eq!(found, Some(vec![0..10, 10..23, 23..40]));
        // A single window on the other side is none of the turns.
        let found = turns(&series(&[(12, 4.0), (1, 2.1), (9, 4.0), (3, 2.1), (15, 4.0)]));
        assert_eq!(found, Some(vec![0..22, 22..25, 25..40]));
    }

    #[test]
    fn other_changes_are_not() {
        for levels in [
            &[(40, 4.0)][..],
            &[(24, 4.0), (16, 2.1)],
            &[(10, 4.0), (20, 3.0), (10, 4.0)],
            &[(10, 4.0), (20, 1.0), (10, 4.0)],
            &[(13, 4.0), (13, 2.1), (14, 3.0)],
            &[(10, 1.0), (10, 2.0), (10, 3.0), (10, 4.0)],
        ] {
            assert_eq!(turns(&series(levels)), None, "{levels:?}");
        }
        let falling: Vec<f64> = (0..40).map(|place| 4.0 - 0.05 * f64::from(place)).collect();
        assert_eq!(
            (turns(&falling), turns(&[]), turns(&[0.0; 40])),
            (None, None, None)
        );
    }
}
