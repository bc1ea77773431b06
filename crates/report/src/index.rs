//! Many studies on one page: a row for each study, cell and system, put together by what can be compared.

mod csv;

use dbdyno_analysis::workload_name::common_name;
use dbdyno_record::TrialState;
use dbdyno_trial::{Consistency, Durability, FactorLevels};
use dbdyno_vocabulary::Text;
use serde::Serialize;

use crate::indented;
use crate::model::{Cell, CellSystem, Interval, Levels, Metric, Rank, ReportModel, Scope, sentences};
use crate::words::figures::MetricFigures;

/// The version of the JSON output.
pub const INDEX_FORMAT: &str = "dbdyno.index/1";

/// Factors that a row's group states already.
const TOLD_BY_GROUP: [&str; 5] = ["records", "clients", "rate", "durability", "consistency"];

/// Rows of many studies.
#[derive(Clone, Debug, Serialize)]
pub struct Index {
    /// [`INDEX_FORMAT`].
    pub format: &'static str,
    /// How many studies the rows are of.
    pub studies: usize,
    /// The machines, each with its letter.
    pub machines: Vec<Machine>,
    /// Rows whose numbers may stand beside each other.
    pub groups: Vec<Group>,
}

/// A kind of machine.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// `A`, `B`, ...
    pub letter: String,
    /// In a few words.
    pub name: String,
}

/// Rows of the same work at the same promises on the same machine. Numbers of different groups do not rank.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// Name of the workload.
    pub workload: String,
    /// What the workload does, in words.
    pub description: String,
    /// Records, clients and rate.
    pub scope: Scope,
    /// Durability in force.
    pub durability: Levels<Durability>,
    /// Consistency in force; empty where there is one copy and no choice.
    pub consistency: Levels<Consistency>,
    /// Letter of the machine.
    pub machine: String,
    /// The rows, by study and system.
    pub rows: Vec<Row>,
}

/// One system in one cell of one study.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the study.
    pub study: String,
    /// Name of its result folder.
    pub folder: String,
    /// Its own report at this cell, relative to the page; `None` when it has none.
    pub link: Option<String>,
    /// When its first trial began, RFC 3339.
    pub started_at: String,
    /// Name of the system.
    pub system: String,
    /// Product and version.
    pub product: String,
    /// Levels of factors that the group does not tell.
    pub factors: String,
    /// Completed trials.
    pub trials: usize,
    /// Successful operations per second.
    pub throughput: Option<RankedMedian>,
    /// 99th percentile of the latency of all operations, nanoseconds.
    pub latency_p99_ns: Option<RankedMedian>,
}

/// A median with its interval, and where it stands in its own study.
#[derive(Clone, Debug, Serialize)]
pub struct RankedMedian {
    /// Over trials.
    pub median: f64,
    /// Only a lower bound of the median is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Its interval; `None` with too few trials.
    pub interval: Option<Interval>,
    /// The verdict within its study; `None` when it was compared with nothing.
    #[serde(rename = "standing")]
    pub rank: Option<Rank>,
}

impl RankedMedian {
    fn new(cell: &Cell, system: &CellSystem, metric: Metric) -> Option<Self> {
        let summary = system.metric(metric)?;
        Some(Self {
            median: summary.estimate.median,
            at_least: system.is_bound(metric),
            interval: summary.estimate.interval,
            rank: cell.rank(&system.name, metric),
        })
    }

    /// The median in words, `>= 10 s` where only a lower bound is known.
    pub(crate) fn text(&self, metric: Metric) -> String {
        metric.bounded(self.median, self.at_least)
    }
}

/// One study's part of an index.
#[derive(Clone, Debug)]
pub struct StudyEntry {
    machine: String,
    /// Each with the place of its system among those of the study.
    rows: Vec<(Key, Place, Row)>,
}

/// The place of a row's system among those of its study, and the levels that stand in it.
type Place = (usize, FactorLevels);

/// What two rows must share for their numbers to stand beside each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    workload: String,
    scope: Scope,
    durability: Levels<Durability>,
    consistency: Levels<Consistency>,
    machine: String,
    description: String,
}

