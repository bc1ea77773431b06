//! `dbdyno lint`, on results of our own and of others.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::Place;

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
        ended.stderr.contains("says these things itself"),
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
        ("lint words.csv", 2, "row 1, column run_time_s: `fast` is no number"),
        ("lint missing.csv", 6, "give a result folder, or a CSV file"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}

/// The attacks of a reader who wants to be told what was not looked at.
#[test]
fn what_is_not_checked_is_said() {
    let place = Place::new();
    let text = "system,host,run_time_s,ops,throughput_ops_s,read_avg_us\n\
        a,north,\"1,250 s\",1M,800,1.2 ms\nb,south,fast,1M,900,\nc,east,12,,,\n";
    std::fs::write(place.path("mixed.csv"), text).unwrap();
    let ended = place.succeed("lint mixed.csv");
    for expected in [
        "not checked  mixed.csv",
        "1 column: host",
        "1 row: 3 (without two numbers that belong together)",
        "1 unreadable cell: `fast` (row 2, run_time_s)",
        "--clients N, or a column clients",
        "mixed.csv, 2 lines checked: 0 certain, 0 likely",
    ] {
        assert!(ended.stdout.contains(expected), "{expected}\n{}", ended.stdout);
    }
    let json = place.succeed("lint mixed.csv --format json");
    let all: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(all["not_checked"]["mixed.csv"][0], "1 column: host");
    assert_eq!(all["checked"], 2);
}

/// One table an attack: the rule that must see it, and the exit code.
#[test]
fn planted_tables() {
    let place = Place::new();
    for (name, text, flags, code, expected) in [
        // A true 12.3 s, printed as 12.
        (
            "seconds",
            "ops,run_time_s,throughput_ops_s\n100000,12,8130\n",
            "--runs 1",
            0,
            "0 certain, 0 likely",
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
            "read_ops,read_ok,read_avg_us\n1000,990,500\n",
            "",
            3,
            "1000 operations with a latency, 990",
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
    ] {
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
    assert!(ended.stdout.contains("again.csv, row 1"), "{}", ended.stdout);
    let ended = place.run("lint again.csv --column avg_us=avgus");
    assert_eq!(ended.code, 2, "{}", ended.stdout);
    assert!(ended.stderr.contains("`avgus`"), "{}", ended.stderr);
}

/// The same rules judge logs of other tools: one figure of a real log is changed at a time.
#[test]
fn planted_logs() {
    let place = Place::new();
    let log = include_str!("../../import/tests/logs/ycsb-a.log");
    let line = |name: &str| -> &str {
        let found = log.lines().find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("no line {name}"))
    };
    std::fs::write(place.path("true.log"), log).unwrap();
    place.succeed("import x=true.log --output true");
    let ended = place.succeed("lint true");
    assert!(ended.stdout.contains("1 line checked: 0 certain, 0 likely"), "{}", ended.stdout);
    for (name, of, figure, expected) in [
        ("mean", "[READ], AverageLatency(us), ", "99000000", "above maximum"),
        ("percentiles", "[READ], 95thPercentileLatency(us), ", "99000000", "p95 99000000 us is above p99"),
        ("returned", "[READ], Return=OK, ", "12", "12 that succeeded"),
        ("minimum", "[UPDATE], MinLatency(us), ", "99000000", "minimum 99000000 us is above"),
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
    // The same log twice, as two runs.
    place.succeed("import x=true.log x=true.log --output twice");
    let ended = place.succeed("lint twice");
    assert!(ended.stdout.contains("copied"), "{}", ended.stdout);
}
