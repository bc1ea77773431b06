//! Why there is no database of some name.

use dbdyno_vocabulary::suggest;

/// What an optional database is called: its Cargo feature, which is its name, and its URL schemes.
struct Optional {
    feature: &'static str,
    schemes: &'static [&'static str],
}

/// Every database that a build can leave out.
const OPTIONAL: [Optional; 6] = [
    Optional {
        feature: "cassandra",
        schemes: &["cassandra"],
    },
    Optional {
        feature: "hbase",
        schemes: &["hbase"],
    },
    Optional {
        feature: "mongodb",
        schemes: &["mongodb"],
    },
    Optional {
        feature: "postgres",
        schemes: &["postgres", "postgresql"],
    },
    Optional {
        feature: "redis",
        schemes: &["redis", "rediss"],
    },
    Optional {
        feature: "ycsb",
        schemes: &["ycsb"],
    },
];

/// Why there is no database of some name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// No driver answers to the name or URL scheme.
    #[error("unknown database `{scheme}`; {}the databases are {}", hint(.nearest), known.join(", "))]
    Unknown {
        /// What was asked for.
        scheme: String,
        /// The known scheme most like it, if one is like it enough to be what was meant.
        nearest: Option<&'static str>,
        /// Every database's name.
        known: Vec<&'static str>,
    },
    /// This build leaves the database out.
    #[error("dbdyno was built without {feature}: cargo install --path crates/cli --features {feature}")]
    LeftOut {
        /// The Cargo feature that brings it.
        feature: &'static str,
    },
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "))
}

/// Why none of these databases and schemes is the one asked for. `asked` is what the user wrote, `scheme` the part
/// of it that names a database.
pub(crate) fn missing(
    asked: String,
    scheme: &str,
    known: Vec<&'static str>,
    schemes: impl Iterator<Item = &'static str>,
) -> DatabaseError {
    let left_out = OPTIONAL
        .iter()
        .find(|optional| optional.schemes.contains(&scheme) && !known.contains(&optional.feature));
    match left_out {
        Some(Optional { feature, .. }) => DatabaseError::LeftOut { feature },
        None => DatabaseError::Unknown {
            scheme: asked,
            nearest: suggest::nearest(scheme, schemes),
            known,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing_among(known: &[&'static str], scheme: &str) -> DatabaseError {
        missing(scheme.to_owned(), scheme, known.to_vec(), known.iter().copied())
    }

    #[test]
    fn a_database_that_was_left_out_is_named_by_its_feature() {
        let embedded = ["null", "redb"];
        for (scheme, feature) in [("mongodb", "mongodb"), ("postgresql", "postgres")] {
            let error = missing_among(&embedded, scheme);
            assert_eq!(error, DatabaseError::LeftOut { feature });
            assert_eq!(
                error.to_string(),
                format!(
                    "dbdyno was built without {feature}: cargo install --path crates/cli --features {feature}"
                )
            );
        }
        assert!(matches!(
            missing_among(&embedded, "mongo"),
            DatabaseError::Unknown { .. }
        ));
    }

    #[test]
    fn the_optional_databases_have_the_schemes_of_their_drivers() {
        for optional in OPTIONAL {
            if let Some(info) = crate::databases()
                .into_iter()
                .find(|info| info.name == optional.feature)
            {
                assert_eq!(info.schemes, optional.schemes);
            }
        }
    }

    #[test]
    fn every_feature_is_on_by_default_and_known_here() {
        let manifest = include_str!("../Cargo.toml");
        let default = manifest
            .lines()
            .find_map(|line| line.strip_prefix("default = "))
            .unwrap();
        let features: Vec<&str> = default
            .trim_matches(['[', ']'])
            .split(", ")
            .map(|feature| feature.trim_matches('"'))
            .collect();
        assert_eq!(features, OPTIONAL.map(|optional| optional.feature));
    }
}
