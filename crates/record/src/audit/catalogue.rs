//! What a product could do by its makers' word: dated, with sources, and never merged with what was observed.

use serde::{Deserialize, Serialize};

use super::Feature;

/// The capabilities of one product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// The product, e.g. `MongoDB`.
    pub product: String,
    /// When its sources were read, e.g. `2026-11-23`.
    pub as_of: String,
    /// What it can do, one entry for each feature and edition.
    #[serde(rename = "capability")]
    pub capabilities: Vec<Capability>,
}

/// Whether an edition of a product has a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capability {
    /// The feature.
    pub feature: Feature,
    /// The edition, e.g. `Community`.
    pub edition: String,
    /// Whether it has it.
    pub support: Support,
    /// Since which version, e.g. `4.0`; empty when it always had it, or has it not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub since: String,
    /// By which means, in a few words.
    pub means: String,
    /// The page that says so.
    pub source: String,
    /// What is out of date in the cell of the thesis' table 5.17, in a few words; empty when nothing is, or there is no cell.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub out_of_date: String,
}

/// Whether an edition has a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// It has.
    Yes,
    /// It has a part of it.
    Partly,
    /// It has not.
    No,
    /// The question makes no sense for it.
    NotApplicable,
}

impl Support {
    /// The word in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly => "partly",
            Self::No => "no",
            Self::NotApplicable => "not applicable",
        }
    }
}

impl Catalogue {
    /// What the editions have of a feature, in the order of the file.
    pub fn of(&self, feature: Feature) -> impl Iterator<Item = &Capability> {
        self.capabilities
            .iter()
            .filter(move |capability| capability.feature == feature)
    }
}
