//! The packages whose tests start no server.
//!
//! Recipes start servers, and they are written against the lab. So a package whose tests start one depends on the lab,
//! itself or through others. The test kit is no such other: it starts what its callers bring a recipe for.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::process::{Result, command, output};

const LAB: &str = "dbdyno-lab";
const TESTKIT: &str = "dbdyno-testkit";

/// What `cargo metadata` says of the workspace, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` for those of tests, `build` for those of build scripts.
    kind: Option<String>,
}

/// Names of all packages of the workspace whose tests start no server.
pub fn packages_without() -> Result<Vec<String>> {
    let words = ["metadata", "--no-deps", "--format-version=1", "--locked"];
    let printed = output(&mut command("cargo", &words))?;
    let metadata: Metadata = serde_json::from_str(&printed)
        .map_err(|error| format!("cannot read what `cargo metadata` says: {error}"))?;
    let packages = &metadata.packages;
    let names = packages.iter().map(|package| &package.name);
    Ok(names
        .filter(|name| !may_start_servers(name, packages))
        .cloned()
        .collect())
}

/// Whether the tests of a package can reach the lab.
fn may_start_servers(package: &str, packages: &[Package]) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![package];
    while let Some(name) = waiting.pop() {
        if name == LAB {
            return true;
        }
        if name == TESTKIT || !seen.insert(name) {
            continue;
        }
        // What the tests of other packages need is not built for these.
        let counts = |dependency: &&Dependency| name == package || dependency.kind.as_deref() != Some("dev");
        let dependencies = packages
            .iter()
            .filter(|package| package.name == name)
            .flat_map(|package| &package.dependencies)
            .filter(counts);
        waiting.extend(dependencies.map(|dependency| dependency.name.as_str()));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lab_is_found_through_others_and_not_through_their_tests() {
        let package = |name: &str, dependencies: &[(&str, Option<&str>)]| Package {
            name: name.to_owned(),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    kind: kind.map(str::to_owned),
                })
                .collect(),
        };
        let packages = [
            package(LAB, &[("serde", None)]),
            package(TESTKIT, &[(LAB, None)]),
            package("recipe", &[(LAB, None)]),
            package("live", &[(TESTKIT, Some("dev")), ("recipe", Some("dev"))]),
            package("embedded", &[(TESTKIT, Some("dev")), ("embedded", Some("dev"))]),
            package("above", &[("live", None), ("serde", None)]),
        ];
        let found: Vec<&str> = packages
            .iter()
            .map(|package| package.name.as_str())
            .filter(|name| may_start_servers(name, &packages))
            .collect();
        assert_eq!(found, [LAB, "recipe", "live"]);
    }

    #[test]
    fn the_workspace_has_packages_of_both_kinds() {
        let found = packages_without().unwrap();
        let is_found = |name: &str| found.iter().any(|found| found == name);
        for name in [
            "dbdyno-database-fjall",
            "dbdyno-engine",
            "dbdyno-report",
            "dbdyno-stats",
            "dbdyno-testkit",
            "xtask",
        ] {
            assert!(is_found(name), "{name} is not in {found:?}");
        }
        for name in [
            "dbdyno",
            "dbdyno-audit-redis",
            "dbdyno-database-postgres",
            "dbdyno-lab",
            "dbdyno-server-redis",
            "dbdyno-study",
        ] {
            assert!(!is_found(name), "{name} is in {found:?}");
        }
    }
}
