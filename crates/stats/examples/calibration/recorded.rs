//! Series that were recorded on a rented machine, as noise for simulated studies: `tests/fixtures/noise`.

use dbdyno_random::SplitMix64;
use dbdyno_stats::Sample;

const TRIALS: &str = include_str!("../../tests/fixtures/noise/trials.tsv");
const LONG_RUN: &str = include_str!("../../tests/fixtures/noise/long-run.tsv");

/// Slices of one trial that is measured in turns.
const SLICES: usize = 10;
/// The share of the usual speed that the slow mode has.
pub const SLOW: f64 = 0.52;

/// The recorded series, as logarithms of speeds around their median.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Trials of one second, one after the other.
    trials: Vec<f64>,
    /// The seconds of one long trial, in the order in which they came.
    seconds: Vec<f64>,
}

impl Recorded {
    pub fn read() -> Self {
        let rows = || TRIALS.lines().skip(1).filter_map(|line| line.split_once('\t'));
        let speeds = |of: &str| -> Vec<f64> {
            let own = rows().filter(|(system, _)| *system == of);
            around_median(own.map(|(_, value)| value).collect())
        };
        let (first, second) = (speeds("fjall"), speeds("redb"));
        let in_turn = first.into_iter().zip(second).flat_map(|(a, b)| [a, b]);
        let seconds = LONG_RUN.lines().skip(1).filter_map(|line| line.split_once('\t'));
        Self {
            trials: in_turn.collect(),
            seconds: around_median(seconds.map(|(_, value)| value).collect()),
        }
    }

    /// Trials one after the other, from a random place in the series.
    pub fn one_after_the_other(&self, trials: usize, random: &mut SplitMix64) -> Vec<f64> {
        let start = random.below(self.trials.len() as u64) as usize;
        (0..trials)
            .map(|trial| self.trials[(start + trial) % self.trials.len()])
            .collect()
    }

    /// Systems that were measured in turns: they share the speed of one recorded trial, and take the seconds of the long run in turn as
    /// slices. In a share of the blocks, the machine changes its mode between two of the slices.
    pub fn in_turns(&self, systems: usize, changes: f64, random: &mut SplitMix64) -> Vec<f64> {
        let shared = self.trials[random.below(self.trials.len() as u64) as usize];
        let slices = systems * SLICES;
        let start = random.below((self.seconds.len() - slices) as u64) as usize;
        let change = match random.uniform() < changes {
            true => random.below(slices as u64) as usize,
            false => slices,
        };
        let speed = |slice: usize| {
            let mode = if slice < change { 1.0 } else { SLOW };
            mode * self.seconds[start + slice].exp()
        };
        let of_system = |system: usize| {
            let own = (0..SLICES).map(|round| speed(round * systems + system));
            shared + (own.sum::<f64>() / SLICES as f64).ln()
        };
        (0..systems).map(of_system).collect()
    }
}

fn around_median(values: Vec<&str>) -> Vec<f64> {
    let parsed = values
        .into_iter()
        .map(|value| value.parse::<f64>().expect("the series hold numbers").ln());
    let sample = Sample::new(parsed.collect()).expect("the series hold finite numbers");
    let median = sample.median();
    sample.values().iter().map(|value| value - median).collect()
}
