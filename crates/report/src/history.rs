//! A series over versions: what it was, where its level changes, and whether the last point is as good as those before it.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::CellName;
use dbdyno_analysis::Unranked;
use dbdyno_record::{HISTORY_FORMAT, HistoryEntry};
use dbdyno_stats::{Better, Detection, Interval, Sample, change_points, estimate};
use dbdyno_vocabulary::Text;
use serde::Serialize;

use crate::compared::{ComparedMetric, compare_metric, correct_metrics};
use crate::conditions::{Difference, differences};
use crate::copied_points::{CopiedPoint, copied_lines};
use crate::folders::{CellFacts, Side, cells_of};
use crate::history_line::{better, measured, pace, unit};
use crate::indented;
use crate::model::{Pace, Word};
use crate::sample::Unit;
use crate::test_name::TestName;

/// Points of the present level that the last one is held against.
const LEVEL: usize = 5;
/// One series in twenty may have a change that is none: a series of versions is short.
const SIGNIFICANCE: f64 = 0.05;
/// Points that make a level.
const SHORTEST: usize = 2;

/// All series of a history file.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Every metric of every cell of every study.
    pub series: Vec<Series>,
    /// Points that were left out, for they hold trials of an earlier one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopiedPoint>,
}

/// One metric of one cell over its points.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Name of the study.
    pub study: String,
    /// System, workload and factors.
    pub cell: String,
    /// How people call it.
    #[serde(skip)]
    pub test: TestName,
    /// The metric.
    pub metric: String,
    /// What its values are.
    pub unit: Unit,
    /// The points, in the order in which they were added.
    pub points: Vec<Point>,
    /// The last point against the level before it; `None` where nothing comparable is before it.
    pub last: Option<ComparedMetric>,
}

/// One point of a series.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Which version.
    pub label: String,
    /// Version of the product.
    pub version: String,
    /// When its first trial began.
    pub started_at: String,
    /// Trials.
    pub trials: usize,
    /// Their median.
    pub median: f64,
    /// Only a lower bound of the median is known.
    pub at_least: bool,
    /// Its 95% interval, where there are enough trials.
    pub interval: Option<(f64, f64)>,
    /// Points of one number are comparable; others are not set against each other.
    pub conditions: usize,
    /// What differs from the point before it, when its conditions do.
    pub differences: Vec<Difference>,
    /// Why the point begins no level and ends none: invalid trials, operations without an answer, no steady state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreliable: Option<String>,
    /// The change of level that begins here.
    pub change: Option<Change>,
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The new level by the old one.
    pub ratio: f64,
    /// Whether it is for the worse.
    pub slower: bool,
}

/// The series of these lines. `margin` is the smallest change that matters, as a share.
#[must_use]
pub fn history(entries: &[HistoryEntry], margin: f64) -> History {
    let mut order: Vec<(&str, CellName, &str)> = Vec::new();
    let mut grouped: BTreeMap<(&str, CellName, &str), Vec<&HistoryEntry>> = BTreeMap::new();
    let copied = copied_lines(entries);
    let kept = entries.iter().enumerate();
    for (_, entry) in kept.filter(|(place, _)| !copied.contains_key(place)) {
        // A workload of YCSB may be called `a` at one point and `A` at the next.
        let cell = CellName::read(&entry.cell).common();
        let key = (entry.study.as_str(), cell, entry.metric.as_str());
        let group = grouped.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(entry);
    }
    let all = order.iter().filter_map(|key| grouped.get(key));
    let mut series: Vec<Series> = all.map(|entries| of_series(entries, margin)).collect();
    correct_metrics(
        series.iter_mut().filter_map(|series| series.last.as_mut()),
        margin,
    );
    let mut copies: Vec<CopiedPoint> = Vec::new();
    for copy in copied.into_values() {
        if copies.iter().all(|known| known.label != copy.label) {
            copies.push(copy);
        }
    }
    History {
        margin,
        series,
        copies,
    }
}

