//! The seconds of the running trial as figures.

use dbdyno_chart::timeline::{Point, System, Trial, timeline};
use dbdyno_chart::{COLORS, Plot, WIDTH};
use dbdyno_document::Figure;
use dbdyno_record::IntervalRow;
use dbdyno_report::product_color;
use dbdyno_vocabulary::number;

use crate::latency_map::latency_map;
use crate::watched::{Current, SECONDS_SHOWN};

/// What a figure shows, with its name in the figure and in its data.
struct Quantity {
    name: &'static str,
    title: &'static str,
    column: &'static str,
    lines: &'static [Line],
    format: fn(f64) -> String,
}

/// One quantity of a row.
struct Line {
    /// What it is, where a figure has several.
    name: &'static str,
    of: fn(&IntervalRow) -> Option<f64>,
}

const QUANTITIES: [Quantity; 7] = [
    Quantity {
        name: "throughput",
        title: "Throughput",
        column: "throughput_per_second",
        lines: &[Line {
            name: "",
            of: |row| Some(row.rate),
        }],
        format: number::rate,
    },
    Quantity {
        name: LATENCY,
        title: "p50 and p99 latency",
        column: "latency_ns",
        lines: &[
            Line {
                name: "p99",
                of: |row| row.p99_us.map(|microseconds| microseconds * 1e3),
            },
            Line {
                name: "p50",
                of: |row| row.p50_us.map(|microseconds| microseconds * 1e3),
            },
        ],
        format: number::duration_ns,
    },
    Quantity {
        name: ERRORS,
        title: "Errors",
        column: "errors_per_second",
        lines: &[Line {
            name: "",
            of: |row| per_second(row.errors as f64, row),
        }],
        format: number::rate,
    },
    Quantity {
        name: "server-cpu",
        title: "CPUs that the servers use",
        column: "server_cpus",
        lines: &[Line {
            name: "",
            of: |row| per_second(row.server_cpu_seconds?, row),
        }],
        format: cpus,
    },
    Quantity {
        name: "client-cpu",
        title: "CPUs that dbdyno uses",
        column: "client_cpus",
        lines: &[Line {
            name: "",
            of: |row| per_second(row.client_cpu_seconds, row),
        }],
        format: cpus,
    },
    Quantity {
        name: "server-memory",
        title: "Memory of the servers",
        column: "server_memory_bytes",
        lines: &[Line {
            name: "",
            of: |row| row.server_memory_bytes.map(|bytes| bytes as f64),
        }],
        format: number::bytes,
    },
    Quantity {
        name: "server-disk",
        title: "Disk traffic of the servers",
        column: "bytes_per_second",
        lines: &[
            Line {
                name: "written",
                of: |row| per_second(row.server_written_bytes? as f64, row),
            },
            Line {
                name: "read",
                of: |row| per_second(row.server_read_bytes? as f64, row),
            },
        ],
        format: bytes_per_second,
    },
];
const LATENCY: &str = "latency";
const ERRORS: &str = "errors";

/// The figures of which something is known: two seconds at least.
pub(crate) fn figures(current: &Current) -> Vec<Figure> {
    let rows = placed(&current.seconds);
    let rows = &rows[rows.len().saturating_sub(SECONDS_SHOWN)..];
    let color = product_color([current.trial.system.as_str()]).unwrap_or_default();
    let has_errors = rows.iter().any(|(_, row)| row.errors > 0);
    let mut figures = Vec::new();
    for quantity in &QUANTITIES {
        if quantity.name != ERRORS || has_errors {
            figures.extend(over_time(current, rows, quantity, color));
        }
        if quantity.name == LATENCY {
            let map = latency_map(rows, &current.latencies, &current.trial.system, color);
            figures.extend(map.map(figure));
        }
    }
    figures
}

