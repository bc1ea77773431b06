//! Latency over time of a single trial: its interval log, merged to as many columns as a figure can show.

use std::time::Duration;

use dbdyno_record::{FolderError, Latency, LoggedInterval, ResultFolder};

/// A log of more seconds is merged, however long it is.
const MOST_COLUMNS: usize = 60;

/// The measured phase of one trial in columns of equal length; those in which no operation succeeded are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyOverTime {
    /// In order of time.
    pub columns: Vec<LatencyColumn>,
}

/// One stretch of the measured phase.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyColumn {
    /// Its start, seconds since the phase began.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// 99th percentile of its latencies, nanoseconds.
    pub p99_ns: u64,
    /// The latencies that occurred, in nanoseconds and ascending, each with its number.
    pub counts: Vec<(u64, u64)>,
}

impl LatencyOverTime {
    /// From the interval log of a trial; `None` where there is none, or where it has no operation of the measured phase.
    pub fn read(folder: &ResultFolder, trial: &str) -> Result<Option<Self>, FolderError> {
        let mut seconds = Seconds::default();
        folder.latency_log(trial, is_measured, |interval| seconds.add(interval))?;
        Ok(seconds.finish())
    }
}

/// Whether a tag is of latencies that users felt: `measure.read`, and with a rate not `measure.read.service`.
fn is_measured(tag: &str) -> bool {
    let operation = tag.strip_prefix("measure.");
    operation.is_some_and(|operation| !operation.contains('.'))
}

/// Columns of as many seconds each as they need to be few.
struct Seconds {
    began: Option<Duration>,
    seconds_each: u64,
    columns: Vec<Latency>,
    end_s: f64,
}

impl Default for Seconds {
    fn default() -> Self {
        Self {
            began: None,
            seconds_each: 1,
            columns: Vec::new(),
            end_s: 0.0,
        }
    }
}

impl Seconds {
    fn add(&mut self, interval: &LoggedInterval) {
        let began = *self.began.get_or_insert(interval.start);
        let second = interval.start.saturating_sub(began).as_secs_f64().round() as u64;
        while second / self.seconds_each >= MOST_COLUMNS as u64 {
            self.merge_neighbours();
        }
        let column = (second / self.seconds_each) as usize;
        if column >= self.columns.len() {
            self.columns.resize_with(column + 1, Latency::new);
        }
        self.columns[column].merge(&interval.latency);
        // The last interval of a phase is often cut short.
        let length_s = interval.duration.as_secs_f64().min(1.0);
        self.end_s = self.end_s.max(second as f64 + length_s);
    }

    fn merge_neighbours(&mut self) {
        let merged = self.columns.chunks(2).map(|pair| {
            let mut both = pair[0].clone();
            pair[1..].iter().for_each(|other| both.merge(other));
            both
        });
        self.columns = merged.collect();
        self.seconds_each *= 2;
    }

    fn finish(self) -> Option<LatencyOverTime> {
        let length_s = self.seconds_each as f64;
        let columns = self.columns.iter().enumerate();
        let columns: Vec<LatencyColumn> = columns
            .filter_map(|(index, latency)| {
                let from_s = length_s * index as f64;
                Some(LatencyColumn {
                    from_s,
                    to_s: (from_s + length_s).min(self.end_s),
                    p99_ns: latency.percentile_ns(99.0)?,
                    counts: latency.counts().collect(),
                })
            })
            .collect();
        (!columns.is_empty()).then_some(LatencyOverTime { columns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(start_ms: u64, latency_ns: u64, count: u64) -> LoggedInterval {
        let mut latency = Latency::new();
        latency.record_many(latency_ns, count);
        LoggedInterval {
            start: Duration::from_millis(start_ms),
            duration: Duration::from_secs(1),
            latency,
        }
    }

    fn columns(intervals: impl IntoIterator<Item = LoggedInterval>) -> Vec<LatencyColumn> {
        let mut seconds = Seconds::default();
        intervals.into_iter().for_each(|interval| seconds.add(&interval));
        seconds.finish().map_or_else(Vec::new, |found| found.columns)
    }

    #[test]
    fn tags_of_service_times_and_other_phases_are_left_out() {
        let tags = [
            "measure.read",
            "measure.read-modify-write",
            "measure.read.service",
            "warm-up.read",
            "measure",
        ];
        assert_eq!(tags.map(is_measured), [true, true, false, false, false]);
    }

    #[test]
    fn operations_of_a_second_share_its_column_and_time_begins_with_the_first() {
        let found = columns([
            second(1_500, 1_000, 99),
            second(1_501, 8_000, 1),
            second(3_500, 2_000, 5),
        ]);
        let ends: Vec<(f64, f64)> = found.iter().map(|column| (column.from_s, column.to_s)).collect();
        assert_eq!(
            ends,
            [(0.0, 1.0), (2.0, 3.0)],
            "a second without operations is absent"
        );
        assert_eq!(found[0].counts.len(), 2);
        assert_eq!(found[0].counts[0], (1_000, 99));
        assert_eq!(found[0].p99_ns, 1_000);
    }

    #[test]
    fn however_long_a_trial_is_no_operation_and_no_second_is_lost() {
        for seconds in [1, 59, 60, 61, 121, 1_000] {
            let found = columns((0..seconds).map(|index| second(index * 1_000, 1_000 + index, 2)));
            assert!(found.len() <= MOST_COLUMNS, "{seconds}: {}", found.len());
            assert!(found.len() as u64 >= seconds.min(MOST_COLUMNS as u64 / 2));
            let counts = found.iter().flat_map(|column| &column.counts);
            assert_eq!(counts.map(|(_, count)| count).sum::<u64>(), 2 * seconds);
            assert_eq!(found.last().map(|column| column.to_s), Some(seconds as f64));
            assert!(found.windows(2).all(|pair| pair[0].to_s == pair[1].from_s));
        }
        assert!(columns([]).is_empty());
        let far = columns([second(0, 1, 1), second(u64::MAX, 1, 1)]);
        assert_eq!(far.len(), 2, "whatever a file claims");
    }
}
