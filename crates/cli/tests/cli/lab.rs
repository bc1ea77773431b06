//! The lab from the command line, with a real server.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::common;
use crate::common::{Ended, Place, wait_for};
use dbdyno_machine::ProcessId;

/// A lab of its own: nobody else's servers are seen or stopped. What is fetched is the user's, to be fetched once.
fn in_lab(place: &Place, line: &str) -> std::process::Command {
    let mut command = place.command(line);
    command.env("DBDYNO_LAB_HOME", place.path("lab"));
    command
}

fn run(place: &Place, line: &str) -> Ended {
    common::ended(in_lab(place, line).output().unwrap())
}

fn succeed(place: &Place, line: &str) -> Ended {
    let ended = run(place, line);
    assert_eq!(ended.code, 0, "{line}: {ended:?}");
    ended
}

/// The command, begun to be killed.
fn start(place: &Place, line: &str) -> Child {
    in_lab(place, line)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn instances(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.path("lab/instances")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The level of encryption at rest that mounts something, where this user may mount.
fn volume() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "volume"
    } else {
        "off"
    }
}

/// What is mounted in the lab.
fn mounts(place: &Place) -> usize {
    dbdyno_machine::mounts_below(&place.path("lab")).len()
}

/// The records of a result folder, in the order of their names.
fn records(place: &Place, folder: &str) -> Vec<serde_json::Value> {
    let mut trials: Vec<PathBuf> = std::fs::read_dir(place.path(&format!("{folder}/trials")))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    trials.sort();
    trials
        .iter()
        .map(|trial| common::read_json(&trial.join("record.json")))
        .collect()
}

#[test]
fn a_database_is_started_used_and_stopped() {
    let place = Place::new();
    let up = succeed(&place, "lab up redis?appendfsync=off");
    assert!(up.stdout.contains("redis://127.0.0.1:"), "{}", up.stdout);
    let list = succeed(&place, "lab list").stdout;
    assert!(list.contains("running since"), "{list}");
    assert!(list.contains("redis      Redis             7"), "{list}");
    let options = succeed(&place, "lab list redis").stdout;
    assert!(options.contains("appendfsync"), "{options}");
    assert!(
        options.contains("replicas of the one master, up to 4"),
        "{options}"
    );
    let env = succeed(&place, "lab env redis").stdout;
    let address = env.lines().next().unwrap().split('\'').nth(1).unwrap().to_owned();
    succeed(
        &place,
        &format!("run {address} --records 100 --operations 500 --warmup 0s --output r"),
    );
    assert_eq!(place.record("r")["system"]["product"], "Redis");
    let logs = succeed(&place, "lab logs redis --lines 5").stdout;
    assert!(logs.contains("Ready to accept connections"), "{logs}");
    succeed(&place, "lab down redis");
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
    assert_eq!(
        run(&place, &format!("run {address} --records 100 --output gone")).code,
        4
    );
    assert_eq!(run(&place, "lab down redis").code, 2, "there is none");
}

#[test]
fn a_record_says_how_many_copies_there_are_and_acknowledge() {
    let place = Place::new();
    let address = "lab:redis?replicas=2&appendfsync=always&consistency=quorum";
    let line = format!("run '{address}' --workload a --records 100 --operations 500 --warmup 0s --output r");
    let shown = succeed(&place, &line);
    let system = &place.record("r")["system"];
    for (key, expected) in [
        ("topology", "1 master, 2 replicas".into()),
        ("nodes", 3.into()),
        ("replicas", 3.into()),
        ("durability", "synced".into()),
        ("consistency", "quorum".into()),
        (
            "consistency_means",
            "2 of 3 copies acknowledge a write (WAIT); reads are the master's".into(),
        ),
    ] {
        let expected: serde_json::Value = expected;
        assert_eq!(system[key], expected, "{key}: {system}");
    }
    let words: Vec<&str> = shown.stdout.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("durability synced; consistency quorum"), "{words}");
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
}

