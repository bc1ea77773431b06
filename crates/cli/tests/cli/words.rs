//! What the binary says: help texts, errors, plans. Machine and time are not in these texts.

use crate::common;
use crate::common::{Ended, Place};

pub fn reported(place: &Place, line: &str) -> String {
    shown(line, &place.run(line))
}

/// A command line with what it printed.
pub fn shown(line: &str, ended: &Ended) -> String {
    let mut text = format!("$ dbdyno {line}\nexit code {}\n", ended.code);
    for (name, output) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
        if !output.is_empty() {
            text.push_str(&format!("--- {name}\n{output}"));
        }
    }
    text
}

#[test]
fn help_teaches() {
    let place = Place::new();
    for (name, line) in [
        ("help", "--help"),
        ("help_run", "run --help"),
        ("help_load", "load -h"),
        ("help_study", "study run --help"),
        ("help_report", "report --help"),
        ("help_ycsb", "ycsb --help"),
        ("help_paper", "paper lint --help"),
        ("help_paper_run", "paper run --help"),
        ("help_import", "import -h"),
        ("help_lint", "lint -h"),
        ("help_compare", "compare -h"),
        ("help_capacity", "capacity -h"),
        ("help_sweep", "sweep -h"),
        ("help_history", "history show -h"),
        ("help_advise", "advise -h"),
        ("help_audit", "audit -h"),
    ] {
        insta::assert_snapshot!(name, reported(&place, line));
    }
    assert_eq!(place.run("").code, 2, "no command is a wrong command line");
}

#[test]
fn papers_are_listed_shown_and_checked() {
    let place = Place::new();
    for (name, line) in [
        ("paper_list", "paper list"),
        ("paper_show", "paper show dhayalan-2018"),
        ("paper_lint", "paper lint shwaysh-2018"),
    ] {
        insta::assert_snapshot!(name, reported(&place, line));
    }
    let json = place.run("paper lint dhayalan-2018 --format json");
    assert_eq!(json.code, 3, "one claim fails on the paper's own figure");
    let all: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(all["findings"][0]["rule"], "claim-vs-table");
    assert_eq!(all["findings"][0]["certainty"], "certain");
    assert_eq!(all["findings"][1]["rule"], "outlier");
    assert_eq!(all["claims"][3]["verdict"], "fails");
    place.succeed("paper lint altoros-2013");
}

#[test]
fn a_mistake_in_a_study_file_is_shown_where_it_stands() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"x\"\nsystems = [\"postgres://me:hunter2@db/x\", \"redb\"]\nworkloads = [\"a\"]\ntrails = 3\n",
    );
    let shown = reported(&place, "study plan study.toml");
    assert!(!shown.contains("hunter2"), "{shown}");
    place.write(
        "study.toml",
        "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\ntrails = 3\n",
    );
    insta::assert_snapshot!(reported(&place, "study plan study.toml"));
}

#[test]
fn all_mistakes_of_a_study_file_are_shown_at_once() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"x/y\"\nsystems = [\"rdb\", \"redb\", \"fjall?cash=1M\"]\nworkloads = [\"a\", \"z\"]\ntrials = 0\n\
         clients = [1, \"many\"]\ntrails = 3\narrivals = \"poisson\"\n",
    );
    let shown = reported(&place, "study plan study.toml");
    assert_eq!(shown.matches("Error:").count(), 7, "{shown}");
    assert!(!shown.contains("arrivals` has no effect"), "{shown}");
    insta::assert_snapshot!(shown);
    place.write(
        "study.toml",
        "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\narrivals = \"poisson\"\n",
    );
    let shown = reported(&place, "study plan study.toml");
    assert!(
        shown.contains("`arrivals` has no effect without `rates`"),
        "{shown}"
    );
}

#[test]
fn all_mistakes_of_a_property_file_are_shown_at_once() {
    let place = Place::new();
    place.write(
        "mix.properties",
        "fieldcont=3\nreadproportion=x\nrequestdistribution=zpf\n",
    );
    insta::assert_snapshot!(reported(&place, "run memory -P mix.properties"));
}

