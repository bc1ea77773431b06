//! What is known of a study's noise and loads before it runs: see [`budget`](crate::plan::budget).

use dbdyno_record::{FolderError, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_stats::Sample;
use dbdyno_stats::budget::Noise;

use crate::file::defaults::DEFAULT_DURATION;
use crate::file::definition::{NoiseSource, Study};
use crate::plan::power;

/// Noise of a trial of [`DEFAULT_DURATION`] where none is known.
const USUAL_NOISE: f64 = 0.08;
/// The share of its variance that arises within trials, where it is not known.
const USUAL_WITHIN: f64 = 0.5;
/// The least and the most that windows are believed of this share: neighbours resemble each other.
const BELIEVED_WITHIN: (f64, f64) = (0.1, 0.9);
/// With fewer seconds a trial says nothing of the noise within it.
const FEWEST_SECONDS: usize = 5;
/// The noise and the loads of a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The noise of a trial.
    pub noise: Noise,
    /// How it is known.
    pub source: NoiseSource,
    /// Records loaded per second.
    pub load_rate: Option<f64>,
}

impl Known {
    /// Nothing.
    #[must_use]
    pub const fn nothing() -> Self {
        Self {
            noise: Noise {
                total: USUAL_NOISE,
                seconds: DEFAULT_DURATION.as_secs_f64(),
                within: USUAL_WITHIN,
            },
            source: NoiseSource::Assumed,
            load_rate: None,
        }
    }

    /// With this noise of trials as long as the study file says.
    #[must_use]
    pub fn with_noise(self, noise: f64, study: &Study) -> Self {
        Self {
            noise: Noise {
                total: noise,
                seconds: study
                    .shared
                    .limit
                    .duration
                    .unwrap_or(DEFAULT_DURATION)
                    .as_secs_f64(),
                within: USUAL_WITHIN,
            },
            source: NoiseSource::Given,
            ..self
        }
    }

    /// The noise and the loads of earlier results.
    ///
    /// # Errors
    /// When they are damaged.
    pub fn from_results(folder: &ResultFolder) -> Result<Self, FolderError> {
        let mut records = folder.trials()?;
        records.retain(|record| record.status == TrialStatus::Completed && !record.spec.is_pilot());
        let mut known = Self::nothing();
        known.load_rate = load_rate(&records);
        let lengths = records.iter().filter_map(|record| record.measure.as_ref());
        let length = median(lengths.map(|measure| measure.duration_ns as f64 / 1e9).collect());
        if let (Some(total), Some(seconds)) = (power::noise(&records), length)
            && total > 0.0
            && seconds > 0.0
        {
            let mut within = Vec::new();
            for record in records.iter().filter(|record| record.spec.rate().is_none()) {
                let rows = folder.intervals(&record.trial)?;
                let whole = rows
                    .iter()
                    .filter(|row| row.phase == "measure" && row.duration_s > 0.99);
                within.extend(variance_of_mean(&whole.map(|row| row.rate).collect::<Vec<f64>>()));
            }
            known.source = NoiseSource::Measured;
            let share = median(within).map(|within| within / total.powi(2));
            known.noise = Noise {
                total,
                seconds,
                within: share.map_or(USUAL_WITHIN, |share| {
                    share.clamp(BELIEVED_WITHIN.0, BELIEVED_WITHIN.1)
                }),
            };
        }
        Ok(known)
    }
}

