//! Study files: what is read, and how every mistake is told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_driver::Durability;
use dbdyno_study::definition::Rate;
use dbdyno_study::file::{self, parse};
use dbdyno_study::rising_load::{Kind, Steps};
use dbdyno_study::{Operations, Plan, Study};

fn study(text: &str) -> Study {
    parse(text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}\n{text}"))
}

fn studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies")
}

#[test]
fn the_ready_studies_can_be_planned() {
    let mut seen = 0;
    for folder in [studies(), studies().join("examples")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let study = file::read(&path).unwrap_or_else(|error| panic!("{error}")).study;
                assert_eq!(path.file_stem().unwrap().to_str(), Some(study.name.as_str()));
                match study.kind {
                    Kind::Comparison => {
                        let trials = Plan::new(&study).trials;
                        let takes_turns = trials.iter().all(|trial| trial.group.is_some());
                        assert_eq!(takes_turns, study.systems.len() > 1, "{}", study.name);
                    }
                    _ => assert!(dbdyno_study::rising_load::about(&study).0 > study.cells().len()),
                }
                seen += 1;
            }
        }
    }
    assert!(seen >= 5, "{seen}");
}

/// What stands in `studies/` answers a question by itself: enough blocks to decide, and a system measured against itself.
#[test]
fn the_ready_studies_can_decide_and_carry_an_a_a() {
    for name in [
        "quickstart",
        "nosql-three",
        "nosql-three-scans",
        "nosql-three-cluster",
        "all-databases",
        "protection",
        "protection-cluster",
    ] {
        let study = file::read(&studies().join(format!("{name}.toml"))).unwrap().study;
        let twins = study
            .systems
            .iter()
            .filter(|system| system.name.ends_with(" (A/A)"));
        assert_eq!(twins.count(), 1, "{name}");
        let comparisons = dbdyno_study::power::comparisons(&study);
        assert!(
            study.trials >= 6,
            "{name}: {} blocks for {comparisons} comparisons; six are what the guarantees are simulated with",
            study.trials
        );
    }
    let study = file::read(&studies().join("nosql-three.toml")).unwrap().study;
    assert!(study.cells().iter().all(|cell| cell.records >= 50_000));
    let names: BTreeSet<&str> = study.workloads.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        ["a", "abramova-g", "abramova-h", "b", "c", "d", "f"].into()
    );
}

#[test]
fn the_shortest_study_has_sensible_defaults() {
    let study = study("name = \"x\"\nsystems = \"redb\"\nworkloads = \"a\"\n");
    assert_eq!(
        (study.trials, study.seed, study.clients.as_slice()),
        (6, 42, [4].as_slice())
    );
    assert_eq!(study.shared.limit.duration, Some(Duration::from_secs(10)));
    assert_eq!(study.cells()[0].records, 100_000);
    assert_eq!((study.heading(), study.title.as_deref()), ("x", None));
}

