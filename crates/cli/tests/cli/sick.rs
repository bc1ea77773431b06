//! The tool on `sick`, the database with planted defects: each is found by its detector, and the healthy one is left in
//! peace. What takes time is planted as a sleep, so it takes at least that; nothing here expects anything to be quick.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{Place, read_json, write_record};

/// What depends on the machine and the build, not on the database.
const OF_THE_MACHINE: [&str; 11] = [
    "debug-build",
    "too-short",
    "steadiness-not-judged",
    "few-samples",
    "cpu-saturated",
    "client-thread-saturated",
    "clock-drift",
    "host-steal",
    "tool-is-bottleneck",
    "scheduling-lag",
    "too-early",
];

/// The findings about the database that a run ends with.
fn findings(address: &str, line: &str) -> BTreeSet<String> {
    let place = Place::new();
    place.run(&format!("run '{address}' --warmup 0s --output out {line}"));
    let record = place.record("out");
    record["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .filter(|code| !OF_THE_MACHINE.contains(&code.as_str()))
        .collect()
}

fn found(codes: &[&str]) -> BTreeSet<String> {
    codes.iter().map(|&code| code.to_owned()).collect()
}

const READS: &str = "--workload c --records 2000 --operations 4000 --clients 2";
const CHECKED: &str = "--workload c -p dataintegrity=true --records 500 --operations 2000 --clients 2";
const LATEST: &str = "--workload d --records 500 --operations 4000 --clients 1";

#[test]
fn the_healthy_one_has_no_finding() {
    for line in [READS, CHECKED, LATEST] {
        assert_eq!(findings("sick", line), found(&[]), "{line}");
    }
}

/// A millisecond that has become two after ten thousand operations; judged by the windows of a long phase.
#[test]
fn a_drift_is_no_steady_state() {
    let line = "--workload c --records 100 --duration 25s --clients 1";
    assert!(is_found_to_drift("sick?delay=1ms&drift=10%", line));
}

/// The operating system wakes the clients late where it is very busy, so a second phase is measured then.
fn is_found_to_drift(address: &str, line: &str) -> bool {
    (0..2).any(|_| {
        let codes = findings(address, line);
        codes.contains("no-steady-state") || codes.contains("slow-start")
    })
}

/// A smooth drift in a trial of a study that says nothing about its phases but the short warm-up.
#[test]
fn a_drift_is_found_in_a_phase_of_the_default_length() {
    assert!(is_found_to_drift(
        "sick?delay=200us&drift=5%",
        "--workload c --records 100"
    ));
    assert!(is_found_to_drift(
        "sick?delay=1ms&drift=10%",
        "--workload c --records 100 --duration 10s --clients 4"
    ));
}

/// Half a second of work, and two seconds in which nothing is answered.
#[test]
fn stalls_that_come_again_and_again_are_no_steady_state() {
    for pace in ["", "--rate 300"] {
        let place = Place::new();
        place.run(&format!(
            "run 'sick?delay=1ms&stall=2s&stall_every=500' --warmup 0s --workload c --records 100 --duration 6s --clients 1 {pace} \
             --output out"
        ));
        let record = place.record("out");
        let pauses = &record["conditions"]["steady"]["pauses"];
        assert!(pauses["count"].as_u64().unwrap() >= 2, "{record}");
        assert!(
            pauses["longest_ns"].as_u64().unwrap() >= 1_800_000_000,
            "{record}"
        );
        let mut findings = record["findings"].as_array().unwrap().iter();
        let said = findings.find(|finding| finding["code"] == "no-steady-state");
        let said = said.unwrap_or_else(|| panic!("{record}"))["message"].as_str();
        assert!(said.unwrap().starts_with("the answers paused for "), "{said:?}");
    }
}

#[test]
fn lost_writes_are_found_by_reading() {
    assert_eq!(findings("sick?lose_every=20", READS), found(&["not-found"]));
}

#[test]
fn wrong_bytes_are_found_by_verified_values() {
    assert_eq!(
        findings("sick?corrupt_every=20", CHECKED),
        found(&["verification-failed"])
    );
}

/// A record with one field of ten is no record: what is missing counts as wrong.
#[test]
fn dropped_fields_are_found_by_verified_values() {
    assert_eq!(
        findings("sick?drop_every=20", CHECKED),
        found(&["verification-failed"])
    );
}

/// What was acknowledged and cannot be found makes the result unusable, and loading anew would not mend the database.
#[test]
fn lost_records_are_invalid_and_named_in_every_format() {
    let place = Place::new();
    let line = format!("run 'sick?lose_every=20' --warmup 0s {READS}");
    let table = place.run(&format!("{line} --output out"));
    assert_eq!(table.code, 5, "{}\n{}", table.stdout, table.stderr);
    assert!(
        table.stderr.contains("did not find their record"),
        "{}",
        table.stderr
    );
    let record = place.record("out");
    let lost = record["measure"]["operations"]["read"]["not_found"]
        .as_u64()
        .unwrap();
    assert!(lost > 0, "{record}");
    let finding = record["findings"].as_array().unwrap().iter();
    let finding = finding
        .clone()
        .find(|finding| finding["code"] == "not-found")
        .unwrap();
    assert_eq!(finding["severity"], "invalid");
    assert!(!finding["remedy"].as_str().unwrap().contains("anew"), "{finding}");
    assert!(table.stdout.contains("not found"), "{}", table.stdout);
    for (format, wanted) in [
        ("markdown", "not found".to_owned()),
        ("html", "not found".to_owned()),
        ("table", "not found".to_owned()),
        ("latex", format!("did not find their record: {lost} of sick")),
        ("csv", format!("read.not_found,{lost},operations")),
        ("json", format!("\"not_found\": {lost}")),
    ] {
        let output = format!("report.{format}");
        place.succeed(&format!("report out --format {format} --output {output}"));
        let text = std::fs::read_to_string(place.path(&output)).unwrap();
        assert!(text.contains(&wanted), "{format}: {wanted}\n{text}");
    }
}

#[test]
fn a_study_with_an_invalid_trial_says_so_and_exits_with_5_also_when_it_is_complete() {
    let place = Place::new();
    place.write(
        "s.toml",
        "name = \"s\"\ntrials = 1\nworkloads = [\"c\"]\nrecords = 200\nclients = 2\noperations = 400\nwarmup = \"0s\"\n\
         systems = [\"sick\", \"sick?lose_every=20\"]\n",
    );
    for _ in 0..2 {
        let ended = place.run("study run s.toml");
        assert_eq!(ended.code, 5, "{}\n{}", ended.stdout, ended.stderr);
        let warning = ended
            .stderr
            .lines()
            .find(|line| line.contains("invalid trials: "));
        assert!(
            warning.is_some_and(|line| line.contains("lose")),
            "{}",
            ended.stderr
        );
    }
}

/// A stall of two seconds under a rate: the schedule went on, and the lines of YCSB's text that count from it say so.
#[test]
fn a_stall_is_in_ycsbs_intended_lines() {
    // 50 inserts and 400 reads of one client, which stalls at its 300th operation: 150 reads were due meanwhile.
    let line = "run 'sick?stall=2s&stall_every=300' --warmup 0s --workload c --records 50 --operations 400 --clients 1 \
                --rate 200 --format ycsb";
    let place = Place::new();
    let text = place.run(line).stdout;
    let microseconds = |section: &str, name: &str| -> u64 {
        let start = format!("[{section}], {name}, ");
        let line = text.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("{start}\n{text}")).parse().unwrap()
    };
    assert_eq!(microseconds("READ", "Operations"), 400);
    assert!(microseconds("READ", "95thPercentileLatency(us)") > 0);
    assert!(
        microseconds("Intended-READ", "95thPercentileLatency(us)") >= 1_200_000,
        "{text}"
    );
    let alone = place.run(&format!("{line} -p measurement.interval=op")).stdout;
    assert!(
        alone.contains("[READ], ") && !alone.contains("Intended"),
        "{alone}"
    );
}

