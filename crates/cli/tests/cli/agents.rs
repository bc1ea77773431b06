//! Load from other processes: `dbdyno agent`, `dbdyno agents`, `--agents`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Place, read_json};

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let place = Place::new();
    for (line, code, expected) in [
        ("agents nats://127.0.0.1:1", 4, "nats-server -js"),
        ("agent --join redis://127.0.0.1", 2, "`redis` is none"),
        (
            "agent --join nats://127.0.0.1:1 --wait 10ms",
            4,
            "no connection to the NATS server",
        ),
        (
            "agent --join nats://127.0.0.1:1 --allow a/8",
            2,
            "`a/8` is no target",
        ),
        (
            "agent --join nats://127.0.0.1:1 --name 'a  ' --wait 10ms",
            2,
            "--name, --label",
        ),
        ("run null --agents local:0", 2, "1 to 10000"),
        ("run null --agents nats://127.0.0.1:1", 4, "nats-server -js"),
        (
            "run null --agents 'nats://127.0.0.1:1,mim=2'",
            2,
            "not chosen by `mim=`",
        ),
        (
            "run null --agents 'nats://127.0.0.1:1,where=zone'",
            2,
            "is not a label",
        ),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
        assert!(!place.path("results").join("x").exists());
    }
}

#[test]
fn a_token_is_not_shown() {
    let place = Place::new();
    for line in [
        "agents nats://sekrettok@127.0.0.1:1",
        "agent --join nats://sekrettok@127.0.0.1:1 --wait 10ms",
        "run null --agents nats://sekrettok@127.0.0.1:1,min=2",
        "run null --agents nats://sekrettok@127.0.0.1:1,where=zone",
        "run null --agents nats://sekrettok@127.0.0.1:1?colour=red",
    ] {
        let ended = place.run(line);
        assert_ne!(ended.code, 0, "{line}");
        let shown = format!("{}{}", ended.stdout, ended.stderr);
        assert!(!shown.contains("sekrettok"), "{line}: {shown}");
    }
}

#[test]
fn agents_of_this_machine_send_one_load() {
    let place = Place::new();
    place.run(
        "run null -w c --records 1k --clients 5 --duration 1s --warmup 200ms --agents local:2 --output out",
    );
    let record = read_json(&place.path("out/trials/001/record.json"));
    let generators = record["generators"].as_array().unwrap();
    let told: Vec<(&str, u64)> = generators
        .iter()
        .map(|generator| {
            (
                generator["name"].as_str().unwrap(),
                generator["clients"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("local-1", 3), ("local-2", 2)]);
    let ok = |measure: &Value| measure["operations"]["read"]["ok"].as_u64().unwrap();
    let sum: u64 = generators.iter().map(|generator| ok(&generator["measure"])).sum();
    assert_eq!(ok(&record["measure"]), sum);
    let page = std::fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(page.contains("Load generators") && page.contains("local-2"));
}

#[test]
fn a_line_of_ycsb_is_sent_by_agents() {
    let place = Place::new();
    let line = "null -p workload=site.ycsb.workloads.CoreWorkload -p recordcount=1000 -p operationcount=20000 -threads 4";
    let one = place.succeed(&format!("ycsb run {line}"));
    let two = place.succeed(&format!("ycsb run {line} --agents local:2"));
    assert!(two.stderr.contains("local-1, local-2"), "{}", two.stderr);
    // The same operations, whoever sends them: less what one sent when the other had ended.
    let reads = |text: &str| -> u64 {
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix("[READ], Operations, "));
        line.unwrap().trim().parse().unwrap()
    };
    let (alone, together) = (reads(&one.stdout), reads(&two.stdout));
    assert!((1..=alone).contains(&together), "{together} of {alone}");
    place.run(
        "run null -w c --records 1k --clients 4 --operations 20k --warmup 0s --agents local:2 --output two",
    );
    let measure = &place.record("two")["measure"];
    let tail = measure["tail"]["operations"].as_u64().unwrap_or(0);
    assert_eq!(
        measure["operations"]["read"]["ok"].as_u64().unwrap() + tail,
        20_000
    );
    let wrong = place.run(&format!("ycsb run {line} --agent local:2"));
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("--agents"), "{}", wrong.stderr);
}