#[test]
fn every_key_is_understood() {
    let study = study(
        r#"
        name = "all"
        title = "Every key"
        seed = 7
        trials = 3
        aa = true
        systems = ["fjall"]
        workloads = ["b"]
        records = [1000, "2k"]
        clients = [1, 8]
        client_threads = 3
        rates = ["unlimited", "1.5k"]
        arrivals = "poisson"
        operations = "10k"
        duration = "1m30s"
        warmup = "0s"
        precision = "2.5%"
        max_trials = 20
        budget = "2h"
        repeat_disturbed = 0
        properties = { fieldcount = 5 }

        [[system]]
        name = "safe"
        address = "redb"
        durability = "synced"
        options = { cache = "8M" }

        [[workload]]
        name = "mine"
        base = "a"
        properties = { hdrhistogram.percentiles = "50,99", fieldlength = 10, readallfields = false }
        "#,
    );
    let names: Vec<&str> = study.systems.iter().map(|system| system.name.as_str()).collect();
    assert_eq!(names, ["fjall", "safe", "fjall (A/A)"]);
    assert_eq!(study.systems[1].target.durability, Some(Durability::Synced));
    assert_eq!(study.systems[1].target.options["cache"], "8M");
    assert_eq!(study.records, [1000, 2000]);
    assert_eq!(study.shared.client_threads, Some(3));
    assert_eq!(study.rates, [Rate::Unlimited, Rate::PerSecond(1500.0)]);
    assert_eq!(study.operations, [Operations::Count(10_000)]);
    assert_eq!(study.shared.limit.duration, Some(Duration::from_secs(90)));
    assert_eq!(
        study.workloads[1].properties.get("fieldcount").unwrap().value,
        "5"
    );
    assert_eq!(
        study.workloads[1].properties.get("fieldlength").unwrap().value,
        "10"
    );
    let precision = study.precision.unwrap();
    assert!((precision.share - 0.025).abs() < 1e-12);
    assert_eq!(precision.most_trials, 20);
    assert_eq!(precision.budget, Some(Duration::from_secs(7200)));
    assert_eq!(study.repeat_disturbed, 0);
    assert_eq!(study.cells().len(), 3 * 2 * 2 * 2 * 2);
    let plan = Plan::new(&study);
    assert_eq!(plan.trials.len(), 48 * 3);
    let mut trials: Vec<&str> = plan
        .trials
        .iter()
        .map(|trial| trial.planned.trial.as_str())
        .collect();
    trials.sort_unstable();
    trials.dedup();
    assert_eq!(trials.len(), 48 * 3, "names of trials are unique");
}

/// They go into the plan under names of their own, and make no further cells.
#[test]
fn factors_of_a_system_are_reported_with_its_trials() {
    let study = study(
        "name = \"x\"\nworkloads = \"a\"\naa = true\nsystems = \"fjall\"\n\
         [[system]]\nname = \"off\"\naddress = \"redb\"\nfactors = { encryption = \"off\", nodes = 1 }\n\
         [[system]]\nname = \"on\"\naddress = \"redb\"\nfactors = { encryption = \"on\", nodes = 1 }\n",
    );
    let cells = study.cells();
    assert_eq!(cells.len(), 4);
    let reported = |system: usize, factor: &str| {
        let level = cells[system].factors().remove(factor);
        level.map(|level| level.to_string())
    };
    assert_eq!(reported(1, "system.encryption").as_deref(), Some("off"));
    assert_eq!(reported(2, "system.encryption").as_deref(), Some("on"));
    assert_eq!(reported(2, "system.nodes").as_deref(), Some("1"));
    assert_eq!(reported(0, "system.encryption"), None);
}

#[test]
fn a_warm_up_may_end_by_itself() {
    let head = "name = \"x\"\nsystems = \"redb\"\nworkloads = \"a\"\n";
    let auto = study(&format!("{head}warmup = \"auto\"\n"));
    assert_eq!(
        (auto.shared.warmup.longest, auto.shared.warmup.until_steady),
        (Duration::from_secs(120), true)
    );
    let fixed = study(&format!("{head}warmup = \"3s\"\n"));
    assert_eq!(
        (fixed.shared.warmup.longest, fixed.shared.warmup.until_steady),
        (Duration::from_secs(3), false)
    );
}

#[test]
fn workload_files_are_relative_to_the_study() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("mix.properties"),
        "readproportion=1\nupdateproportion=0\nrecordcount=77\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("s.toml"),
        "name = \"s\"\nsystems = [\"null\"]\n[[workload]]\nfile = \"mix.properties\"\n",
    )
    .unwrap();
    let study = file::read(&folder.path().join("s.toml")).unwrap().study;
    assert_eq!(study.workloads[0].name, "mix");
    assert_eq!(study.cells()[0].records, 77);
}

