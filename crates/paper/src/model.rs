//! A paper, as its file has it. What a paper did not state is absent, or says so in words.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use toml::Value;

/// A paper.
#[derive(Clone, Debug, Deserialize)]
pub struct Paper {
    /// The form of the file.
    pub schema: String,
    /// Who wrote what when.
    #[serde(rename = "paper")]
    pub head: Head,
    /// The systems compared.
    #[serde(rename = "system", default)]
    pub systems: Vec<System>,
    /// The machines, in the paper's words.
    #[serde(default)]
    pub hardware: BTreeMap<String, Value>,
    /// How systems were set up, by name.
    #[serde(default)]
    pub topology: BTreeMap<String, Value>,
    /// The workloads.
    #[serde(rename = "workload", default)]
    pub workloads: Vec<Workload>,
    /// How it was measured: numbers, or words such as `not stated`.
    #[serde(default)]
    pub protocol: BTreeMap<String, Value>,
    /// Copies of each record, by set-up.
    #[serde(default)]
    pub copies: Vec<Copies>,
    /// Servers that shared a host.
    #[serde(default)]
    pub memory: Vec<Memory>,
    /// What was printed.
    #[serde(rename = "table", default)]
    pub tables: Vec<Table>,
    /// Points of figures that the text tells, with the rate that they were measured at.
    #[serde(rename = "point", default)]
    pub points: Vec<Point>,
    /// Percentages that the text gives for two times.
    #[serde(default)]
    pub better: Vec<Better>,
    /// What was claimed.
    #[serde(rename = "claim", default)]
    pub claims: Vec<Claim>,
    /// What it cannot say.
    #[serde(rename = "limit", default)]
    pub limits: Vec<Limit>,
    /// What a repetition has to assume.
    #[serde(rename = "assume", default)]
    pub assumptions: Vec<Assumption>,
    /// How it is measured again, part by part.
    #[serde(rename = "rerun", default)]
    pub reruns: Vec<Rerun>,
}

/// Who wrote what when.
#[derive(Clone, Debug, Deserialize)]
pub struct Head {
    /// How it is called here.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its authors.
    pub authors: Vec<String>,
    /// The year, or what is known of it.
    pub year: Value,
    /// What asked the databases.
    pub client: String,
}

/// A system that was compared.
#[derive(Clone, Debug, Deserialize)]
pub struct System {
    /// How the paper's tables call it.
    pub id: String,
    /// The database.
    pub db: String,
    /// Its version, or that it is not stated.
    #[serde(default)]
    pub version: String,
}

/// A workload.
#[derive(Clone, Debug, Deserialize)]
pub struct Workload {
    /// Its letter; papers use the same letters for different things.
    pub id: String,
    /// Shares of operations by kind.
    #[serde(default)]
    pub mix: BTreeMap<String, f64>,
}

/// Copies of each record that the systems of one set-up keep.
#[derive(Clone, Debug, Deserialize)]
pub struct Copies {
    /// The set-up.
    pub place: String,
    /// Copies by system.
    pub systems: BTreeMap<String, f64>,
}

/// Servers that shared a host.
#[derive(Clone, Debug, Deserialize)]
pub struct Memory {
    /// The set-up.
    pub place: String,
    /// How many servers.
    pub servers: f64,
    /// What each was given, GB.
    pub each_gb: f64,
    /// What the host has, GB.
    pub host_gb: f64,
}

/// A point of a figure of latency over a rate that was asked for.
#[derive(Clone, Debug, Deserialize)]
pub struct Point {
    /// Where it stands.
    pub place: String,
    /// Operations a second, of all kinds.
    pub throughput_ops_s: f64,
    /// Mean latencies by kind, milliseconds.
    pub latency_ms: BTreeMap<String, f64>,
    /// The workload.
    pub workload: String,
}

/// How much better one time is said to be than another.
#[derive(Clone, Debug, Deserialize)]
pub struct Better {
    /// Where it stands.
    pub place: String,
    /// The longer time and the shorter one.
    pub times: [f64; 2],
    /// Percent, as printed.
    pub percent: f64,
}