#[test]
fn a_run_starts_its_system_and_leaves_nothing() {
    let place = Place::new();
    let system = format!("lab:redis?appendfsync=always&at_rest={}", volume());
    let line = format!("run '{system}' --records 100 --operations 500 --warmup 0s --output r");
    let shown = succeed(&place, &line);
    assert!(shown.stdout.contains("Server CPU: "), "{}", shown.stdout);
    let record = place.record("r");
    assert_eq!(record["system"]["address"], system);
    if volume() != "off" {
        let at_rest = &record["system"]["at_rest"];
        assert_eq!(
            (&at_rest["level"], &at_rest["contents"]),
            (&"volume".into(), &"AES-256-XTS".into())
        );
        assert!(
            shown
                .stderr
                .contains("AES-256-XTS by ext4 with fscrypt (policy 2)"),
            "{}",
            shown.stderr
        );
    }
    assert_eq!(record["system"]["driver"], "redis");
    assert_eq!(record["system"]["durability"], "synced");
    assert!(record["measure"]["server"]["disk_bytes"].as_u64().unwrap() > 0);
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
}

#[test]
fn a_run_states_the_limits_that_its_server_had() {
    let place = Place::new();
    let line = "run lab:redis?cpus=1&memory=1G --records 100 --operations 500 --warmup 0s --output r";
    let shown = succeed(&place, line);
    let record = place.record("r");
    let resources = &record["system"]["resources"];
    let server = &resources["servers"][0];
    // By a control group where this process can make one, else by the number of a CPU.
    let by_group = server["cpu_share"] == 1.0;
    let by_number = server["cpus"]
        .as_str()
        .is_some_and(|cpus| cpus.parse::<u32>().is_ok());
    assert!(by_group != by_number, "{resources}");
    assert_eq!(resources["own_limits"], serde_json::json!(["--maxmemory 992mb"]));
    let limits = shown.stdout.lines().find(|line| line.contains("Limits: "));
    assert!(
        limits.is_some_and(|line| line.contains("memory by --maxmemory 992mb")),
        "{}",
        shown.stdout
    );
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
}

#[test]
fn a_cluster_on_one_disk_does_not_show_scaling() {
    let place = Place::new();
    let line = "run lab:redis?nodes=3&appendfsync=off --records 100 --duration 1s --warmup 0s --output r";
    succeed(&place, line);
    let record = place.record("r");
    let findings = record["findings"].as_array().unwrap();
    let device = record["system"]["resources"]["servers"][0]["data_device"]
        .as_str()
        .unwrap();
    let shared = findings
        .iter()
        .find(|finding| finding["code"] == "nodes-share-disk")
        .unwrap();
    let message = shared["message"].as_str().unwrap();
    assert!(
        message.contains(&format!("all nodes (3 server processes) share the disk {device}")),
        "{message}"
    );
    let environment = std::fs::read_to_string(place.path("r/environment.json")).unwrap();
    let environment: serde_json::Value = serde_json::from_str(&environment).unwrap();
    let disk = &environment["node_disks"][0];
    assert_eq!((&disk["device"], &disk["writers"]), (&device.into(), &3.into()));
    for measured in ["one", "all", "one_after", "all_after"] {
        assert!(disk[measured]["sync_median_ns"].as_u64().unwrap() > 0, "{disk}");
    }
}

#[test]
fn a_run_on_a_server_warms_up_until_it_is_steady() {
    let place = Place::new();
    let line = "run lab:redis?appendfsync=off --records 100 --duration 300ms --output r";
    let shown = succeed(&place, line);
    let warmed_ns = place.record("r")["conditions"]["warmup_ns"].as_u64();
    // Twenty windows of 100 ms are judged at least; a warm-up of a length that was asked for has no such figure.
    assert!(
        warmed_ns.unwrap() >= 2_000_000_000,
        "{warmed_ns:?}: {}",
        shown.stdout
    );
    succeed(
        &place,
        &line.replace("--output r", "--output fixed --warmup 100ms"),
    );
    assert!(place.record("fixed")["conditions"]["warmup_ns"].is_null());
}