impl StudyEntry {
    /// What an index keeps of a study: `folder` is the name of its result folder, `report` the way from the index to
    /// its own report.
    #[must_use]
    pub fn new(model: &ReportModel, folder: &str, report: Option<&str>) -> Self {
        // A machine that nobody described is like no other.
        let machine = if model.machine.is_empty() {
            format!("not recorded, of {folder}")
        } else {
            model.machine.clone()
        };
        let rows = model.cells.iter().flat_map(|cell| {
            let machine = &machine;
            cell.systems.iter().map(move |system| {
                let key = Key {
                    workload: common_name(&cell.workload),
                    scope: cell.scope.clone(),
                    durability: system.durability.clone(),
                    consistency: system.consistency.clone(),
                    machine: machine.clone(),
                    description: Text::joined(&cell.description, "; ").exact(),
                };
                let mut levels = cell.factors.clone();
                levels.retain(|name, _| !TOLD_BY_GROUP.contains(&name.as_str()));
                let factors: Vec<String> = levels
                    .iter()
                    .map(|(name, level)| format!("{name} {level}"))
                    .collect();
                let row = Row {
                    study: model.study.clone(),
                    folder: folder.to_owned(),
                    link: report.map(|report| format!("{report}#{}", cell.id)),
                    started_at: model.started_at.clone(),
                    system: system.name.clone(),
                    product: system.product.clone(),
                    factors: factors.join(", "),
                    trials: system
                        .trials
                        .iter()
                        .filter(|trial| trial.status == TrialState::Completed)
                        .count(),
                    throughput: RankedMedian::new(cell, system, Metric::Throughput),
                    latency_p99_ns: RankedMedian::new(cell, system, Metric::LatencyP99),
                };
                let place = model.systems.iter().position(|own| own.name == system.name);
                (key, (place.unwrap_or_default(), levels), row)
            })
        });
        Self {
            rows: rows.collect(),
            machine,
        }
    }
}

impl Index {
    /// Of these studies, in whatever order they come.
    #[must_use]
    pub fn new(studies: Vec<StudyEntry>) -> Self {
        let mut names: Vec<String> = studies.iter().map(|study| study.machine.clone()).collect();
        names.sort();
        names.dedup();
        let machines: Vec<Machine> = names
            .into_iter()
            .enumerate()
            .map(|(place, name)| Machine {
                letter: letter(place),
                name,
            })
            .collect();
        let count = studies.len();
        let mut rows: Vec<(Key, Place, Row)> = studies.into_iter().flat_map(|study| study.rows).collect();
        let order = |(key, (place, levels), row): &(Key, Place, Row)| {
            (
                key.clone(),
                row.started_at.clone(),
                row.folder.clone(),
                *place,
                row.system.clone(),
                levels.clone(),
                row.link.clone(),
            )
        };
        rows.sort_by_cached_key(order);
        let mut groups: Vec<(Key, Group)> = Vec::new();
        for (key, _, row) in rows {
            match groups.last_mut() {
                Some((last, group)) if *last == key => group.rows.push(row),
                _ => {
                    let machine = machines.iter().find(|machine| machine.name == key.machine);
                    let group = Group {
                        workload: key.workload.clone(),
                        description: key.description.clone(),
                        scope: key.scope.clone(),
                        durability: key.durability.clone(),
                        consistency: key.consistency.clone(),
                        machine: machine.map_or(String::new(), |machine| machine.letter.clone()),
                        rows: vec![row],
                    };
                    groups.push((key, group));
                }
            }
        }
        Self {
            format: INDEX_FORMAT,
            studies: count,
            machines,
            groups: groups.into_iter().map(|(_, group)| group).collect(),
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.rows.len()).sum()
    }

    /// Whether no study has a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        indented::json(self)
    }
}

impl Group {
    /// What its rows have in common, below the workload's name.
    pub(crate) fn about(&self) -> String {
        let mut parts = vec![self.description.clone(), sentences::scope(&self.scope)];
        if !self.durability.is_empty() {
            parts.push(format!("durability {}", self.durability));
        }
        if !self.consistency.is_empty() {
            parts.push(format!("consistency {}", self.consistency));
        }
        parts.push(format!("machine {}", self.machine));
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }
}

/// `A` to `Z`, then `AA`, `AB`, ...
fn letter(place: usize) -> String {
    let last = char::from(b'A' + (place % 26) as u8);
    match place / 26 {
        0 => last.to_string(),
        before => format!("{}{last}", letter(before - 1)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn letters_go_on_after_the_alphabet() {
        assert_eq!([0, 25, 26, 52].map(super::letter), ["A", "Z", "AA", "BA"]);
    }
}
