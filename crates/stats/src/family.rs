//! Many comparisons at once: some of them differ by chance, so the p values of a family are corrected for its size.

use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::holm;

/// The chance of any false "faster" or "slower" in a family of comparisons.
pub const SIGNIFICANCE: f64 = 0.05;

/// A comparison after the correction.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    /// Its p value, corrected (Holm) for all comparisons of the family.
    pub p_value: f64,
    /// Why there is no verdict any more, although the comparison by itself was significant.
    pub open: Option<String>,
}

/// Corrects the p values of a family (Holm 1979), and takes back what the correction leaves open. Beside each p value stands
/// whether the comparison by itself calls one system faster or slower.
#[must_use]
pub fn correct(family: &[(f64, bool)]) -> Vec<Corrected> {
    let plain: Vec<f64> = family.iter().map(|(p, _)| *p).collect();
    let corrected = holm(&plain).into_iter().zip(family);
    corrected
        .map(|(p_value, (_, claimed))| Corrected {
            p_value,
            open: (*claimed && p_value > SIGNIFICANCE + 1e-12).then(|| {
                format!(
                    "not significant among {} comparisons (corrected p = {p_value:.3})",
                    family.len()
                )
            }),
        })
        .collect()
}

/// Whether the smallest p value that a test can give decides anything among so many comparisons.
#[must_use]
pub fn can_decide(smallest_p: f64, comparisons: usize) -> bool {
    smallest_p * comparisons.max(1) as f64 <= SIGNIFICANCE + 1e-12
}

/// By how many times the 95% interval of a comparison has to be wider for those of so many to hold their truths together (Bonferroni, on
/// normal estimates).
#[must_use]
pub fn simultaneous(comparisons: usize) -> f64 {
    let normal = Normal::standard();
    let end = |comparisons: f64| normal.inverse_cdf(1.0 - SIGNIFICANCE / 2.0 / comparisons);
    end(comparisons.max(1) as f64) / end(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Method, Pairing, method};

    #[test]
    fn intervals_of_several_comparisons_are_wider() {
        let near = |comparisons, factor: f64| (simultaneous(comparisons) - factor).abs() < 1e-3;
        assert!(near(0, 1.0) && near(1, 1.0));
        // Normal quantiles: 2.2414 and 2.8070 beside 1.9600.
        assert!(near(2, 1.1436) && near(10, 1.4322));
    }

    #[test]
    fn a_difference_that_is_one_of_many_is_taken_back() {
        let mut family = [(0.5, false); 20];
        family[0] = (0.03, true);
        let corrected = correct(&family);
        assert!((corrected[0].p_value - 0.6).abs() < 1e-12);
        assert_eq!(
            corrected[0].open.as_deref(),
            Some("not significant among 20 comparisons (corrected p = 0.600)")
        );
        assert!(corrected[1..].iter().all(|one| one.open.is_none()));
        assert_eq!(
            correct(&family[..1])[0],
            Corrected {
                p_value: 0.03,
                open: None
            }
        );
    }

    #[test]
    fn the_design_chooses_the_test_that_can_decide() {
        let of = |blocks, comparisons| method((blocks, blocks), Pairing::Blocks, comparisons);
        assert_eq!(of(6, 1), Method::BlockRatios);
        assert_eq!(of(6, 2), Method::AllRatios, "2 / 2^6 x 2 is above 0.05");
        assert_eq!(of(6, 23), Method::AllRatios);
        assert_eq!(
            of(6, 24),
            Method::BlockRatios,
            "nothing can decide: the narrower intervals"
        );
        assert_eq!(of(10, 21), Method::BlockRatios);
        assert_eq!(of(5, 1), Method::AllRatios);
        assert_eq!(method((10, 10), Pairing::Independent, 1), Method::AllRatios);
    }
}
