//! What a column of a table of results is, by its name.

/// What the linter does with a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// It holds this of the row's run.
    Measured(Quantity),
    /// It is one of several runs of the same thing.
    Run,
    /// It is made of the other columns.
    Comparison {
        /// Whether its numbers are percentages.
        percent: bool,
    },
    /// It states what the row is of.
    Label,
}

/// What a number is of.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Operations of a run.
    Operations,
    /// Length of a run.
    RunTime {
        /// Seconds in the column's unit.
        to_seconds: f64,
    },
    /// Operations a second.
    Throughput,
    /// Operations a second that were asked for.
    Rate,
    /// Records of the table.
    Records,
    /// Clients of the run.
    Clients,
    /// Operations of one kind. What follows is of all operations where the kind is empty.
    KindCount(String),
    /// Those of them that succeeded.
    KindSucceeded(String),
    /// Their mean latency.
    KindMean {
        /// The kind.
        kind: String,
        /// Microseconds in the column's unit.
        to_us: f64,
    },
    /// Their smallest latency.
    KindMin {
        /// The kind.
        kind: String,
        /// Microseconds in the column's unit.
        to_us: f64,
    },
    /// Their largest latency.
    KindMax {
        /// The kind.
        kind: String,
        /// Microseconds in the column's unit.
        to_us: f64,
    },
    /// A percentile of their latency.
    KindPercentile {
        /// The kind.
        kind: String,
        /// Percent.
        percentile: f64,
        /// Microseconds in the column's unit.
        to_us: f64,
    },
}

/// Columns that tell what a row is of.
const LABELS: [&str; 10] = [
    "row", "system", "workload", "topology", "database", "db", "name", "op", "trial", "what",
];
/// Words in the names of columns that are made of other columns.
const COMPARISONS: [&str; 12] = [
    "ratio",
    "speedup",
    "speed-up",
    "speed_up",
    "overhead",
    "improvement",
    "change",
    "gain",
    "difference",
    "diff",
    "faster",
    "slower",
];
/// Words of columns whose numbers are percentages.
const PERCENTAGES: [&str; 3] = ["pct", "percent", "%"];

/// What a column of this name is; `None` where no rule knows.
#[must_use]
pub fn meaning(column: &str) -> Option<Meaning> {
    let measured = |quantity| Some(Meaning::Measured(quantity));
    match column {
        "ops" => return measured(Quantity::Operations),
        "run_time_s" => return measured(Quantity::RunTime { to_seconds: 1.0 }),
        "run_time_ms" => return measured(Quantity::RunTime { to_seconds: 1e-3 }),
        "throughput_ops_s" => return measured(Quantity::Throughput),
        "target_ops_s" => return measured(Quantity::Rate),
        "records" => return measured(Quantity::Records),
        "ok" => return measured(Quantity::KindSucceeded(String::new())),
        "clients" | "threads" => return measured(Quantity::Clients),
        _ if LABELS.contains(&column) => return Some(Meaning::Label),
        _ => {}
    }
    let is_run = column
        .strip_prefix("run")
        .is_some_and(|run| run.parse::<u32>().is_ok());
    if is_run {
        return Some(Meaning::Run);
    }
    if let Some(quantity) = of_kind(column) {
        return measured(quantity);
    }
    let lower = column.to_lowercase();
    // A percentage of what is not said may be of anything: of errors, of reads, of a processor.
    let is_comparison =
        COMPARISONS.iter().any(|word| lower.contains(word)) || PERCENTAGES.contains(&lower.as_str());
    is_comparison.then(|| Meaning::Comparison {
        percent: PERCENTAGES.iter().any(|word| lower.contains(word)),
    })
}

/// `read_ops`, `read_ok`, `read_avg_us`, `read_p99_ms`, ...
fn of_kind(column: &str) -> Option<Quantity> {
    if let Some(kind) = column.strip_suffix("_ops") {
        return Some(Quantity::KindCount(kind.to_owned()));
    }
    if let Some(kind) = column.strip_suffix("_ok") {
        return Some(Quantity::KindSucceeded(kind.to_owned()));
    }
    let (of, to_us) = match column.strip_suffix("_us") {
        Some(of) => (of, 1.0),
        None => (column.strip_suffix("_ms")?, 1e3),
    };
    let (kind, what) = of.rsplit_once('_').unwrap_or(("", of));
    let kind = kind.to_owned();
    match what {
        "avg" => Some(Quantity::KindMean { kind, to_us }),
        "min" => Some(Quantity::KindMin { kind, to_us }),
        "max" => Some(Quantity::KindMax { kind, to_us }),
        _ => {
            let percentile: f64 = what.strip_prefix('p')?.parse().ok()?;
            (0.0..=100.0)
                .contains(&percentile)
                .then_some(Quantity::KindPercentile {
                    kind,
                    percentile,
                    to_us,
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_columns_are() {
        let percentile = Quantity::KindPercentile {
            kind: "read_modify_write".to_owned(),
            percentile: 99.9,
            to_us: 1e3,
        };
        for (name, expected) in [
            ("read_modify_write_p99.9_ms", Some(Meaning::Measured(percentile))),
            (
                "read_ok",
                Some(Meaning::Measured(Quantity::KindSucceeded("read".to_owned()))),
            ),
            ("run12", Some(Meaning::Run)),
            ("run_time", None),
            ("speedup", Some(Meaning::Comparison { percent: false })),
            ("Overhead %", Some(Meaning::Comparison { percent: true })),
            ("host", None),
            ("read_p200_us", None),
            ("error_pct", None),
            ("cpu %", None),
            ("%", Some(Meaning::Comparison { percent: true })),
        ] {
            assert_eq!(meaning(name), expected, "{name}");
        }
    }
}