#[test]
fn a_study_starts_the_servers_of_a_system_for_each_block() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"lab\"\nsystems = [\"memory\", \"lab:redis?appendfsync=off\"]\nworkloads = [\"a\", \"c\"]\n\
         records = 100\noperations = 200\nwarmup = \"0s\"\ntrials = 2\n",
    );
    let plan = succeed(&place, "study plan study.toml").stdout;
    let start = plan
        .matches("    start lab:redis?appendfsync=off for 2 trials\n")
        .count();
    assert_eq!(start, 2, "{plan}");
    let shown = succeed(&place, "study run study.toml --output r");
    assert_eq!(
        shown.stderr.matches("starting redis").count(),
        2,
        "{}",
        shown.stderr
    );
    let starts: std::collections::BTreeSet<(u64, u64)> = records(&place, "r")
        .iter()
        .filter_map(|record| {
            Some((
                record["block"].as_u64()?,
                record["conditions"]["start"]["id"].as_u64()?,
            ))
        })
        .collect();
    assert_eq!(starts, [(0, 1), (1, 2)].into(), "one start for each block");
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
}

#[test]
fn a_server_is_waited_for_once_for_each_start() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"warm\"\nsystems = \"lab:redis?appendfsync=off\"\nworkloads = [\"a\", \"c\"]\nrecords = 100\n\
         duration = \"200ms\"\ntrials = 1\n",
    );
    succeed(&place, "study run study.toml --output r");
    for record in records(&place, "r") {
        // Fewer than twenty windows are not judged: of 250 ms on a new start, of 100 ms on one that is warm.
        let conditions = &record["conditions"];
        let of_start = conditions["start"]["warmup_ns"].as_u64().unwrap();
        let own = conditions["warmup_ns"].as_u64().unwrap();
        assert!(
            of_start >= 5_000_000_000 && (2_000_000_000..21_000_000_000).contains(&own),
            "{conditions}"
        );
    }
}

#[test]
fn a_cold_server_is_waited_for_once_before_a_sweep() {
    let place = Place::new();
    let line = "sweep lab:redis?appendfsync=off --clients 1,2 --trials 1 --records 100 --duration 200ms --warmup 0s \
                --output r";
    succeed(&place, line);
    let warmed: Vec<Option<u64>> = records(&place, "r")
        .iter()
        .map(|record| record["conditions"]["warmup_ns"].as_u64())
        .collect();
    // Fewer windows than twenty are not judged: of 250 ms before the first trial, of 100 ms in it.
    assert!(warmed[0].unwrap() >= 2_000_000_000, "{warmed:?}");
    let of_start = &records(&place, "r")[0]["conditions"]["start"]["warmup_ns"];
    assert!(of_start.as_u64().unwrap() >= 5_000_000_000, "{of_start}");
    assert!(
        warmed.len() >= 2 && warmed[1..].iter().all(Option::is_none),
        "{warmed:?}"
    );
}

/// How many segments of System V's shared memory there are of this process.
fn segments(maker: ProcessId) -> usize {
    let table = std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
    let mut lines = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let column = names.iter().position(|name| *name == "cpid").unwrap();
    lines.filter(|line| line[column] == maker.id.to_string()).count()
}

