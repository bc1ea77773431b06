//! `run`, `load`, `ycsb` and `report` of the real binary on real databases.

use crate::common;
use crate::common::{Place, ended, wait_for};

/// Short enough for a debug build, with everything in it.
const SHORT: &str = "--records 300 --operations 500 --warmup 20ms --clients 2";

#[test]
fn every_database_runs_and_leaves_its_record() {
    let place = Place::new();
    for system in ["null", "memory", "fjall", "redb", "sqlite"] {
        let ended = place.succeed(&format!(
            "run {system} {SHORT} --workload f --output out-{system}"
        ));
        assert!(
            ended.stdout.to_lowercase().starts_with(system),
            "{}",
            ended.stdout
        );
        let page = format!("Report: out-{system}/report.html");
        assert!(ended.stderr.contains(&page), "{}", ended.stderr);
        assert!(ended.stdout.contains("read-modify-write"), "{}", ended.stdout);
        let record = place.record(&format!("out-{system}"));
        assert_eq!(record["system"]["driver"], system);
        assert_eq!(record["status"]["state"], "completed");
        assert_eq!(record["settings"]["clients"], 2);
        for file in [
            "study.toml",
            "plan.json",
            "environment.json",
            "trials/001/latency.hlog",
            "trials/001/intervals.csv",
            "report.html",
        ] {
            assert!(
                place.path(&format!("out-{system}")).join(file).exists(),
                "{system}: {file}"
            );
        }
    }
}

#[test]
fn scans_of_null_miss_no_record() {
    let place = Place::new();
    place.succeed(&format!("run null {SHORT} --workload e --output out"));
    let record = place.record("out");
    let scans = &record["measure"]["operations"]["scan"];
    assert!(scans["ok"].as_u64().unwrap() > 0, "{scans}");
    assert_eq!(scans["not_found"], 0);
    let mut findings = record["findings"].as_array().unwrap().iter();
    assert!(findings.all(|finding| finding["code"] != "not-found"), "{record}");
}

#[test]
fn a_loaded_table_is_used_again_and_again() {
    let place = Place::new();
    place.succeed("load sqlite:d.db --workload d --records 300 --output load");
    let loaded = place.record("load");
    assert_eq!(loaded["load"]["inserts"]["ok"], 300);
    assert!(loaded["measure"].is_null());
    let mut before: u64 = 300;
    for number in ["1", "2"] {
        place.succeed(&format!(
            "run sqlite:d.db --workload d {SHORT} --output run-{number}"
        ));
        let record = place.record(&format!("run-{number}"));
        assert!(record["load"].is_null(), "the table holds what is needed");
        assert_eq!(record["workload"]["records"], before);
        let inserted = record["measure"]["operations"]["insert"]["ok"].as_u64().unwrap();
        assert!(inserted > 0);
        assert!(
            record["measure"]["operations"]["insert"]["errors"]
                .as_object()
                .unwrap()
                .is_empty()
        );
        assert_eq!(record["measure"]["operations"]["read"]["not_found"], 0);
        // The warm-up inserted too; what the next run finds is all of it.
        place.succeed(&format!(
            "run sqlite:d.db --workload c {SHORT} --output after-{number}"
        ));
        let now = place.record(&format!("after-{number}"))["workload"]["records"]
            .as_u64()
            .unwrap();
        assert!(now >= before + inserted, "{now} < {before} + {inserted}");
        before = now;
    }
    let refused = place
        .run("run sqlite:d.db --workload d --records 300 -p fieldlength=7 --operations 10 --output other");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("--fresh"), "{}", refused.stderr);
}

#[test]
fn results_come_in_every_format() {
    let place = Place::new();
    let json = place
        .succeed(&format!("run memory {SHORT} --format json --output json"))
        .stdout;
    let printed: serde_json::Value = serde_json::from_str(&json).unwrap();
    // The report may add figures beside the record; the record itself is the one on disk.
    assert_eq!(*printed.get("record").unwrap_or(&printed), place.record("json"));
    let csv = place.succeed(&format!("run memory {SHORT} --format csv")).stdout;
    assert!(csv.starts_with("study,trial,"), "{csv}");
    let ycsb = place.succeed(&format!("run memory {SHORT} --format ycsb --quiet"));
    assert!(
        ycsb.stdout.contains("[OVERALL], Throughput(ops/sec), "),
        "{}",
        ycsb.stdout
    );
    assert!(
        ycsb.stdout.contains("[UPDATE], 99thPercentileLatency(us), "),
        "{}",
        ycsb.stdout
    );
    assert_eq!(ycsb.stderr, "", "quiet is quiet");
    assert!(
        place.path("results").read_dir().unwrap().count() == 2,
        "every run has a folder of its own"
    );
}

