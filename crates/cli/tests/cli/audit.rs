//! `dbdyno audit` as a user runs it: formats, exit codes, mistakes, secrets, an interrupt, hostile servers.
#![allow(
    clippy::disallowed_methods,
    reason = "how long a command took, not an operation"
)]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use dbdyno_lab::Signal;
use dbdyno_machine::ProcessId;
use dbdyno_record::audit::Feature;
use dbdyno_testkit::live;
use serde_json::Value;

use crate::common::{Place, as_released, ended, read_json, serve};

fn levels(text: &str) -> Vec<(String, String)> {
    let audit: Value = serde_json::from_str(text).unwrap();
    let findings = audit["findings"].as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    findings
        .iter()
        .map(|finding| (word(&finding["feature"]), word(&finding["level"])))
        .collect()
}

#[test]
fn every_format_says_the_same_and_the_exit_code_judges() {
    let recipe = dbdyno_registry::find_recipe("redis").unwrap();
    let lab = live::start(recipe, "redis");
    let address = lab.address();
    let place = Place::new();
    let json = place.succeed(&format!("audit '{address}' --format json --quiet"));
    let found = levels(&json.stdout);
    assert_eq!(found.len(), Feature::ALL.len());
    let json = place.succeed(&format!(
        "audit '{address}' --only authentication,exposure --format json --quiet"
    ));
    let known = levels(&json.stdout)
        .into_iter()
        .filter(|(_, level)| level != "unknown");
    // Which addresses it listens on is not seen without its process.
    assert_eq!(known.collect::<Vec<_>>(), found[..1]);
    assert!(found.contains(&("authentication".to_owned(), "supported_off".to_owned())));

    let sarif = place.succeed(&format!("audit '{address}' --format sarif --quiet"));
    let log: Value = serde_json::from_str(&sarif.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    // GitHub shows every result as an alert: only what needs fixing is one, and everything else is a notification.
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let invocation = &run["invocations"][0];
    let others = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(invocation["executionSuccessful"], true);
    assert_eq!(results.len() + others.len(), Feature::ALL.len());
    assert!(!results.is_empty() && !others.is_empty(), "{log}");
    for result in results {
        // Only a failure may have a level (SARIF 2.1.0, 3.27.10).
        assert!(result["kind"] == "fail" && result["level"] != "none", "{result}");
        assert_eq!(result["locations"].as_array().map(Vec::len), Some(1), "{result}");
    }
    // The same finding is the same alert the next time, whatever its words are.
    let fingerprints = |log: &Value| -> BTreeSet<String> {
        let results = log["runs"][0]["results"].as_array().unwrap().iter();
        results
            .map(|result| {
                result["partialFingerprints"]["dbdyno/v1"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    let again = place.succeed(&format!("audit '{address}' --format sarif --quiet"));
    let again: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(fingerprints(&log).len(), results.len(), "{log}");
    assert_eq!(fingerprints(&log), fingerprints(&again));
    let is_open = |other: &Value| other["properties"]["observed"] == "unknown";
    assert!(others.iter().any(is_open), "{log}");
    let of_results = results.iter().map(|result| &result["ruleId"]);
    let of_others = others.iter().map(|other| &other["associatedRule"]["id"]);
    let rules: BTreeSet<&str> = of_results
        .chain(of_others)
        .map(|rule| rule.as_str().unwrap())
        .collect();
    let features: BTreeSet<&str> = found.iter().map(|(feature, _)| feature.as_str()).collect();
    assert_eq!(rules, features);

    let checked = place.run(&format!(
        "audit '{address}' --fail-on critical --junit audit.xml --quiet"
    ));
    assert_eq!(checked.code, 3, "{}", checked.stderr);
    let junit = std::fs::read_to_string(place.path("audit.xml")).unwrap();
    assert_eq!(junit.matches("<testcase").count(), Feature::ALL.len(), "{junit}");
    assert!(
        junit.contains("<failure message=\"critical: ") && junit.contains("<skipped message="),
        "{junit}"
    );
    let reasons =
        junit.matches("<skipped message=\"").count() - junit.matches("<skipped message=\"\"").count();
    assert_eq!(
        reasons,
        junit.matches("<skipped").count(),
        "each skip says why: {junit}"
    );

    let text = place.run(&format!("audit '{address}' --fail-on critical --quiet"));
    assert_eq!(text.code, 3, "{}", text.stderr);
    assert!(
        text.stdout.contains("critical: Authentication: off"),
        "{}",
        text.stdout
    );
    let widest = text.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{}", text.stdout);

    for format in ["html", "markdown"] {
        place.succeed(&format!(
            "audit '{address}' --format {format} --output audit.{format}"
        ));
        let page = std::fs::read_to_string(place.path(&format!("audit.{format}"))).unwrap();
        assert!(page.contains("Security audit of Redis"), "{format}");
    }
}

#[test]
fn a_system_of_the_lab_is_started_audited_with_all_access_and_stopped() {
    let place = Place::new();
    let ended = place.succeed("audit 'lab:redis?security=hardened' --format json --fail-on medium --quiet");
    let audit: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        audit["access"],
        serde_json::json!(["network", "user", "administrator", "files"])
    );
    assert_eq!(audit["system"], "lab:redis?security=hardened");
    assert_eq!(audit["left_behind"], serde_json::json!([]));
}

/// `--quiet` does not hide it.
#[test]
fn what_an_audit_may_run_on_a_server_is_said_before() {
    for (address, said) in [
        (
            "lab:postgres?security=auth",
            "Examining jmx_authentication; runs the program `true`",
        ),
        (
            "lab:mongodb?security=auth",
            "Examining jmx_authentication; runs the script `true`",
        ),
    ] {
        let audit = format!("audit '{address}' --only jmx_authentication,exposure --quiet");
        let ended = Place::new().succeed(&audit);
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
        assert!(!ended.stderr.contains("Examining exposure"), "{}", ended.stderr);
    }
}

/// What was not observed passes no gate unless that is asked for.
#[test]
fn an_audit_that_knows_too_little_fails_unless_it_may() {
    let recipe = dbdyno_registry::find_recipe("redis").unwrap();
    let lab = live::start(recipe, "redis?security=auth");
    // Without a login nobody knows whether the right one is accepted.
    let host = lab.address().rsplit_once('@').unwrap().1;
    let host = host.split(['/', '?']).next().unwrap();
    let audit = |gate: &str| {
        Place::new().run(&format!(
            "audit redis://{host} --only authentication,authorization,auditing --timeout 500ms {gate} --quiet"
        ))
    };
    for (gate, code) in [
        ("", 0),
        ("--fail-on critical", 3),
        ("--fail-on critical --allow-unknown", 0),
        ("--fail-on critical --allow-unknown=authentication", 3),
        (
            "--fail-on critical --allow-unknown=authentication,authorization",
            0,
        ),
        ("--fail-on-unknown", 3),
        ("--fail-on-unknown=auditing", 3),
        // Left out by `--only`, and demanded.
        ("--fail-on-unknown=exposure", 3),
    ] {
        let ended = audit(gate);
        assert_eq!(ended.code, code, "{gate}: {}\n{}", ended.stdout, ended.stderr);
        assert_eq!(
            ended.stderr.contains("an unknown answer is not a pass"),
            code == 3,
            "{gate}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_requirement_on_security_is_judged_by_the_audit_of_that_system() {
    let place = Place::new();
    for profile in ["none", "hardened"] {
        let system = format!("lab:redis?security={profile}");
        place.succeed(&format!(
            "audit '{system}' --timeout 500ms --format json --output {profile}.json"
        ));
        place.succeed(&format!(
            "run '{system}' --workload c --records 100 --duration 1s --warmup 0s --output {profile}"
        ));
        as_released(&place, profile);
    }
    place.write(
        "need.toml",
        "[require]\nsecurity = [\"authentication\", \"auditing\"]\n[[goal]]\nmetric = \"throughput\"\nworkload = \"c\"\n",
    );
    let advised = |system: &str, audits: &str| {
        let ended = place.run(&format!("advise need.toml {system} {audits} --format json"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let advice: Value = serde_json::from_str(&ended.stdout).unwrap();
        let rows = advice["requirements"].as_array().unwrap();
        let standing = |feature: &str| {
            let is_of = |row: &&Value| row["requirement"].as_str().unwrap().ends_with(feature);
            let row = rows.iter().find(is_of).unwrap();
            row["systems"][0]["standing"].as_str().unwrap().to_owned()
        };
        [standing("authentication"), standing("auditing")]
    };
    assert_eq!(
        advised("hardened", "--audit hardened.json"),
        ["shown", "violated"]
    );
    assert_eq!(advised("none", "--audit none.json"), ["violated", "violated"]);
    // The audit of another profile is no evidence; that a stranger was refused was observed when the servers started.
    for audits in ["--audit none.json", ""] {
        assert_eq!(advised("hardened", audits), ["shown", "not shown"], "{audits}");
    }
    // The same audit stands beside the figures.
    let report = "report hardened --format html --output report.html --audit";
    place.succeed(&format!("{report} hardened.json"));
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(page.contains("Security features in three layers"));
    assert!(!page.contains("of systems other than the measured ones"));
    let ended = place.run(&format!("{report} need.toml"));
    assert_eq!(ended.code, 6, "{}", ended.stderr);
    let ended = place.run("advise need.toml hardened --audit need.toml");
    assert_eq!(ended.code, 6, "{}", ended.stderr);
    assert!(ended.stderr.contains("is not an audit"), "{}", ended.stderr);
}

#[test]
fn several_systems_stand_side_by_side() {
    let place = Place::new();
    let systems = "lab:redis 'lab:redis?security=hardened'";
    let line = format!("audit {systems} --timeout 500ms --quiet --format");
    let ended = place.succeed(&format!("{line} json"));
    let audits: Value = serde_json::from_str(&ended.stdout).unwrap();
    let found: Vec<&str> = audits["audits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|audit| audit["findings"][0]["level"].as_str().unwrap())
        .collect();
    assert_eq!(found, ["supported_off", "enforced"]);
    let ended = place.succeed(&format!("{line} sarif"));
    let log: Value = serde_json::from_str(&ended.stdout).unwrap();
    let [one, other] = log["runs"].as_array().unwrap().as_slice() else {
        panic!("{log}")
    };
    // A service takes what has the same place or fingerprint for one alert.
    for pointer in [
        "/locations/0/physicalLocation/artifactLocation/uri",
        "/partialFingerprints/dbdyno~1v1",
    ] {
        let of = |run: &Value| -> BTreeSet<String> {
            let results = run["results"].as_array().unwrap().iter();
            results
                .map(|result| result.pointer(pointer).unwrap().as_str().unwrap().to_owned())
                .collect()
        };
        let (one, other) = (of(one), of(other));
        assert!(!one.is_empty() && !other.is_empty(), "{pointer}: {log}");
        assert!(one.is_disjoint(&other), "{pointer}: {one:?} {other:?}");
    }
    let ended = place.succeed(&format!("{line} text"));
    let row = ended
        .stdout
        .lines()
        .find(|line| line.contains("Authentication  "));
    let row = row.unwrap();
    assert!(
        row.contains("off (critical)") && row.contains("enforced"),
        "{row}"
    );
    let ended = place.run(&format!("audit {systems} --administrator redis://h"));
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("audit that system alone"),
        "{}",
        ended.stderr
    );
}

/// One that cannot be reached takes nothing away from what was found at the other.
#[test]
fn a_server_that_is_down_loses_no_audit_of_another() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = listener.local_addr().unwrap().port();
    drop(listener);
    let place = Place::new();
    let ended = place.run(&format!(
        "audit redis://127.0.0.1:{closed} sick --only authentication --timeout 1s --fail-on critical --quiet \
         --format json --output audits.json --junit checks.xml"
    ));
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    let audits = read_json(&place.path("audits.json"));
    assert_eq!(audits["findings"][0]["feature"], "authentication", "{audits}");
    let checks = std::fs::read_to_string(place.path("checks.xml")).unwrap();
    assert!(
        checks.contains("uthentication") && checks.contains("<error"),
        "{checks}"
    );
}

#[test]
fn mistakes_name_their_remedy() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = listener.local_addr().unwrap().port();
    drop(listener);
    for (line, code, expected) in [
        (
            format!("audit redis://127.0.0.1:{closed}"),
            4,
            "check the address",
        ),
        ("audit sqlite".to_owned(), 2, "sqlite runs inside this process"),
        ("audit rediss".to_owned(), 2, "its address is missing"),
        ("audit reddis://h".to_owned(), 2, "did you mean `redis`"),
        (
            "audit 'lab:redis?security=tight'".to_owned(),
            2,
            "none, auth, tls, mtls, hardened",
        ),
        ("audit lab:redis --data /tmp".to_owned(), 2, "--data"),
        (
            "audit redis://127.0.0.1:1 --log /proc".to_owned(),
            2,
            "contains no files on disk",
        ),
        (
            "audit redis://127.0.0.1:1 --data /no/such".to_owned(),
            6,
            "/no/such",
        ),
        (
            "audit redis://127.0.0.1:1 --from-namespace no-such".to_owned(),
            2,
            "no-such",
        ),
        (
            "audit redis://127.0.0.1:1 --administrator mongodb://h".to_owned(),
            2,
            "--administrator",
        ),
        (
            "audit redis://127.0.0.1:1?server_pids=0".to_owned(),
            2,
            "server_pids",
        ),
        (
            "audit redis://h --only auth".to_owned(),
            2,
            "the features are authentication, authorization",
        ),
        (
            "audit redis://h --fail-on grave".to_owned(),
            2,
            "low, medium, high or critical",
        ),
    ] {
        let ended = Place::new().run(&line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        let words: Vec<&str> = ended
            .stderr
            .split(|sign: char| sign.is_whitespace() || sign == '│')
            .filter(|word| !word.is_empty())
            .collect();
        assert!(words.join(" ").contains(expected), "{line}: {}", ended.stderr);
        assert!(ended.stdout.is_empty(), "{line}: {}", ended.stdout);
    }
}

/// A secret in the address, in a file, in the environment, and in a wrong password that the server receives and may echo.
fn assert_no_output_holds_a_secret(database: &str, options: &str, formats: &[&str]) {
    const SECRET: &str = "a-planted-secret-8f2c";
    let recipe = dbdyno_registry::find_recipe(database).unwrap();
    let lab = live::start(recipe, &format!("{database}?{options}password={SECRET}"));
    let (login, host) = lab.address().rsplit_once('@').unwrap();
    let user = login.rsplit_once('/').unwrap().1.split(':').next().unwrap();
    let with = if host.contains('?') { '&' } else { '?' };
    let named = if user.is_empty() {
        String::new()
    } else {
        format!("{user}@")
    };
    let place = Place::new();
    place.write("secret", SECRET);
    for address in [
        format!("{database}://{user}:{SECRET}@{host}"),
        format!("{database}://{named}{host}{with}password_file=secret"),
        format!("{database}://{named}{host}{with}password_env=PLANTED"),
        format!("{database}://{user}:wrong-{SECRET}@{host}"),
    ] {
        for format in formats {
            let mut command = place.command(&format!(
                "audit '{address}' --try-defaults --timeout 500ms --format {format}"
            ));
            let ended = ended(command.env("PLANTED", SECRET).output().unwrap());
            assert_eq!(ended.code, 0, "{address}: {}", ended.stderr);
            let shown = format!("{}{}", ended.stdout, ended.stderr);
            assert!(!shown.contains(SECRET), "{address} {format}: {shown}");
        }
    }
}

#[test]
fn no_output_holds_a_secret() {
    let every = ["text", "json", "html", "sarif", "markdown"];
    assert_no_output_holds_a_secret("redis", "", &every);
    // The formats are those of every database; what the probes put into them is not.
    assert_no_output_holds_a_secret("postgres", "", &["json"]);
    assert_no_output_holds_a_secret("mongodb", "user=me&", &["json"]);
}

#[test]
fn an_interrupt_keeps_what_was_seen_and_leaves_no_server() {
    let place = Place::new();
    let mut child = place.start("audit lab:redis --format json");
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    let mut letter = [0];
    while !said.contains("Examining authorization") && stderr.read(&mut letter).unwrap() == 1 {
        said.push(char::from(letter[0]));
    }
    drop(Signal::Interrupt.send(ProcessId::of(child.id()).unwrap()));
    std::io::copy(&mut stderr, &mut std::io::sink()).unwrap();
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{said}");
    let found = levels(&ended.stdout);
    assert_eq!(
        found[0],
        ("authentication".to_owned(), "supported_off".to_owned())
    );
    assert_eq!(found.last().unwrap().1, "unknown");
}

/// What no server would answer; the probes of each database are tried on more of it beside them.
fn hostile() -> Vec<(&'static str, u16)> {
    let endless = |bytes: &'static [u8]| {
        serve(move |mut stream| {
            loop {
                stream.write_all(bytes)?;
            }
        })
    };
    let once = |bytes: &'static [u8]| {
        serve(move |mut stream| {
            let mut greeting = [0; 4096];
            let _ = stream.read(&mut greeting)?;
            stream.write_all(bytes)?;
            std::io::copy(&mut &stream, &mut std::io::sink()).map(drop)
        })
    };
    vec![
        ("garbage", once(b"\x93\x00\xffgarbage\r\n\r\n\0\0\0\0\xff\xff")),
        ("endless", endless(&[b'x'; 65_536])),
        (
            "silent",
            serve(|stream| std::io::copy(&mut &stream, &mut std::io::sink()).map(drop)),
        ),
        ("huge lengths", once(b"S\x7f\xff\xff\xff")),
    ]
}

#[test]
fn hostile_servers_pass_nothing_and_hold_nothing_up() {
    let schemes = ["redis", "rediss", "postgres", "mongodb", "cassandra", "hbase"];
    for (what, port) in hostile() {
        for scheme in schemes {
            if dbdyno_registry::find_auditor(scheme).is_err() {
                continue;
            }
            let began = Instant::now();
            let login = if scheme == "hbase" { "" } else { "me:secret@" };
            let line = format!(
                "audit '{scheme}://{login}127.0.0.1:{port}?timeout=300ms&connect_timeout=300ms' --timeout 300ms \
                 --try-defaults --format json --quiet"
            );
            let ended = Place::new().run(&line);
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "{scheme}, {what}: {:?}",
                began.elapsed()
            );
            assert!(
                matches!(ended.code, 0 | 2 | 4),
                "{scheme}, {what}: {} {}",
                ended.code,
                ended.stderr
            );
            if ended.code != 0 {
                continue;
            }
            for (feature, level) in levels(&ended.stdout) {
                let is_of_the_product =
                    ["proxy_roles", "exposure", "default_credentials"].contains(&feature.as_str());
                assert!(
                    level != "enforced" || is_of_the_product,
                    "{scheme}, {what}: {feature} is {level}\n{}",
                    ended.stdout
                );
            }
        }
    }
}
