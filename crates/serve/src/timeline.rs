//! The seconds of the running trial as figures.

use dbdyno_chart::timeline::{Point, System, Trial, timeline};
use dbdyno_chart::{Plot, WIDTH};
use dbdyno_document::Figure;
use dbdyno_record::IntervalRow;
use dbdyno_report::product_color;
use dbdyno_vocabulary::number;

use crate::watched::Current;

/// Seconds that are shown: more would be drawn anew each second, and not be seen.
const SHOWN: usize = 300;

/// A quantity of a row, with its name in the figure and in its data.
struct Quantity {
    name: &'static str,
    title: &'static str,
    column: &'static str,
    of: fn(&IntervalRow) -> Option<f64>,
    format: fn(f64) -> String,
}

const QUANTITIES: [Quantity; 5] = [
    Quantity {
        name: "throughput",
        title: "Throughput",
        column: "throughput_per_second",
        of: |row| Some(row.rate),
        format: number::rate,
    },
    Quantity {
        name: "p99-latency",
        title: "p99 latency",
        column: "latency_p99_ns",
        of: |row| row.p99_us.map(|microseconds| microseconds * 1e3),
        format: number::duration_ns,
    },
    Quantity {
        name: "server-cpu",
        title: "CPUs that the servers use",
        column: "server_cpus",
        of: |row| per_second(row.server_cpu_seconds?, row),
        format: cpus,
    },
    Quantity {
        name: "client-cpu",
        title: "CPUs that dbdyno uses",
        column: "client_cpus",
        of: |row| per_second(row.client_cpu_seconds, row),
        format: cpus,
    },
    Quantity {
        name: "server-memory",
        title: "Memory of the servers",
        column: "server_memory_bytes",
        of: |row| row.server_memory_bytes.map(|bytes| bytes as f64),
        format: number::bytes,
    },
];

/// The figures of which something is known: two seconds at least.
pub(crate) fn figures(current: &Current) -> Vec<Figure> {
    let rows = placed(&current.seconds);
    let rows = &rows[rows.len().saturating_sub(SHOWN)..];
    QUANTITIES
        .iter()
        .filter_map(|quantity| figure(current, rows, quantity))
        .collect()
}

fn figure(current: &Current, rows: &[(f64, &IntervalRow)], quantity: &Quantity) -> Option<Figure> {
    let points: Vec<Point> = rows
        .iter()
        .map(|(at_s, row)| Point {
            at_s: *at_s,
            value: (quantity.of)(row),
        })
        .collect();
    if points.iter().all(|point| point.value.is_none()) {
        return None;
    }
    let system = System {
        name: &current.trial.system,
        color: product_color([current.trial.system.as_str()]).unwrap_or_default(),
        trials: vec![Trial {
            name: &current.trial.trial,
            points,
            changes_s: &[],
        }],
    };
    let plot = Plot {
        name: quantity.name,
        title: quantity.title,
        value: quantity.column,
        format: &quantity.format,
    };
    let drawn = timeline(&[system], &plot, false)?;
    Some(Figure {
        name: drawn.name,
        title: drawn.title,
        description: drawn.description,
        width: WIDTH,
        height: drawn.height,
        content: drawn.content,
        data: drawn.data.csv(),
    })
}

/// Rows with their begin since that of the measured phase, or, before it began, since that of the trial's first phase: one phase
/// follows the other.
fn placed(rows: &[IntervalRow]) -> Vec<(f64, &IntervalRow)> {
    let mut placed = Vec::with_capacity(rows.len());
    let (mut begin_s, mut end_s, mut phase) = (0.0, 0.0, None);
    let mut zero_s = 0.0;
    for row in rows {
        if phase != Some(&row.phase) {
            phase = Some(&row.phase);
            begin_s = end_s;
            if row.phase == "measure" {
                zero_s = begin_s;
            }
        }
        placed.push((begin_s + row.start_s, row));
        end_s = begin_s + row.start_s + row.duration_s;
    }
    for (at_s, _) in &mut placed {
        *at_s -= zero_s;
    }
    placed
}

fn per_second(seconds: f64, row: &IntervalRow) -> Option<f64> {
    (row.duration_s > 0.0).then(|| seconds / row.duration_s)
}

fn cpus(value: f64) -> String {
    format!("{value:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watched::tests::{current, row};

    #[test]
    fn the_measured_phase_begins_at_zero() {
        let rows = [
            row("load", 0),
            row("load", 1),
            row("measure", 0),
            row("measure", 1),
        ];
        let places: Vec<f64> = placed(&rows).iter().map(|(at_s, _)| *at_s).collect();
        assert_eq!(places, [-2.0, -1.0, 0.0, 1.0]);
        let places: Vec<f64> = placed(&rows[..2]).iter().map(|(at_s, _)| *at_s).collect();
        assert_eq!(places, [0.0, 1.0]);
    }

    #[test]
    fn what_nobody_knows_has_no_figure() {
        let figures = figures(&current(&[row("measure", 0), row("measure", 1)]));
        let names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        assert_eq!(names, ["throughput", "p99-latency", "client-cpu"]);
    }

    #[test]
    fn a_long_trial_is_drawn_by_its_last_minutes() {
        let first = row("measure", 0);
        let later = |second: u32| IntervalRow {
            start_s: f64::from(second),
            ..first.clone()
        };
        let rows: Vec<IntervalRow> = (0..100_000).map(later).collect();
        let figures = figures(&current(&rows));
        assert!(figures[0].data.lines().count() <= SHOWN + 1);
        assert!(figures[0].data.contains("99999"), "{}", figures[0].data);
        let drawn = &figures[0].content.0;
        assert!(drawn.contains("99950 s") && !drawn.contains(">0 s<"), "{drawn}");
    }
}
