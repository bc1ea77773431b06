//! What a table holds, as far as dbdyno loaded and inserted it: stored beside the table by the driver.

use std::collections::BTreeMap;

use dbdyno_workload::specification::Specification;
use serde::{Deserialize, Serialize};

/// The version of the format.
const FORMAT: &str = "dbdyno.manifest/1";

/// The properties that decide which records a table holds and what they look like. A seed is not among them: it only
/// changes arbitrary bytes, and with `dataintegrity` values follow from the keys alone.
const SHAPE: [&str; 12] = [
    "insertstart",
    "insertorder",
    "zeropadding",
    "fieldcount",
    "fieldnameprefix",
    "fieldlength",
    "minfieldlength",
    "fieldlengthdistribution",
    "fieldlengthhistogram",
    "fieldlengthhistogram.digest",
    "dataintegrity",
    "compressibility",
];

/// The shape and the records of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    format: String,
    /// The properties of the load, by name.
    pub(crate) shape: BTreeMap<String, String>,
    /// How many records were loaded: `recordcount`.
    pub(crate) loaded: u64,
    /// The keys from `insertstart` on, so many of them, are known to be there.
    pub(crate) records: u64,
    pub(crate) state: State,
}

/// The work that was going on when the manifest was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum State {
    /// A load began; it has not ended, or inserts failed.
    Loading,
    /// Nothing: the table holds exactly `records` records.
    Complete,
    /// A run that inserts began: behind `records` there are more, with holes. No hole is longer than `longest_hole`.
    Inserting {
        /// In records.
        longest_hole: u64,
    },
    /// A run that deletes began: any record may be gone.
    Deleting,
}

/// A property in which a table differs from what is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) property: String,
    pub(crate) found: String,
    pub(crate) wanted: String,
}

impl Manifest {
    /// The manifest of a load that begins.
    pub(crate) fn loading(specification: &Specification) -> Self {
        Self {
            format: FORMAT.to_owned(),
            shape: shape(specification),
            loaded: specification.records,
            records: 0,
            state: State::Loading,
        }
    }

    /// The manifest with other contents.
    pub(crate) fn with(&self, records: u64, state: State) -> Self {
        Self {
            records,
            state,
            ..self.clone()
        }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("text, numbers and maps by text are JSON")
    }

    /// Reads a stored manifest; the error says why it cannot be read.
    pub(crate) fn from_json(text: &str) -> Result<Self, String> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if manifest.format == FORMAT {
            Ok(manifest)
        } else {
            Err(format!("its format is `{}` and not `{FORMAT}`", manifest.format))
        }
    }

    /// The first property in which the table differs from what the workload needs.
    pub(crate) fn difference(&self, specification: &Specification) -> Option<Difference> {
        let wanted = shape(specification);
        let records = (
            "recordcount".to_owned(),
            self.loaded.to_string(),
            specification.records.to_string(),
        );
        let names = SHAPE.iter().map(|name| {
            let value_in = |shape: &BTreeMap<String, String>| shape.get(*name).cloned().unwrap_or_default();
            ((*name).to_owned(), value_in(&self.shape), value_in(&wanted))
        });
        names
            .chain([records])
            .find(|(_, found, wanted)| found != wanted)
            .map(|(property, found, wanted)| Difference {
                property,
                found,
                wanted,
            })
    }
}

fn shape(specification: &Specification) -> BTreeMap<String, String> {
    let mut properties = specification.properties();
    properties.retain(|name, _| SHAPE.contains(&name.as_str()));
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_back() {
        let manifest = Manifest::loading(&Specification::core(1000));
        for state in [
            State::Loading,
            State::Complete,
            State::Inserting { longest_hole: 7 },
            State::Deleting,
        ] {
            let manifest = manifest.with(1000, state);
            assert_eq!(Manifest::from_json(&manifest.to_json()), Ok(manifest));
        }
        let newer = manifest.to_json().replace("manifest/1", "manifest/2");
        assert!(
            Manifest::from_json(&newer)
                .unwrap_err()
                .contains("dbdyno.manifest/2")
        );
        assert!(Manifest::from_json("{}").is_err());
    }

    #[test]
    fn every_property_of_the_shape_is_compared() {
        let specification = Specification::core(1000);
        let manifest = Manifest::loading(&specification);
        assert_eq!(manifest.difference(&specification), None);
        let mut other = specification.clone();
        other.field_count = 5;
        let difference = manifest.difference(&other).unwrap();
        assert_eq!(difference.property, "fieldcount");
        assert_eq!(
            (difference.found.as_str(), difference.wanted.as_str()),
            ("10", "5")
        );
        let other = Specification {
            records: 7,
            ..specification.clone()
        };
        assert_eq!(manifest.difference(&other).unwrap().property, "recordcount");
        // A name in the list that the workload does not know would compare nothing.
        let known = specification.properties();
        let optional = [
            "fieldlengthhistogram",
            "fieldlengthhistogram.digest",
            "minfieldlength",
        ];
        for name in SHAPE.iter().filter(|name| !optional.contains(name)) {
            assert!(known.contains_key(*name), "{name}");
        }
    }
}
