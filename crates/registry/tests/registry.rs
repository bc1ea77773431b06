//! Every database is found by its names, and by no other. With these tests `cargo xtask test` also tries a database that it
//! has just made from the template, and the build without the optional ones.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;

use dbdyno_registry::{DatabaseError, databases, find, find_recipe, recipes, runner};

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
    assert!(
        shown
            .starts_with("unknown database `memmory`; did you mean `memory`? the databases are null, memory")
    );
    let nearest = |scheme: &str| match find(scheme) {
        Err(DatabaseError::Unknown { nearest, .. }) => nearest,
        other => panic!("{other:?}"),
    };
    assert_eq!((nearest("Null"), nearest("zzzzzz")), (Some("null"), None));
}
