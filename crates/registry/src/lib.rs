//! The list of databases, one line each, and the only place where a name becomes a type.
//!
//! The engine is generic over its driver. [`dispatch`] picks the concrete driver once per trial and everything below is
//! compiled for it, so `null` shows the tool's true floor (see `docs/decisions/0001-static-dispatch.md`).

use dbdyno_driver::{Driver, DriverInfo, options};
use dbdyno_lab::Recipe;

/// A piece of generic code to run with the driver that a name stands for: a closure could not be generic.
pub trait Visitor {
    /// What the code gives back.
    type Output;
    /// Runs it for this driver.
    fn visit<D: Driver>(self) -> Self::Output;
}

/// A name or URL scheme no driver answers to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no database `{scheme}`; {}there are {}", hint(.nearest), known.join(", "))]
pub struct UnknownDatabase {
    /// What was asked for.
    pub scheme: String,
    /// The known scheme most like it, if one is like it enough to be what was meant.
    pub nearest: Option<&'static str>,
    /// Every database's name.
    pub known: Vec<&'static str>,
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "))
}

macro_rules! databases {
    ($($driver:ty,)*) => {
        /// What is known of every database, in the order of every list.
        #[must_use]
        pub fn databases() -> Vec<&'static DriverInfo> {
            vec![$(const { &<$driver as Driver>::INFO },)*]
        }

        /// Runs the visitor with the driver that answers to this URL scheme.
        ///
        /// # Errors
        /// [`UnknownDatabase`] when none does.
        pub fn dispatch<V: Visitor>(scheme: &str, visitor: V) -> Result<V::Output, UnknownDatabase> {
            $(
                if <$driver as Driver>::INFO.schemes.contains(&scheme) {
                    return Ok(visitor.visit::<$driver>());
                }
            )*
            Err(unknown(scheme))
        }
    };
}

// One line for each database; `cargo xtask new-database` adds the next one.
databases! {
    dbdyno_database_null::NullDriver,
    dbdyno_database_memory::MemoryDriver,
    dbdyno_database_fjall::FjallDriver,
    dbdyno_database_redb::RedbDriver,
    dbdyno_database_sqlite::SqliteDriver,
    dbdyno_database_cassandra::CassandraDriver,
    dbdyno_database_hbase::HbaseDriver,
    dbdyno_database_mongodb::MongodbDriver,
    dbdyno_database_postgres::PostgresDriver,
    dbdyno_database_redis::RedisDriver,
    dbdyno_database_ycsb::YcsbDriver,
    dbdyno_database_sick::SickDriver,
}

/// What the lab can start, one line each.
const RECIPES: &[&dyn Recipe] = &[
    &dbdyno_server_cassandra::CassandraRecipe,
    &dbdyno_server_hbase::HbaseRecipe,
    &dbdyno_server_mongodb::MongodbRecipe,
    &dbdyno_server_postgres::PostgresRecipe,
    &dbdyno_server_redis::RedisRecipe,
];

/// Every recipe of the lab, in the order of every list.
#[must_use]
pub fn recipes() -> &'static [&'static dyn Recipe] {
    RECIPES
}

/// The recipe of that name.
///
/// # Errors
/// [`UnknownDatabase`] when the lab has none.
pub fn find_recipe(name: &str) -> Result<&'static dyn Recipe, UnknownDatabase> {
    let names = || RECIPES.iter().map(|recipe| recipe.info().name);
    RECIPES
        .iter()
        .copied()
        .find(|recipe| recipe.info().name == name)
        .ok_or_else(|| UnknownDatabase {
            scheme: format!("lab:{name}"),
            nearest: options::nearest(name, names()),
            known: names().collect(),
        })
}

/// What is known of the database that answers to this URL scheme.
///
/// # Errors
/// [`UnknownDatabase`] when none does.
pub fn find(scheme: &str) -> Result<&'static DriverInfo, UnknownDatabase> {
    databases()
        .into_iter()
        .find(|info| info.schemes.contains(&scheme))
        .ok_or_else(|| unknown(scheme))
}

fn unknown(scheme: &str) -> UnknownDatabase {
    let all = databases();
    UnknownDatabase {
        scheme: scheme.to_owned(),
        nearest: options::nearest(
            &scheme.to_ascii_lowercase(),
            all.iter().flat_map(|info| info.schemes.iter().copied()),
        ),
        known: all.iter().map(|info| info.name).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    struct Name;

    impl Visitor for Name {
        type Output = &'static str;
        fn visit<D: Driver>(self) -> &'static str {
            D::INFO.name
        }
    }

    #[test]
    fn every_scheme_leads_to_its_own_driver() {
        for info in databases() {
            for scheme in info.schemes {
                assert_eq!(dispatch(scheme, Name), Ok(info.name));
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
        let error = find_recipe("rediss").err().unwrap();
        assert!(error.to_string().contains("did you mean `redis`"), "{error}");
    }

    #[test]
    fn an_unknown_name_is_answered_with_what_there_is() {
        let error = dispatch("memmory", Name).unwrap_err();
        assert_eq!(error.nearest, Some("memory"));
        let shown = error.to_string();
        assert!(
            shown
                .starts_with("there is no database `memmory`; did you mean `memory`? there are null, memory")
        );
        assert_eq!(find("Null").unwrap_err().nearest, Some("null"));
        assert_eq!(find("zzzzzz").unwrap_err().nearest, None);
    }
}
