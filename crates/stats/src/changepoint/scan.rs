//! The statistic: how different the two sides of a place are, at its most different place.

use std::ops::Range;

/// How much longer every next layer of stretches is: the square root of 2, as recommended by Kovacs et al.
const GROWTH: f64 = std::f64::consts::SQRT_2;

/// The stretches of a series in which a single change is sought.
pub(super) struct Scan {
    stretches: Vec<Range<usize>>,
    shortest: usize,
}

impl Scan {
    /// `None` when the series is too short for two segments.
    pub(super) fn new(length: usize, shortest: usize) -> Option<Self> {
        if length < 2 * shortest {
            return None;
        }
        let mut stretches = Vec::new();
        stretches.push(0..length);
        let mut wanted = length as f64 / GROWTH;
        while wanted.ceil() as usize >= 2 * shortest {
            let size = (wanted.ceil() as usize).min(length);
            // Neighbours of a layer overlap by half.
            let count = (2 * length).div_ceil(size).max(2) - 1;
            let room = length - size;
            let starts = (0..count).map(|which| which * room / (count - 1).max(1));
            stretches.extend(starts.map(|start| start..start + size));
            wanted /= GROWTH;
        }
        stretches.dedup();
        Some(Self { stretches, shortest })
    }

    /// The largest difference of means over all places of all stretches, in standard errors of independent scores of
    /// spread 1 (the true spread is the same in all resamples), and its place.
    pub(super) fn strongest(&self, scores: &[f64]) -> (f64, usize) {
        let sums = running_sums(scores);
        let mut best = (f64::NEG_INFINITY, 0);
        for stretch in &self.stretches {
            let here = strongest_in(&sums, stretch.clone(), self.shortest);
            if here.0 > best.0 {
                best = here;
            }
        }
        best
    }
}

/// The place between two segments that separates them best; `None` when there is no room for two.
pub(super) fn best_split(scores: &[f64], shortest: usize) -> Option<usize> {
    (scores.len() >= 2 * shortest).then(|| strongest_in(&running_sums(scores), 0..scores.len(), shortest).1)
}

fn running_sums(scores: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let rest = scores.iter().map(|score| {
        sum += score;
        sum
    });
    std::iter::once(0.0).chain(rest).collect()
}

fn strongest_in(sums: &[f64], stretch: Range<usize>, shortest: usize) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, 0);
    for place in stretch.start + shortest..=stretch.end - shortest {
        let (left, right) = ((place - stretch.start) as f64, (stretch.end - place) as f64);
        let below = (sums[place] - sums[stretch.start]) / left;
        let above = (sums[stretch.end] - sums[place]) / right;
        let strength = (above - below).abs() * (left * right / (left + right)).sqrt();
        if strength > best.0 {
            best = (strength, place);
        }
    }
    best
}