fn over_time(
    current: &Current,
    rows: &[(f64, &IntervalRow)],
    quantity: &Quantity,
    color: usize,
) -> Option<Figure> {
    let (system, trial) = (&current.trial.system, &current.trial.trial);
    let lines: Vec<(String, Vec<Point>)> = quantity
        .lines
        .iter()
        .map(|line| {
            let name = match line.name {
                "" => system.clone(),
                name => format!("{name}, {system}"),
            };
            (name, points(rows, line))
        })
        .filter(|(_, points)| points.iter().any(|point| point.value.is_some()))
        .collect();
    if lines.is_empty() {
        return None;
    }
    let shown: Vec<System<'_>> = lines
        .iter()
        .enumerate()
        .map(|(place, (name, points))| System {
            name,
            color: (color + place) % COLORS,
            trials: vec![Trial {
                name: trial,
                points: points.clone(),
                changes_s: &[],
            }],
        })
        .collect();
    let plot = Plot {
        name: quantity.name,
        title: quantity.title,
        value: quantity.column,
        format: &quantity.format,
    };
    timeline(&shown, &plot, false).map(figure)
}

fn points(rows: &[(f64, &IntervalRow)], line: &Line) -> Vec<Point> {
    let points = rows.iter().map(|(at_s, row)| Point {
        at_s: *at_s,
        value: (line.of)(row),
    });
    points.collect()
}

fn figure(drawn: dbdyno_chart::Figure) -> Figure {
    Figure {
        name: drawn.name,
        title: drawn.title,
        description: drawn.description,
        width: WIDTH,
        height: drawn.height,
        content: drawn.content,
        data: drawn.data.csv(),
    }
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

fn bytes_per_second(value: f64) -> String {
    format!("{}/s", number::bytes(value))
}

#[cfg(test)]
mod tests {
    use dbdyno_record::IntervalServers;

    use super::*;
    use crate::watched::tests::{current, latencies, row};

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

    fn names(current: &Current) -> Vec<String> {
        figures(current).into_iter().map(|figure| figure.name).collect()
    }

    #[test]
    fn what_nobody_knows_has_no_figure() {
        let rows = [row("measure", 0), row("measure", 1)];
        assert_eq!(names(&current(&rows)), ["throughput", "latency", "client-cpu"]);
    }

    #[test]
    fn what_is_known_has_a_figure() {
        let servers = IntervalServers {
            cpu_seconds: 0.5,
            memory_bytes: 1 << 30,
            read_bytes: 4096,
            written_bytes: Some(1 << 20),
        };
        let mut rows = [row("measure", 0), row("measure", 1)].map(|row| row.with_servers(Some(servers)));
        rows[1].errors = 3;
        let mut known = current(&rows);
        known.latencies = [0.0, 1.0]
            .map(|at_s| vec![latencies("measure", at_s, "read", &[-80, -79])])
            .into();
        assert_eq!(
            names(&known),
            [
                "throughput",
                "latency",
                "latencies",
                "errors",
                "server-cpu",
                "client-cpu",
                "server-memory",
                "server-disk"
            ]
        );
        let drawn = figures(&known);
        let disk = drawn.last().unwrap();
        let lines: Vec<&str> = disk.data.lines().collect();
        assert!(
            lines[1].starts_with("\"written, redb\",001-redb-a,0,1048576"),
            "{lines:?}"
        );
        assert!(
            lines[3].starts_with("\"read, redb\",001-redb-a,0,4096"),
            "{lines:?}"
        );
        // Where only the data's disk is unknown, what the servers read is shown all the same.
        for row in &mut known.seconds {
            row.server_written_bytes = None;
        }
        assert!(names(&known).contains(&"server-disk".to_owned()));
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
        assert!(figures[0].data.lines().count() <= SECONDS_SHOWN + 1);
        assert!(figures[0].data.contains("99999"), "{}", figures[0].data);
        let drawn = &figures[0].content.0;
        assert!(drawn.contains("99950 s") && !drawn.contains(">0 s<"), "{drawn}");
    }
}
