//! What a study compares: how many comparisons it makes, and whether blocks can decide them.

use dbdyno_vocabulary::twin_original;

use crate::address;
use crate::file::definition::{Restart, Study, System};

/// Comparisons of one metric: every two systems of every cell, A/A twins apart; where the study varies options of servers, every
/// level and its baseline. Throughput is compared without a rate, latency at one; the larger family counts. There are fewer where
/// systems have different guarantees.
#[must_use]
pub fn comparisons(study: &Study) -> usize {
    let systems = compared_systems(study).count();
    let pairs = levels(study).unwrap_or(systems * systems.saturating_sub(1) / 2);
    cells_of_metric(study) * pairs
}

/// How many of the comparisons do not follow from others.
pub(crate) fn independent_comparisons(study: &Study) -> usize {
    let systems = compared_systems(study).count();
    cells_of_metric(study) * levels(study).unwrap_or(systems.saturating_sub(1))
}

fn compared_systems(study: &Study) -> impl Iterator<Item = &System> {
    let systems = study.systems.iter();
    systems.filter(|system| twin_original(&system.name).is_none())
}

/// Levels that are compared with their baselines alone; `None` where the study varies no options of servers.
fn levels(study: &Study) -> Option<usize> {
    let varied = |system: &&System| system.base.as_ref().is_some_and(|base| *base != system.name);
    let is_varied = compared_systems(study).any(|system| system.base.is_some());
    is_varied.then(|| compared_systems(study).filter(varied).count())
}

/// The cells of the metric that has the most.
fn cells_of_metric(study: &Study) -> usize {
    let cells = study.cells();
    let first = study.systems.first().map(|system| &system.name);
    let own = || cells.iter().filter(|cell| Some(&cell.system.name) == first);
    let closed = own().filter(|cell| cell.is_closed_loop()).count();
    let paced = own().count() - closed;
    paced.max(closed)
}

/// Whether servers of the lab are started once for all blocks, which leaves one value for each of their cells.
pub(crate) fn one_start(study: &Study) -> bool {
    let of_lab = |system: &System| system.target.scheme == address::SCHEME;
    study.restart == Restart::Study && study.systems.iter().any(of_lab)
}
