//! The committed JSON Schemas are those of the types, and the files that have one name it.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::{Path, PathBuf};

use dbdyno_files::schema::{FOLDER, SCHEMAS};
use dbdyno_files::{NeedFile, StudyFile};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_schemas_are_up_to_date() {
    for (name, schema) in SCHEMAS {
        let committed = std::fs::read_to_string(root().join(FOLDER).join(name)).unwrap_or_default();
        assert_eq!(committed, schema(), "run `cargo xtask schema` and commit {name}");
    }
}

#[test]
fn the_ready_files_name_their_schema() {
    let mut seen = 0;
    for (folder, of) in [
        ("studies", "study"),
        ("studies/examples", "study"),
        ("studies/needs", "need"),
    ] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let first = text.lines().next().unwrap_or_default();
            let schema = first
                .strip_prefix("#:schema ")
                .unwrap_or_else(|| panic!("{path:?}: {first}"));
            let fits = schema.ends_with(&format!("{of}.schema.json"));
            assert!(
                fits && path.parent().unwrap().join(schema).exists(),
                "{path:?} names {schema}"
            );
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

/// What the schemas say of a key is what the readers know of it.
#[test]
fn the_schemas_know_every_key() {
    let of_files = [
        (StudyFile::keys(), serde_json::json!(["name"])),
        (NeedFile::keys(), serde_json::Value::Null),
    ];
    for ((name, schema), (keys, required)) in SCHEMAS.into_iter().zip(of_files) {
        assert!(!schema().contains("\"null\""), "{name}");
        let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
        let known = schema["properties"].as_object().unwrap();
        assert_eq!(known.len(), keys.len(), "{name}");
        for key in keys {
            let described = known[*key]["description"].as_str().unwrap_or_default();
            assert!(!described.is_empty(), "{name}: `{key}` has no description");
        }
        assert_eq!(schema["required"], required, "{name}");
        assert_eq!(schema["additionalProperties"], serde_json::json!(false), "{name}");
    }
}