#[test]
fn a_name_that_holds_a_password_is_refused() {
    let place = Place::new();
    for name in ["redis://me:hunter2@127.0.0.1:1", "redis://me@h?password=hunter2"] {
        place.write(
            "s.toml",
            &format!(
                "name = \"s\"\nworkloads = [\"a\"]\ntrials = 2\n[[system]]\nname = \"{name}\"\n\
                 address = \"redis://me:hunter2@127.0.0.1:1\"\n[[system]]\naddress = \"memory\"\n"
            ),
        );
        for command in ["study plan s.toml", "study run s.toml --output out"] {
            let refused = place.run(command);
            let shown = format!("{}{}", refused.stdout, refused.stderr);
            assert_eq!(refused.code, 2, "{shown}");
            assert!(
                shown.contains("the name of this [[system]] contains a password"),
                "{shown}"
            );
            assert!(!shown.contains("hunter2"), "{shown}");
        }
        assert!(!place.path("out").exists());
    }
}

#[test]
fn no_message_shows_a_secret_however_it_is_written() {
    let place = Place::new();
    for line in [
        "run redis://me:hun/ter2@127.0.0.1:1",
        "run 'redis://me:hun?ter2@127.0.0.1:1'",
        "run 'redis://me:12?3=ter2@127.0.0.1:1'",
        "run redis:/me:hunter2@127.0.0.1",
        "run redis://me:hunter2@127.0.0.1:1",
        "run 'redis://127.0.0.1:1?pwd=hunter2'",
        "lab up 'redis?password=hunter2&nods=1'",
        "run 'redis://127.0.0.1:1?password=a&hunter2'",
        "run 'lab:redis?password=a&hunter2'",
        // A password where the name of its place belongs.
        "run 'redis://me@127.0.0.1:1?password_env=hunter2'",
        "run 'redis://me@127.0.0.1:1?password_file=hunter2'",
        "run 'lab:redis?password_env=hunter2'",
        "audit 'redis://me@127.0.0.1:1?password_env=hunter2'",
    ] {
        let ended = place.run(line);
        let shown = [ended.stdout, ended.stderr].concat();
        assert!(ended.code != 0 && !shown.contains("ter2"), "{line}: {shown}");
    }
    for systems in [
        "systems = [\"redis://me:hunter2@h]",
        "systems = [\"redis://me:hun/ter2@h\"]",
        "systems = [\"redis:/me:hunter2@h\", \"redb\"",
        "[[system]]\naddress = \"redb\"\noptions = { password = \"hunter2\" }",
        "[[system]]\naddress = \"redis://h\"\npassword = \"hunter2\"",
        "[[system]]\nname = \"x\"\naddress = 'redis://h?password=hunter2'\nfactors = 1",
        "[[system]]\naddress = \"redis://h\"\noptions = { pasword = \"hunter2\" }",
        "[[system]]\naddress = \"redis://h\"\nfactors = { api_password = \"hunter2\" }",
        "systems = [\"redis://h?password=a&hunter2\", \"redb\"]",
        "systems = [\"lab:redis\"]\nvary = { password = [\"a\", \"hunter2\"] }",
        "systems = [\"lab:redis\"]\nvary = { pasword = [\"a\", \"hunter2\"] }",
    ] {
        place.write(
            "study.toml",
            &format!("name = \"x\"\nworkloads = [\"a\"]\n{systems}\n"),
        );
        let shown = reported(&place, "study plan study.toml");
        assert!(!shown.contains("ter2"), "{systems}: {shown}");
        assert!(shown.contains("exit code 2"), "{systems}: {shown}");
    }
    // Where a plan is made, nobody looks for the variable yet.
    let systems = "[[system]]\naddress = \"redis://h\"\noptions = { password_env = \"hunter2\" }";
    place.write(
        "study.toml",
        &format!("name = \"x\"\nworkloads = [\"a\"]\n{systems}\n"),
    );
    for command in ["study plan study.toml", "study run study.toml -o out"] {
        let shown = reported(&place, command);
        assert!(!shown.contains("ter2"), "{command}: {shown}");
    }
}

