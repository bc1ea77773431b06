//! Where the level of a series changes: of a run's windows, of a study's history.
//!
//! The scheme is that of E-divisive (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of
//! Multivariate Data", JASA 109, 2014), which also watches benchmarks at MongoDB (Daly et al., ICPE'20) and, with another
//! test, in Hunter, now Apache Otava (Fleming et al., ICPE'23): find the most likely change, let a permutation test say
//! whether it is one, and go on in both parts until nothing is found. Three things differ:
//!
//! - The statistic is the standardised difference of means of Huber's scores (values cut off at three scaled median absolute
//!   deviations), so that no single stall can make a change, and none can hide one.
//! - It is sought in many stretches of all lengths (Kovacs et al., "Seeded Binary Segmentation", Biometrika 110, 2023), so that
//!   a dip in the middle, after which all is as before, is found although its two steps cancel out over the whole.
//! - Windows resemble their neighbours. The resamples have the same scores and the same resemblance (amplitude-adjusted
//!   surrogates, Theiler et al., Physica D 58, 1992); plain permutation would call every slow swing a change. The
//!   resemblance has to be estimated from the same few values, so that more alarms are false than stated where it is
//!   strong: of series of 60 values about 8% instead of 1% at an autocorrelation of 0.3, 12% at 0.6
//!   (plain permutation: 20% and 74%).
//!
//! It looks for changes of level, not of spread. The random numbers are seeded by constants: the same series gives the same
//! points.

mod noise;
mod scan;

use std::ops::Range;

use noise::Surrogates;
use scan::Scan;

use crate::outlier::NORMAL_SCALE;
use crate::sample::median_of_sorted;

/// Resamples per test: p values come in steps of a five-hundredth.
const RESAMPLES: u32 = 499;
/// Scaled median absolute deviations at which a value is cut off.
const CUT_OFF: f64 = 3.0;

/// How large and how long a change must be to count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// The share of series without any change in which one may be found.
    pub significance: f64,
    /// The fewest values on either side of a change: a shorter burst is no level. At least 2.
    pub shortest_segment: usize,
    /// The smallest change of the median that matters, as a share (0.05: 5% up, or as much down); 0: any.
    pub smallest_change: f64,
}

impl Default for Detection {
    /// One series in a hundred, three values, any size.
    fn default() -> Self {
        Self {
            significance: 0.01,
            shortest_segment: 3,
            smallest_change: 0.0,
        }
    }
}

/// A place at which the level changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first value of the new level, from 0.
    pub index: usize,
    /// Median of the values since the change before this one.
    pub before: f64,
    /// Median of the values until the next change.
    pub after: f64,
    /// How often a series without change has a place that looks as much like one, in the stretch in which it was found.
    pub p_value: f64,
}

impl ChangePoint {
    /// The new level over the old; infinite when the old was 0.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.after / self.before
    }
}

/// Every change of level, in the order of the series. None in a series too short for two segments, or with a value that is
/// not a finite number.
#[must_use]
pub fn change_points(values: &[f64], detection: &Detection) -> Vec<ChangePoint> {
    let shortest = detection.shortest_segment.max(2);
    if values.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let mut found: Vec<(usize, f64)> = Vec::new();
    let mut stretches: Vec<Range<usize>> = std::iter::once(0..values.len()).collect();
    while let Some(stretch) = stretches.pop() {
        if let Some((place, p_value)) = strongest(&values[stretch.clone()], shortest, detection.significance)
        {
            let index = stretch.start + place;
            found.push((index, p_value));
            stretches.push(stretch.start..index);
            stretches.push(index..stretch.end);
        }
    }
    found.sort_unstable_by_key(|&(index, _)| index);
    relocate(values, shortest, &mut found);
    drop_small(values, detection.smallest_change, &mut found);
    described(values, &found)
}

