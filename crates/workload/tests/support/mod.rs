//! Reading fixtures and comparing counts, for the tests of this crate.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test binary uses a part; a test may panic"
)]

use std::sync::Arc;

use dbdyno_workload::{
    Batch, Fields, Operation, OperationKind, Properties, Row, Sequence, Specification, Workload,
};

/// The rows of a fixture, split at tabs; lines that start with `#` are comments.
pub fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

/// Comma-separated counts.
pub fn counts(text: &str) -> Vec<u64> {
    text.split(',').map(|count| count.parse().unwrap()).collect()
}

/// A double from the hexadecimal bits that Java wrote.
pub fn double(bits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(bits, 16).unwrap())
}

/// Properties from `key=value`s.
pub fn properties<'a>(settings: impl IntoIterator<Item = &'a str>) -> Properties {
    let mut properties = Properties::new();
    for setting in settings {
        properties.set(setting).unwrap();
    }
    properties
}

/// A workload from `key=value`s.
pub fn workload<'a>(settings: impl IntoIterator<Item = &'a str>, seed: u64) -> Arc<Workload> {
    let resolved = Specification::from_properties(&properties(settings)).unwrap();
    Arc::new(Workload::new(resolved.specification, seed).unwrap())
}

/// Hands every operation of the rest of a sequence to `each`.
pub fn drain(sequence: &Sequence, at_a_time: u32, mut each: impl FnMut(&Operation)) {
    let mut batch = Batch::new();
    while let Some(claim) = sequence.claim(at_a_time) {
        sequence.fill(&claim, &mut batch);
        batch.iter().for_each(&mut each);
    }
}

/// All that is observable of an operation.
pub type Seen = (OperationKind, String, u64, Fields, u32, u64, Row, u64);

/// Looks at an operation that is due then.
pub fn see(sequence: &Sequence, operation: &Operation, intended_start_ns: u64) -> Seen {
    let mut row = Row::new();
    sequence.values(operation, &mut row);
    (
        operation.kind,
        operation.key.as_str().to_owned(),
        operation.key.number(),
        operation.fields,
        operation.scan_limit,
        operation.first_inserted,
        row,
        intended_start_ns,
    )
}

/// Whether two samples of counts could come from one distribution: the two-sample chi-square test (Numerical Recipes,
/// 14.3) over cells with at least ten counts together, the others pooled, at a significance of 10^-4. Our seeds
/// and the fixtures are fixed, so the answer is always the same.
pub fn assert_same_distribution(ours: &[u64], theirs: &[u64], what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let total = |counts: &[u64]| counts.iter().sum::<u64>() as f64;
    let (all_ours, all_theirs) = (total(ours), total(theirs));
    assert!(all_ours > 0.0 && all_theirs > 0.0, "{what}: nothing was counted");
    let ratio = (all_theirs / all_ours).sqrt();
    let mut pooled = (0.0, 0.0);
    let mut cells: Vec<(f64, f64)> = Vec::new();
    for (a, b) in ours.iter().zip(theirs) {
        if a + b >= 10 {
            cells.push((*a as f64, *b as f64));
        } else {
            pooled.0 += *a as f64;
            pooled.1 += *b as f64;
        }
    }
    if pooled.0 + pooled.1 > 0.0 {
        cells.push(pooled);
    }
    let statistic: f64 = cells
        .iter()
        .map(|(a, b)| (ratio * a - b / ratio).powi(2) / (a + b))
        .sum();
    let limit = chi_square_limit(cells.len() as f64 - 1.0);
    assert!(
        statistic <= limit,
        "{what}: chi-square {statistic:.1} over {} cells, limit {limit:.1}",
        cells.len()
    );
}

/// The 1 - 10^-4 quantile of the chi-square distribution (Wilson and Hilferty's approximation).
fn chi_square_limit(degrees: f64) -> f64 {
    const NORMAL_QUANTILE: f64 = 3.719;
    let degrees = degrees.max(1.0);
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + NORMAL_QUANTILE * part.sqrt()).powi(3)
}
