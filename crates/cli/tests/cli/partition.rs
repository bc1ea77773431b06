//! MongoDB's topologies from the command line: client-side partitioning is named so in every output, and impossible ones are refused
//! before anything starts.

use crate::common::Place;
use crate::words::shown;

/// The command in a lab of its own.
fn run(place: &Place, line: &str) -> crate::common::Ended {
    let mut command = place.command(line);
    command.env("DBDYNO_LAB_HOME", place.path("lab"));
    crate::common::ended(command.output().unwrap())
}

const NAME: &str = "client-side partitioning";
/// What only a cluster with routers is.
const OTHER_NAME: &str = "sharded cluster";

#[test]
fn every_output_says_client_side_partitioning() {
    let place = Place::new();
    let line = "run 'lab:mongodb?partition=client&shards=4' -w a --records 400 --operations 2000 --warmup 0s --output r";
    // With what others may have fetched already.
    let ended = place.run(line);
    assert_eq!(ended.code, 0, "{ended:?}");
    let system = &place.record("r")["system"];
    assert_eq!(
        system["topology"],
        "client-side partitioning over 4 shards, 1 member each"
    );
    assert_eq!((&system["nodes"], &system["replicas"]), (&4.into(), &1.into()));
    assert_eq!(system["scan_order"], "key");
    let errors = &place.record("r")["measure"]["operations"]["read"]["errors"];
    assert!(
        errors.as_object().is_none_or(serde_json::Map::is_empty),
        "every record was found: {errors}"
    );
    assert!(!system.to_string().contains(OTHER_NAME), "{system}");
    for format in ["table", "markdown", "html", "json", "latex"] {
        place.succeed(&format!("report r --format {format} --output page"));
        let page = std::fs::read_to_string(place.path("page")).unwrap();
        assert!(page.contains(NAME), "{format}: {page}");
        assert!(!page.contains(OTHER_NAME), "{format}: {page}");
    }
    let page = std::fs::read_to_string(place.path("r/report.html")).unwrap_or_default();
    assert!(!page.contains(OTHER_NAME), "the page of the run");
}

#[test]
fn lists_of_the_lab_say_client_side_partitioning() {
    let place = Place::new();
    let up = place.run("lab up mongodb?partition=client&shards=2");
    assert_eq!(up.code, 0, "{up:?}");
    let list = place.run("lab list");
    let name = up.stdout.split("  ").next().unwrap();
    place.succeed(&format!("lab down {name}"));
    assert!(
        list.stdout
            .contains("client-side partitioning over 2 shards of 1 member, shard key hashed"),
        "{list:?}"
    );
    assert!(!list.stdout.contains(OTHER_NAME), "{list:?}");
}

#[test]
fn the_options_of_mongodb_are_listed() {
    let place = Place::new();
    let ended = place.run("lab list mongodb");
    let text = shown("lab list mongodb", &ended);
    // Where the software is depends on the machine.
    let lines = text.lines().filter(|line| !line.starts_with("software"));
    insta::assert_snapshot!("lab_list_mongodb", lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn impossible_topologies_are_refused_before_anything_starts() {
    let place = Place::new();
    let mut all = String::new();
    for options in [
        "routers=2",
        "partition=client",
        "partition=client&shards=2&routers=1",
        "shards=4&nodes=3",
        "shards=8&replicas=7",
        "hidden=1",
        "nodes=3&hidden=2&delayed=1",
        "partition=client&shards=2&shard_key=name",
    ] {
        let line = format!("run 'lab:mongodb?{options}' -w a");
        let ended = run(&place, &line);
        assert_eq!(ended.code, 2, "{line}: {ended:?}");
        all.push_str(&shown(&line, &ended));
        all.push('\n');
    }
    insta::assert_snapshot!("impossible_topologies_of_mongodb", all);
    assert!(!place.path("results").exists(), "nothing began");
}

#[test]
fn without_mongos_a_sharded_cluster_names_the_ways_to_have_shards() {
    let place = Place::new();
    std::fs::create_dir(place.path("home")).unwrap();
    let program = place.write("home/mongod", "#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let line = format!(
        "run 'lab:mongodb?home={}&shards=2' -w a",
        place.path("home").display()
    );
    let mut command = place.command(&line);
    command
        .env("DBDYNO_LAB_HOME", place.path("lab"))
        .env("PATH", "/nowhere");
    let ended = crate::common::ended(command.output().unwrap());
    assert_eq!(ended.code, 4, "{ended:?}");
    let words = ended.stderr.replace("\n  \u{2502} ", " ");
    for part in ["needs mongos", "home=DIR", "partition=client&shards=2"] {
        assert!(words.contains(part), "{part}: {}", ended.stderr);
    }
}