/// YCSB's own command line prints intended latencies, too.
#[test]
fn ycsbs_command_line_has_the_intended_lines_too() {
    let place = Place::new();
    let line = "ycsb run sick -p recordcount=50 -p operationcount=100";
    let paced = place.run(&format!("{line} -target 400")).stdout;
    assert!(
        paced.contains("[READ], ") && paced.contains("[Intended-READ], "),
        "{paced}"
    );
    let closed = place.run(line).stdout;
    assert!(
        closed.contains("[READ], ") && !closed.contains("Intended"),
        "{closed}"
    );
}

/// A replica that lags behind lacks records whose insert was acknowledged before the read began.
#[test]
fn stale_reads_are_found_where_new_records_are_read() {
    assert_eq!(findings("sick?stale_every=2", LATEST), found(&["not-found"]));
}

/// The schedule goes on while the database stands still: the rate is not held, and the wait is in the response times.
#[test]
fn a_stall_is_found_with_a_rate() {
    let line = "--workload c --records 100 --rate 500 --duration 1s --clients 2";
    let stalled = findings("sick?stall=700ms&stall_every=60", line);
    assert!(stalled.contains("rate-not-sustained"), "{stalled:?}");
    let place = Place::new();
    let missed = place.run(&format!(
        "run 'sick?stall=700ms&stall_every=60' --warmup 0s {line} --expect 'p99<600ms'"
    ));
    assert_eq!(missed.code, 5, "{}\n{}", missed.stdout, missed.stderr);
    assert!(missed.stderr.contains("p99<600ms: no"), "{}", missed.stderr);
}