#[test]
fn a_plan_shows_cells_order_and_time() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"x\"\ntitle = \"Two systems\"\ntrials = 2\naa = true\nsystems = [\"redb\", \"sqlite?durability=synced\"]\n\
         workloads = [\"a\", \"c\"]\nrecords = [\"1k\", \"20k\"]\nrates = [\"unlimited\", \"2k\"]\nduration = \"5s\"\n",
    );
    insta::assert_snapshot!(reported(&place, "study plan study.toml"));
    insta::assert_snapshot!(
        reported(&place, "study status study.toml")
            .lines()
            .take(8)
            .collect::<Vec<_>>()
            .join("\n")
    );
    assert!(!place.path("results").exists());
}

#[test]
fn a_plan_of_a_search_shows_what_it_will_ask() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"x\"\ntitle = \"How much\"\nkind = \"capacity\"\nslo = \"p99(read)<1ms\"\nsystems = [\"redb\", \"sqlite\"]\n\
         workloads = [\"a\", \"c\"]\nrecords = \"1k\"\nduration = \"5s\"\n",
    );
    insta::assert_snapshot!(reported(&place, "study plan study.toml"));
    insta::assert_snapshot!(reported(&place, "study status study.toml"));
    assert!(!place.path("results").exists());
}

#[test]
fn what_there_is_can_be_listed() {
    let place = Place::new();
    let list = place.succeed("databases").stdout;
    for name in ["null", "memory", "fjall", "redb", "sqlite"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    assert!(!list.contains('\u{1b}'), "no colours where there is no terminal");
    assert!(
        place
            .succeed("--color always databases")
            .stdout
            .contains('\u{1b}')
    );
}

#[test]
fn workloads_are_listed_with_their_meaning() {
    insta::assert_snapshot!(reported(&Place::new(), "workloads"));
}

#[test]
fn words_of_other_tools_lead_to_ours() {
    let place = Place::new();
    for (line, expected) in [
        ("run memory --vus 8", "--clients"),
        ("run memory --users 8", "--clients"),
        ("run memory --rps 100", "--rate"),
        ("run memory --iterations 100", "--operations"),
        ("study my.toml", "dbdyno study run my.toml"),
        ("run my.toml", "dbdyno study run my.toml"),
        ("study rum my.toml", "'run'"),
        ("run redis://127.0.0.1:1 --operations 1", "lab:redis"),
        ("audit redis://127.0.0.1:1", "lab:redis"),
    ] {
        let ended = place.run(line);
        assert!([2, 4].contains(&ended.code), "{line}: {}", ended.code);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
    // YCSB's names are ours, too.
    place.succeed(
        "run memory --workload c --recordcount 100 --operationcount 500 --threads 2 --target 1k --warmup 0s --output ycsb",
    );
    let record = place.record("ycsb");
    assert_eq!(record["spec"]["clients"], 2, "{}", record["spec"]);
}

#[test]
fn completions_and_the_manual_know_every_command() {
    let place = Place::new();
    for output in [
        place.succeed("completions bash").stdout,
        place.succeed("man").stdout,
    ] {
        for command in ["run", "load", "study", "report", "databases", "schema", "ycsb"] {
            assert!(output.contains(command), "{command}");
        }
    }
    assert!(place.succeed("man").stdout.contains("Exit codes"));
}

#[test]
fn editors_get_the_schemas_of_the_files() {
    let place = Place::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    for of in ["study", "need"] {
        let committed = std::fs::read_to_string(folder.join(format!("{of}.schema.json"))).unwrap();
        assert!(place.succeed(&format!("schema {of}")).stdout == committed, "{of}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    let mut child = place.start("man");
    drop(child.stdout.take());
    let ended = common::ended(child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
}
