//! `dbdyno advise`, on folders that the binary wrote.

use crate::common::{Place, as_released, read_json};

const STUDY: &str = "name = \"tiny\"\ntrials = 5\nsystems = [\"memory\", \"redb\"]\nworkloads = [\"a\", \"c\"]\n\
                     records = 500\noperations = 2000\nwarmup = \"0s\"\ndurability = \"none\"\n";

/// `memory` answers from a map and `redb` from a file: by far.
const NEED: &str = "title = \"tiny\"\ndraws = 1000\n[require]\ndurability = \"none\"\nerrors = \"1%\"\n\
                    [[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\nweight = 2\n\
                    [[goal]]\nmetric = \"mean(read)\"\nworkload = \"c\"\n";

fn measured() -> Place {
    let place = Place::new();
    place.write("study.toml", STUDY);
    place.succeed("study run study.toml --quiet");
    as_released(&place, "results/tiny");
    place.write("need.toml", NEED);
    place
}

/// One run is enough where the answer does not matter.
fn run_once() -> Place {
    let place = Place::new();
    for workload in ["a", "c"] {
        place.succeed(&format!(
            "run memory --records 100 --operations 200 --workload {workload} --output results/{workload} --quiet"
        ));
    }
    place.write("need.toml", NEED);
    place
}

