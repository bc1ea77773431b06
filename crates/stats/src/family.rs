//! Many comparisons at once: some of them differ by chance, so the p values of a family are corrected for its size.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::{Comparison, holm};

/// The chance of any false "faster" or "slower" in a family of comparisons.
pub const SIGNIFICANCE: f64 = 0.05;

/// Corrects the p values of comparisons that were made one by one for each other, family by family (Holm 1979). A difference that the
/// correction leaves open is undecided.
pub fn correct<'a, F: Ord>(comparisons: impl IntoIterator<Item = (F, &'a mut Comparison)>) {
    let mut families: BTreeMap<F, Vec<(f64, &mut Comparison)>> = BTreeMap::new();
    for (family, comparison) in comparisons {
        if let Some(p_value) = comparison.p_value {
            families.entry(family).or_default().push((p_value, comparison));
        }
    }
    for members in families.into_values() {
        let plain: Vec<f64> = members.iter().map(|(p_value, _)| *p_value).collect();
        for ((_, comparison), p_value) in members.into_iter().zip(holm(&plain)) {
            comparison.p_adjusted = Some(p_value);
            if comparison.word.is_difference() && p_value > SIGNIFICANCE + 1e-12 {
                let among = plain.len();
                let why = format!("not significant among {among} comparisons (corrected p = {p_value:.3})");
                comparison.reopen(why);
            }
        }
    }
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
    use crate::compare::{Method, Pairing, Word, method, no_ratio};

    #[test]
    fn intervals_of_several_comparisons_are_wider() {
        let near = |comparisons, factor: f64| (simultaneous(comparisons) - factor).abs() < 1e-3;
        assert!(near(0, 1.0) && near(1, 1.0));
        // Normal quantiles: 2.2414 and 2.8070 beside 1.9600.
        assert!(near(2, 1.1436) && near(10, 1.4322));
    }

    #[test]
    fn a_difference_that_is_one_of_many_is_taken_back() {
        let alone = |p_value, word| Comparison {
            p_value: Some(p_value),
            word,
            reason: "1.3x".to_owned(),
            ..no_ratio((6, 6), "")
        };
        let mut family = vec![alone(0.5, Word::Undecided); 20];
        family[0] = alone(0.03, Word::Faster);
        let mut another = family[0].clone();
        let members = family.iter_mut().map(|one| (0, one));
        correct(members.chain([(1, &mut another)]));
        assert!((family[0].p_adjusted.unwrap() - 0.6).abs() < 1e-12);
        assert_eq!(family[0].word, Word::Undecided);
        assert_eq!(
            family[0].reason,
            "1.3x, but not significant among 20 comparisons (corrected p = 0.600)"
        );
        assert!(family[1..].iter().all(|one| one.reason == "1.3x"));
        assert_eq!((another.word, another.p_adjusted), (Word::Faster, Some(0.03)));
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
