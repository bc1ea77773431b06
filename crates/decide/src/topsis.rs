//! A second opinion: TOPSIS (Hwang and Yoon, *Multiple Attribute Decision Making*, 1981, chapter III).

use dbdyno_stats::Better;

/// How close each candidate is to the best that any has, against the worst, 0 to 1. Columns are normalised by their length and
/// weighed; both corners are made of the candidates themselves, which is why adding one may turn round the order of others,
/// and why this is a second opinion only.
#[must_use]
pub fn closeness(values: &[Vec<f64>], weights: &[f64], better: &[Better]) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = (0..weights.len())
        .map(|index| {
            let column: Vec<f64> = values.iter().map(|row| row[index]).collect();
            let length = column.iter().map(|value| value * value).sum::<f64>().sqrt();
            let scale = if length > 0.0 {
                weights[index] / length
            } else {
                0.0
            };
            let sign = match better[index] {
                Better::Higher => scale,
                Better::Lower => -scale,
            };
            column.iter().map(|value| value * sign).collect()
        })
        .collect();
    let distance = |candidate: usize, corner: fn(f64, f64) -> f64| {
        let squares = columns.iter().map(|column| {
            let corner = column.iter().copied().reduce(corner).unwrap_or(0.0);
            (column[candidate] - corner).powi(2)
        });
        squares.sum::<f64>().sqrt()
    };
    (0..values.len())
        .map(|candidate| {
            let (to_best, to_worst) = (distance(candidate, f64::max), distance(candidate, f64::min));
            if to_best + to_worst > 0.0 {
                to_worst / (to_best + to_worst)
            } else {
                0.5
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_example_by_hand() {
        // Two criteria, one to raise and one to lower, columns (3, 4) and (4, 3), each of length 5; weights one half.
        let close = closeness(
            &[vec![3.0, 4.0], vec![4.0, 3.0]],
            &[0.5, 0.5],
            &[Better::Higher, Better::Lower],
        );
        assert_eq!(close, [0.0, 1.0]);
        // Half as good in one, equal in the other: the one that is better is at the best corner.
        let close = closeness(
            &[vec![1.0, 1.0], vec![2.0, 1.0], vec![1.5, 1.0]],
            &[0.5, 0.5],
            &[Better::Higher, Better::Higher],
        );
        assert_eq!((close[0], close[1]), (0.0, 1.0));
        assert!((close[2] - 0.5).abs() < 1e-12);
        assert_eq!(
            closeness(&[vec![1.0], vec![1.0]], &[1.0], &[Better::Higher]),
            [0.5, 0.5]
        );
    }
}
