//! `dbdyno history`, and points of it compared.

use crate::common::{Place, ended};

/// A history in which the throughput of the last six of twenty points is `last` times what it was.
fn twenty_points(last: f64) -> String {
    let mut text = String::new();
    for point in 0..20_u32 {
        let level = if point < 14 { 1000.0 } else { 1000.0 * last };
        let values: Vec<String> = (0..6_u32)
            .map(|trial| {
                // No two trials of all points agree in every digit.
                let noise = f64::from((point * 31 + trial * 17 + point * point * 7) % 23) / 23.0 - 0.5;
                let noise = noise + f64::from(point * 6 + trial) * 1e-9;
                (level * (1.0 + 0.02 * noise)).to_string()
            })
            .collect();
        text.push_str(&format!(
            "{{\"format\":\"dbdyno.history/1\",\"study\":\"nightly\",\"label\":\"v{point}\",\"started_at\":\"\",\
             \"cell\":\"redb, workload a\",\"version\":\"4.1\",\"metric\":\"throughput\",\"unit\":\"1/s\",\
             \"higher_is_better\":true,\"values\":[{}],\"conditions\":{{\"durability\":[\"buffered\"]}}}}\n",
            values.join(",")
        ));
    }
    text
}

#[test]
fn runs_become_points_that_can_be_shown_and_compared() {
    let place = Place::new();
    for name in ["one", "two"] {
        place.succeed(&format!(
            "run memory --records 1000 --operations 5k --workload a --output {name} --quiet"
        ));
    }
    place.succeed("history add one --label v1 --study mine");
    place.succeed("history add two --label v2 --study mine");
    let again = place.run("history add two --label v2 --study mine");
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("already has"), "{}", again.stderr);
    // Under another label, the same trials would count as new evidence.
    let copied = place.run("history add two --label v3 --study mine");
    assert_eq!(copied.code, 2);
    let told = copied.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("already has 1 trial of a test of two at the point \"v2\"")
            && told.contains("new measurement"),
        "{told}"
    );
    let shown = place.succeed("history show --fail-on slower").stdout;
    for expected in [
        "The last point is undecided: 2 with ",
        "A: update heavy",
        "memory",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    place.succeed("compare history.jsonl@v1 history.jsonl@v2 --fail-on change --anyway");
    place.succeed("compare history.jsonl@v1 two --fail-on change --anyway");
    let missing = place.run("compare history.jsonl@v1 history.jsonl@v3");
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("v1, v2"), "{}", missing.stderr);
}

#[test]
fn a_point_has_a_name_and_a_file_holds_what_its_extension_says() {
    let place = Place::new();
    place.succeed("run memory --records 100 --operations 200 --workload a --output one --quiet");
    for (flag, name) in [("--label", ""), ("--label", "a\nb"), ("--study", " ")] {
        let output = place
            .command("history add one --history h.jsonl")
            .args([flag, name])
            .output();
        let ended = ended(output.unwrap());
        assert_eq!(ended.code, 2, "{name:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("a name of one line"), "{}", ended.stderr);
    }
    place.succeed("history add one --study x --label v1");
    for line in [
        "history show --output h.xyz",
        "compare one one --output c.csv",
        "compare one one --output c.junit",
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(".html, .md, .json or .txt"),
            "{}",
            ended.stderr
        );
    }
    place.succeed("compare one one --output c.csv --format json");
    place.succeed("history show --output h.txt");
}

#[test]
fn what_stops_an_addition_names_the_flag_of_the_history() {
    let place = Place::new();
    place.succeed("run memory --records 100 --operations 200 --workload a --output one --quiet");
    for file in ["one", "missing/h.jsonl"] {
        let ended = place.run(&format!("history add one --study x --label v1 --history {file}"));
        assert_eq!(ended.code, 6, "{}", ended.stderr);
        assert!(
            ended.stderr.contains("--history") && !ended.stderr.contains("--output"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_series_that_got_slower_stops_a_pipeline() {
    let place = Place::new();
    place.write("slower.jsonl", &twenty_points(0.85));
    let ended = place.run("history show slower.jsonl --fail-on slower --recent 6");
    assert_eq!(ended.code, 3, "{}", ended.stdout);
    assert!(
        ended.stdout.contains("slower: 15% lower than the"),
        "the change is marked where it is: {}",
        ended.stdout
    );
    assert!(
        ended.stdout.starts_with(
            "1 of 1 series changed.\nSlower: Workload a, full speed, redb: throughput 15% lower since v14.\n"
        ),
        "{}",
        ended.stdout
    );
    place.succeed("history show slower.jsonl --only full --output page.html");
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(
        page.contains("History slower.jsonl") && page.contains("change worse"),
        "{page}"
    );
    place.write("same.jsonl", &twenty_points(1.0));
    place.succeed("history show same.jsonl --fail-on slower --recent 20");
    let markdown = place.succeed("history show same.jsonl --format markdown").stdout;
    assert!(markdown.contains("| v19 | 4.1 | 6 |"), "{markdown}");
    place.write("broken.jsonl", "{}\n");
    for (line, code, expected) in [
        ("history show broken.jsonl", 6, "line 1"),
        ("history show missing.jsonl", 6, "history add"),
        ("history show same.jsonl --only latency", 2, "--only"),
        ("history add missing", 6, "missing"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
        assert!(!ended.stderr.contains("--output"), "{line}: {}", ended.stderr);
    }
    let broken = place.run("history show broken.jsonl");
    assert!(!broken.stderr.contains("create one"), "{}", broken.stderr);
}
