//! The latencies of the running trial over time, as a heat map.

use std::collections::HashMap;

use dbdyno_chart::heat::{Column, Heat, heat};
use dbdyno_chart::{Figure, Plot};
use dbdyno_record::IntervalRow;
use dbdyno_record::live::LatencyRow;
use dbdyno_record::live_buckets::{self, LatencyBuckets};
use dbdyno_vocabulary::number;

/// Stretches of time that are drawn: more would not be seen, and are drawn anew each second.
const MOST_COLUMNS: usize = 60;
/// The percentile that is drawn as a line.
const LINE: f64 = 99.0;

/// The map of these seconds, each with its begin; `None` with less than two stretches of time in which operations succeeded.
pub(crate) fn latency_map<'a>(
    seconds: &[(f64, &IntervalRow)],
    latencies: impl IntoIterator<Item = &'a Vec<LatencyRow>>,
    system: &str,
    color: usize,
) -> Option<Figure> {
    let line = number::percentile(LINE);
    let shown = Heat {
        name: system,
        color,
        line: &line,
        begin_s: seconds.first()?.0,
        columns: columns(seconds, latencies),
    };
    let plot = Plot {
        name: "latencies",
        title: "Latencies, logarithmic axis",
        value: "latency_ns",
        format: &number::duration_ns,
    };
    heat(&shown, &plot)
}

/// Neighbouring seconds together, so that there are few columns.
fn columns<'a>(
    seconds: &[(f64, &IntervalRow)],
    latencies: impl IntoIterator<Item = &'a Vec<LatencyRow>>,
) -> Vec<Column> {
    let by_second: HashMap<(&str, u64), &Vec<LatencyRow>> = latencies
        .into_iter()
        .filter_map(|rows| {
            let first = rows.first()?;
            Some(((first.phase.as_str(), first.offset_s.to_bits()), rows))
        })
        .collect();
    let each = seconds.len().div_ceil(MOST_COLUMNS).max(1);
    let stretches = seconds.chunks(each).filter_map(|stretch| {
        let mut buckets = LatencyBuckets::default();
        for (_, row) in stretch {
            let known = by_second.get(&(row.phase.as_str(), row.start_s.to_bits()));
            for row in known.into_iter().copied().flatten() {
                buckets.add_counted(&row.buckets, row.sum_s);
            }
        }
        let (first, last) = (stretch.first()?, stretch.last()?);
        Some(Column {
            from_s: first.0,
            to_s: last.0 + last.1.duration_s,
            line: percentile_ns(&buckets, LINE)?,
            counts: buckets
                .iter()
                .flat_map(|(bucket, count)| halves(bucket, count))
                .collect(),
        })
    });
    stretches.collect()
}

/// A bucket is wider than the finest step of the figure, in which it would leave a gap: its operations are in the middle of either
/// half.
fn halves(bucket: i32, count: u64) -> [(f64, u64); 2] {
    [(0.75, count / 2), (0.25, count - count / 2)]
        .map(|(below_upper, count)| (latency_ns(bucket, below_upper), count))
}

/// The middle of the bucket in which a percentile is: off by 5% at most.
fn percentile_ns(buckets: &LatencyBuckets, percentile: f64) -> Option<f64> {
    let rank = (buckets.count() as f64 * percentile / 100.0).ceil().max(1.0);
    let mut counted = 0.0;
    let mut ascending = buckets.iter();
    let found = ascending.find(|(_, count)| {
        counted += *count as f64;
        counted >= rank
    });
    found.map(|(bucket, _)| latency_ns(bucket, 0.5))
}

/// The latency at this part of a bucket below its upper end, on a logarithmic scale.
fn latency_ns(bucket: i32, below_upper: f64) -> f64 {
    let lower_s = live_buckets::upper_s(bucket - 1);
    let upper_s = live_buckets::upper_s(bucket);
    upper_s * (lower_s / upper_s).powf(below_upper) * 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watched::tests::{latencies, row};

    fn bucket_of(latency_ns: u64) -> i32 {
        live_buckets::index(latency_ns)
    }

    #[test]
    fn every_operation_is_in_the_column_of_its_second() {
        let rows = [row("warm-up", 0), row("measure", 0), row("measure", 1)];
        let placed: Vec<(f64, &IntervalRow)> = rows
            .iter()
            .zip([-1.0, 0.0, 1.0])
            .map(|(row, at_s)| (at_s, row))
            .collect();
        let (fast, slow) = (bucket_of(1_000_000), bucket_of(50_000_000));
        let known = [
            vec![latencies("warm-up", 0.0, "read", &[slow])],
            vec![
                latencies("measure", 0.0, "read", &[fast, slow]),
                latencies("measure", 0.0, "update", &[fast]),
            ],
            // Nothing succeeded in the last second.
        ];
        let columns = columns(&placed, &known);
        let counted: Vec<(f64, f64, u64)> = columns
            .iter()
            .map(|column| {
                (
                    column.from_s,
                    column.to_s,
                    column.counts.iter().map(|(_, count)| count).sum(),
                )
            })
            .collect();
        assert_eq!(counted, [(-1.0, 0.0, 1), (0.0, 1.0, 3)]);
        for column in &columns {
            assert!((column.line / 50e6 - 1.0).abs() < 0.1, "{}", column.line);
        }
    }

    #[test]
    fn five_minutes_have_no_more_cells_than_can_be_seen() {
        let rows: Vec<IntervalRow> = (0..300).map(|second| row("measure", second)).collect();
        let placed: Vec<(f64, &IntervalRow)> = rows.iter().map(|row| (row.start_s, row)).collect();
        let every: Vec<i32> = (-230..80).collect();
        let known: Vec<Vec<LatencyRow>> = rows
            .iter()
            .map(|row| vec![latencies("measure", row.start_s, "read", &every)])
            .collect();
        let columns = columns(&placed, &known);
        assert_eq!(columns.len(), MOST_COLUMNS);
        let operations: u64 = columns
            .iter()
            .flat_map(|column| &column.counts)
            .map(|(_, count)| count)
            .sum();
        assert_eq!(operations, 300 * every.len() as u64, "none is lost");
        let figure = latency_map(&placed, &known, "redb", 4).unwrap();
        // Steps of latency times columns, and the line.
        let cells = figure.data.csv().lines().count();
        assert!(cells <= 31 * MOST_COLUMNS + 1, "{cells}");
        assert!(
            figure.content.0.len() < 100_000,
            "{} bytes",
            figure.content.0.len()
        );
        assert!(latency_map(&placed[..1], &known, "redb", 4).is_none());
    }

    #[test]
    fn a_narrow_range_has_no_gaps() {
        let rows = [row("measure", 0), row("measure", 1)];
        let placed: Vec<(f64, &IntervalRow)> = rows.iter().map(|row| (row.start_s, row)).collect();
        let narrow: Vec<i32> = (-80..-72).flat_map(|bucket| [bucket; 10]).collect();
        let known = [0.0, 1.0].map(|at_s| vec![latencies("measure", at_s, "read", &narrow)]);
        let figure = latency_map(&placed, &known, "redb", 4).unwrap();
        let csv = figure.data.csv();
        let edges: Vec<(f64, f64)> = csv
            .lines()
            .filter(|line| line.contains(",count,0,"))
            .map(|line| {
                let fields: Vec<&str> = line.split(',').collect();
                (fields[4].parse().unwrap(), fields[5].parse().unwrap())
            })
            .collect();
        assert!(edges.len() > 10, "{csv}");
        assert!(
            edges.windows(2).all(|pair| (pair[0].1 - pair[1].0).abs() < 0.2),
            "{csv}"
        );
    }
}