/// The stretches between change points: one more than there are points.
#[must_use]
pub fn segments(length: usize, points: &[ChangePoint]) -> Vec<Range<usize>> {
    let ends = points.iter().map(|point| point.index).chain([length]);
    let starts = [0].into_iter().chain(points.iter().map(|point| point.index));
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// The most likely change within a stretch and its p value, when that is significant.
fn strongest(values: &[f64], shortest: usize, significance: f64) -> Option<(usize, f64)> {
    let mut scores = huber_scores(values)?;
    let scan = Scan::new(scores.len(), shortest)?;
    let (observed, place) = scan.strongest(&scores);
    // Sequential Monte Carlo (Besag and Clifford, Biometrika 78, 1991): once too many resamples look as changed, the rest
    // cannot mend it. Quiet series end after a few dozen.
    let allowed = (significance * f64::from(RESAMPLES + 1)).floor() as u32;
    let mut surrogates = Surrogates::of(&scores);
    let mut as_strong = 1;
    for _ in 0..RESAMPLES {
        surrogates.next_into(&mut scores);
        // The slack is for sums in another order.
        as_strong += u32::from(scan.strongest(&scores).0 >= observed - 1e-9);
        if as_strong > allowed {
            return None;
        }
    }
    Some((place, f64::from(as_strong) / f64::from(RESAMPLES + 1)))
}

/// Distances from the median in scaled median absolute deviations, cut off at three (Huber, "Robust Estimation of a Location
/// Parameter", Annals of Mathematical Statistics 35, 1964). Where most values are one and the same, in mean absolute
/// deviations; `None` where all are.
fn huber_scores(values: &[f64]) -> Option<Vec<f64>> {
    let centre = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    let mut scale = NORMAL_SCALE * median(&distances)?;
    if scale <= 0.0 {
        scale = distances.iter().sum::<f64>() / distances.len() as f64;
    }
    if scale <= 0.0 {
        return None;
    }
    let score = |value: &f64| ((value - centre) / scale).clamp(-CUT_OFF, CUT_OFF);
    Some(values.iter().map(score).collect())
}

/// Moves every point to the best place between its neighbours: it was found before they were.
fn relocate(values: &[f64], shortest: usize, points: &mut [(usize, f64)]) {
    for which in 0..points.len() {
        let start = which.checked_sub(1).map_or(0, |before| points[before].0);
        let end = points.get(which + 1).map_or(values.len(), |after| after.0);
        if let Some(scores) = huber_scores(&values[start..end])
            && let Some(place) = scan::best_split(&scores, shortest)
        {
            points[which].0 = start + place;
        }
    }
}

/// Removes the smallest changes until all that are left matter; medians move as segments join.
fn drop_small(values: &[f64], smallest_change: f64, points: &mut Vec<(usize, f64)>) {
    if smallest_change <= 0.0 {
        return;
    }
    loop {
        let sizes = described(values, points).into_iter().map(|point| size(&point));
        let Some((which, smallest)) = sizes.enumerate().min_by(|left, right| left.1.total_cmp(&right.1))
        else {
            return;
        };
        if smallest >= smallest_change.ln_1p() {
            return;
        }
        points.remove(which);
    }
}

/// How large a change is, the same up and down: the distance of the logarithms. Without a ratio it is as large as can be.
fn size(point: &ChangePoint) -> f64 {
    let size = point.ratio().ln().abs();
    if size.is_nan() { f64::INFINITY } else { size }
}

fn described(values: &[f64], points: &[(usize, f64)]) -> Vec<ChangePoint> {
    let level = |start: usize, end: usize| median(&values[start..end]).unwrap_or(f64::NAN);
    let place = |(which, &(index, p_value)): (usize, &(usize, f64))| {
        let start = which.checked_sub(1).map_or(0, |before| points[before].0);
        let end = points.get(which + 1).map_or(values.len(), |after| after.0);
        ChangePoint {
            index,
            before: level(start, index),
            after: level(index, end),
            p_value,
        }
    };
    points.iter().enumerate().map(place).collect()
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    (!sorted.is_empty()).then(|| median_of_sorted(&sorted))
}
