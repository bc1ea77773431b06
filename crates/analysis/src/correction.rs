//! Comparisons that are made one by one, corrected for their number: those of two folders and of a history, and in a study those of systems
//! without common blocks.

use std::collections::BTreeMap;

use dbdyno_stats::family;

/// A comparison that may be one of many.
pub trait Compared {
    /// What comparisons of one family share: their metric.
    type Family: Ord;

    /// The family that it belongs to.
    fn family(&self) -> Self::Family;

    /// The p-value of the comparison alone; `None` if no test was made.
    fn p_value(&self) -> Option<f64>;

    /// Whether it shows a difference.
    fn shows_difference(&self) -> bool;

    /// Takes the corrected p-value.
    fn set_adjusted(&mut self, p_value: f64);

    /// Makes the verdict undecided, as the correction leaves the difference open.
    fn reopen(&mut self, why: String);
}

/// Corrects the p-values of all given comparisons for each other, family by family (Holm 1979). A difference that the
/// correction leaves open is undecided.
pub fn correct<'a, C: Compared + 'a>(comparisons: impl IntoIterator<Item = &'a mut C>) {
    let mut families: BTreeMap<C::Family, Vec<(f64, &mut C)>> = BTreeMap::new();
    for comparison in comparisons {
        if let Some(p_value) = comparison.p_value() {
            let family = families.entry(comparison.family()).or_default();
            family.push((p_value, comparison));
        }
    }
    for members in families.into_values() {
        let plain: Vec<(f64, bool)> = members
            .iter()
            .map(|(p_value, comparison)| (*p_value, comparison.shows_difference()))
            .collect();
        for ((_, comparison), corrected) in members.into_iter().zip(family::correct(&plain)) {
            comparison.set_adjusted(corrected.p_value);
            if let Some(why) = corrected.open {
                comparison.reopen(why);
            }
        }
    }
}
