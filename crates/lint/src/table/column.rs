//! What a column of a table of results is, by its name.

use crate::{OfKind, Quantity};

/// What the linter does with a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// It holds this of the row's run.
    Measured {
        /// What it is.
        quantity: Quantity,
        /// What turns the column's unit into that of the quantity.
        unit: f64,
    },
    /// It is this one of several runs of the same thing.
    Run(usize),
    /// It is made of the other columns.
    Comparison {
        /// Whether its numbers are percentages.
        percent: bool,
    },
    /// It states what the row is of.
    Label,
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
    let measured = |quantity, unit| Some(Meaning::Measured { quantity, unit });
    match column {
        "ops" => return measured(Quantity::Operations, 1.0),
        "run_time_s" => return measured(Quantity::RunTime, 1.0),
        "run_time_ms" => return measured(Quantity::RunTime, 1e-3),
        "throughput_ops_s" => return measured(Quantity::Throughput, 1.0),
        "target_ops_s" => return measured(Quantity::Rate, 1.0),
        "records" => return measured(Quantity::Records, 1.0),
        "ok" => return measured(OfKind::Succeeded.of(""), 1.0),
        "clients" | "threads" => return measured(Quantity::Clients, 1.0),
        _ if LABELS.contains(&column) => return Some(Meaning::Label),
        _ => {}
    }
    if let Some(run) = column.strip_prefix("run").and_then(|run| run.parse().ok()) {
        return Some(Meaning::Run(run));
    }
    if let Some((quantity, unit)) = of_kind(column) {
        return measured(quantity, unit);
    }
    let lower = column.to_lowercase();
    // A percentage of what is not said may be of anything: of errors, of reads, of a processor.
    let is_comparison =
        COMPARISONS.iter().any(|word| lower.contains(word)) || PERCENTAGES.contains(&lower.as_str());
    is_comparison.then(|| Meaning::Comparison {
        percent: PERCENTAGES.iter().any(|word| lower.contains(word)),
    })
}

/// `read_ops`, `read_ok`, `read_avg_us`, `read_p99_ms`, ..., with what turns its unit into that of the quantity.
fn of_kind(column: &str) -> Option<(Quantity, f64)> {
    for (ending, what) in [("_ops", OfKind::Count), ("_ok", OfKind::Succeeded)] {
        if let Some(kind) = column.strip_suffix(ending) {
            return Some((what.of(kind), 1.0));
        }
    }
    let (of, to_us) = match column.strip_suffix("_us") {
        Some(of) => (of, 1.0),
        None => (column.strip_suffix("_ms")?, 1e3),
    };
    let (kind, what) = of.rsplit_once('_').unwrap_or(("", of));
    let what = match what {
        "avg" => OfKind::Mean,
        "min" => OfKind::Min,
        "max" => OfKind::Max,
        _ => {
            let percentile: f64 = what.strip_prefix('p')?.parse().ok()?;
            Some(OfKind::Percentile(percentile)).filter(|_| (0.0..=100.0).contains(&percentile))?
        }
    };
    Some((what.of(kind), to_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_columns_are() {
        let measured = |quantity, unit| Some(Meaning::Measured { quantity, unit });
        let percentile = OfKind::Percentile(99.9).of("read_modify_write");
        for (name, expected) in [
            ("read_modify_write_p99.9_ms", measured(percentile, 1e3)),
            ("read_ok", measured(OfKind::Succeeded.of("read"), 1.0)),
            ("run12", Some(Meaning::Run(12))),
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
