//! CPU, memory and disk of servers and client over time.

use dbdyno_document::{Block, Column, Row, Section, Table, TableCell, named};

use super::plots::{self, UsageLine, UsagePoint};
use super::resource::Resource;
use crate::model::{Cell, CellSystem, Timeline};
use crate::number;

/// Stretches of time that all lines of a report have together: about 75 bytes each on the page.
const STRETCH_BUDGET: usize = 600;
/// Stretches of a line at most: more are not seen at the width of a figure.
const MOST_STRETCHES: usize = 60;
/// And at least, however large the study.
const FEWEST_STRETCHES: usize = 12;
/// Lines of more systems than there are colours cannot be told apart: then a table has what they used on the whole.
const MOST_SYSTEMS: usize = 8;

/// How many stretches of time each line of a report may have.
pub fn stretches(cells: &[Cell]) -> usize {
    let lines: usize = cells
        .iter()
        .filter(|cell| cell.systems.len() <= MOST_SYSTEMS)
        .map(|cell| cell.systems.len() * drawn(cell).len())
        .sum();
    (STRETCH_BUDGET / lines.max(1)).clamp(FEWEST_STRETCHES, MOST_STRETCHES)
}

/// The part of a cell; `None` where nothing was measured. Lines have at most about `most` stretches.
pub fn part(cell: &Cell, most: usize) -> Option<Section> {
    let resources = drawn(cell);
    let mut body = vec![Block::note(about(cell))];
    if cell.systems.len() > MOST_SYSTEMS {
        if resources.is_empty() {
            return None;
        }
        body.push(Block::Table(table(cell, &resources)));
    } else {
        let pooled = is_pooled(cell);
        let figures: Vec<_> = resources
            .iter()
            .filter_map(|resource| plots::usage(&lines(cell, *resource, most), *resource, pooled))
            .collect();
        if figures.is_empty() {
            return None;
        }
        body.push(Block::Figures(figures));
    }
    Some(Section::new("", "CPU, memory and disk", body))
}

/// The resources that a cell has figures of: used at all by some system.
fn drawn(cell: &Cell) -> Vec<Resource> {
    let is_used = |resource: &Resource| {
        let mut values = cell.systems.iter().flat_map(|system| values(system, *resource));
        values.any(|value| value > 0.0)
    };
    Resource::ALL.into_iter().filter(is_used).collect()
}

/// Whether a system's measurements of a resource are shown. A client beside servers holds no data in its memory.
fn is_shown(system: &CellSystem, resource: Resource) -> bool {
    let has_servers = || {
        let mut points = system.timelines.iter().flat_map(|line| &line.points);
        points.any(|point| point.usage.server_memory_bytes.is_some())
    };
    resource != Resource::ClientMemory || !has_servers()
}

/// Everything that was measured of a system's use of a resource.
fn values(system: &CellSystem, resource: Resource) -> Vec<f64> {
    let lines = system.timelines.iter().filter(|_| is_shown(system, resource));
    let points = lines.flat_map(|line| &line.points);
    points.filter_map(|point| resource.of(&point.usage)).collect()
}

/// Several trials of a system are drawn as one line with a band.
fn is_pooled(cell: &Cell) -> bool {
    cell.pooled || cell.systems.iter().any(|system| system.timelines.len() > 1)
}

fn lines(cell: &Cell, resource: Resource, most: usize) -> Vec<UsageLine<'_>> {
    let measured = cell
        .systems
        .iter()
        .filter(|system| !values(system, resource).is_empty());
    measured
        .map(|system| UsageLine {
            system: &system.name,
            color: system.color,
            trials: system
                .timelines
                .iter()
                .map(|line| (line.trial.as_str(), thinned(line, resource, most)))
                .collect(),
        })
        .collect()
}

/// A trial in at most about `most` stretches of time.
fn thinned(line: &Timeline, resource: Resource, most: usize) -> Vec<UsagePoint> {
    let group = line.points.len().div_ceil(most.max(1)).max(1);
    let stretches = line.points.chunks(group).map(|points| {
        let values: Vec<f64> = points
            .iter()
            .filter_map(|point| resource.of(&point.usage))
            .collect();
        (points[0].at_s, resource.joined(&values))
    });
    stretches.collect()
}

