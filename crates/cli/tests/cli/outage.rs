//! A server that is killed in the middle of a trial and comes back: errors are counted by class, the trial is marked in
//! every output, the exit code is not zero, the run ends, and its clients work again. Once for each server.
//!
//! Other tools were tried with the same: YCSB counts the errors of a dead Cassandra as operations, and exits with 0.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::common;
use crate::common::{Place, wait_for};
use dbdyno_lab::Signal;
use dbdyno_machine::ProcessId;
use dbdyno_testkit::live;

/// How long the server is away, at least. Every interval of the log that began before is on disk by then.
const AWAY: Duration = Duration::from_secs(3);

/// Intervals of successful reads in the log.
fn successes(log: &Path) -> usize {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines()
        .filter(|line| line.starts_with("Tag=measure.read,"))
        .count()
}

/// Kills the last server of a lab's system and starts it again while a trial of so many seconds runs, whose waits have that
/// limit.
fn outage(name: &str, request: &str, seconds: u32, limit: &str) {
    let options = format!("timeout={limit}&connect_timeout={limit}");
    outage_with(name, request, seconds, &options);
}

/// An [`outage`] of a system whose address has these options.
fn outage_with(name: &str, request: &str, seconds: u32, options: &str) {
    let place = Place::new();
    let mut lab = live::start(dbdyno_registry::find_recipe(name).ok().unwrap(), request);
    let server = lab.servers().last().unwrap().name.clone();
    let work = |address: &str| format!("'{address}' --workload a --records 200 --clients 4");
    // With its usual deadlines: those of the outage may be too short for a busy machine.
    place.succeed(&format!("load {} --output loaded", work(lab.address())));
    let address = live::with_options(lab.address(), options).to_string();
    let run = place.start(&format!(
        "run {} --duration {seconds}s --warmup 0s --client-threads 1 --output r",
        work(&address)
    ));
    let log = place.path("r/trials/001/latency.hlog");
    wait_for("successful reads", || successes(&log) > 0);
    lab.signal(&server, Signal::Kill).unwrap();
    std::thread::sleep(AWAY);
    let before = successes(&log);
    lab.restart(&server).unwrap();

    let ended = common::ended(run.wait_with_output().unwrap());
    assert_eq!(ended.code, 5, "{ended:?}");
    let record = place.record("r");
    if name != "hbase" {
        assert_eq!(record["settings"]["threads"], 1);
    }
    let operations = &record["measure"]["operations"];
    let mut failed = 0;
    for kind in ["read", "update"] {
        assert!(operations[kind]["ok"].as_u64().unwrap() > 0, "{operations}");
        for (class, count) in operations[kind]["errors"].as_object().unwrap() {
            assert!(
                ["unavailable", "timeout"].contains(&class.as_str()),
                "{class}: {operations}"
            );
            failed += count.as_u64().unwrap();
        }
    }
    assert!(failed > 0, "the server was not missed: {operations}");
    assert!(
        successes(&log) > before,
        "nothing was read after the server came back: {operations}"
    );
    assert!(ended.stderr.contains("operations failed"), "{}", ended.stderr);
    for format in ["table", "markdown", "csv", "json", "html"] {
        place.succeed(&format!("report r --format {format} --output page"));
        let page = std::fs::read_to_string(place.path("page")).unwrap();
        let mark = if format == "csv" {
            ",finding.errors,3,"
        } else {
            "operations failed"
        };
        assert!(page.contains(mark), "{format}: {page}");
    }
}

#[test]
fn cassandra() {
    outage("cassandra", "cassandra?heap=256M", 30, "3s");
}

#[test]
fn hbase() {
    outage("hbase", "hbase", 30, "5s");
}

#[test]
fn mongodb() {
    outage("mongodb", "mongodb", 8, "1s");
}

#[test]
fn postgres() {
    outage("postgres", "postgres", 8, "1s");
}

#[test]
fn redis() {
    outage("redis", "redis", 8, "1s");
}

/// The master goes on without its replica; the writes that were to wait for it fail.
#[test]
fn redis_without_its_replica() {
    let options = "timeout=1s&connect_timeout=1s&consistency=quorum";
    outage_with("redis", "redis?replicas=1", 8, options);
}

