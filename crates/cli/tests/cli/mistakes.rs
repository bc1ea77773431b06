//! What mistakes on a command line print in a terminal of 80 columns: each leads to what was meant.

use crate::common::{self, Place};
use crate::words::shown;

/// One mistake each, by where a person makes it.
const MISTAKES: &[&str] = &[
    // No command, or none that there is.
    "run",
    "mesure redb",
    "run my.toml",
    "study my.toml",
    // A system that is none, or not yet.
    "run redis",
    "run postgres --duration 5s",
    "run 127.0.0.1:6379",
    "run localhost:5432",
    "run db.example.com:7000",
    "run redb,fjall",
    "run redb redb",
    "run lab:redsi",
    "run 'lab:redis?apendfsync=no'",
    "lab up postgers",
    "lab list redsi",
    "audit redb",
    "audit redis",
    "audit rdis",
    // Flags of other tools, and values without their unit.
    "run redb --vus 8",
    "run redb --workers 4",
    "run redb --expect 'p99<5'",
    "run redb fjall --format json",
    // Files.
    "study init there.toml redb",
    "study init new.toml rdb",
    "study init new.toml redis://me:hunter2@h",
    "run redb --output full",
    // By command.
    "run rdb",
    "run redb?cash=1M",
    "run redb --durration 5s",
    "run redb --rate fast",
    "run redb --duration 10",
    "run redb --clients 0",
    "run redb --clients 20k",
    "run redb --arrivals poisson",
    "run redb --durability hard",
    "run null --durability synced",
    "run redb?durability=none --durability synced",
    "run redb --workload workloadz",
    "run redb -p readporportion=1",
    "run redb -p readproportion",
    "run redb -p fieldlength=long",
    "run redb -P missing.properties",
    "run redb --expect 'p99(red)<5ms'",
    "run redb --expect throughput",
    "capacity redb",
    "capacity redb --slo 'p99(red)<5ms'",
    "capacity redb --slo 'p99<5ms' --step 5",
    "capacity redb --slo 'p99<5ms' --expect 'p99<5ms'",
    "capacity redb --slo 'p99<5ms' --expect 'capacity>fast'",
    "sweep redb --rates 1k --clients 1,2",
    "study run missing.toml",
    "paper show shwaysh",
    "paper lint abramowa-2013",
    "paper lint xyz",
    "report missing",
    "ycsb run null -p recordcount=10",
    "ycsb run null -p operationcount=10",
    "ycsb run cassandra-cql -p recordcount=10",
    "ycsb run null -thread 4",
    "ycsb run null -p recordcount=10 -p operationcount=10 -threads 1000000000",
    "ycsb run",
];

#[test]
fn mistakes_on_the_command_line_name_their_remedy() {
    let place = Place::new();
    place.write("there.toml", "");
    std::fs::create_dir(place.path("full")).unwrap();
    place.write("full/file", "");
    let mut all = String::new();
    for line in MISTAKES {
        let output = place.command(line).env("COLUMNS", "80").output().unwrap();
        let ended = common::ended(output);
        assert!([2, 4, 6].contains(&ended.code), "{line}: {}", ended.code);
        assert!(!ended.stderr.contains("hunter2"), "{line}: {}", ended.stderr);
        all.push_str(&shown(line, &ended));
        all.push('\n');
    }
    insta::assert_snapshot!(all);
    assert!(!place.path("results").exists(), "nothing is left behind");
    assert!(!place.path("new.toml").exists(), "nothing is left behind");
}

#[test]
fn records_that_do_not_fit_on_the_disk_are_refused_before_anything_starts() {
    let place = Place::new();
    for line in [
        "run redb --records 1e15",
        "run redb fjall --runs 2 --records 1e15",
        "load lab:redis --records 1e15",
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
        for part in ["too full for the records", "--records"] {
            assert!(ended.stderr.contains(part), "{line}: {}", ended.stderr);
        }
        assert!(!ended.stderr.contains("starting"), "{}", ended.stderr);
    }
    assert!(!place.path("results").exists(), "nothing is left behind");
}

#[test]
fn a_study_file_that_was_written_is_a_study() {
    let place = Place::new();
    let wrote = place.succeed("study init mine.toml redb fjall -w a -w c --records 2k --duration 1s");
    assert!(
        wrote.stdout.contains("`dbdyno study run mine.toml`"),
        "{}",
        wrote.stdout
    );
    let plan = place.succeed("study plan mine.toml").stdout;
    assert!(plan.contains("2 systems + repeat of redb"), "{plan}");
    insta::assert_snapshot!(std::fs::read_to_string(place.path("mine.toml")).unwrap());
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    place.write("mix.properties", "readproportion=1\nupdateproportion=0\n");
    place.succeed("study init elsewhere/mix.toml redb -w mix.properties");
    place.succeed("study plan elsewhere/mix.toml");
}

#[test]
fn a_study_file_is_printed_on_request_and_its_systems_are_named_once() {
    let place = Place::new();
    let printed = place.succeed("study init - redb fjall").stdout;
    assert!(printed.starts_with("# A study of redb and fjall"), "{printed}");
    assert!(!place.path("-").exists());
    place.write("printed.toml", &printed);
    place.succeed("study plan printed.toml");

    let refused = place.run("study init twice.toml redb redb");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("`redb` is given twice"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains("twice.toml"), "{}", refused.stderr);
}