/// How to read it, and what was measured and is zero.
fn about(cell: &Cell) -> String {
    let mut about = if cell.systems.len() > MOST_SYSTEMS {
        "Means over the measured phases of all trials, and the largest memory.".to_owned()
    } else if is_pooled(cell) {
        "Lines are medians over trials; bands span the lowest to the highest trial.".to_owned()
    } else {
        "Means of each stretch of time, and its largest memory.".to_owned()
    };
    about.push_str(" The client is the process of dbdyno; an embedded database runs in it.");
    for (resource, nothing) in [
        (Resource::ServerReads, " The servers read nothing from disk."),
        (Resource::ServerWrites, " The servers wrote nothing to disk."),
    ] {
        let all: Vec<f64> = cell
            .systems
            .iter()
            .flat_map(|system| values(system, resource))
            .collect();
        if !all.is_empty() && all.iter().all(|value| *value == 0.0) {
            about.push_str(nothing);
        }
    }
    about.push_str(&between_turns(cell));
    about
}

/// What the systems used while others had their turns.
fn between_turns(cell: &Cell) -> String {
    let parked = || {
        let systems = cell.systems.iter();
        systems.filter_map(|system| Some((&system.name, system.parked?)))
    };
    let shares: Vec<String> = parked()
        .filter(|(_, used)| used.own_cpu_seconds > 0.0)
        .map(|(name, used)| {
            let share = used.parked_cpu_seconds / used.own_cpu_seconds;
            format!("{name} {}", number::share(share))
        })
        .collect();
    let traffic: Vec<String> = parked()
        .filter_map(|(name, used)| {
            let io = used.io?;
            let bytes = |count: u64| number::bytes(count as f64);
            Some(format!(
                "{name} {} ({} in its own turns)",
                bytes(io.parked_bytes),
                bytes(io.own_bytes)
            ))
        })
        .collect();
    let mut sentences = String::new();
    if !shares.is_empty() {
        sentences.push_str(&format!(
            " CPU time used while other systems were measured, as a share of that in their own turns: {}.",
            number::list(&shares)
        ));
    }
    if !traffic.is_empty() {
        sentences.push_str(&format!(
            " Disk reads and writes while other systems were measured: {}.",
            number::list(&traffic)
        ));
    }
    sentences.push_str(&switches(cell));
    sentences
}

/// What the switches between the systems cost each of them.
fn switches(cell: &Cell) -> String {
    let known = || {
        cell.systems
            .iter()
            .filter_map(|system| Some((&system.name, system.switch?)))
    };
    let Some(head_ns) = known().map(|(_, switch)| switch.head_ns).min() else {
        return String::new();
    };
    let costs: Vec<String> = known()
        .map(|(name, switch)| {
            if switch.lost_ns > 0.0 {
                format!("{name} {}", number::duration_ns(switch.lost_ns))
            } else {
                format!("{name} none")
            }
        })
        .collect();
    format!(
        " Time to come back to speed after a switch: {}; the first {} of each turn are not measured.",
        number::list(&costs),
        number::duration_ns(head_ns as f64)
    )
}

/// A row for each system: what it used in the measured phases.
fn table(cell: &Cell, resources: &[Resource]) -> Table {
    let titles = resources.iter().map(|resource| Column::numbers(resource.title()));
    let columns = std::iter::once(Column::header("system")).chain(titles);
    let rows = cell.systems.iter().map(|system| {
        let used = resources.iter().map(|resource| {
            let value = of_measured_phase(system, *resource);
            TableCell::new(value.map_or_else(|| "–".to_owned(), |value| resource.format(value)))
        });
        Row::new(std::iter::once(TableCell::new(named(&system.name))).chain(used))
    });
    Table::new("CPU, memory and disk", columns.collect(), rows.collect())
}

fn of_measured_phase(system: &CellSystem, resource: Resource) -> Option<f64> {
    let lines = system.timelines.iter().filter(|_| is_shown(system, resource));
    let points = lines.flat_map(|line| &line.points);
    let values: Vec<f64> = points
        .filter(|point| point.at_s >= 0.0)
        .filter_map(|point| resource.of(&point.usage))
        .collect();
    resource.joined(&values)
}