#[test]
fn a_workload_is_a_name_or_a_file_and_flags_win() {
    let place = Place::new();
    std::fs::create_dir(place.path("workloads")).unwrap();
    place.write(
        "workloads/workloadx",
        "recordcount=40\noperationcount=70\nreadproportion=1\nupdateproportion=0\nthreadcount=3\n",
    );
    place.write("more.properties", "fieldcount=3\nfieldlength=9\n");
    place.succeed("run memory --workload workloads/workloadx -P more.properties -p fieldlength=5 --warmup 0s --output a");
    let record = place.record("a");
    assert_eq!(record["workload"]["name"], "x");
    assert_eq!(record["workload"]["records"], 40);
    assert_eq!(record["settings"]["operations"], 70);
    assert_eq!(record["settings"]["clients"], 3);
    assert_eq!(record["workload"]["properties"]["fieldcount"], "3");
    assert_eq!(record["workload"]["properties"]["fieldlength"], "5");
    place.succeed(
        "run memory -w workloads/workloadx --operations 30 --records 20 --clients 1 --warmup 0s --output b",
    );
    let record = place.record("b");
    assert_eq!(record["settings"]["operations"], 30);
    assert_eq!(record["workload"]["records"], 20);
    assert_eq!(record["settings"]["clients"], 1);
}

#[test]
fn a_rate_gives_response_times() {
    let place = Place::new();
    let ended = place.run(
        "run memory --records 100 --rate 1k --arrivals poisson --duration 500ms --warmup 20ms --output r",
    );
    assert!(
        [0, 5].contains(&ended.code),
        "a busy machine may be too slow: {ended:?}"
    );
    let record = place.record("r");
    assert_eq!(record["settings"]["arrivals"], "poisson");
    assert_eq!(record["measure"]["pacing"]["asked_rate"], 1000.0);
    assert!(record["measure"]["operations"]["read"]["response"].is_string());
}

