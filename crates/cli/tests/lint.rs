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
    for (line, code, expected) in [
        ("lint good.csv", 2, "--column elapsed=run_time_s"),
        ("lint good.csv --column time=run_time_s", 2, "no column `time`"),
        ("lint good.csv --column elapsed", 2, "elapsed=run_time_s"),
        ("lint words.csv", 2, "nothing in words.csv can be checked"),
        ("lint missing.csv", 6, "give a result folder, or a CSV file"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}
