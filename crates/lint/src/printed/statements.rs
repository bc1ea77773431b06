//! What an author makes of the measured numbers.

use crate::{Figure, Place};

/// The effect of one change, printed twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The table that it stands in. Its changes are of the same number of operations.
    pub table: String,
    /// Where it stands.
    pub place: Place,
    /// Run times before and after, seconds.
    pub run_time_s: [Figure; 2],
    /// Throughputs before and after, operations a second.
    pub throughput: [Figure; 2],
    /// The printed change of the run time, percent.
    pub time_percent: Figure,
    /// The printed change of the throughput, percent.
    pub throughput_percent: Figure,
    /// The run time without the change, measured another time, seconds: what one and the same thing differs by.
    pub again_s: Option<Figure>,
}

/// The same thing, measured several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeats {
    /// Where it stands.
    pub place: Place,
    /// What was measured, with its unit.
    pub what: String,
    /// The runs, in their order.
    pub values: Vec<f64>,
}

/// Rates that are printed for kinds of operations of one mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Where they stand.
    pub place: Place,
    /// Kind, its share of the mix, and operations a second.
    pub kinds: Vec<(String, f64, f64)>,
}

/// How much better one time is claimed to be than another.
#[derive(Clone, Debug, PartialEq)]
pub struct Better {
    /// Where it stands.
    pub place: Place,
    /// The two times, the longer one first; the unit does not matter.
    pub times: [Figure; 2],
    /// Percent, as printed.
    pub percent: Figure,
}

/// A ratio that the text gives for two printed numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Where it stands.
    pub place: Place,
    /// The ratio, as printed.
    pub ratio: Figure,
    /// The numbers, the one above the line first.
    pub of: [Figure; 2],
}

/// A difference between two readings of a clock that the text makes something of.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where it stands.
    pub place: Place,
    /// The difference, seconds.
    pub seconds: f64,
    /// The smallest step of the printed times, seconds.
    pub resolution_s: f64,
}

/// A column of a table that says how others compare: percentages, ratios, speed-ups.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// Whether it is in percent.
    pub percent: bool,
    /// The other columns of numbers.
    pub others: Vec<String>,
    /// Its rows.
    pub rows: Vec<ComparisonRow>,
}

/// One row of such a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    /// Where it stands.
    pub place: Place,
    /// What the column says.
    pub printed: Figure,
    /// The other columns, in their order.
    pub beside: Vec<Option<Figure>>,
    /// The same columns in the row above it in the table; empty in the first row.
    pub above: Vec<Option<Figure>>,
}

/// A trend that is claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// Where.
    pub place: Place,
    /// Whether it is claimed to grow.
    pub upwards: bool,
    /// What it is over, in its order, and the runs there.
    pub points: Vec<(f64, Vec<f64>)>,
}

/// A conclusion.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its name.
    pub place: Place,
    /// Its words.
    pub text: String,
    /// What the printed numbers say against it; empty when they bear it out, or say nothing.
    pub against: Vec<String>,
    /// Whether one of those numbers was read off a figure or stated roughly.
    pub read_off: bool,
}

/// A range.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Where it stands.
    pub place: Place,
    /// What it is of, with the unit.
    pub unit: String,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Values that belong into it, with their places.
    pub values: Vec<(Place, f64)>,
}

/// Properties of systems: what they can do, not how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    /// Where they stand.
    pub place: Place,
    /// How many are stated.
    pub stated: usize,
    /// How many of them were observed on a running system.
    pub observed: usize,
}