#[test]
fn a_known_delay_is_at_least_what_is_measured() {
    let place = Place::new();
    place.succeed(
        "run 'sick?delay=3ms' --warmup 0s --workload c --records 20 --operations 200 --clients 2 --expect 'p50(read)>=3ms'",
    );
}

#[test]
fn defects_are_named_in_the_facts_and_mistakes_have_a_remedy() {
    let place = Place::new();
    let lost = place
        .run("run 'sick?lose_every=7' --warmup 0s --workload c --records 20 --operations 50 --output out");
    assert_eq!(lost.code, 5, "lost records are invalid: {}", lost.stderr);
    let settings = &place.record("out")["system"]["settings"];
    assert_eq!(settings["planted lose_every"], "7 inserts");
    let wrong = place.run("run 'sick?loose_every=7' --workload c");
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(
        wrong.stderr.contains("did you mean `lose_every`"),
        "{}",
        wrong.stderr
    );
}

/// Tests run a debug build, on whose trials no verdict rests: takes that away.
fn as_of_a_release(trials: &Path) {
    for trial in std::fs::read_dir(trials).unwrap() {
        let path = trial.unwrap().path().join("record.json");
        let mut record = read_json(&path);
        let findings = record["findings"].as_array_mut().unwrap();
        findings.retain(|finding| finding["code"] != "debug-build");
        write_record(&path, &record);
    }
}

/// The whole way, from the file to the report: an outlier among the trials, a slow variant of one product as the effect of a
/// factor beside its A/A, sizes with an exponent.
#[test]
fn a_study_finds_the_slow_variant_and_the_outlier() {
    let place = Place::new();
    place.write(
        "s.toml",
        "name = \"s\"\ntrials = 8\naa = true\nworkloads = [\"c\"]\nrecords = [20, 40, 80]\nclients = 2\n\
         operations = 60\nwarmup = \"0s\"\nrepeat_disturbed = 0\n\
         [[system]]\nname = \"plain\"\naddress = \"sick?delay=1ms\"\nfactors = { delay = \"short\" }\n\
         [[system]]\nname = \"slow\"\naddress = \"sick?delay=12ms&outlier_every=24\"\nfactors = { delay = \"long\" }\n",
    );
    place.succeed("study run s.toml");
    as_of_a_release(&place.path("results/s/trials"));
    place.succeed("report results/s --format json --output r.json");
    let report = read_json(&place.path("r.json"));
    let effects = report["effects"]["rows"].as_array().unwrap();
    // The file lists `short` first: `long` is measured against it.
    let throughput: Vec<&serde_json::Value> = effects
        .iter()
        .filter(|row| row["comparison"]["metric"] == "throughput")
        .collect();
    assert_eq!(throughput.len(), 3, "{effects:?}");
    for row in throughput {
        assert_eq!((&row["base"], &row["level"]), (&"short".into(), &"long".into()));
        assert_eq!(row["word"], "slower", "{row}");
    }
    let noise = &report["noise"]["metrics"][0];
    assert_eq!(noise["metric"], "throughput");
    assert!(
        noise["between_equal_systems"].is_number() && noise["twins"]["widened"].is_number(),
        "{noise}"
    );
    let curves = report["growth"]["charts"][0]["curves"].as_array().unwrap();
    assert!(
        curves.iter().all(|curve| curve["exponent"].is_number()),
        "{curves:?}"
    );
    let flagged: Vec<&str> = report["cells"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|cell| cell["systems"].as_array().unwrap())
        .filter(|system| system["name"] == "slow")
        .flat_map(|system| system["trials"].as_array().unwrap())
        .filter(|trial| trial["outlier"].is_string())
        .map(|trial| trial["trial"].as_str().unwrap())
        .collect();
    assert!(!flagged.is_empty(), "the last of 24 trials was ten times as slow");
    let page = place.succeed("report results/s --format markdown").stdout;
    assert!(
        page.contains("## Effects") && page.contains("## Growth"),
        "{page}"
    );
}

/// The healthy server has nothing grave; of those that lie, `--fail-on` finds each whose lie lets others in.
#[test]
fn an_audit_finds_a_server_that_lies() {
    let place = Place::new();
    place.succeed("audit sick --timeout 500ms --fail-on high --quiet");
    for lie in ["tls", "any_password", "strangers"] {
        let ended = place.run(&format!(
            "audit 'sick?lie={lie}' --timeout 500ms --fail-on high --quiet"
        ));
        assert_eq!(ended.code, 3, "{lie}: {}{}", ended.stdout, ended.stderr);
    }
    let unknown = place.run("audit 'sick?lie=tsl'");
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("tls_optional"), "{}", unknown.stderr);
    let run = place.run("run 'sick?lie=tls' --workload c");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("dbdyno audit"), "{}", run.stderr);
}
