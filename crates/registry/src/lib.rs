//! The list of databases, one line each, and the only place where a name leads to a driver.
//!
//! The crate of each driver holds the engine compiled for it, so `null` shows the tool's true floor (see
//! `docs/decisions/0046-engine-beside-drivers.md`). Here stand only the addresses of these statics: a list of the values
//! themselves could make the compiler produce the engines once more.

mod error;

use dbdyno_driver::DriverInfo;
use dbdyno_engine::TrialRunner;
use dbdyno_lab::Recipe;

pub use error::DatabaseError;

/// Every database of this build. `cargo xtask new-database` adds the next line.
static RUNNERS: &[&TrialRunner] = &[
    &dbdyno_database_null::RUNNER,
    &dbdyno_database_memory::RUNNER,
    &dbdyno_database_fjall::RUNNER,
    &dbdyno_database_redb::RUNNER,
    &dbdyno_database_sqlite::RUNNER,
    #[cfg(feature = "cassandra")]
    &dbdyno_database_cassandra::RUNNER,
    #[cfg(feature = "hbase")]
    &dbdyno_database_hbase::RUNNER,
    #[cfg(feature = "mongodb")]
    &dbdyno_database_mongodb::RUNNER,
    #[cfg(feature = "postgres")]
    &dbdyno_database_postgres::RUNNER,
    #[cfg(feature = "redis")]
    &dbdyno_database_redis::RUNNER,
    #[cfg(feature = "ycsb")]
    &dbdyno_database_ycsb::RUNNER,
    &dbdyno_database_sick::RUNNER,
];

/// What the lab can start, one line each.
const RECIPES: &[&dyn Recipe] = &[
    #[cfg(feature = "cassandra")]
    &dbdyno_server_cassandra::CassandraRecipe,
    #[cfg(feature = "hbase")]
    &dbdyno_server_hbase::HbaseRecipe,
    #[cfg(feature = "mongodb")]
    &dbdyno_server_mongodb::MongodbRecipe,
    #[cfg(feature = "postgres")]
    &dbdyno_server_postgres::PostgresRecipe,
    #[cfg(feature = "redis")]
    &dbdyno_server_redis::RedisRecipe,
];

/// What is known of every database, in the order of every list.
#[must_use]
pub fn databases() -> Vec<&'static DriverInfo> {
    RUNNERS.iter().map(|runner| runner.info()).collect()
}

/// What is known of the database that answers to this URL scheme.
///
/// # Errors
/// [`DatabaseError`] when none does.
pub fn find(scheme: &str) -> Result<&'static DriverInfo, DatabaseError> {
    runner(scheme).map(TrialRunner::info)
}

/// What carries out trials on the database that answers to this URL scheme.
///
/// # Errors
/// [`DatabaseError`] when none does.
pub fn runner(scheme: &str) -> Result<&'static TrialRunner, DatabaseError> {
    RUNNERS
        .iter()
        .copied()
        .find(|runner| runner.info().schemes.contains(&scheme))
        .ok_or_else(|| {
            let all = databases();
            let schemes = all.iter().flat_map(|info| info.schemes.iter().copied());
            let names = all.iter().map(|info| info.name).collect();
            error::missing(scheme.to_owned(), scheme, names, schemes)
        })
}

/// Every recipe of the lab, in the order of every list.
#[must_use]
pub fn recipes() -> &'static [&'static dyn Recipe] {
    RECIPES
}

/// The recipe of that name.
///
/// # Errors
/// [`DatabaseError`] when the lab has none.
pub fn find_recipe(name: &str) -> Result<&'static dyn Recipe, DatabaseError> {
    let names = || RECIPES.iter().map(|recipe| recipe.info().name);
    RECIPES
        .iter()
        .copied()
        .find(|recipe| recipe.info().name == name)
        .ok_or_else(|| error::missing(format!("lab:{name}"), name, names().collect(), names()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_scheme_leads_to_its_own_driver() {
        for info in databases() {
            for scheme in info.schemes {
                assert_eq!(runner(scheme).map(|runner| runner.info().name), Ok(info.name));
                assert_eq!(find(scheme).unwrap().name, info.name);
            }
        }
    }

    #[test]
    fn names_and_schemes_are_unique() {
        let (mut names, mut schemes) = (BTreeSet::new(), BTreeSet::new());
        for info in databases() {
            assert!(names.insert(info.name), "{} is listed twice", info.name);
            for scheme in info.schemes {
                assert!(schemes.insert(scheme), "two databases answer to {scheme}");
            }
        }
    }

    #[test]
    fn every_folder_of_databases_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../databases");
        let folders: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            // Beside the folders lies what their build scripts share.
            .filter(|entry| entry.file_type().unwrap().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| !matches!(find(name), Err(DatabaseError::LeftOut { .. })))
            .collect();
        let listed: BTreeSet<String> = databases().iter().map(|info| info.name.to_owned()).collect();
        assert_eq!(folders, listed);
    }

    #[test]
    fn every_recipe_is_one_of_a_database() {
        for recipe in recipes() {
            let info = recipe.info();
            assert!(find(info.name).unwrap().remote, "{}", info.name);
            assert!(!info.versions.is_empty() && find_recipe(info.name).is_ok());
        }
    }

    #[cfg(feature = "redis")]
    #[test]
    fn a_misspelt_recipe_is_answered_with_the_nearest() {
        let error = find_recipe("rediss").err().unwrap();
        assert!(error.to_string().contains("did you mean `redis`"), "{error}");
        let error = find_recipe("cassndra").err().unwrap();
        assert!(error.to_string().starts_with("unknown database `lab:cassndra`"));
    }

    #[cfg(not(feature = "redis"))]
    #[test]
    fn a_database_that_was_left_out_names_its_feature() {
        let expected = "dbdyno was built without redis: cargo install --path crates/cli --features redis";
        assert_eq!(find("redis").unwrap_err().to_string(), expected);
        assert_eq!(find_recipe("redis").err().unwrap().to_string(), expected);
    }

    #[test]
    fn an_unknown_name_is_answered_with_what_there_is() {
        let shown = find("memmory").unwrap_err().to_string();
        assert!(shown.starts_with(
            "unknown database `memmory`; did you mean `memory`? the databases are null, memory"
        ));
        let nearest = |scheme: &str| match find(scheme) {
            Err(DatabaseError::Unknown { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!((nearest("Null"), nearest("zzzzzz")), (Some("null"), None));
    }
}
