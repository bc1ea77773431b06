//! What two identical systems differ by: no smaller difference is evidence of anything.

use std::collections::BTreeMap;

use super::{Cell, Metric, Noise, NoiseRow, System, Unranked, Word, speed};
use crate::correction::correct;
use crate::number;

/// The metrics whose noise is reported.
const JUDGED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];

/// The A/A comparisons of a study that has a twin.
pub fn noise(systems: &[System], cells: &[Cell]) -> Option<Noise> {
    let mut rows = Vec::new();
    let mut largest: BTreeMap<Metric, f64> = BTreeMap::new();
    for twin in systems {
        let Some(original) = &twin.twin_of else { continue };
        for cell in cells {
            let find = |name: &str| cell.systems.iter().find(|system| system.name == name);
            let (Some(a), Some(b)) = (find(&twin.name), find(original)) else {
                continue;
            };
            let paces = [(a.name.as_str(), a.pace), (b.name.as_str(), b.pace)];
            // What ranks no systems has no noise that a difference could hide in.
            let ranked = JUDGED
                .into_iter()
                .filter(|metric| Unranked::new(*metric, paces).is_none());
            for metric in ranked {
                let Some(comparison) = speed::compare(metric, a, b, 1) else {
                    continue;
                };
                if comparison.ratio.is_finite() && comparison.ratio > 0.0 {
                    let share = comparison.ratio.max(1.0 / comparison.ratio) - 1.0;
                    let known = largest.entry(metric).or_default();
                    *known = known.max(share);
                }
                rows.push(NoiseRow {
                    cell: cell.title.clone(),
                    comparison,
                });
            }
        }
    }
    let twin = systems.iter().find(|system| system.twin_of.is_some())?;
    let original = twin.twin_of.as_deref().unwrap_or_default();
    if rows.is_empty() {
        return None;
    }
    correct(rows.iter_mut().map(|row| &mut row.comparison));
    let differing = rows
        .iter()
        .filter(|row| matches!(row.comparison.word, Word::Faster | Word::Slower))
        .count();
    let reported: Vec<String> = largest
        .iter()
        .map(|(metric, share)| format!("{} in {}", number::share(*share), metric.name()))
        .collect();
    let mut sentence = format!(
        "{original} was measured against itself (as {}): identical systems differed by up to {}. Smaller differences between systems are not evidence.",
        twin.name,
        number::list(&reported)
    );
    if differing > 0 {
        sentence.push_str(&format!(
            " {differing} of {} of these comparisons found a difference where there is none: the machine was not quiet, so treat the other verdicts with care.",
            rows.len()
        ));
    }
    Some(Noise {
        sentence,
        comparisons: rows,
    })
}