/// No client can send so fast. The backlog of the warm-up is not the measured phase's, and nobody waits for a hopeless drain.
#[test]
fn a_rate_that_nobody_can_keep_is_no_success() {
    let place = Place::new();
    let ended = place.run("run memory --records 1k --rate 500M --warmup 100ms --duration 300ms --output r");
    assert_eq!(ended.code, 5, "{}\n{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("RATE NOT SUSTAINED"), "{}", ended.stdout);
    let measure = &place.record("r")["measure"];
    assert_eq!(measure["duration_ns"], 300_000_000_u64);
    assert_eq!(measure["pacing"]["sustained"], false);
    assert!(measure["pacing"]["achieved_rate"].as_f64().unwrap() > 0.0);
    // 150 million are due in the phase: more than any machine does until the drain ends.
    let backlog = measure["pacing"]["backlog"].as_u64().unwrap();
    assert!((10_000_000..=150_000_000).contains(&backlog), "{backlog}");
    assert!(measure["drain"]["never_sent"].as_u64().unwrap() > 0);
}

#[test]
fn expectations_decide_the_exit_code() {
    let place = Place::new();
    let met = place.succeed(&format!(
        "run memory {SHORT} --expect 'p99(read)<100s' --expect 'errors<=0' --expect 'throughput > 1'"
    ));
    assert!(
        met.stderr.contains("Expected p99(read)<100s: yes"),
        "{}",
        met.stderr
    );
    let missed = place.run(&format!(
        "run memory {SHORT} --quiet --expect 'p50<1ns' --expect 'errors<1%'"
    ));
    assert_eq!(missed.code, 3);
    assert!(
        missed.stderr.contains("Expected p50<1ns: no, "),
        "{}",
        missed.stderr
    );
    assert!(!missed.stderr.contains("errors<1%"), "{}", missed.stderr);
    assert!(
        missed.stdout.contains("memory"),
        "the result is printed all the same"
    );
}

#[test]
fn ycsb_scripts_work_as_they_are() {
    let place = Place::new();
    let workload = place.write(
        "workloada",
        "readproportion=0.5\nupdateproportion=0.5\nrequestdistribution=zipfian\n",
    );
    let common = format!("-P {} -p recordcount=200 -threads 2", workload.display());
    let load = place.succeed(&format!("ycsb load redb:y.redb {common} -s"));
    assert!(
        load.stdout.contains("[INSERT], Operations, 200"),
        "{}",
        load.stdout
    );
    assert!(load.stderr.contains(" sec: 200 operations; "), "{}", load.stderr);
    let run = place.succeed(&format!(
        "ycsb run redb:y.redb {common} -p operationcount=400 -p hdrhistogram.percentiles=50,99.9"
    ));
    assert!(
        run.stdout.starts_with("[OVERALL], RunTime(ms), "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("[READ], 99.9PercentileLatency(us), "),
        "{}",
        run.stdout
    );
    let count = |name: &str| -> u64 {
        let start = format!("[{name}], Operations, ");
        let line = run.stdout.lines().find(|line| line.starts_with(&start)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(count("READ") + count("UPDATE"), 400);
    assert!(!place.path("results").exists());
    place.succeed("ycsb run basic -p recordcount=10 -p operationcount=20 -t");
}

#[test]
fn a_binding_of_ycsb_is_hosted_by_its_class() {
    let place = Place::new();
    let run = |phase: &str| {
        let mut command = place.command(&format!(
            "ycsb {phase} site.ycsb.BasicDB -cp . -p recordcount=100 -p operationcount=60 -p updateproportion=0.5 -p \
             readproportion=0.5 -threads 2"
        ));
        let outcome = ended(
            command
                .env("XDG_STATE_HOME", place.path("state"))
                .output()
                .unwrap(),
        );
        assert_eq!(outcome.code, 0, "{}\n{}", outcome.stdout, outcome.stderr);
        assert!(
            outcome.stdout.starts_with("[OVERALL], RunTime(ms), "),
            "{}",
            outcome.stdout
        );
        outcome
    };
    // What BasicDB prints shows that it was asked, and does not stand among the results.
    let load = run("load");
    assert!(
        load.stdout.contains("[INSERT], Operations, 100"),
        "{}",
        load.stdout
    );
    assert_eq!(load.stderr.matches("INSERT usertable user").count(), 100);
    let again = run("load");
    assert!(
        again.stdout.contains("[INSERT], Operations, 100"),
        "a load inserts whatever is there"
    );
    let transactions = run("run");
    assert!(!transactions.stdout.contains("[INSERT]"), "a run loads nothing");
    assert!(
        transactions.stderr.contains("UPDATE usertable user"),
        "{}",
        transactions.stderr
    );
    assert!(
        transactions.stderr.contains("\"recordcount\"=\"100\""),
        "it sees every property"
    );
}

#[test]
fn reports_follow_from_the_records_alone() {
    let place = Place::new();
    place.succeed(&format!("run memory {SHORT} --output r"));
    for format in ["table", "markdown", "json"] {
        let first = place.succeed(&format!("report r --format {format}")).stdout;
        assert!(first.contains("memory"), "{first}");
        assert_eq!(
            first,
            place.succeed(&format!("report r --format {format}")).stdout
        );
    }
    for (format, file) in [("html", "report.html"), ("csv", "results.csv")] {
        place.succeed(&format!("report r --format {format}"));
        let first = std::fs::read(place.path("r").join(file)).unwrap();
        place.succeed(&format!("report r --format {format} --output again"));
        assert_eq!(first, std::fs::read(place.path("again")).unwrap(), "{format}");
    }
}

#[test]
fn folders_that_are_not_ours_are_refused_at_once() {
    let place = Place::new();
    place.write("notes.txt", "mine");
    std::fs::create_dir(place.path("full")).unwrap();
    std::fs::write(place.path("full").join("notes.txt"), "mine").unwrap();
    let long = "--records 100 --duration 1h --warmup 0s";
    for output in ["full", "notes.txt/x"] {
        let refused = place.run(&format!("run null {long} --output {output}"));
        assert_eq!(refused.code, 6, "{refused:?}");
        assert!(
            refused.stderr.contains(output) && refused.stderr.contains("--output"),
            "{}",
            refused.stderr
        );
    }
    let foreign = place.run("report full");
    assert_eq!(foreign.code, 6);
    assert!(foreign.stderr.contains("full"), "{}", foreign.stderr);

    place.succeed(&format!("run null {SHORT} --output r"));
    place.write(
        "r/trials/001/record.json",
        "{\"format\": \"dbdyno.trial/1\", \"study\"",
    );
    let damaged = place.run("report r");
    assert_eq!(damaged.code, 6);
    assert!(damaged.stderr.contains("record.json"), "{}", damaged.stderr);
}

#[test]
fn a_system_that_cannot_be_opened_ends_the_run() {
    let place = Place::new();
    // A path that cannot be: the command line is wrong.
    let refused = place.run(&format!("run fjall:missing/x {SHORT} --output r"));
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("missing/x"), "{}", refused.stderr);
    assert!(
        !place.path("r").exists(),
        "a run that measured nothing leaves nothing in the way"
    );
    assert_eq!(place.run(&format!("run redis://127.0.0.1:1 {SHORT}")).code, 4);
    assert!(!place.path("results").exists(), "nor an empty folder");

    // A path that another process holds: the system cannot be reached, and can be later.
    let mut holder = place.start("run redb:held --records 100 --duration 1h --warmup 0s --output holder");
    let log = place.path("holder/trials/001/latency.hlog");
    wait_for("the holder", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("Tag="))
    });
    let refused = place.run(&format!("run redb:held {SHORT} --output r"));
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains("has it open"), "{}", refused.stderr);
}

