//! The colour of each system: a product has the same one in every report, whatever it is compared with.

use std::collections::{BTreeMap, BTreeSet};

use super::System;

/// The colour of each product of which no other one here has it. Servers are compared with servers and embedded stores with
/// embedded stores: within either group the colours are far apart.
const OWN: [(&str, usize); 9] = [
    ("postgres", 0),
    ("postgresql", 0),
    ("redis", 1),
    ("mongodb", 2),
    ("cassandra", 3),
    ("redb", 4),
    ("sqlite", 5),
    ("fjall", 6),
    ("hbase", 7),
];

/// What tries the tool and is no product: the palette has no colours left for these. They give way to the owner of theirs.
const BORROWED: [(&str, usize); 3] = [("memory", 0), ("sick", 1), ("null", 7)];

/// Gives every system its colour. Of several systems of one product one has its colour, the baseline if there is one; the
/// others, and unknown products, have the first ones that nobody else in the report has. Past the palette, colours begin
/// again with a dashed stroke. A twin has its original's, one round further.
pub fn assign(systems: &mut [System]) {
    let mut claims: Vec<(bool, bool, usize, usize)> = systems
        .iter()
        .enumerate()
        .filter(|(_, system)| system.twin_of.is_none())
        .filter_map(|(index, system)| {
            let (is_borrowed, color) = of_product(system)?;
            Some((is_borrowed, is_variant(system), index, color))
        })
        .collect();
    claims.sort_unstable();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut claimed: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, _, index, color) in claims {
        if taken.insert(color) {
            claimed.insert(index, color);
        }
    }
    let originals = systems.iter_mut().enumerate();
    for (index, system) in originals.filter(|(_, system)| system.twin_of.is_none()) {
        let free = || (0..).find(|color| !taken.contains(color));
        system.color = claimed.get(&index).copied().or_else(free).unwrap_or_default();
        taken.insert(system.color);
    }
    let colors: BTreeMap<String, usize> = systems
        .iter()
        .map(|system| (system.name.clone(), system.color))
        .collect();
    for twin in systems {
        let original = twin.twin_of.as_ref().and_then(|name| colors.get(name));
        if let Some(color) = original {
            twin.color = color + dbdyno_chart::COLORS;
        }
    }
}

/// Whether the study compares it with a baseline, which is another system.
fn is_variant(system: &System) -> bool {
    system.baseline().is_some()
}

/// The colour of the product that the first of these texts names: a driver, a product, a system. For pages of one system.
#[must_use]
pub fn product_color<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<usize> {
    named(texts).map(|(_, color)| color)
}

/// Whether its product's colour is borrowed, and the colour. An imported result may name the product in the system's name alone.
fn of_product(system: &System) -> Option<(bool, usize)> {
    named([&system.driver, &system.product, &system.name].map(String::as_str))
}

fn named<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<(bool, usize)> {
    texts.into_iter().find_map(|text| {
        let text = text.to_lowercase();
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        words.find_map(known)
    })
}

fn known(word: &str) -> Option<(bool, usize)> {
    let of = |table: &[(&str, usize)]| {
        let found = table.iter().find(|(name, _)| *name == word);
        found.map(|(_, color)| *color)
    };
    let own = of(&OWN).map(|color| (false, color));
    own.or_else(|| of(&BORROWED).map(|color| (true, color)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_products_share_a_colour_that_is_their_own() {
        let colors: BTreeSet<usize> = OWN.iter().map(|(_, color)| *color).collect();
        // One product has two names.
        assert_eq!(colors.len(), OWN.len() - 1);
        assert!(colors.into_iter().eq(0..dbdyno_chart::COLORS));
    }

    #[test]
    fn a_product_is_known_by_a_word_of_what_names_it() {
        assert_eq!(product_color(["ycsb", "Apache Cassandra 5.0"]), Some(3));
        assert_eq!(product_color(["", "", "redis:tls"]), product_color(["redis"]));
        assert_eq!(
            product_color(["memory", "redis"]),
            Some(0),
            "the first text that names one"
        );
        assert_eq!(product_color(["redistribution"]), None);
    }
}
