//! What may be ranked: latency at one rate that every system sustained, throughput without a rate.

use std::collections::BTreeSet;

use dbdyno_record::{TrialRecord, TrialStatus};
use serde::Serialize;

use super::Metric;

/// Who decides when a request is sent in a set of trials, and whether the system kept up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Pace {
    /// Without a rate (or none that is stated): each client sends as soon as it has its answer.
    ClosedLoop,
    /// At one rate, sustained in more than half of the trials.
    Sustained {
        /// Operations per second.
        rate: f64,
        /// Trials that sustained it.
        sustained: usize,
        /// Completed trials.
        trials: usize,
    },
    /// At one rate that half of the trials or more did not sustain.
    Missed {
        /// Operations per second.
        rate: f64,
        /// Trials that sustained it.
        sustained: usize,
        /// Completed trials.
        trials: usize,
    },
    /// At a rate, and no trial says whether it was sustained.
    NotRecorded,
    /// At several rates, or with a rate in some trials only.
    Mixed,
}

impl Pace {
    /// Of the completed ones of these trials. A minority that missed the rate does not make it another rate: their trials are invalid,
    /// and there is no verdict on those (`validity.rs`).
    #[must_use]
    pub fn of<'a>(trials: impl IntoIterator<Item = &'a TrialRecord>) -> Self {
        let measured: Vec<&TrialRecord> = trials
            .into_iter()
            .filter(|trial| trial.status == TrialStatus::Completed && trial.measure.is_some())
            .collect();
        let rates: BTreeSet<Option<u64>> = measured
            .iter()
            .map(|trial| trial.spec.rate().map(f64::to_bits))
            .collect();
        let rate = match (rates.first().copied().flatten(), rates.len()) {
            (_, 2..) => return Self::Mixed,
            (None, _) => return Self::ClosedLoop,
            (Some(bits), _) => f64::from_bits(bits),
        };
        let paced: Vec<bool> = measured
            .iter()
            .filter_map(|trial| Some(trial.measure.as_ref()?.pacing.as_ref()?.sustained))
            .collect();
        let sustained = paced.iter().filter(|sustained| **sustained).count();
        if paced.is_empty() {
            return Self::NotRecorded;
        }
        Self::new(rate, sustained, paced.len())
    }

    /// At one rate that some of the trials sustained.
    pub fn new(rate: f64, sustained: usize, trials: usize) -> Self {
        if 2 * sustained > trials {
            Self::Sustained {
                rate,
                sustained,
                trials,
            }
        } else {
            Self::Missed {
                rate,
                sustained,
                trials,
            }
        }
    }
}

/// A system that missed the rate in some of its trials.
#[derive(Clone, Debug, PartialEq)]
pub struct MissedRate {
    /// Its name.
    pub system: String,
    /// Operations per second.
    pub rate: f64,
    /// Trials that sustained it.
    pub sustained: usize,
    /// Completed trials.
    pub trials: usize,
}

/// Why a metric ranks nothing; `M` is how it says who missed a rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Unranked<M = MissedRate> {
    /// Latency in a closed loop: each system ran at its own throughput.
    OwnSpeed,
    /// Latency at rates that differ, or with a rate on one side only.
    RatesDiffer,
    /// Latency at a rate that not everybody sustained.
    RateMissed {
        /// Who did not, and in how many trials.
        by: Vec<M>,
    },
    /// Latency at a rate of which nobody recorded whether it was sustained.
    NotRecorded,
    /// Throughput at a rate: it is the rate.
    Asked,
}