#[test]
fn what_a_killed_run_leaves_is_found_and_offered_for_removal() {
    let place = Place::new();
    let line = format!(
        "run 'lab:postgres?at_rest={}' --records 100 --duration 1h --warmup 0s --output r",
        volume()
    );
    let mut child = start(&place, &line);
    let log = place.path("r/trials/001/latency.hlog");
    wait_for("the measured phase", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("Tag=measure."))
    });
    let pid = |env: &str| {
        let line = env.lines().find(|line| line.contains("PIDS")).unwrap();
        line.split('\'').nth(1).unwrap().to_owned()
    };
    let server = ProcessId::named(&pid(&succeed(&place, "lab env postgres").stdout)).unwrap();
    let shared = segments(server);
    let kept = run(&place, "lab down --all");
    // Before anything is judged: a failing test leaves no load behind.
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(kept.code, 0, "{kept:?}");
    assert!(
        kept.stderr.contains("belongs to a running measurement"),
        "{kept:?}"
    );
    assert!(shared > 0, "the test needs a server with shared memory");
    wait_for("the end of the server", || !server.is_alive());
    let list = succeed(&place, "lab list").stdout;
    assert!(list.contains("left behind"), "{list}");
    if volume() != "off" {
        assert_eq!(mounts(&place), 1, "the test needs a volume that is left");
        assert!(list.contains("encryption at rest: volume: AES-256-XTS"), "{list}");
    }
    succeed(&place, "lab down --left-behind");
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
    assert_eq!(mounts(&place), 0);
    assert_eq!(segments(server), 0, "they would stay until the machine restarts");
}

/// A program of the user's own, in the place's folder: a script of the shell.
fn program(place: &Place, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = place.write(name, &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_server_that_does_not_start_shows_the_end_of_its_log_and_leaves_nothing() {
    let place = Place::new();
    let script = "echo the disk is made of cheese\nexit 1";
    program(&place, "redis-server", script);
    let home = place.path("").display().to_string();
    let ended = run(&place, &format!("lab up 'redis?home={home}'"));
    assert_eq!(ended.code, 4, "{ended:?}");
    let words = ended.stderr.replace("\n  \u{2502} ", " ");
    assert!(words.contains("node1 ended before"), "{words}");
    assert!(words.contains("the disk is made of cheese"), "{words}");
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
}

/// An empty file that a program can write to, whoever it runs as.
fn mark(place: &Place) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = place.write("began", "");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    path
}

/// The processes whose numbers a program writes into this file, once it has.
fn written(began: &Path) -> Vec<ProcessId> {
    let numbers = || std::fs::read_to_string(began).unwrap_or_default();
    wait_for("the start of a program", || numbers().ends_with('\n'));
    let numbers = numbers();
    let processes = numbers.split_whitespace().map(ProcessId::named);
    processes.map(Result::unwrap).collect()
}

/// Its server was started to outlive it, and nobody had time to write down which process that is.
#[test]
fn what_a_kill_in_the_middle_of_a_start_leaves_is_found_and_ended() {
    let place = Place::new();
    let began = mark(&place);
    let script = format!("echo $$ > '{}'\nexec sleep 600", began.display());
    program(&place, "redis-server", &script);
    let home = place.path("").display().to_string();
    let mut up = start(&place, &format!("lab up 'redis?home={home}'"));
    let server = written(&began)[0];
    up.kill().unwrap();
    up.wait().unwrap();
    assert!(server.is_alive(), "the test needs a server that is left");
    let list = succeed(&place, "lab list").stdout;
    assert!(list.contains("left behind"), "{list}");
    succeed(&place, "lab down --left-behind");
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
    assert!(!server.is_alive());
}

/// There is no server yet, and what prepares one has started a process of its own, as PostgreSQL's `initdb` does.
#[test]
fn what_a_kill_leaves_of_the_tools_of_a_start_is_found_and_ended() {
    let place = Place::new();
    let began = mark(&place);
    let script = format!("sleep 600 &\necho $$ $! > '{}'\nwait", began.display());
    program(&place, "initdb", &script);
    program(&place, "postgres", "exit 1");
    let home = place.path("").display().to_string();
    let mut up = start(&place, &format!("lab up 'postgres?home={home}'"));
    let started = written(&began);
    let (tool, child) = (started[0], started[1]);
    up.kill().unwrap();
    up.wait().unwrap();
    wait_for("the end of the tool", || !tool.is_alive());
    assert!(child.is_alive(), "the test needs a process that is left");
    let list = succeed(&place, "lab list").stdout;
    assert!(list.contains("left behind"), "{list}");
    succeed(&place, "lab down --left-behind");
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
    assert!(!child.is_alive());
}

/// A terminal sends Ctrl-C to the whole group, the server that is just starting among it: that it ended then is no failure of it.
#[cfg(unix)]
#[test]
fn ctrl_c_while_a_server_starts_is_no_failure_of_the_server() {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt;
    let place = Place::new();
    let began = mark(&place);
    let script = format!("echo > '{}'\nexec sleep 60", began.display());
    program(&place, "redis-server", &script);
    place.write(
        "study.toml",
        &format!(
            "name = \"s\"\nsystems = [\"lab:redis?home={}&at_rest={}\"]\nworkloads = [\"c\"]\nrecords = 100\noperations = 100\n",
            place.path("").display(),
            volume()
        ),
    );
    let child = in_lab(&place, "study run study.toml --output r")
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("the start of the server", || began.metadata().unwrap().len() > 0);
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = common::ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{ended:?}");
    let records = records(&place, "r");
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["status"]["state"], "interrupted", "{}", records[0]);
    assert_eq!(instances(&place), Vec::<PathBuf>::new());
    assert_eq!(mounts(&place), 0);
}

