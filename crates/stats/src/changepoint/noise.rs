//! Series without a change that are otherwise like the one in question.

use dbdyno_random::SplitMix64;

/// Differences further out than this share of them do not count: they are steps and stalls.
const KEPT_SHARE: f64 = 0.8;
/// More resemblance than this is taken for this much: beyond it nothing is a change any more.
const MOST_RESEMBLANCE: f64 = 0.9;
/// Where the random numbers begin.
const SEED: u64 = 0x6462_6479_6e6f_0001;

/// Resamples of scores: each has all of them, in the order of ranks of a first-order autoregressive series. Without
/// resemblance of neighbours that is a random permutation.
pub(super) struct Surrogates {
    sorted: Vec<f64>,
    resemblance: f64,
    random: SplitMix64,
    path: Vec<(f64, usize)>,
}

impl Surrogates {
    pub(super) fn of(scores: &[f64]) -> Self {
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Self {
            resemblance: resemblance(scores),
            random: SplitMix64::new(SEED),
            path: Vec::with_capacity(sorted.len()),
            sorted,
        }
    }

    pub(super) fn next_into(&mut self, scores: &mut [f64]) {
        let innovation = (1.0 - self.resemblance.powi(2)).sqrt();
        self.path.clear();
        let mut level = self.random.normal();
        for place in 0..self.sorted.len() {
            self.path.push((level, place));
            level = self.resemblance * level + innovation * self.random.normal();
        }
        self.path
            .sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
        for (&(_, place), &score) in self.path.iter().zip(&self.sorted) {
            scores[place] = score;
        }
    }
}

/// The first autocorrelation, 0 to [`MOST_RESEMBLANCE`], of the noise and not of the steps: in a first-order autoregressive
/// series the squared differences of values two apart are 1 + rho times those of neighbours, and steps touch few of either
/// (Chakar et al., "A Robust Approach for Estimating Change-Points in the Mean of an AR(1) Process", Bernoulli 23, 2017;
/// there with medians, which are noisier for the short series that runs are).
fn resemblance(scores: &[f64]) -> f64 {
    let (Some(neighbours), Some(two_apart)) =
        (squared_differences(scores, 1), squared_differences(scores, 2))
    else {
        return 0.0;
    };
    if neighbours <= 0.0 {
        return 0.0;
    }
    (two_apart / neighbours - 1.0).clamp(0.0, MOST_RESEMBLANCE)
}

/// Mean of the smaller squared differences of values `apart` places from each other.
fn squared_differences(scores: &[f64], apart: usize) -> Option<f64> {
    let pairs = scores.iter().zip(scores.iter().skip(apart));
    let mut squares: Vec<f64> = pairs.map(|(left, right)| (right - left).powi(2)).collect();
    squares.sort_unstable_by(f64::total_cmp);
    squares.truncate((squares.len() as f64 * KEPT_SHARE).ceil() as usize);
    (!squares.is_empty()).then(|| squares.iter().sum::<f64>() / squares.len() as f64)
}