impl Unranked {
    /// Why this metric of these, each with its name and pace, cannot be ranked; `None` when it can.
    #[must_use]
    pub fn new<'a>(metric: Metric, of: impl IntoIterator<Item = (&'a str, Pace)>) -> Option<Self> {
        let of: Vec<(&str, Pace)> = of.into_iter().collect();
        let closed = of.iter().filter(|(_, pace)| *pace == Pace::ClosedLoop).count();
        match metric {
            // Records are loaded without a rate.
            Metric::LoadThroughput => None,
            Metric::Throughput => (closed < of.len()).then_some(Self::Asked),
            Metric::LatencyP99 | Metric::LatencyP50 if closed > 0 && closed == of.len() => {
                Some(Self::OwnSpeed)
            }
            Metric::LatencyP99 | Metric::LatencyP50 => Self::of_latency(&of),
        }
    }

    /// Why latencies of which not all are of closed loops cannot be ranked.
    fn of_latency(of: &[(&str, Pace)]) -> Option<Self> {
        let rate = |pace: &Pace| match *pace {
            Pace::Sustained { rate, .. } | Pace::Missed { rate, .. } => Some(rate.to_bits()),
            Pace::ClosedLoop | Pace::NotRecorded | Pace::Mixed => None,
        };
        if of.iter().any(|(_, pace)| *pace == Pace::NotRecorded) {
            return Some(Self::NotRecorded);
        }
        let rates: BTreeSet<Option<u64>> = of.iter().map(|(_, pace)| rate(pace)).collect();
        if rates.len() > 1 || rates.contains(&None) {
            return Some(Self::RatesDiffer);
        }
        let by: Vec<MissedRate> = of
            .iter()
            .filter_map(|(name, pace)| match *pace {
                Pace::Missed {
                    rate,
                    sustained,
                    trials,
                } => Some(MissedRate {
                    system: (*name).to_owned(),
                    rate,
                    sustained,
                    trials,
                }),
                _ => None,
            })
            .collect();
        (!by.is_empty()).then_some(Self::RateMissed { by })
    }
}

impl<M> Unranked<M> {
    /// Whether the study asked another question of this cell, so that nothing is missing from its answer.
    #[must_use]
    pub fn is_by_design(&self) -> bool {
        matches!(self, Self::OwnSpeed | Self::Asked)
    }

    /// The same with another way to say who missed a rate.
    #[must_use]
    pub fn map<N>(&self, of: impl Fn(&M) -> N) -> Unranked<N> {
        match self {
            Self::OwnSpeed => Unranked::OwnSpeed,
            Self::RatesDiffer => Unranked::RatesDiffer,
            Self::RateMissed { by } => Unranked::RateMissed {
                by: by.iter().map(of).collect(),
            },
            Self::NotRecorded => Unranked::NotRecorded,
            Self::Asked => Unranked::Asked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSED: (&str, Pace) = ("a", Pace::ClosedLoop);
    const HELD: (&str, Pace) = (
        "b",
        Pace::Sustained {
            rate: 100.0,
            sustained: 4,
            trials: 4,
        },
    );
    const FASTER: (&str, Pace) = (
        "c",
        Pace::Sustained {
            rate: 200.0,
            sustained: 4,
            trials: 4,
        },
    );
    const MISSED: (&str, Pace) = (
        "d",
        Pace::Missed {
            rate: 100.0,
            sustained: 2,
            trials: 4,
        },
    );

    #[test]
    fn latency_ranks_at_a_sustained_common_rate_alone() {
        let why = |of: &[(&'static str, Pace)]| Unranked::new(Metric::LatencyP99, of.iter().copied());
        assert_eq!(why(&[HELD, HELD]), None);
        assert_eq!(why(&[CLOSED, CLOSED]), Some(Unranked::OwnSpeed));
        assert_eq!(why(&[CLOSED, HELD]), Some(Unranked::RatesDiffer));
        assert_eq!(why(&[HELD, FASTER]), Some(Unranked::RatesDiffer));
        assert_eq!(why(&[HELD, ("e", Pace::Mixed)]), Some(Unranked::RatesDiffer));
        let missed = MissedRate {
            system: "d".to_owned(),
            rate: 100.0,
            sustained: 2,
            trials: 4,
        };
        assert_eq!(
            why(&[HELD, MISSED]),
            Some(Unranked::RateMissed { by: vec![missed] })
        );
        assert_eq!(
            why(&[HELD, ("f", Pace::NotRecorded)]),
            Some(Unranked::NotRecorded)
        );
    }

    #[test]
    fn throughput_ranks_without_a_rate_alone() {
        let why = |of: &[(&'static str, Pace)]| Unranked::new(Metric::Throughput, of.iter().copied());
        assert_eq!(why(&[CLOSED, CLOSED]), None);
        assert_eq!(why(&[CLOSED, HELD]), Some(Unranked::Asked));
        assert_eq!(why(&[HELD, MISSED]), Some(Unranked::Asked));
        assert_eq!(Unranked::new(Metric::LoadThroughput, [HELD, MISSED]), None);
    }
}
