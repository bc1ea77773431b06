//! Scores: utilities weighed and summed, who is first, and who is dominated by nobody.

/// The weighted sum.
pub fn score(weights: &[f64], utilities: &[f64]) -> f64 {
    weights
        .iter()
        .zip(utilities)
        .map(|(weight, utility)| weight * utility)
        .sum()
}

/// Scores closer than this are one: what is left of the same sum in another order.
const SAME: f64 = 1e-12;

/// Each one's part in the first place: 1 for the best score, shared evenly by those that have it.
pub fn firsts(scores: &[f64]) -> Vec<f64> {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_best = |score: &f64| *score >= best - SAME * best.abs().max(1.0);
    let many = scores.iter().filter(|score| is_best(score)).count().max(1) as f64;
    scores
        .iter()
        .map(|score| if is_best(score) { 1.0 / many } else { 0.0 })
        .collect()
}

/// Who is dominated by nobody: no other is at least as good in everything and better in something. What has no weight does
/// not count.
pub fn non_dominated(utilities: &[Vec<f64>], counts: &[bool]) -> Vec<bool> {
    let dominates = |a: &[f64], b: &[f64]| {
        let both = || a.iter().zip(b).zip(counts).filter(|(_, counts)| **counts);
        both().all(|((a, b), _)| a >= b) && both().any(|((a, b), _)| a > b)
    };
    utilities
        .iter()
        .map(|own| !utilities.iter().any(|other| dominates(other, own)))
        .collect()
}

/// Indices by falling value; equal ones stay in their order.
pub fn order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_the_first_place() {
        assert_eq!(firsts(&[1.0, 3.0, 3.0]), [0.0, 0.5, 0.5]);
        assert_eq!(firsts(&[0.1 + 0.2, 0.3]), [0.5, 0.5]);
        assert_eq!(order(&[1.0, 3.0, 3.0]), [1, 2, 0]);
    }

    #[test]
    fn the_front_is_who_nobody_beats_everywhere() {
        let utilities = [vec![3.0, 1.0], vec![1.0, 3.0], vec![1.0, 1.0], vec![3.0, 1.0]];
        assert_eq!(
            non_dominated(&utilities, &[true, true]),
            [true, true, false, true]
        );
        assert_eq!(
            non_dominated(&utilities, &[true, false]),
            [true, false, false, true]
        );
    }
}