#[test]
fn mistakes_are_named() {
    let place = Place::new();
    for (line, code, expected) in [
        ("lab up reddis", 2, "did you mean `redis`"),
        ("lab up redis?node=3", 2, "did you mean `nodes`"),
        ("lab up redis?nodes=2", 2, "at least three masters"),
        (
            "lab up redis?nodes=3&replicas=1",
            2,
            "leave out nodes, or replicas",
        ),
        ("run lab:redis?replicas=9", 2, "from 0 to 4"),
        ("run lab:postgres?nodes=2&synchronous=2", 2, "ask for nodes=3"),
        ("run lab:cassandra?nodes=2&replication=3", 2, "ask for nodes=3"),
        (
            "run lab:redis?replicas=1&consistency=quorum&durability=synced",
            2,
            "`appendfsync always`",
        ),
        (
            "run redis://h?replica_timeout=20s",
            2,
            "make `timeout` longer, or `replica_timeout` shorter",
        ),
        ("lab up redis?at_rest=engine", 2, "encrypts no files"),
        ("run lab:postgres?at_rest=engine", 2, "encrypts no files"),
        (
            "run lab:mongodb?at_rest=disk",
            2,
            "off, plain-volume, volume, engine",
        ),
        (
            "run lab:redis?cpus=1000",
            2,
            "cpus=1000 of redis is not possible: servers can have",
        ),
        ("run lab:redis?cpus=all", 2, "write e.g. cpus=0.5"),
        ("run lab:redis?memory=20M", 2, "ask for memory=64M at least"),
        ("run lab:cassandra?memory=512M", 2, "ask for memory=662M at least"),
        ("run lab:hbase?memory=200M", 2, "ask for memory=278M at least"),
        ("run lab:postgres?memory=100M", 2, "ask for memory=136M at least"),
        (
            "run lab:cassandra?partitioner=md5",
            2,
            "murmur3, random, byte-ordered",
        ),
        (
            "run lab:cassandra?commitlog_directory=/no/such",
            2,
            "make the directory",
        ),
        ("lab up redis@3", 2, "does not offer redis 3"),
        ("lab up redis?home=/no/such/place", 2, "/no/such/place"),
        ("lab logs redis", 2, "no instance or database `redis`"),
        (
            "lab logs redis?password=x",
            2,
            "no instance or database `redis?password=***`",
        ),
        ("run lab:redis?nodes=x", 2, "nodes=x"),
        (
            "run lab:redis?durability=buffered&appendfsync=off",
            2,
            "appendonly yes",
        ),
    ] {
        let ended = run(&place, line);
        assert_eq!(ended.code, code, "{line}: {ended:?}");
        let words = ended.stderr.replace("\n  \u{2502} ", " ");
        assert!(words.contains(expected), "{line}: {}", ended.stderr);
    }
    assert!(!place.path("results").exists(), "what did not begin left nothing");
}