/// A table, or what a figure or the text tells in numbers.
#[derive(Clone, Debug, Deserialize)]
pub struct Table {
    /// Its number, or a name.
    pub id: String,
    /// The system that all of it is about.
    pub system: Option<String>,
    /// The workload that all of it is about.
    pub workload: Option<String>,
    /// The set-up that all of it is about.
    pub topology: Option<String>,
    /// What its cells are, with the unit, where its columns do not say.
    pub metric: Option<String>,
    /// Tables by workload whose mean run time is of the same thing as this table's run times without a change.
    #[serde(default)]
    pub again: BTreeMap<String, String>,
    /// Whether the properties that it tells of systems were observed on running ones; absent where it tells none.
    pub observed: Option<bool>,
    /// Whether the numbers are read off a figure.
    #[serde(default)]
    pub approx: bool,
    /// Names of its columns, with units.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// As people cite it.
    #[must_use]
    pub fn name(&self) -> String {
        if self.id.starts_with(|first: char| first.is_ascii_digit()) {
            format!("table {}", self.id)
        } else {
            self.id.clone()
        }
    }

    /// The number in this row and column, if there is one.
    #[must_use]
    pub fn number(&self, row: usize, column: &str) -> Option<f64> {
        let column = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(column)?.number()
    }
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number; not a number where none was printed.
    Number(f64),
    /// Words.
    Text(String),
}

impl Cell {
    /// Its number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) if number.is_finite() => Some(*number),
            _ => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) if number.is_nan() => Ok(()),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}

/// What a paper claims.
#[derive(Clone, Debug, Deserialize)]
pub struct Claim {
    /// Its name here.
    pub id: String,
    /// Its words.
    pub text: String,
    /// What would have to hold, in words.
    pub test: Option<String>,
    /// What is said to grow or to fall, beyond what the predicate says.
    pub trend: Option<ClaimedTrend>,
    /// What would have to hold of the printed tables, in the language of [`crate::predicate`].
    pub predicate: Option<String>,
    /// What would have to hold of new runs, in the same language; without it the predicate is asked of both.
    pub again: Option<String>,
}

/// A trend over a table's rows.
#[derive(Clone, Debug, Deserialize)]
pub struct ClaimedTrend {
    /// The table.
    pub table: String,
    /// The column that it is over.
    pub over: String,
    /// The columns of its runs.
    pub runs: Vec<String>,
    /// Whether it is said to grow.
    pub upwards: bool,
}

/// What a paper cannot say.
#[derive(Clone, Debug, Deserialize)]
pub struct Limit {
    /// Whether the author names it.
    #[serde(default)]
    pub author: bool,
    /// Its words.
    pub text: String,
}

/// What a repetition has to assume.
#[derive(Clone, Debug, Deserialize)]
pub struct Assumption {
    /// What was not stated.
    pub field: String,
    /// What is assumed.
    pub value: Value,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// How a part of a paper is measured again, with what is to be had today.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rerun {
    /// Its name; a paper has one for each of its set-ups.
    pub part: String,
    /// The set-up, as tables and claims call it.
    pub topology: String,
    /// The systems.
    #[serde(rename = "system")]
    pub systems: Vec<RerunSystem>,
    /// The workloads, by the paper's letter: the workload of ours that it is.
    #[serde(rename = "workload")]
    pub workloads: Vec<RerunWorkload>,
    /// Sizes of the table.
    pub records: Vec<u64>,
    /// Lengths of a run.
    pub operations: Operations,
    /// Clients.
    pub clients: u32,
    /// Repetitions of each run.
    pub trials: u32,
    /// What an acknowledged write must survive, for all systems alike.
    pub durability: Option<String>,
    /// How many copies take part, for all systems alike.
    pub consistency: Option<String>,
    /// In what else it differs from the paper, one sentence each.
    #[serde(default)]
    pub differs: Vec<String>,
}

/// A system of a paper, and what is measured in its place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerunSystem {
    /// The paper's name of it.
    pub id: String,
    /// An address as on the command line.
    pub address: String,
}

/// A workload of a paper, and which of ours it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerunWorkload {
    /// The paper's name of it.
    pub id: String,
    /// A built-in workload.
    pub base: String,
}

/// How many operations a run has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Operations {
    /// These numbers.
    Counts(Vec<u64>),
    /// `records`: as many as there are records.
    AsRecords(AsRecords),
}

/// The word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AsRecords {
    /// As many as there are records.
    Records,
}

/// A value of a paper's file as people write it.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Table(table) => {
            let pairs = table
                .iter()
                .map(|(name, value)| format!("{name} {}", plain(value)));
            pairs.collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}