/// The variance that the seconds of a trial give the logarithm of its throughput.
fn variance_of_mean(rates: &[f64]) -> Option<f64> {
    if rates.len() < FEWEST_SECONDS || rates.iter().any(|&rate| rate <= 0.0) {
        return None;
    }
    let logarithms = || rates.iter().map(|rate| rate.ln());
    let n = rates.len() as f64;
    let mean = logarithms().sum::<f64>() / n;
    Some(logarithms().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
}

/// Records loaded per second over all trials: so many records take so long again.
fn load_rate(records: &[TrialRecord]) -> Option<f64> {
    let loads = || records.iter().filter_map(|record| record.load.as_ref());
    let records: u64 = loads().map(|load| load.inserts.ok).sum();
    let seconds = loads().map(|load| load.duration_ns).sum::<u64>() as f64 / 1e9;
    (records > 0 && seconds > 0.0).then(|| (records as f64 / seconds).round().max(1.0))
}

fn median(values: Vec<f64>) -> Option<f64> {
    Some(Sample::new(values).ok()?.median())
}

#[cfg(test)]
mod tests {
    use dbdyno_record::folder::INTERVALS;
    use dbdyno_record::intervals::IntervalCounts;
    use dbdyno_record::trial::TRIAL_FORMAT;
    use dbdyno_record::{IntervalRow, IntervalsWriter, Latency};

    use super::*;
    use crate::test_record::completed;

    /// Trials of ten seconds around 1,000/s whose logarithms lie this far from it in turn; so do their seconds.
    fn results(between: f64, within: f64) -> Known {
        let place = tempfile::tempdir().unwrap();
        let folder = ResultFolder::create(&place.path().join("r"), "name = \"x\"\n").unwrap();
        for trial in 0..8 {
            let sign = |number: u32| if number.is_multiple_of(2) { 1.0 } else { -1.0 };
            let rate = 1000.0 * (between * sign(trial)).exp();
            let name = format!("{trial}");
            let own = folder.begin_trial(&name).unwrap();
            let mut rows = IntervalsWriter::create(&own.join(INTERVALS)).unwrap();
            for second in 0..10 {
                let counts = IntervalCounts {
                    ok: (rate * (within * sign(second)).exp()) as u64,
                    ..IntervalCounts::default()
                };
                let start_ns = u64::from(second) * 1_000_000_000;
                rows.write(&IntervalRow::new(
                    "measure",
                    start_ns,
                    1_000_000_000,
                    counts,
                    &Latency::new(),
                ))
                .unwrap();
            }
            rows.finish().unwrap();
            let mut record = completed(&name, (10.0 * rate) as u64);
            record.format = TRIAL_FORMAT.to_owned();
            folder.write_trial(&record).unwrap();
        }
        Known::from_results(&folder).unwrap()
    }

    #[test]
    fn seconds_that_differ_much_are_noise_within_trials() {
        let calm = results(0.1, 0.1);
        assert_eq!(calm.source, NoiseSource::Measured);
        assert!((calm.noise.seconds - 10.0).abs() < 1e-9);
        assert!((0.1..0.12).contains(&calm.noise.total), "{calm:?}");
        assert!(calm.noise.within < 0.15, "{calm:?}");
        let restless = results(0.1, 0.25);
        assert!((0.5..0.7).contains(&restless.noise.within), "{restless:?}");
        let believed = results(0.05, 0.5).noise.within;
        assert!((believed - BELIEVED_WITHIN.1).abs() < 1e-12);
    }

    #[test]
    fn earlier_trials_tell_how_fast_records_are_loaded() {
        let mut records = vec![completed("1", 1000), completed("2", 1000)];
        assert_eq!(load_rate(&records), None);
        for (record, seconds) in records.iter_mut().zip([1, 3]) {
            record.load = Some(dbdyno_record::LoadRecord {
                duration_ns: seconds * 1_000_000_000,
                inserts: dbdyno_record::OperationRecord {
                    ok: 1000,
                    ..Default::default()
                },
            });
        }
        assert_eq!(load_rate(&records), Some(500.0));
    }

    #[test]
    fn seconds_that_differ_little_give_a_trial_little_noise() {
        let even: Vec<f64> = (0..10).map(|second| 1000.0 + f64::from(second % 2)).collect();
        let uneven: Vec<f64> = (0..10)
            .map(|second| 1000.0 + 500.0 * f64::from(second % 2))
            .collect();
        assert!(variance_of_mean(&even).unwrap() < variance_of_mean(&uneven).unwrap() / 1000.0);
        assert_eq!(variance_of_mean(&even[..4]), None);
        assert_eq!(variance_of_mean(&[0.0; 10]), None);
    }
}
