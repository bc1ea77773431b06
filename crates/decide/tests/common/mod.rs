//! Made-up problems.
#![allow(dead_code, reason = "every test file uses its own part of this")]

use dbdyno_decide::{Candidate, Compliance, Criterion, LevelRange, Observation, Problem, Utility};
use dbdyno_stats::Better;

/// A criterion counted by its ratio to 1.
pub fn ratio(weight: f64, better: Better) -> Criterion {
    Criterion {
        weight,
        better,
        utility: Utility::Ratio { reference: 1.0 },
    }
}

/// A candidate whose trials of all criteria belong to blocks 0, 1, ... of one series.
pub fn candidate(series: u64, values: &[Vec<f64>]) -> Candidate {
    let observations = |values: &Vec<f64>| {
        let observation = |(block, value): (usize, &f64)| Observation {
            series,
            block: block as u32,
            value: *value,
            sound: true,
            bounded: true,
        };
        values.iter().enumerate().map(observation).collect()
    };
    Candidate {
        compliance: Compliance::Shown,
        evidence: values.iter().map(observations).collect(),
        levels: vec![LevelRange::SETTLED; values.len()],
    }
}

/// A problem with exact weights and few draws, so that tests are quick.
pub fn problem(candidates: Vec<Candidate>, criteria: Vec<Criterion>) -> Problem {
    Problem {
        candidates,
        criteria,
        margin: 0.05,
        noise: 1.0,
        weight_spread: 0.1,
        unjudged: 0.0,
        draws: 300,
        seed: 42,
    }
}

/// A number in [-1, 1) that follows from these two.
pub fn wobble(of: u64, number: u64) -> f64 {
    let mut hash = (of.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number).wrapping_mul(0xd1b5_4a32_d192_ed03);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^= hash >> 32;
    (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Trials around a middle, each up to `noise` away as a share.
pub fn around(middle: f64, noise: f64, trials: u64, of: u64) -> Vec<f64> {
    (0..trials)
        .map(|trial| middle * (1.0 + noise * wobble(of, trial)))
        .collect()
}
