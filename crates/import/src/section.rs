//! The figures under one name of YCSB's text, e.g. of all lines that begin with `[READ], `.

use std::collections::BTreeMap;

use dbdyno_record::{Latency, StatedLatency};

/// What YCSB's buckets are as wide as, nanoseconds (`OneMeasurementHistogram`).
const BUCKET_NS: u64 = 1_000_000;
/// Percentiles that buckets give where the log does not print them.
const OF_BUCKETS: [f64; 4] = [50.0, 90.0, 99.9, 99.99];

/// More than any count, and any latency in microseconds: larger numbers are not exact in a floating-point one.
pub const LARGEST: f64 = 9_007_199_254_740_992.0;

/// The lines of one section.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Of all its operations: the successful ones, or the failed ones in a section of failures.
    pub operations: Option<u64>,
    /// Mean, smallest, largest and percentiles.
    figures: StatedLatency,
    /// Return codes, with how often each was returned.
    pub returns: BTreeMap<String, u64>,
    /// Lines with a number for a name: buckets, or points in time.
    numbered: Vec<(u64, f64)>,
    /// Operations beyond the last bucket.
    beyond: u64,
    /// Every latency (`measurementtype=raw`).
    pub samples: Latency,
}

impl Section {
    /// Takes the line `[SECTION], name, value`.
    ///
    /// # Errors
    /// When the value is not what the name says.
    pub fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || -> Result<f64, String> {
            let number: f64 = value.parse().map_err(|_| format!("{value:?} is not a number"))?;
            if number < 0.0 {
                return Err(format!("{value} is negative"));
            }
            if number > LARGEST {
                return Err(format!("{value} is larger than any measurement"));
            }
            // YCSB prints NaN for the mean of nothing.
            Ok(number)
        };
        let count = || -> Result<u64, String> {
            let count = number()?;
            if count.fract() != 0.0 {
                return Err(format!("{value} is not a whole number"));
            }
            Ok(count as u64)
        };
        let latency = |per_unit: f64| -> Result<Option<f64>, String> {
            Ok(Some(number()?)
                .filter(|number| number.is_finite())
                .map(|number| number * per_unit))
        };
        let ns = |per_unit: f64| latency(per_unit).map(|ns| ns.map(|ns| ns.round() as u64));
        match name {
            "Operations" | "Total Operations" => self.operations = Some(count()?),
            "AverageLatency(us)" | "Average" => self.figures.mean_ns = latency(1e3)?,
            "MinLatency(us)" | "Min" => self.figures.min_ns = ns(1e3)?,
            "MaxLatency(us)" | "Max" => self.figures.max_ns = ns(1e3)?,
            _ if name.starts_with("Return=") => {
                let code = name.trim_start_matches("Return=").to_owned();
                let returned = self.returns.entry(code).or_default();
                *returned = returned.saturating_add(count()?);
            }
            _ => {
                if let Some((percentile, unit_ns)) = percentile(name) {
                    let percentiles = &mut self.figures.percentiles_ns;
                    percentiles.extend(ns(unit_ns)?.map(|value| (percentile.to_string(), value)));
                } else if name
                    .strip_prefix('>')
                    .is_some_and(|last| last.parse::<u64>().is_ok())
                {
                    self.beyond = count()?;
                } else if let Ok(place) = name.parse() {
                    self.numbered.extend(number().ok().map(|value| (place, value)));
                }
            }
        }
        Ok(())
    }

    /// The latencies' figures; `None` without a latency.
    pub fn stated(&self) -> Option<StatedLatency> {
        let count = self.operations.filter(|count| *count > 0)?;
        let mut stated = StatedLatency {
            count,
            ..self.figures.clone()
        };
        for percentile in OF_BUCKETS {
            let known = stated.percentiles_ns.contains_key(&percentile.to_string());
            if let Some(value) = self.of_buckets(count, percentile).filter(|_| !known) {
                stated.percentiles_ns.insert(percentile.to_string(), value);
            }
        }
        Some(stated)
    }

    /// Whether its percentiles come from buckets.
    pub fn has_buckets(&self) -> bool {
        let counted: f64 = self.numbered.iter().map(|(_, count)| count).sum();
        let counts = self.numbered.iter().all(|(_, count)| count.fract() == 0.0);
        !self.numbered.is_empty()
            && counts
            && self.operations == Some(counted as u64 + self.beyond)
            && self
                .numbered
                .iter()
                .zip(0..)
                .all(|((place, _), index)| *place == index)
    }

    /// Whether it holds every latency.
    pub fn is_raw(&self) -> bool {
        self.samples.count() > 0 && Some(self.samples.count()) == self.operations
    }

    /// The start of the bucket that the percentile falls into, as YCSB prints its own; `None` beyond the last one.
    fn of_buckets(&self, count: u64, percentile: f64) -> Option<u64> {
        if !self.has_buckets() {
            return None;
        }
        let mut seen = 0.0;
        let found = self.numbered.iter().find(|(_, of_bucket)| {
            seen += of_bucket;
            seen / count as f64 >= percentile / 100.0
        });
        found.map(|(place, _)| place * BUCKET_NS)
    }

    /// What it lacks of a section that was printed to its end.
    pub fn missing(&self) -> Option<&'static str> {
        match self.operations {
            None => Some("Operations"),
            Some(0) => None,
            Some(_) if self.figures.max_ns.is_none() && self.samples.count() == 0 => {
                Some("its largest latency")
            }
            Some(_) => None,
        }
    }
}

