//! The correction of comparisons that were made one by one for how many they are.

use std::collections::BTreeMap;

use crate::family::is_significant;
use crate::{Comparison, holm};

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
            if comparison.word.is_difference() && !is_significant(p_value) {
                let among = plain.len();
                let why = format!("not significant among {among} comparisons (corrected p = {p_value:.3})");
                comparison.reopen(why);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Word;
    use crate::compare::no_ratio;

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
}
