//! Randomised complete blocks: which trial of one system belongs to which trial of the other.

use std::collections::BTreeMap;

use crate::{Sample, SampleError};

/// Two systems' values, block by block.
#[derive(Clone, Debug, PartialEq)]
pub struct Aligned {
    /// The first system's values, in order of the blocks that both have.
    pub a: Sample,
    /// The second system's values of the same blocks.
    pub b: Sample,
    /// Blocks that only one of them has (a trial failed or has not run yet): left out, to be named in the report.
    pub incomplete: Vec<u32>,
}

/// Aligns two systems' values by block, for [`crate::Pairing::Blocks`].
///
/// # Errors
/// When no block is complete, or a value is not finite.
pub fn align(a: &BTreeMap<u32, f64>, b: &BTreeMap<u32, f64>) -> Result<Aligned, SampleError> {
    let (both, incomplete): (Vec<u32>, Vec<u32>) = {
        let mut all: Vec<u32> = a.keys().chain(b.keys()).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
            .partition(|block| a.contains_key(block) && b.contains_key(block))
    };
    let values = |of: &BTreeMap<u32, f64>| Sample::new(both.iter().map(|block| of[block]).collect());
    Ok(Aligned {
        a: values(a)?,
        b: values(b)?,
        incomplete,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_one_lacks_is_named_and_left_out() {
        let a = BTreeMap::from([(0, 10.0), (1, 11.0), (2, 12.0)]);
        let b = BTreeMap::from([(2, 22.0), (0, 20.0), (5, 25.0)]);
        let aligned = align(&a, &b).unwrap();
        assert_eq!(aligned.a.values(), [10.0, 12.0]);
        assert_eq!(aligned.b.values(), [20.0, 22.0]);
        assert_eq!(aligned.incomplete, [1, 5]);
        assert_eq!(align(&a, &BTreeMap::new()), Err(SampleError::Empty));
    }
}
