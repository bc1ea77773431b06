//! How long clients were in operations: what several rules share.

use crate::{Figure, Line};

/// What rounding, and means of products against products of means, may add.
pub const TOLERANCE: f64 = 0.01;

/// Operations of one kind, with both their number and their latency.
#[derive(Clone, Debug)]
pub struct Timed {
    pub kind: String,
    pub count: Figure,
    pub mean_latency_us: Figure,
}

/// The kinds that have a number and a latency, without what they may count twice: YCSB counts the halves of its read-modify-writes with
/// the reads and with the updates, too. Where the operations in all show that they are not counted twice, nothing is taken off. Empty where
/// a kind lacks its number or its latency: what is left would be less than all of it.
pub fn timed(line: &Line) -> Vec<Timed> {
    let complete: Option<Vec<Timed>> = line
        .parts
        .iter()
        .map(|part| {
            Some(Timed {
                kind: part.kind.clone(),
                count: part.count?,
                mean_latency_us: part.mean_latency_us?,
            })
        })
        .collect();
    let mut parts = complete.unwrap_or_default();
    let again = parts
        .iter()
        .find(|part| part.kind == "read_modify_write")
        .map_or(0.0, |part| part.count.value());
    for half in ["read", "update"] {
        let total: f64 = parts.iter().map(|part| part.count.value()).sum();
        let counted_twice = line
            .operations
            .is_none_or(|operations| total > operations.value() * (1.0 + TOLERANCE));
        let of_half = parts.iter_mut().find(|part| part.kind == half);
        if let Some(part) = of_half.filter(|_| counted_twice && again > 0.0) {
            part.count = Figure::exact((part.count.value() - again).max(0.0));
        }
    }
    parts
}

/// Operations in all.
pub fn count(parts: &[Timed]) -> Figure {
    parts
        .iter()
        .map(|part| part.count)
        .fold(Figure::exact(0.0), |sum, count| sum + count)
}

/// Seconds spent in operations.
pub fn busy_s(parts: &[Timed]) -> Figure {
    parts
        .iter()
        .map(|part| part.count * part.mean_latency_us * 1e-6)
        .fold(Figure::exact(0.0), |sum, seconds| sum + seconds)
}

/// Mean latency of all operations, seconds: as printed, or of the kinds.
pub fn mean_latency_s(line: &Line) -> Option<Figure> {
    if let Some(mean) = line.all.mean_latency_us {
        return Some(mean * 1e-6);
    }
    let parts = timed(line);
    let count = count(&parts);
    (count.low() > 0.0).then(|| busy_s(&parts) / count)
}

/// The least that the mean latency of all operations can be, seconds: that of the fastest kind, where the counts by kind are not printed.
pub fn least_latency_s(line: &Line) -> Option<Figure> {
    let fastest = || {
        let means: Option<Vec<Figure>> = line.parts.iter().map(|part| part.mean_latency_us).collect();
        let fastest = means?.into_iter().min_by(|a, b| a.low().total_cmp(&b.low()))?;
        Some(fastest * 1e-6)
    };
    mean_latency_s(line).or_else(fastest)
}
