//! Rate and latency over time, thinned so that a large study still makes a small page.

use dbdyno_record::Level;
use serde::Serialize;

use super::Usage;
use crate::TimelinePoint;

/// Points kept in the whole report, all trials together: about 25 bytes each on the page, twice.
const POINT_BUDGET: usize = 7_000;
/// Points kept per trial at most: more are not seen at the width of a figure.
const MOST_POINTS: usize = 90;
/// And at least, however large the study: then figures show what all trials together did.
const FEWEST_POINTS: usize = 30;

/// From this share of the longest interval on, an interval is drawn.
const WHOLE: f64 = 0.5;

/// One trial over time.
#[derive(Clone, Debug, Serialize)]
pub struct Timeline {
    /// Name of the trial.
    pub trial: String,
    /// Points in order of time.
    pub points: Vec<TimePoint>,
    /// Seconds since the measured phase began at which the level changed; nothing where it was one from begin to end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes_s: Vec<f64>,
}

/// One stretch of time of one trial.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TimePoint {
    /// Seconds since the measured phase began; negative in the warm-up.
    pub at_s: f64,
    /// Successful operations per second.
    pub rate: f64,
    /// Largest of the intervals' 99th percentiles, nanoseconds.
    pub p99_ns: Option<f64>,
    /// What client and servers used.
    #[serde(flatten)]
    pub usage: Usage,
}

/// Points each of `trials` timelines may have.
pub fn points_per_trial(trials: usize) -> usize {
    (POINT_BUDGET / trials.max(1)).clamp(FEWEST_POINTS, MOST_POINTS)
}

/// One trial's warm-up and measured phase, in at most about `most` points; `levels` are those of the measured phase.
pub fn timeline(trial: &str, levels: &[Level], rows: &[TimelinePoint], most: usize) -> Option<Timeline> {
    let phase = |name: &'static str| rows.iter().filter(move |row| row.phase == name);
    // The last interval of a warm-up may be shorter than the others, or the only one.
    let warmup_length = phase("warm-up")
        .map(|row| row.start_s + row.duration_s)
        .fold(0.0, f64::max);
    let longest = rows.iter().map(|row| row.duration_s).fold(0.0, f64::max);
    let placed: Vec<(f64, &TimelinePoint)> = phase("warm-up")
        .map(|row| (row.start_s - warmup_length, row))
        .chain(phase("measure").map(|row| (row.start_s, row)))
        // The cut-off rest at a phase's end shows the drain, not the database.
        .filter(|(_, row)| row.duration_s >= longest * WHOLE)
        .collect();
    if placed.is_empty() {
        return None;
    }
    let group = placed.len().div_ceil(most.max(1));
    let points = placed
        .chunks(group)
        .map(|chunk| TimePoint {
            at_s: rounded(chunk[0].0),
            rate: five_digits(chunk.iter().map(|(_, row)| row.rate).sum::<f64>() / chunk.len() as f64),
            p99_ns: chunk
                .iter()
                .filter_map(|(_, row)| row.p99_ns)
                .reduce(f64::max)
                .map(five_digits),
            usage: Usage::of(chunk.iter().map(|(_, row)| *row)).rounded(five_digits),
        })
        .collect();
    Some(Timeline {
        trial: trial.to_owned(),
        points,
        changes_s: changes_s(levels),
    })
}

/// Where levels begin, the first left out.
fn changes_s(levels: &[Level]) -> Vec<f64> {
    let later = levels.iter().skip(1);
    later.map(|level| rounded(level.from_ns as f64 / 1e9)).collect()
}

/// Far more than a figure can show, and less than half of what a page would have to carry.
fn five_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powi(4 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// Milliseconds are enough for a place on the time axis.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(phase: &str, start_s: f64, rate: f64) -> TimelinePoint {
        TimelinePoint {
            phase: phase.to_owned(),
            start_s,
            duration_s: 1.0,
            rate,
            p99_ns: Some(rate * 2.0),
            server_cpu_seconds: Some(rate / 10.0),
            ..TimelinePoint::default()
        }
    }

    #[test]
    fn warm_up_comes_before_zero_and_loading_is_left_out() {
        let rows = [
            row("load", 0.0, 9.0),
            row("warm-up", 0.0, 1.0),
            row("warm-up", 1.0, 2.0),
            row("measure", 0.0, 3.0),
        ];
        let line = timeline("t", &[], &rows, 100).unwrap();
        let places: Vec<f64> = line.points.iter().map(|point| point.at_s).collect();
        assert_eq!(places, [-2.0, -1.0, 0.0]);
        assert!(timeline("t", &[], &rows[..1], 100).is_none());
    }

    #[test]
    fn a_warm_up_is_as_long_as_it_was() {
        let short = TimelinePoint {
            duration_s: 0.5,
            ..row("warm-up", 0.0, 1.0)
        };
        let places = |rows: &[TimelinePoint]| -> Vec<f64> {
            let line = timeline("t", &[], rows, 100).unwrap();
            line.points.iter().map(|point| point.at_s).collect()
        };
        let measured = row("measure", 0.0, 3.0);
        assert_eq!(places(&[short.clone(), measured.clone()]), [-0.5, 0.0]);
        let last = TimelinePoint {
            start_s: 1.0,
            ..short
        };
        assert_eq!(
            places(&[row("warm-up", 0.0, 1.0), last, measured]),
            [-1.5, -0.5, 0.0]
        );
    }

    #[test]
    fn a_cut_off_last_interval_is_left_out() {
        let mut rows = vec![
            row("measure", 0.0, 5.0),
            row("measure", 1.0, 5.0),
            row("measure", 2.0, 0.1),
        ];
        rows[2].duration_s = 0.02;
        assert_eq!(timeline("t", &[], &rows, 100).unwrap().points.len(), 2);
    }

    #[test]
    fn thinning_keeps_the_worst_percentile_and_the_mean_rate() {
        let rows: Vec<_> = (0..10)
            .map(|second| row("measure", f64::from(second), f64::from(second)))
            .collect();
        let line = timeline("t", &[], &rows, 2).unwrap();
        assert_eq!(line.points.len(), 2);
        assert_eq!(line.points[1].rate, 7.0);
        assert_eq!(line.points[1].p99_ns, Some(18.0));
        assert_eq!(line.points[1].usage.server_cpus, Some(0.7));
        assert_eq!(line.points[1].usage.client_cpus, None);
    }
}