/// A database whose files may not grow fails for real, and goes on failing.
#[cfg(target_os = "linux")]
#[test]
fn failed_operations_spoil_the_result() {
    let place = Place::new();
    let inserts = "sqlite:db --workload d -p insertproportion=0.5 -p readproportion=0.5 --records 300";
    place.succeed(&format!("load {inserts} --output loaded"));
    let limited = |line: &str| {
        let mut command = std::process::Command::new("bash");
        command
            .args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$@\"", "bash"])
            .arg(env!("CARGO_BIN_EXE_dbdyno"))
            .args(line.split(' '))
            .current_dir(place.path(""));
        common::ended(command.output().unwrap())
    };
    let spoiled = limited(&format!(
        "run {inserts} --operations 3000 --warmup 0s --output run"
    ));
    assert_eq!(spoiled.code, 5, "{spoiled:?}");
    assert!(
        spoiled.stderr.contains("of 3000 operations failed"),
        "{}",
        spoiled.stderr
    );
    let insert = &place.record("run")["measure"]["operations"]["insert"];
    assert!(
        insert["errors"]["unavailable"].as_u64().unwrap() > 100,
        "{insert}"
    );

    // A run that cannot load its table fails, and its page says so.
    let failed = limited("run sqlite:full --records 3000 --operations 100 --output failed");
    assert_eq!(failed.code, 5, "{failed:?}");
    assert!(failed.stderr.contains("Report: failed/report.html"), "{failed:?}");
    let page = std::fs::read_to_string(place.path("failed/report.html")).unwrap();
    let place_of = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place_of("Failed: the load of sqlite:full failed") < place_of("id=\"settings\""));
    assert!(!page.contains("every check of the run passed"), "{page}");
    let shown = place.succeed("report failed");
    assert!(shown.stdout.contains("Failed: the load of"), "{shown:?}");

    let load = limited("load sqlite:other --records 3000 --output load");
    assert_eq!(load.code, 5, "{load:?}");
    assert!(
        load.stderr.contains("records could not be loaded"),
        "{}",
        load.stderr
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_measured() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    let child = place.start("run memory --records 100 --duration 1h --warmup 0s --output r");
    // The measured phase has begun when its first second is on disk or the log has a line of it.
    let log = place.path("r/trials/001/latency.hlog");
    wait_for("the measured phase", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("Tag=measure."))
    });
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::INT).unwrap();
    let ended = common::ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(ended.stdout.contains("Interrupted"), "{}", ended.stdout);
    let record = place.record("r");
    assert_eq!(record["status"]["state"], "interrupted");
    assert!(record["measure"]["operations"]["read"]["ok"].as_u64().unwrap() > 0);
    let page = std::fs::read_to_string(place.path("r/report.html")).unwrap();
    assert!(page.contains("Interrupted: figures up to that point."), "{page}");
    assert!(page.contains("<dt>Throughput</dt>"), "{page}");
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_aborts_and_says_what_is_lost() {
    use std::io::{BufRead, BufReader};

    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    let mut child =
        place.start("run sick?delay=5s --records 1 --clients 1 --duration 1h --warmup 0s --output r");
    let process = Pid::from_raw(child.id() as i32).unwrap();
    let trial = place.path("r/trials/001");
    wait_for("the trial", || trial.is_dir());
    kill_process(process, Signal::INT).unwrap();
    // The operation that waits takes five seconds, and the first interrupt waits for it.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut says = |what: &str| lines.any(|line| line.unwrap().contains(what));
    assert!(says("Press Ctrl-C again to abort."));
    kill_process(process, Signal::INT).unwrap();
    assert!(says("Aborted; the running trial is lost."));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!trial.join("record.json").exists());
}

