//! A paper, as its file has it. What a paper did not state is absent, or says so in words.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use dbdyno_lint::{Figure, PrintedCell};
use serde::Deserialize;
use toml::Value;

use crate::stated::{NOT_STATED, Version};
use crate::topology::{Differs, Extent, Topology};

/// Share by which a number that was read off a figure, or stated roughly, may be off.
const READING: f64 = 0.05;

/// What the load phase is called among workloads.
pub const LOAD: &str = "load";

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
    pub topology: BTreeMap<String, Topology>,
    /// The workloads.
    #[serde(rename = "workload", default)]
    pub workloads: Vec<Workload>,
    /// How it was measured: numbers, or words such as `not stated`.
    #[serde(default)]
    pub protocol: BTreeMap<String, Value>,
    /// Servers that shared a host.
    #[serde(default)]
    pub memory: Vec<Memory>,
    /// What was printed.
    #[serde(rename = "table", default)]
    pub tables: Vec<Table>,
    /// Points of figures that the text states, with the rate that they were measured at.
    #[serde(rename = "point", default)]
    pub points: Vec<Point>,
    /// Percentages that the text gives for two times.
    #[serde(default)]
    pub better: Vec<Better>,
    /// Ratios of run times that the text gives.
    #[serde(rename = "ratio", default)]
    pub ratios: Vec<Ratio>,
    /// Differences of run times that the text makes something of.
    #[serde(rename = "difference", default)]
    pub differences: Vec<Difference>,
    /// Instances of a set-up, and the machines that they ran on.
    #[serde(rename = "placement", default)]
    pub placements: Vec<Placement>,
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

impl Paper {
    /// The numbers of nodes, copies or shards that it states of any system in any set-up.
    #[must_use]
    pub fn extents(&self, extent: Extent) -> BTreeSet<u32> {
        let of_topology = |topology: &Topology| -> Vec<u32> {
            let systems = self.systems.iter();
            systems
                .filter_map(|system| topology.of(&system.id).extent(extent))
                .collect()
        };
        self.topology.values().flat_map(of_topology).collect()
    }

    /// How it was measured, by the key of [`Self::protocol`], as people write it: with what its numbers imply, or a repetition
    /// assumes, where it was not stated.
    #[must_use]
    pub fn stated(&self, key: &str) -> String {
        let of = |suffix: &str| self.protocol.get(&format!("{key}{suffix}"));
        let stated = of("").map_or_else(|| NOT_STATED.to_owned(), plain);
        if !stated.starts_with(NOT_STATED) {
            return stated;
        }
        match (of("_inferred"), of("_assumed")) {
            (Some(value), _) => format!("{NOT_STATED} (its numbers imply {})", plain(value)),
            (None, Some(value)) => format!("{NOT_STATED} ({} assumed)", plain(value)),
            (None, None) => stated,
        }
    }

