//! How skewed the keys of a run are: counted, not computed.

use std::sync::Arc;

use crate::batch::{Batch, Claim};
use crate::operation::OperationKind;
use crate::workload::Workload;

/// The most operations that are replayed: 8 MB of key numbers, some tens of milliseconds.
pub const MOST_REPLAYED: u64 = 1_000_000;

/// The skew of the first operations of a run. All shares are of the operations that chose a key (inserts make a new
/// one each and are left out), from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeySkew {
    /// Operations counted: those that chose a key, among the run's first million.
    pub operations: u64,
    /// Share that asked for the most wanted key.
    pub hottest_key: f64,
    /// Share that asked for the most wanted hundredth of the records (at least one record).
    pub top_1_percent: f64,
    /// Share that asked for the most wanted fifth of the records (at least one record).
    pub top_20_percent: f64,
}

/// Replays the key choices of the first `operations` operations (at most [`MOST_REPLAYED`]) of a run over `records`
/// records and counts them exactly. `None` when no operation chose a key.
///
/// The counts are of what was asked, so with few operations per record even uniform choices look skewed: with one
/// operation per record on average, the fifth of the records that happened to be asked for most got half of them.
#[must_use]
pub fn realised(workload: &Arc<Workload>, records: u64, operations: u64) -> Option<KeySkew> {
    let sequence = workload.run(records, Some(operations.min(MOST_REPLAYED)), None);
    let mut batch = Batch::new();
    let mut numbers: Vec<u64> = Vec::new();
    while let Some(claim) = sequence.claim(Claim::MOST) {
        sequence.fill(&claim, &mut batch);
        numbers.extend(
            batch
                .iter()
                .filter(|operation| operation.kind != OperationKind::Insert)
                .map(|operation| operation.key.number()),
        );
    }
    of_keys(numbers, records)
}

/// The skew of these choices among so many records.
fn of_keys(mut numbers: Vec<u64>, records: u64) -> Option<KeySkew> {
    let operations = numbers.len();
    if operations == 0 {
        return None;
    }
    numbers.sort_unstable();
    let mut counts: Vec<u32> = numbers
        .chunk_by(|a, b| a == b)
        .map(|same| same.len() as u32)
        .collect();
    drop(numbers);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let share = |keys: u64| {
        let keys = usize::try_from(keys.max(1))
            .unwrap_or(usize::MAX)
            .min(counts.len());
        let asked: u64 = counts[..keys].iter().map(|count| u64::from(*count)).sum();
        asked as f64 / operations as f64
    };
    Some(KeySkew {
        operations: operations as u64,
        hottest_key: share(1),
        top_1_percent: share(records / 100),
        top_20_percent: share(records / 5),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_shares() {
        let mut numbers = vec![7; 50];
        numbers.extend([1, 2, 3, 4, 5, 6, 8, 9, 10, 11].repeat(5));
        let skew = of_keys(numbers, 10).unwrap();
        assert_eq!(skew.operations, 100);
        assert_eq!(skew.hottest_key, 0.5);
        assert_eq!(skew.top_1_percent, 0.5);
        assert_eq!(skew.top_20_percent, 0.55);
        assert_eq!(of_keys(Vec::new(), 10), None);
    }
}
