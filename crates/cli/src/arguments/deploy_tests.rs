//! The command lines in `deploy/` are ones that this binary understands.

use std::path::Path;

use clap::Parser;
use saphyr::{LoadableYamlNode, Yaml};

use super::Arguments;

/// The lists of words below `args` and `command`, of containers and services whose first word is a command of ours.
fn command_lines(node: &Yaml<'_>, found: &mut Vec<Vec<String>>) {
    for (key, value) in node.as_mapping().into_iter().flatten() {
        let words = value.as_sequence().into_iter().flatten();
        let words: Vec<String> = words
            .filter_map(|word| word.as_str().map(str::to_owned))
            .collect();
        let is_ours = words
            .first()
            .is_some_and(|word| ["agent", "run", "study"].contains(&word.as_str()));
        match key.as_str() {
            Some("args" | "command") if is_ours => found.push(words),
            _ => command_lines(value, found),
        }
    }
    for item in node.as_sequence().into_iter().flatten() {
        command_lines(item, found);
    }
}

#[test]
fn what_containers_run_is_understood() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    for (file, expected) in [
        ("kubernetes/agents.yaml", 1),
        ("kubernetes/study.yaml", 1),
        ("compose.yaml", 2),
    ] {
        let text = std::fs::read_to_string(deploy.join(file)).unwrap();
        let mut found = Vec::new();
        for document in Yaml::load_from_str(&text).unwrap() {
            command_lines(&document, &mut found);
        }
        assert_eq!(found.len(), expected, "{file}: {found:?}");
        for words in found {
            let parsed = Arguments::try_parse_from(std::iter::once("dbdyno".to_owned()).chain(words));
            assert!(parsed.is_ok(), "{file}: {}", parsed.unwrap_err());
        }
    }
}