/// `99thPercentileLatency(us)`, `99.9PercentileLatency(us)`, `95thPercentileLatency(ms)` (YCSB up to 0.1.4) and `p99`, with the
/// unit in nanoseconds.
fn percentile(name: &str) -> Option<(f64, f64)> {
    let (number, unit_ns) = if let Some(number) = name.strip_suffix("PercentileLatency(us)") {
        (number, 1e3)
    } else if let Some(number) = name.strip_suffix("PercentileLatency(ms)") {
        (number, 1e6)
    } else {
        (name.strip_prefix('p')?, 1e3)
    };
    let number = number.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let number: f64 = number.parse().ok()?;
    (number > 0.0 && number < 100.0).then_some((number, unit_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_every_age_are_read() {
        for (name, expected) in [
            ("99thPercentileLatency(us)", Some((99.0, 1e3))),
            ("99.9PercentileLatency(us)", Some((99.9, 1e3))),
            ("1stPercentileLatency(us)", Some((1.0, 1e3))),
            ("95thPercentileLatency(ms)", Some((95.0, 1e6))),
            ("p99.99", Some((99.99, 1e3))),
            ("Below is a summary of latency in microseconds:", None),
            ("LatencyVariance(us)", None),
        ] {
            assert_eq!(percentile(name), expected, "{name}");
        }
    }

    #[test]
    fn buckets_give_percentiles_up_to_the_last_one() {
        let mut section = Section::default();
        for (name, value) in [
            ("Operations", "100"),
            ("MaxLatency(us)", "9000"),
            ("0", "60"),
            ("1", "39"),
            ("2", "0"),
            (">3", "1"),
        ] {
            section.take(name, value).unwrap();
        }
        let stated = section.stated().unwrap();
        let of = |percentile: &str| stated.percentiles_ns.get(percentile).copied();
        assert_eq!((of("50"), of("90")), (Some(0), Some(1_000_000)));
        assert_eq!(of("99.9"), None, "it lies beyond the last bucket");
    }

    #[test]
    fn a_series_over_time_is_no_histogram() {
        let mut section = Section::default();
        for (name, value) in [("Operations", "3"), ("0", "1.5"), ("500", "1.5")] {
            section.take(name, value).unwrap();
        }
        assert!(!section.has_buckets());
        assert!(section.stated().unwrap().percentiles_ns.is_empty());
    }
}
