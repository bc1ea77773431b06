//! What two identical systems differ by: no smaller difference is evidence of anything.

use super::evidence::compare_systems;
use super::{Cell, Metric, Noise, NoiseRow, System, Word};
use crate::number;

/// The A/A comparisons of a study that has a twin.
pub fn noise(systems: &[System], cells: &[Cell]) -> Option<Noise> {
    let mut rows = Vec::new();
    let mut largest = [0.0_f64; 2];
    let mut differing = 0;
    for twin in systems {
        let Some(original) = &twin.twin_of else { continue };
        for cell in cells {
            let find = |name: &str| cell.systems.iter().find(|system| system.name == name);
            let (Some(a), Some(b)) = (find(&twin.name), find(original)) else {
                continue;
            };
            for (index, metric) in [Metric::Throughput, Metric::LatencyP99].into_iter().enumerate() {
                let (Some(first), Some(second)) = (a.metric(metric), b.metric(metric)) else {
                    continue;
                };
                let Some(comparison) = compare_systems(metric, (&twin.name, first), (original, second), 1)
                else {
                    continue;
                };
                if comparison.ratio.is_finite() && comparison.ratio > 0.0 {
                    largest[index] = largest[index].max(comparison.ratio.max(1.0 / comparison.ratio) - 1.0);
                }
                differing += usize::from(matches!(comparison.word, Word::Faster | Word::Slower));
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
    let mut sentence = format!(
        "{original} was measured against itself (as {}): identical systems differed by up to {} in throughput and {} in p99 latency. Smaller differences between systems are not evidence.",
        twin.name,
        number::share(largest[0]),
        number::share(largest[1])
    );
    if differing > 0 {
        sentence.push_str(&format!(
            " {differing} of {} of these comparisons found a difference where there is none: the machine was not quiet, take other verdicts with care.",
            rows.len()
        ));
    }
    Some(Noise {
        sentence,
        comparisons: rows,
    })
}
