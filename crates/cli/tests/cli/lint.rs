//! `dbdyno lint`, on results of our own and of others.

use crate::common::Place;

#[test]
fn what_we_measured_can_be_true() {
    let place = Place::new();
    place.succeed("run memory --records 1000 --operations 20k --clients 4 --workload a --output r --quiet");
    let ended = place.succeed("lint r");
    assert!(
        ended.stdout.contains("r, 1 line checked: 0 certain, 0 likely"),
        "{}",
        ended.stdout
    );
    let json = place.succeed("lint r --format json");
    let all: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(all["findings"][0]["rule"], "duration");
    let ended = place.run("lint r --clients 4");
    assert_eq!(ended.code, 2);
    assert!(
        ended.stderr.contains("apply to CSV files only"),
        "{}",
        ended.stderr
    );
}

#[test]
fn numbers_of_others_that_cannot_be_true_are_found() {
    let place = Place::new();
    // 1,000,000 operations in 100 s are 10,000 a second; 16 clients can spend 1,600 s in operations.
    let good = "elapsed,ops,throughput_ops_s,read_ops,read_avg_us\n100,1000000,10000,1000000,1500\n";
    let columns = "--column elapsed=run_time_s --clients 16 --runs 1";
    for (name, text, code, expected) in [
        ("good.csv", good.to_owned(), 0, "0 certain"),
        (
            "throughput.csv",
            good.replace(",10000,", ",12000,"),
            3,
            "1000000 operations / 100 s = 10000 a second; printed: 12000",
        ),
        (
            "latency.csv",
            good.replace(",1500\n", ",1700\n"),
            3,
            "= 17 operations at a time; there are 16 clients",
        ),
    ] {
        std::fs::write(place.path(name), text).unwrap();
        let ended = place.run(&format!("lint {name} {columns}"));
        assert_eq!(ended.code, code, "{name}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains(expected), "{name}: {}", ended.stdout);
    }
    std::fs::write(place.path("words.csv"), "ops,run_time_s\n1000,fast\n").unwrap();
    std::fs::write(place.path("other.csv"), "elapsed,host\n100,north\n").unwrap();
    for (line, code, expected) in [
        ("lint other.csv", 2, "--column elapsed=run_time_s"),
        ("lint good.csv --column time=run_time_s", 2, "no column `time`"),
        ("lint good.csv --column elapsed", 2, "elapsed=run_time_s"),
        ("lint words.csv", 2, "nothing in words.csv can be checked"),
        (
            "lint words.csv",
            2,
            "row 1, column run_time_s: `fast` is not a number",
        ),
        ("lint missing.csv", 6, "pass a result folder or a CSV file"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}

/// Each pair of tables differs in one number, or in what is printed beside it: the first can be true, and the second is found.
#[test]
fn tables_that_differ_in_one_number_are_told_apart() {
    let place = Place::new();
    let check = |text: &str, expected: Option<&str>| {
        std::fs::write(place.path("t.csv"), text).unwrap();
        let ended = place.run("lint t.csv --format json");
        let all: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        let found: Vec<String> = all["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["certainty"] != "notice")
            .map(|finding| format!("{}: {}", finding["rule"].as_str().unwrap(), finding["arithmetic"]))
            .collect();
        match expected {
            None => assert!(found.is_empty(), "{text}: {found:?}"),
            Some(expected) => {
                assert!(
                    found.len() == 1 && found[0].contains(expected),
                    "{text}: {found:?}"
                );
            }
        }
    };
    let ok = "clients,run_time_s,ops,ok,throughput_ops_s\n16,100,1000000,";
    check(&format!("{ok}1000000,10000\n"), None);
    check(&format!("{ok}990000,10000\n"), None);
    check(
        &format!("{ok}1200000,10000\n"),
        Some("counts: \"1200000 of 1000000 operations succeeded"),
    );

    let units = "run_time_s,ops,read_p99_us,read_p99_ms\n100,1000000,1234.5,";
    check(&format!("{units}1.23\n"), None);
    check(
        &format!("{units}12.3\n"),
        Some("contradiction: \"read_p99 is 1234 us in one column and 12300 us"),
    );
    check(
        "run_time_s,ops,p99_us,p99_ms\n100,1000000,900,2\n",
        Some("contradiction: \"p99 is 900 us"),
    );

    let totals = "run_time_s,ops,read_ops,read_avg_us,update_ops,update_avg_us,avg_us\n100,1000000,500000,100,500000,300,";
    check(&format!("{totals}200\n"), None);
    check(
        &format!("{totals}400\n"),
        Some("order: \"the mean of all operations is 400 us"),
    );
    check(
        &format!("{totals}80\n"),
        Some("order: \"the mean of all operations is 80 us"),
    );

    let closed = "clients,run_time_s,ops,throughput_ops_s,read_ops,read_avg_us\n64,100,100000,1000,100000,";
    check(&format!("{closed}60000\n"), None);
    check(
        &format!("{closed}2000\n"),
        Some("littles-law: \"200 s in operations"),
    );
    let paced = "clients,target_ops_s,run_time_s,ops,throughput_ops_s,read_ops,read_avg_us\n64,1000,100,100000,1000,100000,2000\n";
    check(paced, None);

    // Each row against the one above; the first one has none.
    let scaling = "nodes,throughput_ops_s,change %\n1,1000,\n2,1900,90\n4,2600,36.8\n8,3100,";
    check(&format!("{scaling}19.2\n"), None);
    check(
        &scaling
            .replace("1,1000,", "1,1000,0")
            .replace("8,3100,", "8,3100,19.2\n"),
        None,
    );
    let longer = format!("{scaling}19.2\n16,3400,");
    check(&format!("{longer}9.7\n"), None);
    check(
        &format!("{longer}27.9\n"),
        Some("comparison-column: \"change % = 27.9"),
    );
}

/// The attacks of a reader who wants to be told what was not looked at.
#[test]
fn what_is_not_checked_is_reported() {
    let place = Place::new();
    let text = "system,host,run_time_s,ops,throughput_ops_s,read_avg_us\n\
        a,north,\"1,250 s\",1M,800,1.2 ms\nb,south,fast,1M,900,\nc,east,12,,,\n";
    std::fs::write(place.path("mixed.csv"), text).unwrap();
    let ended = place.succeed("lint mixed.csv");
    for expected in [
        "Not checked: mixed.csv",
        "1 column: host",
        "1 row: 3 (without two related numbers)",
        "1 unreadable cell: `fast` (row 2, run_time_s)",
        "4 cells without a number",
        "--clients N, or add a column",
        "mixed.csv, 2 lines checked: 0 certain, 0 likely",
    ] {
        assert!(ended.stdout.contains(expected), "{expected}\n{}", ended.stdout);
    }
    let json = place.succeed("lint mixed.csv --format json");
    let all: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let not_checked = &all["not_checked"]["mixed.csv"];
    assert_eq!(not_checked["columns"], serde_json::json!(["host"]));
    assert_eq!(not_checked["rows"], serde_json::json!([3]));
    assert_eq!(not_checked["cells"][0]["text"], "fast");
    assert_eq!(not_checked["absent"], 4);
    assert_eq!(all["checked"], 2);
}

/// One table an attack: its name and text, flags, the exit code, and what the rule that must see it says.
const TABLES: [(&str, &str, &str, i32, &str); 29] = [
    // A true 12.3 s, printed as 12.
    (
        "seconds",
        "ops,run_time_s,throughput_ops_s\n100000,12,8130\n",
        "--runs 1",
        0,
        "0 certain, 0 likely",
    ),
    (
        "cut-off",
        "ops,run_time_s,throughput_ops_s\n500000,61,8070\n",
        "--runs 1",
        0,
        "0 certain, 0 likely",
    ),
    // Ten of a million failed.
    (
        "failures",
        "ops,read_ops,update_ops,read_ok,update_ok\n1000000,500000,500000,500000,499990\n",
        "",
        0,
        "0 certain, 0 likely",
    ),
    // Failed operations are no throughput.
    (
        "goodput",
        "ops,ok,run_time_s,throughput_ops_s\n100000,90000,100,900\n",
        "",
        0,
        "0 certain, 0 likely",
    ),
    // YCSB counts both halves of a read-modify-write with the reads and the updates, too.
    (
        "halves",
        "ops,run_time_s,read_ops,read_avg_us,update_ops,update_avg_us,read_modify_write_ops,read_modify_write_avg_us\n\
         1000000,1000,1000000,400,500123,800,500123,1200\n",
        "--clients 1",
        0,
        "0 certain, 0 likely",
    ),
    // Means of three runs of a minute at 1000, 1200 and 800 operations a second.
    (
        "means",
        "system,read_ops,read_avg_us,run_time_s\na,60000,1027.8,60.0\n",
        "--runs 3 --clients 1",
        0,
        "0 certain, 0 likely",
    ),
    // With a rate the latencies hold the time that operations waited for a free client.
    (
        "response",
        "target_ops_s,throughput_ops_s,avg_us\n10000,9999.8,52000\n",
        "--runs 1 --clients 64",
        0,
        "0 certain, 0 likely",
    ),
    // A share of reads is made of nothing that is printed.
    (
        "share",
        "system,read_p99_us,run_time_s,mem_gb,read_pct\na,4625,90,4,95\nb,7786,80,8,100\nc,6009,70,16,100\nd,6255,85,8,95\n",
        "",
        0,
        "0 certain, 0 likely",
    ),
    // Two systems, each with a baseline of its own.
    (
        "baselines",
        "clients,throughput_ops_s,speedup\n1,1000,1.00\n2,1900,1.90\n4,3500,3.50\n1,2000,1.00\n2,3800,1.90\n",
        "",
        0,
        "0 certain, 0 likely",
    ),
    (
        "units",
        "ops,run_time_s,run_time_ms\n1000000,900,100000\n",
        "",
        3,
        "contradiction",
    ),
    (
        "work",
        "ops,run_time_s,avg_us\n100000,1,5000\n",
        "--clients 1 --runs 1",
        3,
        "100000 operations a second x 5000 us = 500 at a time; there is 1 client",
    ),
    (
        "far",
        "update_avg_us,update_p50_us\n5,400000\n",
        "",
        0,
        "so the mean is at least",
    ),
    (
        "whole",
        "avg_us,min_us,max_us\n100,200,250\n",
        "",
        3,
        "minimum 200 us is above mean 100 us",
    ),
    (
        "runs",
        "system,run1,run2,run3\na,-100,100,101\n",
        "",
        3,
        "run1 = -100",
    ),
    (
        "records",
        "records,ops,run_time_s\n-5,1000000,100\n",
        "",
        3,
        "records = -5",
    ),
    (
        "semicolons",
        "Ops;Run_Time_S;throughput_ops_s\n1000000;100;10000\n",
        "",
        0,
        "1 line checked: 0 certain",
    ),
    (
        "negative",
        "ops,run_time_s\n100000,-12\n",
        "",
        3,
        "impossible-value",
    ),
    (
        "zero",
        "ops,run_time_s,throughput_ops_s\n100000,0,8130\n",
        "",
        0,
        "run_time_s = 0",
    ),
    (
        "mean",
        "ops,read_avg_us,read_max_us\n1000,900,800\n",
        "",
        3,
        "mean 900 us is above maximum 800 us",
    ),
    (
        "minimum",
        "ops,read_avg_ms,read_min_ms\n1000,0.9,1.8\n",
        "",
        3,
        "minimum 1800 us is above mean 900 us",
    ),
    (
        "percentiles",
        "ops,read_p95_us,read_p99_us\n1000,900,800\n",
        "",
        3,
        "p95 900 us is above p99 800 us",
    ),
    (
        "copied",
        "system,run_time_s,throughput_ops_s,avg_us\na,81.234,1231.1,812.3\nb,81.234,1231.1,812.3\n",
        "",
        0,
        "the same numbers as in copied.csv, row 1",
    ),
    (
        "returned",
        "read_ops,read_ok,read_avg_us\n1000,1010,500\n",
        "",
        3,
        "1000 operations, 1010 that succeeded",
    ),
    (
        "kinds",
        "ops,read_ops,update_ops\n1000,900,400\n",
        "",
        3,
        "900 (read) + 400 (update) = 1300",
    ),
    (
        "ratio",
        "mongodb_s,cassandra_s,ratio\n100,50,2.0\n80,50,1.6\n75,50,1.5\n200,50,5.5\n",
        "",
        0,
        "ratio = 5.5; mongodb_s against cassandra_s gives 4 here",
    ),
    (
        "speedup",
        "nodes,throughput_ops_s,speedup\n1,1000,1.00\n2,1900,1.90\n3,2600,3.40\n4,3100,3.10\n",
        "",
        0,
        "speedup = 3.4; throughput_ops_s against that of speedup.csv, row 1 gives 2.6 here",
    ),
    (
        "percent",
        "before_s,after_s,overhead_pct\n100,125,25.0\n100,110,10.0\n100,150,150.0\n100,140,40.0\n",
        "",
        0,
        "overhead_pct = 150",
    ),
    (
        "littles-law",
        "throughput_ops_s,avg_us\n10000,1700\n",
        "--clients 16 --runs 1",
        3,
        "10000 operations a second x 1700 us = 17 at a time; there are 16 clients",
    ),
    (
        "rate",
        "ops,run_time_s,target_ops_s\n100000,50,1000\n",
        "",
        0,
        "at that rate 100000 operations take 100 s",
    ),
];

#[test]
fn planted_tables() {
    let place = Place::new();
    for (name, text, flags, code, expected) in TABLES {
        std::fs::write(place.path(&format!("{name}.csv")), text).unwrap();
        let ended = place.run(&format!("lint {name}.csv {flags}"));
        assert_eq!(ended.code, code, "{name}: {}{}", ended.stdout, ended.stderr);
        // Words wrap.
        let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(expected), "{name}: {}", ended.stdout);
    }
    // Two files of one run.
    std::fs::write(
        place.path("again.csv"),
        "run_time_s,throughput_ops_s,avg_us\n81.234,1231.1,812.3\n",
    )
    .unwrap();
    let ended = place.succeed("lint copied.csv again.csv");
    assert_eq!(ended.stdout.matches(": copied, ").count(), 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("again.csv, row 1"), "{}", ended.stdout);
    let ended = place.run("lint again.csv --column avg_us=avgus");
    assert_eq!(ended.code, 2, "{}", ended.stdout);
    assert!(ended.stderr.contains("`avgus`"), "{}", ended.stderr);
}

/// The same rules judge logs of other tools: one figure of a real log is changed at a time.
#[test]
fn planted_logs() {
    let place = Place::new();
    let log = include_str!("../../../import/tests/logs/ycsb-a.log");
    let line = |name: &str| -> &str {
        let found = log.lines().find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("no line {name}"))
    };
    std::fs::write(place.path("true.log"), log).unwrap();
    place.succeed("import x=true.log --output true");
    let ended = place.succeed("lint true");
    assert!(
        ended.stdout.contains("1 line checked: 0 certain, 0 likely"),
        "{}",
        ended.stdout
    );
    // What other tools really wrote can be true, loads and read-modify-writes included.
    let logs = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/logs");
    place.succeed(&format!("import {logs} --workload w --output all"));
    let ended = place.succeed("lint all");
    assert!(ended.stdout.contains(": 0 certain"), "{}", ended.stdout);
    place.succeed(&format!(
        "import x={logs}/ycsb-load.log --workload w --output load"
    ));
    let ended = place.succeed("lint load");
    assert!(
        ended.stdout.contains("1 line checked: 0 certain, 0 likely"),
        "{}",
        ended.stdout
    );
    for (name, of, figure, expected) in [
        (
            "mean",
            "[READ], AverageLatency(us), ",
            "99000000",
            "above maximum",
        ),
        (
            "percentiles",
            "[READ], 95thPercentileLatency(us), ",
            "99000000",
            "p95 99000000 us is above p99",
        ),
        ("returned", "[READ], Return=OK, ", "12", "12 that succeeded"),
        (
            "minimum",
            "[UPDATE], MinLatency(us), ",
            "99000000",
            "minimum 99000000 us is above",
        ),
    ] {
        let planted = log.replace(line(of), &format!("{of}{figure}"));
        assert_ne!(planted, log);
        std::fs::write(place.path("planted.log"), planted).unwrap();
        place.succeed(&format!("import x=planted.log --output {name}"));
        let ended = place.run(&format!("lint {name}"));
        assert_eq!(ended.code, 3, "{name}: {}", ended.stdout);
        let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(expected), "{name}: {}", ended.stdout);
    }
    // A log whose figures cannot all be of one run is refused, or found.
    for (of, figure, code, expected) in [
        ("[READ], AverageLatency(us), ", "-5", 2, "-5 is negative"),
        ("[READ], Operations, ", "10.5", 2, "10.5 is not a whole"),
        (
            "[READ], Operations, ",
            "99999999999999999999",
            2,
            "larger than any measurement",
        ),
        ("[OVERALL], RunTime(ms), ", "0", 2, "RunTime(ms) is 0"),
        ("[OVERALL], RunTime(ms), ", "-10", 2, "-10 is negative"),
        ("[OVERALL], Throughput(ops/sec), ", "1000.0", 0, ""),
    ] {
        std::fs::write(
            place.path("planted.log"),
            log.replace(line(of), &format!("{of}{figure}")),
        )
        .unwrap();
        let ended = place.run("import x=planted.log --output refused");
        assert_eq!(ended.code, code, "{of}{figure}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{of}{figure}: {}", ended.stderr);
    }
    let ended = place.run("lint refused");
    assert_eq!(ended.code, 3, "{}", ended.stdout);
    assert!(ended.stdout.contains("contradiction"), "{}", ended.stdout);
    // The same log twice, as two runs of a folder and as two folders.
    place.succeed("import x=true.log x=true.log --output twice");
    place.succeed("import x=true.log --output again");
    for line in ["lint twice", "lint true again"] {
        let ended = place.succeed(line);
        assert!(ended.stdout.contains("copied"), "{line}: {}", ended.stdout);
    }
}
