//! The colors of systems in comparisons and histories: a product has the same one as in every report, a repeat that of its original.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::product_color;
use crate::test_name::TestName;

/// The color of every system of these tests.
pub fn of_tests<'a>(tests: impl IntoIterator<Item = &'a TestName>) -> BTreeMap<String, usize> {
    let mut colors: BTreeMap<String, usize> = BTreeMap::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let tests: Vec<&TestName> = tests.into_iter().collect();
    for test in &tests {
        let original = test.original();
        if !colors.contains_key(original) {
            let own = product_color([test.product.as_str(), original]).filter(|color| !taken.contains(color));
            let free = || (0..).find(|color| !taken.contains(color));
            let color = own.or_else(free).unwrap_or_default();
            taken.insert(color);
            colors.insert(original.to_owned(), color);
        }
    }
    for test in tests.iter().filter(|test| test.system != test.original()) {
        let color = colors.get(test.original()).copied().unwrap_or_default();
        colors.insert(test.system.clone(), color + dbdyno_chart::COLORS);
    }
    colors
}