#[test]
fn secrets_do_not_reach_the_result_folder() {
    // No driver takes a password yet, so the address is one that is parsed and then refused; what would be stored is
    // made before that.
    let text = "name = \"x\"\nsystems = [\"null\", 'postgres://me:hunter2@db/x?sslpassword=hunter2']\n";
    let redacted = file::redact(text);
    assert!(!redacted.contains("hunter2"), "{redacted}");
    assert!(
        redacted.contains("name = \"x\"") && redacted.contains("postgres://me:***@db/x"),
        "{redacted}"
    );
    let table = "name = \"x\"\n[[system]]\naddress = \"null\"\noptions = { password = \"hunter2\", cache = \"1M\" }\n";
    let redacted = file::redact(table);
    assert!(
        !redacted.contains("hunter2") && redacted.contains("cache = \"1M\""),
        "{redacted}"
    );
    let plain = "name = 'x' # nothing to hide\nsystems = ['redb?cache=1M']\n";
    assert_eq!(file::redact(plain), plain);
}

#[test]
fn a_study_without_an_end_in_sight_has_a_plan() {
    for limit in [
        "operations = 1\nrates = [\"1e-300\"]\n",
        "operations = 9000000000000000000\nrates = [\"0.1\"]\n",
    ] {
        let study = study(&format!(
            "name = \"x\"\nsystems = [\"redb\", \"fjall\"]\nworkloads = [\"b\"]\n{limit}"
        ));
        let time = Plan::new(&study).estimated_time(&study);
        assert!(time > Duration::from_secs(1_000_000), "{time:?}");
    }
}

#[test]
fn a_workload_may_have_rates_of_its_own() {
    const HEAD: &str = "name = \"x\"\nsystems = [\"redb\", \"fjall\"]\ntrials = 2\nworkloads = [\"b\"]\n";
    let own = "[[workload]]\nbase = \"a\"\nrates = [\"unlimited\", \"common\"]\n";
    let mixed = study(&format!(
        "{HEAD}arrivals = \"poisson\"\ncommon_rate = \"70%\"\n{own}"
    ));
    assert_eq!(mixed.rates, [Rate::Unlimited, Rate::Common]);
    assert!((mixed.common_rate - 0.7).abs() < 1e-12);
    let cells: Vec<(String, String)> = mixed
        .cells()
        .iter()
        .filter(|cell| cell.system.name == mixed.systems[0].name)
        .map(|cell| cell.factors())
        .map(|factors| (factors["workload"].to_string(), factors["rate"].to_string()))
        .collect();
    let expected = [("b", "unlimited"), ("a", "unlimited"), ("a", "common")];
    assert_eq!(
        cells,
        expected.map(|(workload, rate)| (workload.to_owned(), rate.to_owned()))
    );
    let names: Vec<String> = Plan::new(&mixed)
        .trials
        .into_iter()
        .map(|trial| trial.planned.trial)
        .collect();
    assert_eq!(names.len(), 12);
    assert!(
        names.iter().any(|name| name.ends_with("redb-a-common")),
        "{names:?}"
    );

    // The study's rates hold for the workloads that have none of their own.
    let shared = study(&format!(
        "{HEAD}rates = \"common\"\n[[workload]]\nbase = \"c\"\nrates = \"2k\"\n"
    ));
    assert_eq!(shared.rates, [Rate::Common, Rate::PerSecond(2000.0)]);
    assert_eq!(shared.cells().len(), 4);
    assert!((shared.common_rate - 0.5).abs() < 1e-12);
}

