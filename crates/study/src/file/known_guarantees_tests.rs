//! What is foreseen of systems that are not ranked against each other, and what makes them equal.

use super::*;

fn found(systems: &str) -> Option<Differing> {
    of_workload("a", systems)
}

fn of_workload(workload: &str, systems: &str) -> Option<Differing> {
    let text = format!("name = \"x\"\nworkloads = [\"{workload}\"]\n{systems}\n");
    let study = crate::file::check::parse(&text, std::path::Path::new(".")).unwrap();
    differing(&study)
}

/// The changes that make these systems equal, with the levels of all.
fn equal_by(systems: &str) -> (Durability, Consistency, Vec<(String, String)>) {
    let equal = found(&format!("systems = {systems}")).unwrap().equal.unwrap();
    let changes = equal.changes.into_iter().map(|change| (change.from, change.to));
    (equal.durability, equal.consistency, changes.collect())
}

#[test]
fn servers_and_stores_that_promise_less_are_named_with_what_makes_them_equal() {
    use Consistency::Quorum;
    use Durability::{Buffered, Synced};
    for (systems, level, from, to) in [
        (
            "[\"lab:redis\", \"lab:postgres\"]",
            Synced,
            "lab:redis",
            "lab:redis?appendfsync=always",
        ),
        (
            "[\"redb\", \"lab:redis?nodes=3\"]",
            Buffered,
            "lab:redis?nodes=3",
            "lab:redis?appendfsync=no&nodes=3",
        ),
        (
            "[\"redb?durability=synced\", \"sqlite\"]",
            Synced,
            "sqlite",
            "sqlite?durability=synced",
        ),
        (
            "[\"lab:mongodb\", \"lab:cassandra\"]",
            Synced,
            "lab:cassandra",
            "lab:cassandra?commitlog_sync=batch",
        ),
        (
            "[\"lab:mongodb\", \"lab:cassandra?commitlog_sync=batch&consistency=one\"]",
            Synced,
            "lab:cassandra?consistency=one&commitlog_sync=batch",
            "lab:cassandra?consistency=quorum&commitlog_sync=batch",
        ),
        (
            "[\"mongodb://h\", \"sqlite\"]",
            Synced,
            "sqlite",
            "sqlite?durability=synced",
        ),
        (
            "[\"lab:hbase\", \"lab:redis\"]",
            Buffered,
            "lab:redis",
            "lab:redis?appendfsync=no",
        ),
    ] {
        let changes = vec![(from.to_owned(), to.to_owned())];
        assert_eq!(equal_by(systems), (level, Quorum, changes), "{systems}");
    }
}

#[test]
fn a_majority_of_mongodb_journals_so_one_change_makes_both_equal() {
    let (durability, consistency, changes) =
        equal_by("[\"lab:mongodb?consistency=one\", \"sqlite?durability=synced\"]");
    assert_eq!(
        (durability, consistency),
        (Durability::Synced, Consistency::Quorum)
    );
    let expected = ("lab:mongodb?consistency=one", "lab:mongodb?consistency=quorum");
    assert_eq!(changes, [(expected.0.to_owned(), expected.1.to_owned())]);
}

#[test]
fn one_copy_counts_as_a_quorum_and_one_of_several_does_not() {
    let found = found(
        "systems = [\"lab:cassandra?consistency=one&commitlog_sync=batch\", \"sqlite?durability=synced\"]",
    );
    let found = found.unwrap();
    assert!(found.durability.is_empty(), "{found:?}");
    let systems: Vec<usize> = found.consistency.values().map(Vec::len).collect();
    assert_eq!(
        found.consistency.keys().copied().collect::<Vec<_>>(),
        [Consistency::One, Consistency::Quorum]
    );
    assert_eq!(systems, [1, 1]);
}

#[test]
fn replicas_that_nobody_waits_for_are_waited_for_where_servers_or_clients_can() {
    for (system, changed) in [
        ("lab:postgres?nodes=3", "lab:postgres?nodes=3&synchronous=1"),
        ("lab:postgres?nodes=4", "lab:postgres?nodes=4&synchronous=2"),
        // One that syncs nothing is set to sync, too; of two copies, both would acknowledge.
        (
            "lab:postgres?fsync=off&nodes=2",
            "lab:postgres?consistency=quorum&fsync=on&nodes=2&synchronous=1",
        ),
        (
            "lab:redis?appendfsync=always&replicas=2",
            "lab:redis?consistency=quorum&appendfsync=always&replicas=2",
        ),
    ] {
        let systems = format!("[\"{system}\", \"lab:mongodb?nodes=3\"]");
        let found = found(&format!("systems = {systems}")).unwrap();
        let levels: Vec<Consistency> = found.consistency.keys().copied().collect();
        assert_eq!(levels, [Consistency::One, Consistency::Quorum], "{system}");
        let expected = vec![(system.to_owned(), changed.to_owned())];
        let equal = equal_by(&systems);
        assert_eq!(
            equal,
            (Durability::Synced, Consistency::Quorum, expected),
            "{system}"
        );
    }
}

#[test]
fn scans_in_another_order_are_different_work_for_workloads_that_scan() {
    let systems =
        "systems = [\"lab:cassandra?commitlog_sync=batch\", \"lab:mongodb\", \"sqlite?durability=synced\"]";
    assert_eq!(of_workload("c", systems), None);
    let scans = of_workload("e", systems).unwrap().scans.unwrap();
    assert_eq!(scans.workloads, ["e"]);
    let systems: Vec<(&str, usize)> = scans
        .orders
        .iter()
        .map(|(order, own)| (*order, own.len()))
        .collect();
    assert_eq!(systems, [("key", 2), ("other", 1)]);
    let [change] = scans.changes.as_slice() else {
        panic!("{:?}", scans.changes);
    };
    assert_eq!(change.from, "lab:cassandra?commitlog_sync=batch");
    assert_eq!(
        change.to,
        "lab:cassandra?commitlog_sync=batch&partitioner=byte-ordered"
    );
    // It makes them equal, and there is no such option of Redis.
    let changed = format!("systems = [\"{}\", \"lab:mongodb\"]", change.to);
    assert_eq!(of_workload("e", &changed), None);
    let with_redis = "systems = [\"lab:cassandra\", \"lab:redis?appendfsync=no\", \"lab:mongodb\"]";
    assert_eq!(of_workload("e", with_redis).unwrap().scans.unwrap().changes, []);
}

#[test]
fn what_makes_them_equal_does() {
    for equal in [
        "[\"lab:redis?appendfsync=always\", \"lab:postgres\"]",
        "[\"redb\", \"lab:redis?appendfsync=no&nodes=3\"]",
        "[\"redb\", \"sqlite\"]",
        "[\"lab:postgres?nodes=3&synchronous=1\", \"lab:mongodb?nodes=3\"]",
        "[\"lab:redis?replicas=2&appendfsync=always&consistency=quorum\", \"lab:mongodb?nodes=3\"]",
        "[\"redis://h\", \"redb\"]",
        "[\"lab:hbase\", \"redb\"]",
        "[\"lab:mongodb\", \"lab:cassandra?commitlog_sync=batch\"]",
    ] {
        assert_eq!(found(&format!("systems = {equal}")), None, "{equal}");
    }
    let asked = "systems = [\"redb\", \"lab:redis\"]\ndurability = \"buffered\"";
    assert_eq!(found(asked), None, "the study asks for one level");
}
