//! Whether a study as a whole drifted: everything faster or slower from block to block, whichever system was asked.
//!
//! Blocks keep the verdicts fair, for all systems of a block had the same machine; but the numbers are then of a machine that
//! changed while it was measured.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::Severity;

use super::{Cell, FindingGroup, MARGIN, Summary};
use crate::number;

/// With fewer blocks chance alone puts them into such an order too often: of eight, once in seventy studies.
const FEWEST_BLOCKS: usize = 8;

/// The finding, when there is one. Each system in each cell counts alike, by its throughput over its own mean.
pub fn finding(cells: &[Cell]) -> Option<FindingGroup> {
    let rows: Vec<(&str, &str, BTreeMap<u32, f64>)> = cells
        .iter()
        .flat_map(|cell| {
            cell.systems.iter().filter_map(|system| {
                Some((
                    cell.workload.as_str(),
                    system.name.as_str(),
                    logarithms(system.throughput.as_ref()?),
                ))
            })
        })
        .collect();
    let blocks: BTreeSet<u32> = rows.iter().flat_map(|(_, _, row)| row.keys().copied()).collect();
    if blocks.len() < FEWEST_BLOCKS {
        return None;
    }
    // A row with a hole would bring the level of its other blocks into the mean.
    let whole: Vec<_> = rows
        .iter()
        .filter(|(_, _, row)| row.len() == blocks.len())
        .collect();
    let mean_of_block = |block: &u32| {
        let distances = whole
            .iter()
            .map(|(_, _, row)| row[block] - mean(row.values().copied()));
        mean(distances).exp()
    };
    let series: Vec<f64> = blocks.iter().map(mean_of_block).collect();
    let ratio = dbdyno_stats::drift(&series).filter(|ratio| ratio.ln().abs() >= MARGIN.ln_1p())?;
    let distinct = |names: BTreeSet<&str>| names.into_iter().map(str::to_owned).collect();
    let message = format!(
        "everything became {} from block to block: in the last third of {} blocks the throughput was {} than in the first",
        if ratio > 1.0 { "faster" } else { "slower" },
        blocks.len(),
        number::times(ratio, None, number::Quantity::Level)
    );
    Some(FindingGroup {
        code: "drift-over-blocks".to_owned(),
        severity: Severity::Warning,
        title: message.clone(),
        message,
        other_messages: Vec::new(),
        remedy: "something about the machine changed (heat, a filling disk, other work, cold servers): comparisons within blocks stand, but absolute \
                 numbers mix different states of the machine; warm up longer, or find what changed"
            .to_owned(),
        trials: whole.len() * blocks.len(),
        systems: distinct(whole.iter().map(|(_, system, _)| *system).collect()),
        workloads: distinct(whole.iter().map(|(workload, ..)| *workload).collect()),
    })
}

/// Blocks and the logarithms of their values.
fn logarithms(summary: &Summary) -> BTreeMap<u32, f64> {
    let values = summary.values.iter().filter(|value| value.value > 0.0);
    values.map(|value| (value.block, value.value.ln())).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, number) = values.fold((0.0, 0.0), |(sum, number), value| (sum + value, number + 1.0));
    sum / number
}