/// Why points of this metric with this pace have no verdict.
fn unranked(entry: &HistoryEntry) -> Option<Unranked> {
    Unranked::new(measured(entry).kind(), [(entry.label.as_str(), pace(entry))])
}

fn of_series(entries: &[&HistoryEntry], margin: f64) -> Series {
    let first = entries[0];
    let mut points: Vec<Point> = Vec::new();
    let mut kinds: Vec<&HistoryEntry> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Ok(sample) = Sample::new(entry.values.clone()) else {
            continue;
        };
        let same = |kind: &&HistoryEntry| differences(&kind.conditions, &entry.conditions).is_empty();
        let conditions = kinds.iter().position(same).unwrap_or_else(|| {
            kinds.push(entry);
            kinds.len() - 1
        });
        let estimated = estimate(&sample);
        let changed = points.last().is_some_and(|last| last.conditions != conditions);
        points.push(Point {
            label: entry.label.clone(),
            version: entry.version.clone(),
            started_at: entry.started_at.clone(),
            trials: sample.len(),
            median: estimated.median,
            at_least: entry.at_least,
            interval: estimated.interval.map(Interval::ends),
            conditions,
            differences: if changed {
                differences(&entries[index - 1].conditions, &entry.conditions)
            } else {
                Vec::new()
            },
            unreliable: [&entry.failing, &entry.invalid, &entry.restless]
                .into_iter()
                .find_map(Clone::clone),
            change: None,
        });
    }
    let ranked: Vec<bool> = points
        .iter()
        .map(|point| point.unreliable.is_none() && unranked(kinds[point.conditions]).is_none())
        .collect();
    mark_changes(&mut points, &ranked, better(first), margin);
    Series {
        study: first.study.clone(),
        cell: first.cell.clone(),
        test: test_of(first),
        metric: first.metric.clone(),
        unit: unit(first),
        last: last_against_level(&points, entries, margin),
        points,
    }
}

/// Marks where the level changes, among ranked points of like conditions.
fn mark_changes(points: &mut [Point], ranked: &[bool], better: Better, margin: f64) {
    let detection = Detection {
        significance: SIGNIFICANCE,
        shortest_segment: SHORTEST,
        smallest_change: margin,
    };
    let kinds = points
        .iter()
        .map(|point| point.conditions)
        .max()
        .map_or(0, |last| last + 1);
    for kind in 0..kinds {
        let places: Vec<usize> = (0..points.len())
            .filter(|place| points[*place].conditions == kind && ranked[*place])
            .collect();
        let medians: Vec<f64> = places.iter().map(|place| points[*place].median).collect();
        for change in change_points(&medians, &detection) {
            let ratio = change.ratio();
            points[places[change.index]].change = Some(Change {
                ratio,
                slower: (ratio < 1.0) == (better == Better::Higher),
            });
        }
    }
}

/// The last point's trials against those of the points of its level: since the last change, under its conditions.
fn last_against_level(points: &[Point], entries: &[&HistoryEntry], margin: f64) -> Option<ComparedMetric> {
    let (last, earlier) = points.split_last()?;
    if last.change.is_some() {
        return None;
    }
    let mut level = measured(entries[0]);
    level.values.clear();
    level.restless = None;
    level.failing = None;
    level.invalid = None;
    let like = earlier
        .iter()
        .rev()
        .filter(|point| point.conditions == last.conditions);
    let mut taken = 0;
    for point in like {
        let entry = entries.iter().find(|entry| entry.label == point.label)?;
        level.values.extend(&entry.values);
        let own = measured(entry);
        level.restless = level.restless.or(own.restless);
        level.failing = level.failing.or(own.failing);
        level.invalid = level.invalid.or(own.invalid);
        if taken == 0 || matches!(level.pace, Pace::Sustained { .. }) {
            level.pace = pace(entry);
        }
        taken += 1;
        if point.change.is_some() || taken == LEVEL {
            break;
        }
    }
    let entry = entries.iter().find(|entry| entry.label == last.label)?;
    compare_metric(&level, &measured(entry), margin)
}

