//! Several systems, or several runs, without a study file.

use crate::common::Place;

const QUICK: &str = "--records 200 --clients 2 --duration 60ms --warmup 0s";

#[test]
fn systems_are_compared_without_a_file() {
    let place = Place::new();
    let call = format!("run redb fjall {QUICK} --runs 4");
    let reported = place.succeed(&format!("{call} --output r"));
    assert!(
        reported.stdout.contains("redb") && reported.stdout.contains("fjall"),
        "{reported:?}"
    );
    assert!(reported.stdout.contains("Report: r/report.html"), "{reported:?}");
    let page = std::fs::read_to_string(place.path("r/report.html")).unwrap();
    assert!(page.contains("redb and fjall under workload a"));
    let trials = place.path("r/trials").read_dir().unwrap().count();
    assert_eq!(trials, 8);
    // The folder is a study like any other: the same call goes on with it, and so does the study in it.
    assert!(
        place
            .succeed(&format!("{call} --output r"))
            .stderr
            .contains("8 trials were already done")
    );
    let status = place.succeed("study status r/study.toml --output r");
    assert!(status.stdout.contains("8 of 8 trials are done"), "{status:?}");
    let other = place.run(&format!("{call} --output r --seed 7"));
    assert_eq!(other.code, 2, "another comparison in the same folder: {other:?}");
}

#[test]
fn a_comparison_has_as_many_records_as_asked() {
    let place = Place::new();
    let line = "run null memory --records 150k --operations 100 --warmup 0s --runs 2 --output r";
    let reported = place.run(line);
    assert!([0, 5].contains(&reported.code), "{reported:?}");
    let study = std::fs::read_to_string(place.path("r/study.toml")).unwrap();
    assert!(
        study.contains("records = 150000") && !study.contains("insertcount"),
        "{study}"
    );
}

#[test]
fn several_runs_of_one_system_have_an_interval() {
    let place = Place::new();
    let reported = place.succeed(&format!("run memory {QUICK} --runs 6 --output r"));
    let json: serde_json::Value =
        serde_json::from_str(&place.succeed("report r --format json").stdout).unwrap();
    let throughput = &json["cells"][0]["systems"][0]["throughput"]["estimate"];
    assert_eq!(throughput["n"], 6, "{reported:?}");
    assert!(throughput["interval"]["low"].is_number(), "{throughput:#}");
}

#[test]
fn many_systems_have_a_folder_of_a_short_name() {
    let place = Place::new();
    let systems: Vec<String> = (1..=12).map(|number| format!("sqlite:{number}.db")).collect();
    let reported = place.succeed(&format!(
        "run memory {} --records 100 --clients 1 --operations 100 --warmup 0s --runs 1",
        systems.join(" ")
    ));
    let folders = place.path("results").read_dir().unwrap();
    let names: Vec<String> = folders
        .map(|folder| folder.unwrap().file_name().into_string().unwrap())
        .collect();
    let [name] = &names[..] else {
        panic!("{names:?}: {reported:?}");
    };
    assert!(name.len() <= 100, "{name}");
    // All 13 systems are named or counted, and the workload is.
    let named = name.matches("sqlite-").count();
    let rest = format!("-memory-{}and-{}-more-a", "sqlite-".repeat(named), 12 - named);
    assert!(named > 0 && name.ends_with(&rest), "{name}");
    let trials = place.path("results").join(name).join("trials");
    assert_eq!(trials.read_dir().unwrap().count(), 13);
}

#[test]
fn what_only_a_single_run_can_do_is_refused() {
    let place = Place::new();
    for (call, message) in [
        (
            "run redb fjall --expect throughput>1",
            "--expect judges a single run",
        ),
        ("run redb --runs 2 --format json", "--format is for a single run"),
        ("run redb fjall redb", "`redb` is given twice"),
        ("run redb fjal", "fjal"),
    ] {
        let refused = place.run(call);
        assert_eq!(refused.code, 2, "{call}: {refused:?}");
        assert!(refused.stderr.contains(message), "{call}: {refused:?}");
    }
    assert!(!place.path("results").exists(), "nothing was measured");
}

#[test]
fn systems_joined_with_commas_are_shown_with_blanks() {
    let place = Place::new();
    for (call, expected) in [
        ("run redb,fjall", "dbdyno run redb fjall"),
        ("run redb,fjall sqlite", "dbdyno run redb fjall"),
        (
            "run sqlite lab:redis,lab:postgres",
            "dbdyno run lab:redis lab:postgres",
        ),
        ("capacity redb,fjal --slo 'p99<1s'", "dbdyno run redb fjal"),
        (
            "audit lab:redis,lab:postgres",
            "dbdyno audit lab:redis lab:postgres",
        ),
    ] {
        let refused = place.run(call);
        assert_eq!(refused.code, 2, "{call}: {refused:?}");
        let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        let help = format!("help: to name several systems, separate them with blanks: `{expected}`");
        assert!(words.contains(&help), "{call}: {words}");
    }
    assert!(!place.path("results").exists(), "nothing was measured");
}

#[test]
fn passwords_of_all_systems_stay_secret() {
    let place = Place::new();
    let reported = place.run(&format!(
        "run redis://user:first-secret@127.0.0.1:1 redis://user:second-secret@127.0.0.1:2 {QUICK} --runs 1 --output r"
    ));
    assert_eq!(reported.code, 4, "{reported:?}");
    let mut text = format!("{}{}", reported.stdout, reported.stderr);
    let mut folders = vec![place.path("r")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                text.push_str(&String::from_utf8_lossy(&std::fs::read(entry).unwrap()));
            }
        }
    }
    assert!(text.contains("127.0.0.1:2"), "the second system was tried");
    assert!(!text.contains("-secret"), "{text}");
}