#[test]
fn a_store_inside_the_process_has_no_agents() {
    // Nobody listens at port 1: it is refused before agents are looked for.
    let place = Place::new();
    for line in [
        "run redb -w c --records 1k",
        "run null redb -w c --records 1k",
        "capacity redb -w c --records 1k --slo p99<10ms",
        "sweep redb -w c --records 1k",
        "load redb -w c --records 1k",
    ] {
        let ended = place.run(&format!("{line} --agents nats://127.0.0.1:1"));
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("inside the process"),
            "{line}: {}",
            ended.stderr
        );
        assert!(!place.path("results").exists(), "{line}");
    }
}

#[test]
fn where_agents_do_not_come_no_folder_is_left() {
    let place = Place::new();
    for line in [
        "run null",
        "run null redis://127.0.0.1:1 --runs 2",
        "capacity null --slo p99<10ms",
        "sweep null",
    ] {
        let ended = place.run(&format!("{line} --output out --agents nats://127.0.0.1:1"));
        assert_eq!(ended.code, 4, "{line}: {}", ended.stderr);
        assert!(!place.path("out").exists(), "{line}");
    }
}

#[test]
fn a_complete_search_needs_no_agents() {
    let place = Place::new();
    let call = "capacity null -w c --slo errors>50% --records 50 --clients 2 --duration 40ms --warmup 0s --trials 2 --quiet --output out";
    let measured = place.succeed(call);
    let again = place.succeed(&format!("{call} --agents nats://127.0.0.1:1"));
    assert_eq!(again.stdout, measured.stdout);
}

#[test]
fn systems_take_turns_at_agents() {
    let place = Place::new();
    let ended = place.succeed(
        "run null lab:redis -w c --records 1k --clients 4 --runs 2 --duration 1s --warmup 200ms --agents local:2 --output out",
    );
    assert!(ended.stdout.contains("redis"), "{}", ended.stdout);
    let trials: Vec<_> = std::fs::read_dir(place.path("out/trials"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(trials.len(), 4);
    for trial in trials {
        let record = read_json(&trial.path().join("record.json"));
        let generators = record["generators"].as_array().unwrap();
        assert_eq!(generators.len(), 2, "{}", record["trial"]);
    }
}

/// Kubernetes' own schemas, which a package of PyPI bundles.
const SCHEMAS: &str = "kubernetes-validate==1.37.0";

#[test]
fn the_objects_of_kubernetes_are_valid() {
    let place = Place::new();
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/kubernetes");
    let packages = place.path("packages");
    let installed = Command::new("python3")
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--target",
        ])
        .arg(&packages)
        .arg(SCHEMAS)
        .output()
        .unwrap();
    assert!(
        installed.status.success(),
        "{}",
        String::from_utf8_lossy(&installed.stderr)
    );
    let validate = |text: &str| {
        let file = place.write("objects.yaml", text);
        Command::new("python3")
            .arg(packages.join("bin/kubernetes-validate"))
            .arg("--strict")
            .arg(file)
            .env("PYTHONPATH", &packages)
            .output()
            .unwrap()
    };
    for file in ["nats.yaml", "agents.yaml", "study.yaml"] {
        let text = std::fs::read_to_string(deploy.join(file)).unwrap();
        let checked = validate(&text);
        assert!(
            checked.status.success(),
            "{file}: {}",
            String::from_utf8_lossy(&checked.stdout)
        );
    }
    let wrong = std::fs::read_to_string(deploy.join("agents.yaml")).unwrap();
    assert!(
        !validate(&wrong.replace("completions: 4", "completions: four"))
            .status
            .success()
    );
    // Its study can be planned.
    let study = deploy.join("study.toml").display().to_string();
    let planned = place.succeed(&format!("study plan {study}"));
    assert!(planned.stdout.contains("redis"), "{}", planned.stdout);
}