#[test]
fn a_phase_in_which_nothing_was_done_is_no_result() {
    let place = Place::new();
    let line = "run memory --workload c --records 100";
    let ended = place.run(&format!("{line} --rate 1 --duration 300ms --warmup 100ms"));
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(
        ended.stderr.contains("no operation is due in the measured phase"),
        "{ended:?}"
    );
    let ended = place.run(&format!("{line} --duration 1ns --warmup 0s --output r"));
    assert_eq!(ended.code, 5, "{ended:?}");
    let findings = &place.record("r")["findings"];
    let mut codes = findings
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| &finding["code"]);
    assert!(codes.any(|code| code == "nothing-measured"), "{findings}");
    let said = findings.to_string();
    assert!(
        said.contains("no client began an operation") && !said.contains("was due"),
        "no schedule in a closed loop: {said}"
    );
}

/// What is due and answered within a moment still counts per second of the time that was asked for.
#[test]
fn a_phase_with_a_rate_lasts_as_long_as_asked() {
    let place = Place::new();
    for (rate, seconds) in [(1, 1), (2, 2), (1_000, 1)] {
        let output = format!("at-{rate}");
        let ended = place.run(&format!(
            "run memory --workload c --records 100 --warmup 0s --rate {rate} --duration {seconds}s --output {output} \
             --expect 'throughput>{}'",
            rate + 1
        ));
        let missed = format!("Expected throughput>{}: no", rate + 1);
        assert!(ended.stderr.contains(&missed), "{rate}/s: {ended:?}");
        let record = place.record(&output);
        let measure = &record["measure"];
        assert_eq!(measure["duration_ns"], seconds * 1_000_000_000_u64, "{rate}/s");
        assert_eq!(measure["operations"]["read"]["ok"], rate * seconds, "{rate}/s");
        let mut findings = record["findings"].as_array().unwrap().iter();
        assert!(findings.all(|finding| finding["code"] != "too-short"), "{record}");
    }
}

#[test]
fn an_expectation_that_nothing_can_meet_is_refused_before_the_run() {
    let place = Place::new();
    for (call, why) in [
        (
            "run memory --expect 'p99(scan)<1ms'",
            "workload a has no scan operations",
        ),
        (
            "run memory --expect server-cpu<1ms",
            "does not know the processes and files of memory",
        ),
        (
            "run redis://127.0.0.1:1 --expect disk<1GB",
            "does not know the processes and files",
        ),
        (
            "load memory --expect 'throughput>1'",
            "a load has no measured phase",
        ),
    ] {
        let refused = place.run(&format!("{call} --records 10"));
        assert_eq!(refused.code, 2, "{call}: {refused:?}");
        let shown = refused.stderr.replace("\n  │ ", " ");
        assert!(
            shown.contains("cannot be measured") && shown.contains(why),
            "{call}: {refused:?}"
        );
        assert!(!place.path("results").exists(), "{call}: it ran");
    }
}

#[test]
fn proportions_that_do_not_sum_to_one_get_a_note() {
    let place = Place::new();
    let run = place.succeed(
        "run memory --records 10 --duration 10ms --warmup 0s -p readproportion=0.5 -p updateproportion=1",
    );
    assert!(
        run.stderr.contains("the proportions sum to 1.5, not 1") && run.stderr.contains("read 33.3%"),
        "{run:?}"
    );
}
