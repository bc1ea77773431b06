//! The price of protection, from a study file to a report, with real servers.

use serde_json::Value;

use crate::common;
use crate::common::Place;

/// The records of a result folder, by the name of their system.
fn records(place: &Place, folder: &str) -> Vec<(String, Value)> {
    let trials = std::fs::read_dir(place.path(&format!("{folder}/trials"))).unwrap();
    let record = |trial: std::io::Result<std::fs::DirEntry>| {
        let record = common::read_json(&trial.unwrap().path().join("record.json"));
        (record["system"]["name"].as_str().unwrap().to_owned(), record)
    };
    trials.map(record).collect()
}

fn codes(record: &Value) -> Vec<&str> {
    let findings = record["findings"].as_array().unwrap();
    findings
        .iter()
        .filter_map(|finding| finding["code"].as_str())
        .collect()
}

const SMALL: &str = "workloads = \"c\"\nrecords = 200\nclients = 2\nduration = \"500ms\"\nwarmup = \"100ms\"\n\
                     repeat_disturbed = 0\n";

#[test]
fn a_protection_is_varied_observed_and_priced() {
    let place = Place::new();
    place.write(
        "p.toml",
        &format!(
            "name = \"p\"\ntrials = 2\nsystems = \"lab:redis\"\nvary = {{ security = [\"none\", \"auth\", \"tls\"] }}\n{SMALL}"
        ),
    );
    let plan = place.succeed("study plan p.toml").stdout;
    assert!(plan.contains("lab:redis?security=tls"), "{plan}");
    place.succeed("study run p.toml");
    let records = records(&place, "results/p");
    assert_eq!(records.len(), 6);
    for (name, record) in &records {
        let seen = &record["system"]["protection"];
        let (speaks, login) = match name.as_str() {
            "lab:redis" => ("clear-text", "supported_off"),
            "lab:redis security=auth" => ("clear-text", "enforced"),
            _ => ("tls", "supported_off"),
        };
        assert_eq!(seen["connection"]["speaks"], speaks, "{name}: {seen}");
        assert_eq!(seen["login"], login, "{name}: {seen}");
        if speaks == "tls" {
            assert_eq!(seen["connection"]["version"], "TLS 1.3", "{seen}");
            assert_eq!(seen["asks_for_certificate"], false, "{seen}");
        }
        assert!(!codes(record).contains(&"protection-differs"), "{name}: {record}");
    }
    let page = std::fs::read_to_string(place.path("results/p/report.html")).unwrap();
    for expected in [
        "What each level costs",
        "security=tls",
        "server CPU per operation",
        "TLS 1.3, TLS13_",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
}

/// Only an administrator sees that no rule of PostgreSQL lets others in without a password.
#[test]
fn a_login_is_observed_with_the_eyes_of_an_administrator() {
    let place = Place::new();
    place.succeed(
        "run 'lab:postgres?security=auth' --workload c --records 100 --operations 100 --warmup 0s --output out",
    );
    let seen = place.record("out")["system"]["protection"].clone();
    assert_eq!(seen["login"], "enforced", "{seen}");
}

#[test]
fn a_factor_that_the_servers_contradict_is_found() {
    let place = Place::new();
    let system = |name: &str, level: &str| {
        format!(
            "[[system]]\nname = \"{name}\"\naddress = \"lab:redis\"\nfactors = {{ security = \"{level}\" }}\n"
        )
    };
    let text = format!(
        "name = \"p\"\ntrials = 1\n{SMALL}{}{}",
        system("honest", "none"),
        system("wrong", "tls")
    );
    place.write("p.toml", &text);
    let ended = place.run("study run p.toml");
    assert_eq!(ended.code, 5, "{}\n{}", ended.stdout, ended.stderr);
    for (name, record) in records(&place, "results/p") {
        assert_eq!(
            codes(&record).contains(&"protection-differs"),
            name == "wrong",
            "{record}"
        );
    }
    let shown = place.succeed("report results/p").stdout;
    assert!(
        shown.contains("the study calls wrong security tls, but its clients spoke clear text"),
        "{shown}"
    );
}