    /// The number of a row of a table among the rows of all tables.
    pub(crate) fn row_number(&self, table: usize, row: usize) -> usize {
        let before = self.tables.iter().take(table);
        before.map(|table| table.rows.len()).sum::<usize>() + row
    }
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
    /// Its version.
    #[serde(default)]
    pub version: Version,
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

/// Instances of a set-up.
#[derive(Clone, Debug, Deserialize)]
pub struct Placement {
    /// The set-up.
    pub place: String,
    /// Processes of the database.
    pub instances: f64,
    /// Machines that they ran on.
    pub machines: f64,
}

/// A ratio of the run times of two systems, as the text gives it.
#[derive(Clone, Debug, Deserialize)]
pub struct Ratio {
    /// The workload.
    pub workload: String,
    /// The system that took less time.
    pub faster: String,
    /// Records of the table, or words where it is of several sizes.
    pub records: Value,
    /// The longer time over the shorter one; absent where the text gives a range.
    pub value: Option<f64>,
}

/// A difference of two run times.
#[derive(Clone, Debug, Deserialize)]
pub struct Difference {
    /// Where it stands.
    pub place: String,
    /// The difference, seconds.
    pub seconds: f64,
    /// The smallest step of the printed times, seconds.
    pub resolution_s: f64,
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
    /// The system.
    pub system: String,
    /// Operations a second, of all kinds.
    pub throughput_ops_s: f64,
    /// Mean latencies by kind, milliseconds.
    pub latency_ms: BTreeMap<String, f64>,
    /// The workload.
    pub workload: String,
}

/// How much better one time is claimed to be than another.
#[derive(Clone, Debug, Deserialize)]
pub struct Better {
    /// Where it stands.
    pub place: String,
    /// The longer time and the shorter one.
    pub times: [f64; 2],
    /// Percent, as printed.
    pub percent: f64,
}

/// A table, or what a figure or the text states in numbers.
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
    /// Columns whose numbers are those of another column, or of another system of the repetition.
    #[serde(default)]
    pub stands_for: Vec<StandsFor>,
    /// Why no part of the repetition measures its rows, or some of them.
    pub not_rerun: Option<String>,
    /// Whether the properties that it states of systems were observed on running ones; absent where it states none.
    pub observed: Option<bool>,
    /// Whether the numbers are read off a figure.
    #[serde(default)]
    pub approx: bool,
    /// Cells that were not printed but worked out from the text: the first cell of the row, and the column.
    #[serde(default)]
    pub derived_cells: Vec<(PrintedCell, String)>,
    /// Names of its columns, with units.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<PrintedCell>>,
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
        self.figure(row, column).map(Figure::value)
    }

    /// The number in this row and column with the range that its digits leave open, and with how well it can be read where it was read
    /// off a figure.
    #[must_use]
    pub fn figure(&self, row: usize, column: &str) -> Option<Figure> {
        let column = self.columns.iter().position(|name| name == column)?;
        self.cell(self.rows.get(row)?.get(column)?).figure()
    }

    /// The cell with how well it can be read.
    fn cell(&self, cell: &PrintedCell) -> PrintedCell {
        match cell {
            PrintedCell::Number(figure) if self.approx => PrintedCell::Number(figure.read_off(READING)),
            _ => cell.clone(),
        }
    }

    /// The table as the rules of the linter take it, with this number of its first row.
    pub(crate) fn as_printed(&self, first_row: usize) -> dbdyno_lint::Table {
        let rows = self.rows.iter();
        dbdyno_lint::Table {
            name: self.name(),
            metric: self.metric.clone().unwrap_or_default(),
            columns: self.columns.clone(),
            rows: rows
                .map(|row| row.iter().map(|cell| self.cell(cell)).collect())
                .collect(),
            first_row,
        }
    }

    /// Whether this cell was worked out from the text.
    #[must_use]
    pub fn is_derived(&self, row: usize, column: &str) -> bool {
        let label = self.rows.get(row).and_then(|row| row.first());
        let mut derived = self.derived_cells.iter();
        derived.any(|(cell, name)| Some(cell) == label && name == column)
    }
}

/// A column of a table as a repetition has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandsFor {
    /// The column.
    pub column: String,
    /// The column of new runs, or one of the same unit.
    #[serde(rename = "as")]
    pub as_column: String,
    /// The system of the repetition, where it is not that of the table.
    pub system: Option<String>,
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
    /// What is claimed to grow or to fall, beyond what the predicate states.
    pub trend: Option<ClaimedTrend>,
    /// What would have to hold of the printed tables, in the language of [`crate::predicate`].
    pub predicate: Option<String>,
    /// What the predicate does not cover of the sentence, because nothing that was printed says it.
    pub uncovered: Option<String>,
    /// What would have to hold of new runs, in the same language; without it the predicate is asked of both.
    pub again: Option<String>,
    /// What new runs do not cover of the sentence: without it they could hold for all of it.
    pub uncovered_again: Option<String>,
    /// Why neither printed numbers nor new runs can test it; a claim has this, or something to evaluate.
    pub untested: Option<String>,
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
    /// Whether it is claimed to grow.
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
    /// Operations a second that are asked for; as fast as it goes without any.
    #[serde(default)]
    pub rates: Vec<f64>,
    /// Clients.
    pub clients: u32,
    /// Repetitions of each run.
    pub trials: u32,
    /// Claims that this part was made for, because others that measure the same words cannot judge them.
    #[serde(default)]
    pub for_claims: Vec<String>,
    /// What an acknowledged write must survive, for all systems alike.
    pub durability: Option<String>,
    /// How many copies take part, for all systems alike.
    pub consistency: Option<String>,
    /// In what else it differs from the paper.
    #[serde(default)]
    pub differs: Vec<Differs>,
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

/// How long a run is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Operations {
    /// So many operations.
    Counts(Vec<u64>),
    /// `records`: as many as there are records.
    AsRecords(AsRecords),
    /// As many as go into a time, whatever the scale: the paper's number is over in a moment today.
    Timed(Timed),
}

/// A time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// How long, seconds.
    pub duration_s: NonZeroU32,
}

/// The word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AsRecords {
    /// As many as there are records.
    Records,
}

/// Entries for people: names in words, and their values.
#[must_use]
pub fn named(entries: &BTreeMap<String, Value>) -> Vec<(String, String)> {
    entries
        .iter()
        .map(|(name, value)| (name.replace('_', " "), plain(value)))
        .collect()
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
