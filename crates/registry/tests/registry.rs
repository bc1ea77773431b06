//! Every database is found by its names, and by no other. With these tests `cargo xtask test` also tries a database that it
//! has just made from the template, and the build without the optional ones.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;

use dbdyno_audit::{KnownVulnerabilities, Vulnerability};
use dbdyno_registry::{DatabaseError, databases, find, find_auditor, find_recipe, recipes, runner};

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

/// A version below a fix is accused of what was fixed, and no version that has the fix.
#[test]
fn every_list_of_known_vulnerabilities_is_judged_by_its_fixes() {
    let mut read = BTreeSet::new();
    for info in databases() {
        let Ok(auditor) = find_auditor(info.schemes[0]) else {
            continue;
        };
        read.insert(info.name);
        let list = dbdyno_audit::vulnerabilities(auditor);
        assert!(!list.vulnerabilities.is_empty(), "{}", info.name);
        for one in &list.vulnerabilities {
            assert!(one.source.starts_with("https://"), "{one:?}");
            assert!(!one.fixed.is_empty() && one.fixed.is_sorted(), "{one:?}");
            assert!(!one.products.is_empty(), "{one:?}");
            for product in &one.products {
                assert_judged(&list, one, product);
            }
        }
    }
    assert_eq!(read.contains("redis"), cfg!(feature = "redis"), "{read:?}");
}

fn assert_judged(list: &KnownVulnerabilities, one: &Vulnerability, product: &str) {
    let is_accused = |version: &str| list.judged(product, version).summary.contains(&one.id);
    for fixed in one.fixed.iter().map(ToString::to_string) {
        let (line, last) = fixed.rsplit_once('.').unwrap();
        let last: u64 = last.parse().unwrap();
        let below = format!("{line}.{}", last - 1);
        assert!(is_accused(&below), "{}: {below}", one.id);
        let (revised, above) = (format!("{fixed}-1~deb12u6"), format!("{line}.{}", last + 1));
        for version in [&fixed, &revised, &above] {
            assert!(!is_accused(version), "{}: {version}", one.id);
        }
    }
    for line in &one.unfixed {
        assert!(is_accused(&format!("{line}.99")), "{}: {line}", one.id);
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