#[test]
fn a_need_is_answered_in_every_format() {
    let place = measured();
    let text = place.succeed("advise need.toml results/tiny").stdout;
    for expected in [
        "durability at least none",
        "throughput, a",
        "mean(read), c",
        "results/tiny:",
        "Not measured",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    place.succeed("advise need.toml results/tiny/ --format json --output advice.json");
    let advice = read_json(&place.path("advice.json"));
    assert_eq!(advice["format"], "dbdyno.advice/1");
    assert_eq!(advice["ranking"].as_array().unwrap().len(), 2);
    assert_eq!(advice["goals"][0]["systems"][0]["trials"], 5);
    assert_eq!(advice["requirements"][1]["systems"][0]["standing"], "shown");
    let trial = advice["evidence"][0]["places"][0]["trials"][0].as_str().unwrap();
    assert!(
        place
            .path(&format!("results/tiny/trials/{trial}/record.json"))
            .is_file()
    );
    let again = place
        .succeed("advise need.toml results/tiny --format json")
        .stdout;
    assert_eq!(again, std::fs::read_to_string(place.path("advice.json")).unwrap());
    place.succeed("advise need.toml results/tiny --format html --output advice.html");
    assert!(
        std::fs::read_to_string(place.path("advice.html"))
            .unwrap()
            .contains("id=\"reference-1\"")
    );
    let markdown = place
        .succeed("advise need.toml results/tiny --format markdown")
        .stdout;
    assert!(markdown.contains("| what counts | weight |"), "{markdown}");
}

#[test]
fn what_is_missing_can_be_run_and_joins_in() {
    let place = measured();
    // Two trials decide nothing.
    place.write(
        "study.toml",
        &STUDY
            .replace("trials = 5", "trials = 2")
            .replace("tiny", "few")
            .replace("[\"a\", \"c\"]", "[\"a\"]"),
    );
    place.succeed("study run study.toml --quiet");
    as_released(&place, "results/few");
    place.write(
        "need.toml",
        "draws = 1000\n[[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\n",
    );
    let asked = place.run("advise need.toml results/few --next next.toml --fail-on undecided");
    assert_eq!(asked.code, 3, "{}{}", asked.stdout, asked.stderr);
    assert!(asked.stdout.contains("8 more trials of"), "{}", asked.stdout);
    let plan = place.succeed("study plan next.toml").stdout;
    assert!(
        plan.contains("16 trials: 2 systems x 1 workload x 8 blocks"),
        "{plan}"
    );
    place.succeed("study run next.toml --output results/next --quiet");
    as_released(&place, "results/next");
    let json = place
        .succeed("advise need.toml results/few results/next --format json")
        .stdout;
    let advice: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(advice["goals"][0]["systems"][0]["trials"], 10, "{json}");
    assert_eq!(advice["evidence"][0]["places"].as_array().unwrap().len(), 2);
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    let place = run_once();
    let goal = "[[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\n";
    for (need, expected) in [
        ("", "the need has no goal"),
        ("[[gaol]]\n", "did you mean `goal`?"),
        (
            "[[goal]]\nmetric = \"p99(red)\"\nworkload = \"a\"\n",
            "not an operation",
        ),
        (
            "[[goal]]\nmetric = \"thruput\"\nworkload = \"a\"\n",
            "did you mean `throughput`?",
        ),
        ("[[goal]]\nmetric = \"throughput\"\n", "the workload is missing"),
        ("[[goal]]\nworkload = \"a\"\n", "neither `metric` nor `keep`"),
        (
            "[[goal]]\nkeep = \"p99 > 5ms\"\nworkload = \"a\"\n",
            "more of p99 is worse",
        ),
        (
            "[[goal]]\nkeep = \"p99 < 5\"\nworkload = \"a\"\n",
            "no unit of time",
        ),
        (
            "[[goal]]\nkeep = \"p99\"\nworkload = \"a\"\n",
            "comparison is missing",
        ),
        (
            "[[goal]]\nmetric = \"errors\"\nworkload = \"a\"\n",
            "have no ratio",
        ),
        (
            "[[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\nweight = -1\n",
            "weight",
        ),
        (
            "[[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\nworth = 3\n",
            "has no effect without",
        ),
    ] {
        place.write("bad.toml", need);
        let ended = place.run("advise bad.toml results/a results/c");
        assert_eq!(ended.code, 2, "{need}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{need}: {}", ended.stderr);
    }
    let endless = place.run("advise /dev/zero results/a");
    assert_eq!(endless.code, 2, "{}", endless.stderr);
    assert!(endless.stderr.contains("it is larger than"), "{}", endless.stderr);
    for (more, expected) in [
        ("margin = \"5\"\n", "5 (500%) is not between"),
        ("weight_spread = 2\n", "not a valid spread"),
        (
            "systems = [\"mongodb\"]\n",
            "no completed trial measured a system `mongodb`",
        ),
        ("[require]\ndurability = \"hard\"\n", "none, buffered, synced"),
        ("[require]\ndurabilty = \"none\"\n", "did you mean `durability`?"),
        ("[[objective]]\nworkload = \"a\"\n", "no `keep`"),
    ] {
        place.write("bad.toml", &format!("{more}{goal}"));
        let ended = place.run("advise bad.toml results/a results/c");
        assert_eq!(ended.code, 2, "{more}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{more}: {}", ended.stderr);
    }
    for (line, code, expected) in [
        ("advise missing.toml results/a results/c", 2, "docs/advise.md"),
        ("advise need.toml missing", 6, "missing"),
        ("advise need.toml", 2, "RESULTS"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}

#[test]
fn the_example_fits_the_quick_start() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let place = Place::new();
    let study = std::fs::read_to_string(root.join("studies/quickstart.toml")).unwrap();
    // The quick start, as small as it gets. A rate that is found with fifty operations may be more than the store of a debug build
    // sustains for as long, and fifty operations at a high rate are over before a hiccup is made up for: each is asked for a hundredth of it.
    let study = study
        .replace("trials = 7", "trials = 1\noperations = 50\ncommon_rate = \"1%\"")
        .replace("records = \"5k\"", "records = 200")
        .replace("duration = \"1s\"", "");
    place.write("study.toml", &study);
    place.succeed("study run study.toml --quiet");
    as_released(&place, "results/quickstart");
    let need = std::fs::read_to_string(root.join("studies/needs/sessions.toml")).unwrap();
    place.write("need.toml", &need);
    let text = place.succeed("advise need.toml results/quickstart").stdout;
    assert!(text.contains("Undecided"), "one trial decides nothing: {text}");
}

#[test]
fn a_directory_of_needs_is_one_page_of_answers() {
    let place = run_once();
    std::fs::create_dir(place.path("needs")).unwrap();
    place.write("needs/b.toml", &NEED.replace("tiny", "Second"));
    place.write("needs/a.toml", &NEED.replace("tiny", "First"));
    place.write("needs/notes.txt", "no need");
    let text = place.succeed("advise needs results/a results/c").stdout;
    let at = |title: &str| text.find(title).unwrap_or_else(|| panic!("{title}: {text}"));
    assert!(at("First") < at("Second"), "in the order of the files: {text}");
    assert!(
        text.contains("dbdyno advise needs/a.toml results/a results/c"),
        "{text}"
    );
    place.succeed("advise needs results/a results/c --format json --output answers.json");
    let answers = read_json(&place.path("answers.json"));
    assert_eq!(answers["format"], "dbdyno.answers/1");
    assert_eq!(answers["answers"].as_array().unwrap().len(), 2);
    place.succeed("advise needs results/a results/c --format html --output answers.html");
    assert!(
        std::fs::read_to_string(place.path("answers.html"))
            .unwrap()
            .contains("need-first")
    );
    let unsure = place.run("advise needs results/a results/c --fail-on undecided");
    assert_eq!(unsure.code, 3, "{}", unsure.stderr);
    let next = place.run("advise needs results/a results/c --next next.toml");
    assert_eq!(next.code, 2, "{}", next.stderr);
    assert!(
        next.stderr.contains("--next needs one need file"),
        "{}",
        next.stderr
    );
    std::fs::create_dir(place.path("empty")).unwrap();
    let empty = place.run("advise empty results/a");
    assert_eq!(empty.code, 2, "{}", empty.stderr);
    assert!(empty.stderr.contains("contains no need file"), "{}", empty.stderr);
}