impl History {
    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        indented::json(self)
    }
}

impl Series {
    /// Whether its last point, or a level that began with one of the `recent` last points, is worse than before.
    #[must_use]
    pub fn got_slower(&self, recent: usize) -> bool {
        let newest = self.points.iter().rev().take(recent);
        newest
            .filter_map(|point| point.change)
            .any(|change| change.slower)
            || self
                .last
                .as_ref()
                .is_some_and(|last| last.found.word == Word::Slower || last.rate_lost || last.answers_lost)
    }
}

/// The lines that add a folder to a history, as the point `label`.
#[must_use]
pub fn lines(side: Side<'_>, study: &str, label: &str) -> Vec<HistoryEntry> {
    let mut lines = Vec::new();
    let started = side.trials.iter().map(|trial| &trial.started_at).min();
    for facts in cells_of(side) {
        let own = side
            .trials
            .iter()
            .filter(|trial| CellName::of(trial) == facts.cell);
        let versions: BTreeSet<&str> = own.map(|trial| trial.system.version.as_str()).collect();
        let version = versions.into_iter().collect::<Vec<_>>().join(" or ");
        for metric in &facts.metrics {
            lines.push(HistoryEntry {
                format: HISTORY_FORMAT.to_owned(),
                study: study.to_owned(),
                label: label.to_owned(),
                started_at: started.cloned().unwrap_or_default(),
                cell: facts.cell.to_string(),
                version: version.clone(),
                metric: metric.name.clone(),
                unit: metric.unit.name().to_owned(),
                higher_is_better: metric.better == Better::Higher,
                values: metric.values.clone(),
                at_least: metric.at_least,
                restless: metric.restless.as_ref().map(Text::flat),
                failing: metric.failing.as_ref().map(Text::flat),
                invalid: metric.invalid.as_ref().map(Text::flat),
                sustained: match metric.pace {
                    Pace::Sustained {
                        sustained, trials, ..
                    }
                    | Pace::Missed {
                        sustained, trials, ..
                    } => Some((sustained, trials)),
                    Pace::ClosedLoop | Pace::NotRecorded | Pace::Mixed => None,
                },
                conditions: facts.conditions.clone(),
            });
        }
    }
    lines
}

/// The cells of one point of a history, ready to be compared. Where several studies have it, cells are named after them, too.
#[must_use]
pub fn facts(entries: &[HistoryEntry], label: &str) -> Vec<CellFacts> {
    let own = || entries.iter().filter(|entry| entry.label == label);
    let studies: BTreeSet<&str> = own().map(|entry| entry.study.as_str()).collect();
    let mut cells: BTreeMap<String, CellFacts> = BTreeMap::new();
    for entry in own() {
        let name = if studies.len() > 1 {
            format!("{}: {}", entry.study, entry.cell)
        } else {
            entry.cell.clone()
        };
        let fresh = || CellFacts {
            metrics: Vec::new(),
            ..cell_facts(entry, CellName::read(&name))
        };
        let cell = cells.entry(name.clone()).or_insert_with(fresh);
        cell.metrics.push(measured(entry));
    }
    cells.into_values().collect()
}

/// How people call the test of a line.
#[must_use]
pub fn test_of(entry: &HistoryEntry) -> TestName {
    TestName::of(&cell_facts(entry, CellName::read(&entry.cell)))
}

/// The cell of one line, with its only metric.
fn cell_facts(entry: &HistoryEntry, cell: CellName) -> CellFacts {
    CellFacts {
        cell,
        conditions: entry.conditions.clone(),
        versions: BTreeSet::from([entry.version.clone()]),
        metrics: vec![measured(entry)],
    }
}
