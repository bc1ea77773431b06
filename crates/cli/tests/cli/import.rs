//! `dbdyno import`, and what can be done with what it reads.

use std::io::Write as _;
use std::process::Stdio;

use crate::common::{Place, ended, read_json};

const A: &str = include_str!("../../../import/tests/logs/ycsb-a.log");
const GO: &str = include_str!("../../../import/tests/logs/go-ycsb-a.log");

#[test]
fn logs_become_a_folder_that_can_be_reported_linted_and_compared() {
    let place = Place::new();
    for run in 1..=3 {
        let slower = format!("[READ], 99thPercentileLatency(us), {run}");
        place.write(
            &format!("m{run}.log"),
            &A.replace("[READ], 99thPercentileLatency(us), ", &slower),
        );
    }
    place.write("go.log", GO);
    let ended = place.succeed("import mongodb=m1.log mongodb=m2.log mongodb=m3.log tikv/a=go.log");
    assert_eq!(
        ended.stdout,
        "mongodb, workload a: 3 trials\ntikv, workload a: 1 trial\n"
    );
    let report = place.succeed("report results/imported").stdout;
    for expected in ["durability not stated", "not ranked", "10.4k/s"] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    for format in ["html", "csv", "markdown"] {
        place.succeed(&format!("report results/imported --format {format}"));
    }
    let record = read_json(&place.path("results/imported/trials/001-mongodb-a/record.json"));
    let stated = &record["measure"]["operations"]["read"]["stated"]["service"];
    assert!(stated["percentiles_ns"]["99"].is_u64());
    let lint = place.run("lint results/imported");
    assert!(
        lint.stdout.contains("4 lines checked: 0 certain"),
        "{}",
        lint.stdout
    );
    let refused = place.run("compare results/imported results/imported --fail-on slower");
    assert_eq!(refused.code, 3, "{}", refused.stdout);
    assert!(
        refused.stdout.contains("durability: not stated"),
        "{}",
        refused.stdout
    );
    place.succeed("compare results/imported results/imported --anyway");
}

/// `zcat a.log.gz | dbdyno import mongodb=/dev/stdin`.
#[test]
fn a_log_may_come_through_a_pipe() {
    let place = Place::new();
    let mut command = place.command("import mongodb=/dev/stdin");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(A.as_bytes()).unwrap();
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(ended.stdout, "mongodb, workload a: 1 trial\n");
}

#[test]
fn what_is_reported_is_known() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("redis")).unwrap();
    place.write("redis/1.log", A);
    place.write("redis/notes.txt", "the disk was replaced on Monday");
    let ended = place.succeed(
        "import redis --workload mine --records 20k --clients 4 --durability synced --consistency single --output told",
    );
    assert!(
        ended.stderr.contains("Skipped redis/notes.txt"),
        "{}",
        ended.stderr
    );
    let record = read_json(&place.path("told/trials/001-redis-mine/record.json"));
    assert_eq!(record["system"]["durability"], "synced");
    assert_eq!(record["settings"]["clients"], 4);
    assert_eq!(record["workload"]["records"], 20_000);
}

#[test]
fn what_cannot_be_imported_says_why_and_leaves_nothing_behind() {
    let place = Place::new();
    place.write("a.log", A);
    place.write("cut.log", A.split("[OVERALL]").next().unwrap());
    place.write("empty.log", "");
    let wide: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(A.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    std::fs::write(place.path("wide.log"), wide).unwrap();
    place.write("bare.log", &A[A.find("[OVERALL]").unwrap()..]);
    for (line, code, expected) in [
        ("import a.log", 2, "SYSTEM=FILE"),
        ("import x=bare.log", 2, "SYSTEM/WORKLOAD=FILE"),
        ("import x=cut.log", 2, "cut off"),
        ("import x=empty.log", 2, "it is empty"),
        ("import x=wide.log", 2, "its encoding is UTF-16"),
        (
            "import x=a.log --clients 1",
            2,
            "a.log states 4, but --clients is 1",
        ),
        (
            "import x=a.log --records 5",
            2,
            "a.log states 20000, but --records is 5",
        ),
        ("import x=missing.log", 6, "cannot read missing.log"),
        ("import", 2, "FILE"),
        ("import x=a.log --records none", 2, "records"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
    assert!(!place.path("results").exists());
    place.succeed("import x=a.log");
    let again = place.run("import x=a.log");
    assert_eq!(again.code, 6);
    assert!(again.stderr.contains("is not empty"), "{}", again.stderr);
}