#[test]
fn one_trial_of_one_block_is_counted_in_the_singular() {
    let place = Place::new();
    place.write(
        "one.toml",
        "name = \"one\"\nsystems = [\"memory\"]\nworkloads = [\"a\"]\nrecords = 10\noperations = 10\nwarmup = \"0s\"\n\
         trials = 1\n",
    );
    let told = place.run("study run one.toml").stderr.replace('\n', " ");
    assert!(
        told.contains("1 trial (1 system x 1 workload x 1 block)"),
        "{told}"
    );
}

#[test]
fn a_folder_of_an_earlier_run_says_how_to_go_on() {
    let place = Place::new();
    let run = "run memory --records 10 --operations 10 --warmup 0s --output 'two words'";
    place.succeed(run);
    let refused = place.run(run).stderr;
    for part in ["holds an earlier run", "`rm -r 'two words'` discards"] {
        assert!(refused.replace('\n', " ").contains(part), "{refused}");
    }
}

#[test]
fn a_study_file_names_where_a_password_is_and_holds_none() {
    let place = Place::new();
    for (number, address) in [
        "redis://127.0.0.1:6399?password_env=PWV",
        "redis://127.0.0.1:6399?password_env=pwv",
        "postgres://me@127.0.0.1:6399/x?password_file=/run/pw",
        "mongodb://me@127.0.0.1:6399/x?password_env=PWV",
    ]
    .into_iter()
    .enumerate()
    {
        place.succeed(&format!("study init {number}.toml '{address}'"));
        let written = std::fs::read_to_string(place.path(&format!("{number}.toml"))).unwrap();
        assert!(
            written.contains(&format!("systems = [\"{address}\"]")),
            "{written}"
        );
    }
    let refused = place.run("study init x.toml redis://:hunter2@127.0.0.1:6399");
    assert!(
        refused.stderr.contains("contains a password"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_shell_reads_the_paths_of_the_commands_that_are_printed() {
    let place = Place::new();
    let init = |file: &str| {
        let mut command = place.command("study init");
        let ended = command.args([file, "redb"]).output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stdout).unwrap()
    };
    let quoted = r"'it'\''s mine.toml'";
    let wrote = init("it's mine.toml");
    assert!(
        wrote.contains(&format!("`dbdyno study plan {quoted}` shows")),
        "{wrote}"
    );
    let written = std::fs::read_to_string(place.path("it's mine.toml")).unwrap();
    assert!(
        written.contains(&format!("\n#   dbdyno study run {quoted} ")),
        "{written}"
    );
    // A line feed would end the comment.
    init("two\nlines.toml");
    let written = std::fs::read_to_string(place.path("two\nlines.toml")).unwrap();
    assert!(
        written.contains(r"dbdyno study plan $'two\nlines.toml' "),
        "{written}"
    );

    std::fs::create_dir(place.path("two words")).unwrap();
    let refused = place.run("study plan 'two words'").stderr;
    assert!(refused.contains("FILE --output 'two words'"), "{refused}");
}

#[test]
fn records_keep_where_a_password_is_and_a_study_without_its_password_is_refused() {
    let place = Place::new();
    let study = |login: &str, option: &str| {
        format!(
            "name = \"x\"\nsystems = [\"redis://{login}127.0.0.1:1{option}\", \"redb\"]\nworkloads = [\"a\"]\n\
             records = 10\noperations = 10\nwarmup = \"0s\"\ntrials = 2\n"
        )
    };
    place.write("named.toml", &study("", "?password_env=PATH&connect_timeout=1s"));
    place.run("study run named.toml -o named");
    let stored = std::fs::read_to_string(place.path("named/study.toml")).unwrap();
    assert!(
        stored.contains("?password_env=PATH&connect_timeout=1s"),
        "{stored}"
    );
    let again = place.run("study run named/study.toml -o named");
    assert!(!again.stderr.contains("different study"), "{}", again.stderr);

    place.write("inline.toml", &study("me:hunter2@", "?connect_timeout=1s"));
    place.run("study run inline.toml -o inline");
    let before = std::fs::read_dir(place.path("inline/trials")).unwrap().count();
    let again = place.run("study run inline/study.toml -o inline");
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(
        again.stderr.contains("results keep no passwords"),
        "{}",
        again.stderr
    );
    let after = std::fs::read_dir(place.path("inline/trials")).unwrap().count();
    assert_eq!(before, after, "no failed trial is stored");
}

#[test]
fn systems_that_will_not_be_ranked_are_named_before_they_run() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"x\"\nsystems = [\"lab:redis\", \"redb\"]\nworkloads = [\"a\"]\n",
    );
    let plan = place.succeed("study plan study.toml").stdout;
    let expected =
        "To compare all of them at `buffered`, use `lab:redis?appendfsync=no` instead of `lab:redis`.";
    assert!(plan.contains(expected), "{plan}");
    let told =
        place.run("run 'redb?durability=none' sqlite --runs 2 --records 100 --operations 100 --warmup 0s");
    let expected = "use `redb?durability=buffered` instead of `redb?durability=none`";
    assert!(told.stderr.contains(expected), "{}", told.stderr);
}

#[test]
fn a_table_at_80_columns_cuts_no_word() {
    let place = Place::new();
    let line = "run memory --records 2k --duration 300ms --warmup 0s --output narrow";
    let output = place.command(line).env("COLUMNS", "80").output().unwrap();
    let shown = common::ended(output).stdout;
    assert!(
        shown.lines().any(|line| line.trim().starts_with("operation ")),
        "{shown}"
    );
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}
