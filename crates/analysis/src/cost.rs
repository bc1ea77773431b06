//! What operations cost: in money, where prices are known, and in CPU time and bytes.
//!
//! Prices are no part of a trial: they are applied to its record, and other prices to the same records need no new run.

pub mod cell;
pub mod pricing;
pub mod rising;
pub mod used;

pub use cell::{Amount, SystemCost};
pub use dbdyno_files::{HourPrices, Prices, SystemPrices};
pub use pricing::{Pricing, Unpriced};
pub use used::{CpuOf, Resource};

use dbdyno_files::StudyFile;

/// The prices in the text of a study; `None` where it has none, or cannot be read.
#[must_use]
pub fn of_study(text: &str) -> Option<Prices> {
    let file: StudyFile = dbdyno_files::read(text).ok()?;
    file.cost?.value.0.prices().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_has_the_prices_of_its_text_or_none() {
        let text = "name = \"s\"\nsystems = [\"redb\"]\n[cost]\ncurrency = \"EUR\"\nnode_hour = 0.5\n";
        let prices = of_study(text).unwrap();
        assert_eq!(prices.usual.unwrap().node, Some(0.5));
        assert_eq!(prices.currency, "EUR");
        for text in [
            "",
            "not TOML",
            "name = \"s\"\n",
            "name = \"s\"\n[cost]\ncurrency = \"EUR\"\n",
        ] {
            assert_eq!(of_study(text), None, "{text}");
        }
    }
}