#[test]
fn a_quick_look_is_small_and_says_what_it_is() {
    let text = "name = \"big\"\ntitle = \"All of it\"\ntrials = 9\naa = true\nsystems = [\"redb\", \"fjall\"]\n\
                workloads = [\"a\"]\nrecords = [\"5k\", \"1M\", \"10M\"]\nduration = \"5m\"\nwarmup = \"auto\"\n\
                precision = \"5%\"\nrates = [\"unlimited\", \"common\"]\n";
    let quick = study(&format!("quick = true\n{text}"));
    assert_eq!(quick.name, "big-quick");
    assert!(
        quick.quick
            && quick
                .heading()
                .starts_with("Quick look that decides nothing: All of it")
    );
    assert_eq!((quick.trials, quick.systems.len(), quick.precision), (2, 2, None));
    assert_eq!(quick.records, [5_000, 10_000], "1M and 10M are one level now");
    assert_eq!(quick.shared.limit.duration, Some(Duration::from_secs(2)));
    assert!(quick.shared.warmup.longest <= Duration::from_secs(1) && !quick.shared.warmup.until_steady);
    assert_eq!(quick.rates, study(text).rates);
    for ready in [
        "nosql-three",
        "nosql-three-cluster",
        "all-databases",
        "quickstart",
    ] {
        let path = studies().join(format!("{ready}.toml"));
        let (whole, quick) = (file::read(&path).unwrap(), file::read_quick(&path).unwrap());
        assert_eq!(quick.study.name, format!("{ready}-quick"));
        assert!(
            quick.study.trials < 4 && quick.text.lines().nth(1).unwrap().starts_with("quick = true"),
            "{ready}"
        );
        let estimated = |file: &file::CheckedStudy| Plan::new(&file.study).estimated_time(&file.study);
        assert!(estimated(&quick) < estimated(&whole), "{ready}");
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn every_mistake_is_reported_at_its_place() {
    const HEAD: &str = "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\n";
    const LAB: &str = "name = \"x\"\nsystems = [\"lab:redis\"]\nworkloads = [\"a\"]\n";
    let mut reported = String::new();
    for text in [
        "name = \n",
        "systems = [\"redb\"]\n",
        "name = \"a/b\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\n",
        "name = \"x\"\nworkloads = [\"a\"]\n",
        "name = \"x\"\nsystems = [\"redb\"]\n",
        "name = \"x\"\nsystems = [\"rdb\"]\nworkloads = \"a\"\n",
        "name = \"x\"\nsystems = [\"redb?cash=1M\"]\nworkloads = \"a\"\n",
        "name = \"x\"\nworkloads = \"a\"\n[[system]]\naddress = \"redb\"\nfactors = { clients = \"4\" }\n",
        "name = \"x\"\nworkloads = \"a\"\n[[system]]\naddress = \"redb\"\nfactors = { encryption = \"\" }\n",
        "name = \"x\"\nsystems = [\"redb\", \"redb\"]\nworkloads = \"a\"\n",
        "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"z\"]\n",
        "name = \"x\"\nsystems = []\n",
        "name = \"x\"\nsystms = [\"redb\"]\n",
        &format!("{HEAD}trails = 3\n"),
        &format!("{HEAD}trials = 0\n"),
        &format!("{HEAD}trials = 1000000000\n"),
        &format!(
            "name = \"{}\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\n",
            "long".repeat(26)
        ),
        "name = \"x\"\nworkloads = \"a\"\n[[system]]\naddress = \"redb\"\nname = \"redb (A/A)\"\n",
        &format!("{HEAD}trials = [3]\n"),
        &format!("{HEAD}precision = \"5 parts\"\n"),
        &format!("{HEAD}precision = \"120%\"\n"),
        &format!("{HEAD}max_trials = 9\n"),
        &format!("{HEAD}warmup = \"automatic\"\n"),
        &format!("{HEAD}budget = \"2h\"\n"),
        &format!("{HEAD}precision = 0.05\ntrials = 9\nmax_trials = 8\n"),
        &format!("{HEAD}repeat_disturbed = \"often\"\n"),
        &format!("{HEAD}aa = \"yes\"\n"),
        &format!("{HEAD}duration = 10\n"),
        &format!("{HEAD}records = \"many\"\n"),
        &format!("{HEAD}clients = [1, 2, 1]\n"),
        &format!("{HEAD}clients = 20000\n"),
        &format!("{HEAD}rates = \"fast\"\n"),
        &format!("{HEAD}arrivals = \"poisson\"\n"),
        &format!("{HEAD}rates = \"comon\"\n"),
        &format!("{HEAD}rates = [\"common\", \"1k\", \"common\"]\n"),
        &format!("{HEAD}common_rate = \"70%\"\n"),
        &format!("{HEAD}rates = \"common\"\ncommon_rate = \"100%\"\n"),
        &format!("{HEAD}kind = \"sweep\"\nrates = \"common\"\n"),
        &format!("{HEAD}kind = \"sweep\"\n[[workload]]\nbase = \"b\"\nrates = \"1k\"\n"),
        &format!("{HEAD}durability = \"hard\"\n"),
        &format!("{HEAD}properties = {{ readporportion = 1 }}\n"),
        &format!("{HEAD}properties = {{ fieldlength = \"long\" }}\n"),
        &format!("{HEAD}properties = {{ recordcount = 5 }}\n"),
        &format!("{HEAD}[[system]]\nname = \"y\"\n"),
        &format!("{HEAD}[[system]]\nadress = \"redb\"\naddress = \"fjall\"\n"),
        &format!(
            "{HEAD}[[system]]\nname = \"y\"\naddress = \"redb?durability=none\"\ndurability = \"synced\"\n"
        ),
        &format!("{HEAD}[[workload]]\nbase = \"a\"\nfile = \"b\"\n"),
        &format!("{HEAD}[[workload]]\nproperties = {{}}\n"),
        &format!("{HEAD}kind = \"capasity\"\n"),
        &format!("{HEAD}kind = \"capacity\"\n"),
        &format!("{HEAD}kind = \"capacity\"\nslo = \"p99(red)<5ms\"\n"),
        &format!("{HEAD}kind = \"capacity\"\nslo = \"p99(scan)<5ms\"\n"),
        &format!("{HEAD}kind = \"sweep\"\nslo = \"mean(load)<5ms\"\n"),
        &format!("{HEAD}kind = \"capacity\"\nslo = \"p99<5ms\"\nrates = [\"1k\"]\n"),
        &format!("{HEAD}kind = \"capacity\"\nslo = \"p99<5ms\"\nclients = [1, 2]\n"),
        &format!("{HEAD}kind = \"capacity\"\nslo = \"p99<5ms\"\nstep = 5\n"),
        &format!("{HEAD}kind = \"sweep\"\nstep = \"5%\"\n"),
        &format!("{HEAD}kind = \"sweep\"\nrates = [\"1k\", \"unlimited\"]\n"),
        &format!("{HEAD}slo = \"p99<5ms\"\n"),
        &format!("{HEAD}seed = \"lucky\"\n"),
        &format!("{HEAD}seed = -1\n"),
        &format!("{HEAD}title = [\"a\", \"b\"]\n"),
        &format!("{HEAD}clients = [1, [2]]\n"),
        &format!("{HEAD}clients = 1.5\n"),
        &format!("{HEAD}client_threads = 0\n"),
        &format!("{HEAD}records = [\"1.5\"]\n"),
        &format!("{HEAD}records = 2026-11-22\n"),
        &format!("{HEAD}records = \"5q\"\n"),
        &format!("{HEAD}operations = [\"recrods\"]\n"),
        &format!("{HEAD}duration = \"0s\"\n"),
        &format!("{HEAD}rates = 0\n"),
        &format!("{HEAD}rates = \"1k\"\narrivals = \"poison\"\n"),
        &format!("{HEAD}warmup = \"1s\"\nwarmup_limit = \"1m\"\n"),
        &format!("{HEAD}warmup_limit = 60\n"),
        &format!("{HEAD}restart = \"blok\"\n"),
        &format!("{HEAD}restart = \"study\"\n"),
        &format!("{HEAD}restart = \"study\"\nprecision = \"5%\"\n"),
        &format!("{HEAD}repeat_budget = \"a fifth\"\n"),
        &format!("{HEAD}consistency = \"most\"\n"),
        &format!("{HEAD}durability = [\"none\", \"none\"]\n"),
        &format!("{HEAD}system = \"redb\"\n"),
        &format!("{HEAD}[system]\naddress = \"redb\"\n"),
        &format!("{HEAD}properties = \"fieldcount\"\n"),
        &format!("{HEAD}properties = {{ fieldcount = [1] }}\n"),
        &format!("{HEAD}[[system]]\naddress = 5\n"),
        &format!("{HEAD}[[system]]\naddress = \"fjall\"\noptions = {{ cash = \"1M\" }}\n"),
        &format!("{HEAD}[[system]]\naddress = \"fjall\"\ndurability = \"sync\"\n"),
        &format!("{HEAD}[[workload]]\nbse = \"b\"\n"),
        &format!("{HEAD}[[workload]]\nbase = \"b\"\nrates = \"quick\"\n"),
        &format!("{HEAD}[[workload]]\nbase = \"b\"\nproperties = {{ fieldcuont = 5 }}\n"),
        &format!("paper = \"abramova-2013\"\n{HEAD}"),
        &format!("{HEAD}[paper]\nid = \"x\"\n"),
        &format!("{HEAD}[paper]\nid = \"x\"\nprat = \"y\"\n"),
        &format!("{HEAD}[paper]\nid = \"x\"\npart = \"y\"\nrecords = {{ 1000 = \"many\" }}\n"),
        &format!("planned = {{ budget = \"30m\" }}\n{HEAD}"),
        &format!(
            "planned = {{ budget = \"30m\", trials = 5, noise = \"8%\", noise_is = \"guessed\" }}\n{HEAD}"
        ),
        "name = \"x\"\nsystems = [\"redb\", \"fjall\"]\nworkloads = \"a\"\nbudget = \"30m\"\ntrials = 5\n",
        "name = \"x\"\nsystems = [\"redb\", \"fjall\"]\nworkloads = \"a\"\nbudget = \"30m\"\nduration = \"5s\"\n",
        "name = \"x\"\nsystems = \"redb\"\nworkloads = \"a\"\nrecords = [1, 2, 3, 4, 5]\ntrials = 10000\nclients = [1, 2, 3]\n",
        "name = \"x\"\nname = \"y\"\n",
        &format!("{HEAD}vary = {{ security = [\"none\", \"tls\"] }}\n"),
        &format!("{LAB}vary = \"security\"\n"),
        &format!("{LAB}vary = {{}}\n"),
        &format!("{LAB}vary = {{ security = \"tls\" }}\n"),
        &format!("{LAB}vary = {{ security = [\"none\", \"tsl\"] }}\n"),
        &format!("{LAB}vary = {{ security = [\"none\", \"tls\", \"none\"] }}\n"),
        &format!("{LAB}vary = {{ sekurity = [\"none\", \"tls\"] }}\n"),
        &format!("{LAB}vary = {{ security = [\"none\", [\"tls\"]] }}\n"),
        &format!("{LAB}vary = {{ security = [\"none\", \"tls\"], together = true }}\n"),
        &format!("{LAB}kind = \"sweep\"\nvary = {{ security = [\"none\", \"tls\"] }}\n"),
        "name = \"x\"\nworkloads = \"a\"\nsystems = \"lab:redis?security=auth\"\nvary = { security = [\"none\", \"tls\"] }\n",
        "name = \"x\"\nworkloads = \"a\"\nsystems = \"lab:redis?security=tsl\"\n",
    ] {
        let mistake = parse(text, Path::new(".")).expect_err(text);
        let line = text[..mistake.span.start].matches('\n').count() + 1;
        reported.push_str(&format!(
            "line {line}, `{}`: {}\n    help: {}\n",
            &text[mistake.span.clone()],
            mistake.message,
            mistake.help
        ));
    }
    insta::assert_snapshot!(reported);
}

/// What a study asks for, in lines that differ when anything of it does.
fn summary(study: &Study) -> String {
    let mut lines = vec![format!(
        "{} | {} | seed {}, {} trials, {:?}, quick {}",
        study.name,
        study.heading(),
        study.seed,
        study.trials,
        study.kind,
        study.quick
    )];
    lines.push(format!(
        "  ends {:?} {:?}, warm-up {:?} {} {:?}, {:?}, {:?}, precision {:?}, budget {:?}",
        study.operations,
        study.shared.limit.duration,
        study.shared.warmup.longest,
        study.shared.warmup.until_steady,
        study.server_warmup,
        study.restart,
        study.arrivals,
        study.precision,
        study.budget
    ));
    lines.push(format!(
        "  repeats {} {}, common rate {}, threads {:?}, reset {:?}",
        study.repeat_disturbed,
        study.repeat_budget,
        study.common_rate,
        study.shared.client_threads,
        study.shared.reset
    ));
    for system in &study.systems {
        lines.push(format!("  system {} = {}", system.name, system.target));
    }
    for workload in &study.workloads {
        let properties: Vec<String> = workload
            .properties
            .iter()
            .map(|(key, property)| format!("{key}={}", property.value))
            .collect();
        lines.push(format!("  workload {} {}", workload.name, properties.join(" ")));
    }
    for cell in study.cells() {
        let factors: Vec<String> = cell
            .factors()
            .into_iter()
            .filter(|(factor, _)| factor != "system" && factor != "workload")
            .map(|(factor, level)| format!("{factor} {level}"))
            .collect();
        lines.push(format!(
            "  cell {} {} x{} {}",
            cell.system.name,
            cell.workload,
            cell.records,
            factors.join(", ")
        ));
    }
    if study.kind == Kind::Comparison {
        let trials = Plan::new(study).trials;
        let seeds = trials.iter().fold(0_u64, |sum, trial| {
            sum.wrapping_mul(31).wrapping_add(trial.planned.seed)
        });
        let names: Vec<&str> = trials
            .iter()
            .take(3)
            .map(|trial| trial.planned.trial.as_str())
            .collect();
        lines.push(format!(
            "  {} trials: {}, .. (seeds {seeds:016x})",
            trials.len(),
            names.join(", ")
        ));
    }
    lines.join("\n")
}

/// The ready studies and those of the book, as they are understood: reading them in another way must not change them.
#[test]
fn the_ready_studies_ask_for_the_same_as_ever() {
    let mut files: Vec<PathBuf> = [studies(), studies().join("examples")]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    let of_file = |path: &PathBuf| {
        let mut study = file::read(path).unwrap().study;
        // Whether servers run in batches depends on the machine.
        study.memory_of_batches = None;
        summary(&study)
    };
    let mut asked: Vec<String> = files.iter().map(of_file).collect();
    let page = std::fs::read_to_string(studies().join("../docs/studies.md")).unwrap();
    let blocks = page.split("```toml\n").skip(1);
    let mut blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    let (whole, tables) = (blocks.next().unwrap(), blocks.next().unwrap());
    asked.push(summary(&study(whole)));
    let tables = tables.replace("; or file = \"mix.properties\"", "");
    asked.push(summary(&study(&format!("{whole}{tables}"))));
    insta::assert_snapshot!(asked.join("\n"));
}

#[test]
fn kinds_of_studies_are_read() {
    const HEAD: &str = "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\n";
    let capacity = study(&format!(
        "{HEAD}kind = \"capacity\"\nslo = [\"p99(read)<5ms\", \"errors<0.1%\"]\nstep = \"2%\"\narrivals = \"poisson\"\n"
    ));
    let Kind::Capacity(asked) = &capacity.kind else {
        panic!("{:?}", capacity.kind);
    };
    assert_eq!(asked.objective.text(), "p99(read)<5ms and errors<0.1%");
    assert_eq!((asked.step, asked.clients, capacity.trials), (0.02, None, 6));
    assert_eq!(capacity.cells().len(), 1);
    for (text, expected) in [
        ("", Steps::Automatic),
        ("rates = [\"1k\", 2000]\n", Steps::Rates(vec![1000.0, 2000.0])),
        ("clients = [1, 2, 4]\n", Steps::Clients(vec![1, 2, 4])),
    ] {
        let sweep = study(&format!("{HEAD}kind = \"sweep\"\n{text}"));
        let Kind::Sweep(asked) = &sweep.kind else {
            panic!("{:?}", sweep.kind);
        };
        assert_eq!(asked.steps, expected);
        assert_eq!(sweep.cells().len(), 1, "steps are no cells");
    }
    assert_eq!(
        study(&format!("{HEAD}kind = \"comparison\"\n")).kind,
        Kind::Comparison
    );
}
