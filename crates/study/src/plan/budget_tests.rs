use std::path::Path;

use super::*;
use crate::file::parse;

const HEAD: &str = "name = \"x\"\nsystems = [\"memory\", \"redb\"]\nworkloads = [\"a\", \"b\"]\n";

fn study(text: &str) -> Study {
    parse(text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}"))
}

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

/// The study as its stored text says it after planning.
fn planned(text: &str, time: Duration, known: &Known) -> Study {
    let (planned, _) = choose(&study(text), time, known).unwrap();
    study(&format!("{}\n{text}", planned.table().to_line()))
}

#[test]
fn the_plan_is_stored_with_the_study_and_fits_the_budget_with_repeats() {
    for (keys, time) in [
        ("", 5),
        ("trials = 3\nduration = \"1m\"\n", 20),
        ("aa = true\nrates = [\"unlimited\", \"common\"]\n", 15),
        ("operations = 100000\n", 10),
        ("systems = [\"lab:mongodb\", \"lab:cassandra\"]\n", 20),
    ] {
        let text = match keys.starts_with("systems") {
            true => format!("name = \"x\"\n{keys}workloads = [\"a\"]\n"),
            false => format!("{HEAD}{keys}"),
        };
        let time = minutes(time);
        let planned = planned(&text, time, &Known::nothing());
        assert_eq!(planned.name, format!("x-{}", Time::new(time)));
        let whole = Plan::new(&planned).estimated_time(&planned);
        let whole = whole + time_for_repeats(&planned, whole);
        assert!(whole <= time && whole > time.mul_f64(0.6), "{keys}: {whole:?}");
        assert!(planned.trials >= power::fewest_blocks(&planned));
        let reported = sentence(&planned).unwrap();
        assert!(
            reported.starts_with(&format!("Within {}: {} blocks", Time::new(time), planned.trials)),
            "{reported}"
        );
        assert!(
            reported.contains("in 9 of 10 cases") && reported.contains("an assumption"),
            "{reported}"
        );
    }
}

#[test]
fn the_key_says_what_the_flag_says_and_no_other_results_lie_in_its_folder() {
    let text = format!("{HEAD}budget = \"10m\"\n");
    assert_eq!(study(&text).budget.unwrap().noise, None);
    let by_key = planned(&text, minutes(10), &Known::nothing());
    let by_flag = planned(HEAD, minutes(10), &Known::nothing());
    assert_eq!(
        (by_key.trials, by_key.shared.limit.duration),
        (by_flag.trials, by_flag.shared.limit.duration)
    );
    assert_eq!((by_key.name.as_str(), by_flag.name.as_str()), ("x", "x-10m"));
}

#[test]
fn a_plan_counts_for_the_same_source_and_budget_only() {
    let source = |text: &str| CheckedStudy {
        study: study(text),
        text: text.to_owned(),
    };
    let (plan, _) = choose(&study(HEAD), minutes(10), &Known::nothing()).unwrap();
    let stored = format!("{}\n{HEAD}", plan.table().to_line());
    let before = planned_before(&stored, &source(HEAD), minutes(10)).unwrap();
    assert_eq!(before, Planned::of(&plan.table()));
    let spelled = format!("# A comment.\n{HEAD}seed = \"42\"\n");
    let stored_otherwise = format!("{}\n{HEAD}seed = 42\n", plan.table().to_line());
    assert_eq!(
        planned_before(&stored_otherwise, &source(&spelled), minutes(10)),
        Some(before)
    );
    assert_eq!(planned_before(&stored, &source(HEAD), minutes(11)), None);
    let other = format!("{HEAD}seed = 1\n");
    assert_eq!(planned_before(&stored, &source(&other), minutes(10)), None);
    assert_eq!(planned_before(HEAD, &source(HEAD), minutes(10)), None);
}

#[test]
fn slow_loads_and_low_rates_shorten_what_fits() {
    let slow = Known {
        load_rate: Some(10_000.0),
        ..Known::nothing()
    };
    let (guessed, known) = (
        planned(HEAD, minutes(10), &Known::nothing()),
        planned(HEAD, minutes(10), &slow),
    );
    assert!(known.trials < guessed.trials, "{known:?}");
    assert!((known.load_rate.unwrap() - 10_000.0).abs() < 1e-9);
    let paced = study(&format!("{HEAD}rates = [50]\n"));
    assert_eq!(lengths(&study(HEAD))[0], 2.0);
    assert_eq!(
        lengths(&paced)[0],
        10.0,
        "20 windows of 20 operations, 500 ms each"
    );
}

#[test]
fn too_little_time_says_how_much_it_takes() {
    let error = choose(&study(HEAD), Duration::from_secs(30), &Known::nothing()).unwrap_err();
    assert!(
        error.starts_with(
            "30s is too short for this study: 4 blocks of 2 s, the fewest that can decide, take about"
        ),
        "{error}"
    );
}

#[test]
fn a_budget_that_chooses_nothing_is_refused() {
    for (keys, word) in [
        ("trials = 5\n", "`trials` sets it"),
        ("duration = \"5s\"\n", "`duration` sets it"),
        ("kind = \"sweep\"\n", "this study is a search"),
    ] {
        let text = format!("{HEAD}budget = \"10m\"\n{keys}");
        let mistake = parse(&text, Path::new(".")).unwrap_err();
        assert!(mistake.message.contains(word), "{mistake:?}");
        assert_eq!(&text[mistake.span], "\"10m\"");
    }
    let one = parse(
        "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\nbudget = \"10m\"\n",
        Path::new("."),
    );
    assert!(one.unwrap_err().message.contains("only one system"));
    let precise = study(&format!("{HEAD}precision = \"5%\"\nbudget = \"10m\"\n"));
    assert!(refusal(&precise).unwrap().0.contains("`precision`"));
    let quick = study(&format!("quick = true\n{HEAD}budget = \"10m\"\n"));
    assert_eq!(quick.budget, None);
    assert!(refusal(&quick).unwrap().0.contains("quick look"));
}
