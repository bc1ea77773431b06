//! Sizes that no machine has end with one clear error, and never with an abort.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::{Ended, Place, ended};

fn refused(line: &str, reasons: &[&str]) {
    let limits = if line.starts_with("run") {
        "--duration 1s --warmup 0s"
    } else {
        ""
    };
    let ended = Place::new().run(&format!("{line} {limits} --output out"));
    reported(&ended, reasons);
}

fn reported(ended: &Ended, reasons: &[&str]) {
    reported_as(2, ended, reasons);
}

fn reported_as(code: i32, ended: &Ended, reasons: &[&str]) {
    // Messages are wrapped.
    let shown = ended
        .stderr
        .split(|sign: char| sign.is_whitespace() || sign == '│')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(ended.code, code, "{}", ended.stderr);
    for reason in reasons {
        assert!(shown.contains(reason), "{reason} is not in {shown}");
    }
}

#[test]
fn records_that_memory_cannot_hold_are_refused_before_the_load() {
    let reasons = [
        "of memory for 1000000000000 records of about 1108 bytes in `memory`",
        "are available",
        "lower --records, fieldcount or fieldlength",
    ];
    refused("run memory --records 1000000000000", &reasons);
    refused("load memory --records 1000000000000", &reasons[1..2]);
}

#[test]
fn buffers_that_memory_cannot_hold_are_refused() {
    let long = "-p fieldlength=26000000 --records 10";
    let reasons = [
        "10000 clients with 260 MB of buffers each",
        "lower --clients, fieldcount, fieldlength or maxscanlength",
    ];
    refused(
        &format!("run null --clients 10000 -p writeallfields=true {long}"),
        &reasons,
    );
    refused(
        "run memory --workload e -p maxscanlength=100000000 --records 10000000",
        &["4 clients with 10 GB of buffers each"],
    );
}

#[test]
fn a_file_without_end_is_refused() {
    let too_large = "it is larger than 64 MiB";
    refused("run null --property-file /dev/zero", &[too_large]);
    refused(
        "run null -p fieldlengthdistribution=histogram -p fieldlengthhistogram=/dev/zero",
        &[too_large, "fieldlengthhistogram"],
    );
    refused(
        "run 'redis://me@127.0.0.1:1?password_file=/dev/zero'",
        &["`password_file` names", too_large],
    );
    reported(&Place::new().run("study plan /dev/zero"), &[too_large]);
    reported_as(
        6,
        &Place::new().run("import redis=/dev/zero"),
        &["cannot read /dev/zero", "it is larger than 512 MiB"],
    );
}

/// A pipe with a writer is read: `password_file=<(pass show db)`.
#[test]
fn a_pipe_that_nobody_writes_to_is_refused() {
    let place = Place::new();
    let made = Command::new("mkfifo").arg(place.path("pipe")).status();
    assert!(made.unwrap().success());
    let lines = [
        ("study plan pipe", 2),
        ("advise pipe results", 2),
        ("import redis=pipe", 6),
        ("run 'redis://me@127.0.0.1:1?password_file=pipe' --output out", 2),
        ("audit 'redis://me@127.0.0.1:1?password_file=pipe'", 2),
    ];
    // Each waits: all of them at once.
    let all = lines.map(|(line, code)| (place.start(line), code));
    for (child, code) in all {
        let ended = ended(child.wait_with_output().unwrap());
        reported_as(code, &ended, &["nobody opened it for writing within 10 s"]);
    }
}

#[test]
fn a_plan_that_nobody_could_carry_out_is_refused_before_it_is_made() {
    let study = |keys: &str| {
        let place = Place::new();
        let all: Vec<String> = (1..=9999).map(|number| number.to_string()).collect();
        let keys = keys.replace("ALL", &all.join(", "));
        place.write(
            "s.toml",
            &format!("name = \"s\"\nsystems = [\"null\", \"memory\"]\nworkloads = [\"c\"]\n{keys}\n"),
        );
        place.run("study plan s.toml")
    };
    reported(
        &study("trials = 10000\nclients = [1, 2, 3, 4, 5, 6]"),
        &[
            "this study has 120000 trials; the maximum is 100000",
            "lower `trials`",
        ],
    );
    // As many cells as no memory holds.
    reported(
        &study("trials = 1\nclients = [ALL]\nrecords = [ALL]\noperations = [ALL]"),
        &["the maximum is 100000"],
    );
    reported(&study("trials = 1000000000"), &["from 1 to 10000"]);
    let largest = study("trials = 10000");
    assert_eq!(largest.code, 0, "{}", largest.stderr);
    assert!(
        largest.stdout.contains("10000 blocks detect"),
        "{}",
        largest.stdout
    );
}

/// Threads of a user are limited, and the superuser is exempt: without its rights.
#[test]
fn a_refused_thread_is_the_machines_answer_and_no_bug() {
    let place = Place::new();
    std::fs::set_permissions(place.path(""), PermissionsExt::from_mode(0o777)).unwrap();
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=54321", "--clear-groups", "prlimit", "--nproc=3"]);
        command
    } else {
        let mut command = Command::new("prlimit");
        command.arg("--nproc=1");
        command
    };
    let output = command
        .arg(env!("CARGO_BIN_EXE_dbdyno"))
        .args([
            "run",
            "memory",
            "--clients",
            "8",
            "--records",
            "100",
            "--duration",
            "1s",
            "--warmup",
            "0s",
        ])
        .current_dir(place.path(""))
        .output()
        .unwrap();
    reported(
        &ended(output),
        &["the operating system refused a thread", "raise its limits"],
    );
}
