//! Several claims at once: Holm's correction.

/// p values adjusted for being a family: rejecting those at most alpha keeps the chance of any false rejection in the
/// whole family at alpha or below, whatever their dependence. In the order given; clamped to 1.
///
/// S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979).
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest_so_far: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let factor = (p_values.len() - rank) as f64;
        largest_so_far = largest_so_far.max((p_values[index] * factor).min(1.0));
        adjusted[index] = largest_so_far;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_smallest_counts_for_all_and_none_overtakes() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        for (got, want) in adjusted.iter().zip(expected) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.04]), [0.04]);
    }

    proptest! {
        #[test]
        fn between_the_raw_value_and_bonferroni(p in proptest::collection::vec(0.0..=1.0f64, 1..20)) {
            for (raw, adjusted) in p.iter().zip(holm(&p)) {
                prop_assert!(adjusted >= *raw && adjusted <= (raw * p.len() as f64).min(1.0) + 1e-15);
            }
        }
    }
}