/// Sends the server of a study in its first trial this signal: that trial fails for this reason, the ones after it have a new server, and
/// a second run of the command repeats what failed, and says so in these words.
fn lost_server(systems: &str, signal: Signal, reason: &str, repeated: &str) -> Place {
    let place = Place::new();
    place.write(
        "s.toml",
        &format!(
            "name = \"s\"\n{systems}\ntrials = 1\nrecords = 200\nclients = 2\nduration = \"4s\"\nwarmup = \"0s\"\n\
             repeat_disturbed = 0\n"
        ),
    );
    let run = place.start("study run s.toml");
    let folder = place.path("results/s/trials");
    let logged = || {
        let logs = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        logs.map(|entry| successes(&entry.path().join("latency.hlog")))
            .sum::<usize>()
    };
    wait_for("successful reads", || logged() > 0);
    let is_redis = |process: &ProcessId| {
        let name = std::fs::read_to_string(format!("/proc/{}/comm", process.id));
        name.is_ok_and(|name| name.trim() == "redis-server")
    };
    let mut servers = ProcessId::of(run.id()).unwrap().descendants();
    servers.retain(is_redis);
    assert_eq!(servers.len(), 1, "{servers:?}");
    drop(signal.send(servers[0]));
    let ended = common::ended(run.wait_with_output().unwrap());
    assert_eq!(ended.code, 5, "{ended:?}");
    let failed = ended.stderr.matches(reason).count();
    assert_eq!(failed, 1, "{}", ended.stderr);
    let again = place.succeed("study run s.toml");
    assert!(again.stderr.contains(repeated), "{}", again.stderr);
    assert!(servers.iter().all(|server| !server.is_alive()), "it is ended");
    place
}

/// What the second run says of a study of one system, of whose three trials one failed.
const ONE_OF_THREE: &str = "2 trials were already done, 1 was run now";

#[test]
fn a_server_of_the_lab_that_dies_is_started_anew_and_its_trial_repeated() {
    let systems = "systems = \"lab:redis\"\nworkloads = [\"a\", \"b\", \"c\"]";
    lost_server(systems, Signal::Kill, "ended by itself", ONE_OF_THREE);
}

#[test]
fn a_server_of_the_lab_that_hangs_is_started_anew_and_its_trial_repeated() {
    let systems =
        "systems = \"lab:redis?timeout=500ms&connect_timeout=500ms\"\nworkloads = [\"a\", \"b\", \"c\"]";
    lost_server(systems, Signal::Pause, "stopped answering", ONE_OF_THREE);
}

/// The other system's trial counts, until both are measured again: what is compared takes turns.
#[test]
fn a_server_of_the_lab_that_hangs_while_systems_take_turns_is_started_anew() {
    let systems = "systems = [\"lab:redis?appendfsync=off&timeout=500ms&connect_timeout=500ms\", \"memory\"]\n\
                   workloads = [\"a\", \"c\"]";
    let repeated = "3 trials were already done, 2 were run now";
    let place = lost_server(systems, Signal::Pause, "stopped answering", repeated);
    let mut ended = BTreeMap::<String, u32>::new();
    for trial in place.path("results/s/trials").read_dir().unwrap() {
        let record = common::read_json(&trial.unwrap().path().join("record.json"));
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let (driver, state) = (
            text(&record["system"]["driver"]),
            text(&record["status"]["state"]),
        );
        if state == "failed" {
            let slices = record["conditions"]["interleaving"]["slices"].as_array().unwrap();
            let succeeded: Vec<_> = slices.iter().map(|slice| slice["ok"].as_u64().unwrap()).collect();
            let (first, last) = (succeeded.first(), succeeded.last());
            assert!(first > Some(&0) && last == Some(&0), "{succeeded:?}");
        }
        *ended.entry(format!("{driver} {state}")).or_default() += 1;
    }
    let expected = [
        ("memory completed", 2),
        ("memory disturbed", 1),
        ("redis completed", 2),
        ("redis failed", 1),
    ];
    let expected = expected.map(|(how, count)| (how.to_owned(), count));
    assert_eq!(ended, BTreeMap::from(expected));
}
