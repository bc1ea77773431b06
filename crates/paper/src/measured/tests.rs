//! Claims on runs whose truth is planted.

use super::*;
use crate::predicate::parse;

fn row(system: &str, records: &str, times: &[f64]) -> Row {
    Row {
        attributes: BTreeMap::from([
            ("system".to_owned(), system.to_owned()),
            ("records".to_owned(), records.to_owned()),
        ]),
        values: BTreeMap::from([(
            "time".to_owned(),
            times
                .iter()
                .enumerate()
                .map(|(block, time)| (block as u32, *time))
                .collect(),
        )]),
        ..Row::default()
    }
}

fn measured() -> Measurements {
    Measurements {
        rows: vec![
            row("a", "10", &[1.0, 1.01, 1.02, 0.99, 1.03, 1.0]),
            row("b", "10", &[2.0, 2.01, 2.05, 1.99, 2.04, 2.02]),
            row("a", "20", &[3.0, 1.0, 2.0, 4.0, 1.5, 2.5]),
            row("b", "20", &[1.0, 3.0, 2.0, 1.4, 4.0, 2.5]),
        ],
    }
}

fn answer(text: &str) -> MeasuredVerdict {
    evaluate(&parse(text).unwrap(), &measured()).verdict
}

#[test]
fn what_is_shown_holds_and_its_opposite_fails() {
    assert_eq!(
        answer("time(system=a, records=10) < time(system=b, records=10)"),
        MeasuredVerdict::Holds
    );
    assert_eq!(
        answer("time(system=a, records=10) > time(system=b, records=10)"),
        MeasuredVerdict::Fails
    );
    assert_eq!(
        answer("1.9 <= time(system=b, records=10) / time(system=a, records=10) <= 2.1"),
        MeasuredVerdict::Holds
    );
    assert_eq!(answer("time(system=b, records=10) > 1.9"), MeasuredVerdict::Holds);
    assert_eq!(
        answer("time(system=b, records=10) <= 1.9"),
        MeasuredVerdict::Fails
    );
}

#[test]
fn what_differs_little_is_close() {
    let mut measured = measured();
    measured
        .rows
        .push(row("c", "10", &[1.01, 1.0, 1.02, 1.0, 1.02, 1.01]));
    let answer = |text: &str| evaluate(&parse(text).unwrap(), &measured).verdict;
    let of_c = "time(system=c, records=10)";
    assert_eq!(
        answer(&format!("time(system=a, records=10) < {of_c}")),
        MeasuredVerdict::Close
    );
    // One comparison is shown.
    assert_eq!(
        answer(&format!(
            "time(system=a, records=10) < time(system=b, records=10) and time(system=a, records=10) > {of_c}"
        )),
        MeasuredVerdict::Close
    );
    assert_eq!(
        answer(&format!("{of_c} < time(system=a, records=20)")),
        MeasuredVerdict::Undecided
    );
}

/// What the sizes of one system scatter by is known from all of them.
#[test]
fn sizes_of_one_system_lend_each_other_their_noise() {
    let noisy = |shift: usize| {
        let mut values = [1.0, 1.1, 0.95, 1.05, 0.9, 1.02];
        values.rotate_left(shift);
        values
    };
    let of = |systems: &[&str]| {
        let mut measured = Measurements::default();
        for (number, system) in systems.iter().enumerate() {
            measured.rows.push(row(system, "10", &noisy(number)));
            measured.rows.push(row(system, "80", &noisy(number + 2)));
        }
        let text = "time(system=a, records=10) < time(system=a, records=80)";
        evaluate(&parse(text).unwrap(), &measured).cases[0].text.clone()
    };
    let width = |text: &str| {
        let (_, range) = text.split_once('(').unwrap();
        let (low, rest) = range.split_once(" to ").unwrap();
        let high = rest.split_once(')').unwrap().0;
        high.parse::<f64>().unwrap() / low.parse::<f64>().unwrap()
    };
    let (alone, among) = (width(&of(&["a"])), width(&of(&["a", "b", "c", "d"])));
    assert!(among < alone, "{among} {alone}");
}

#[test]
fn what_varies_too_much_is_undecided_unless_something_else_fails() {
    assert_eq!(
        answer("time(system=a, records=20) < time(system=b, records=20)"),
        MeasuredVerdict::Undecided
    );
    assert_eq!(
        answer("for all n in 10 20: time(system=a, records=$n) < time(system=b, records=$n)"),
        MeasuredVerdict::Undecided
    );
    assert_eq!(
        answer("for all n in 10 20: time(system=a, records=$n) > time(system=b, records=$n)"),
        MeasuredVerdict::Fails
    );
}

/// It checks the noise: what a second measurement of the same system differs by widens the intervals of its column.
#[test]
fn a_system_that_differs_from_itself_makes_its_column_less_certain() {
    let mut measured = measured();
    let predicate = parse("time(system=a, records=10) < time(system=b, records=10)").unwrap();
    measured.rows[0].again = measured.rows[0].values.clone();
    assert_eq!(evaluate(&predicate, &measured).verdict, MeasuredVerdict::Holds);
    for value in measured.rows[0].again.values_mut().flat_map(BTreeMap::values_mut) {
        *value *= 2.5;
    }
    let judged = evaluate(&predicate, &measured);
    assert_eq!(judged.verdict, MeasuredVerdict::Undecided, "{judged:?}");
}

#[test]
fn what_was_not_measured_is_not_comparable() {
    assert_eq!(
        answer("time(system=c, records=10) < 5"),
        MeasuredVerdict::NotComparable {
            reasons: vec!["not measured here: time of system c, records 10".to_owned()]
        }
    );
}

#[test]
fn a_cell_over_itself_is_one_without_doubt() {
    assert_eq!(
        answer("for all m in 10 20: time(system=a, records=$m) / time(system=a, records=$m) < 1.2"),
        MeasuredVerdict::Holds
    );
}

#[test]
fn ratios_of_ratios_are_taken_block_by_block() {
    let judged = evaluate(
        &parse(
            "time(system=b, records=10) / time(system=a, records=10) * time(system=a, records=10) / time(system=b, records=20) < 10",
        )
        .unwrap(),
        &measured(),
    );
    assert_eq!(judged.verdict, MeasuredVerdict::Holds, "{judged:?}");
}

#[test]
fn cases_tell_the_ratio_and_what_was_claimed() {
    let Judgement { cases, .. } = evaluate(
        &parse("for all n in 10: time(system=b, records=$n) < 0.5 * time(system=a, records=$n)").unwrap(),
        &measured(),
    );
    assert_eq!(cases.len(), 1);
    assert!(cases[0].text.starts_with("n = 10: 2 ("), "{cases:?}");
    assert!(cases[0].text.ends_with("claimed < 0.5"), "{cases:?}");
    assert_eq!(cases[0].shown, Some(false));
}

/// What the runs say of a claim about one system alone, measured in so many trials.
fn about_one(trials: usize, text: &str) -> Judgement {
    let times = [4.2, 4.35, 4.1, 4.25, 4.3, 4.15];
    let measured = Measurements {
        rows: vec![row("a", "10", &times[..trials]), row("a", "20", &times[..trials])],
    };
    evaluate(&parse(text).unwrap(), &measured)
}

#[test]
fn a_number_is_judged_as_soon_as_a_ratio_is() {
    let near = "for all n in 10 20: 4 <= time(system=a, records=$n) <= 5";
    let far = "for all n in 10 20: 1.5 <= time(system=a, records=$n) <= 2.5";
    for trials in [4, 5, 6] {
        assert_eq!(
            about_one(trials, near).verdict,
            MeasuredVerdict::Holds,
            "{trials}"
        );
        assert_eq!(about_one(trials, far).verdict, MeasuredVerdict::Fails, "{trials}");
    }
    assert_eq!(about_one(3, near).verdict, MeasuredVerdict::Undecided);
    assert_eq!(about_one(3, far).verdict, MeasuredVerdict::Undecided);
    let tight = "for all n in 10 20: 4.2 <= time(system=a, records=$n)";
    assert_eq!(about_one(4, tight).verdict, MeasuredVerdict::Close);
}

#[test]
fn a_least_number_is_told_as_it_is_written() {
    let cases = about_one(4, "1.5 <= time(system=a, records=10)").cases;
    assert!(cases[0].text.starts_with("4.2"), "{cases:?}");
    assert!(cases[0].text.ends_with("claimed >= 1.5"), "{cases:?}");
    assert_eq!(cases[0].shown, Some(true));
}

#[test]
fn numbers_are_short() {
    assert_eq!(
        [1.0, 0.5, 12345.6, 2.0166, 0.001_234].map(rounded),
        ["1", "0.5", "12346", "2.02", "0.00123"]
    );
}

/// Three workloads whose ratios scatter too much to be close one by one.
fn over_workloads(ratios: [f64; 3]) -> Measurements {
    let scatter = [0.9, 1.12, 1.05, 0.94, 1.08, 0.93];
    let mut measured = Measurements::default();
    for (number, ratio) in ratios.into_iter().enumerate() {
        let mut of_workload = |system: &str, times: Vec<f64>| {
            let mut row = row(system, "10", &times);
            row.attributes
                .insert("workload".to_owned(), ["A", "B", "C"][number].to_owned());
            measured.rows.push(row);
        };
        let mut noise = scatter;
        noise.rotate_left(2 * number);
        of_workload("a", noise.iter().map(|noise| ratio * noise).collect());
        of_workload("b", vec![1.0; 6]);
    }
    measured
}

#[test]
fn a_claim_over_many_tests_is_close_when_it_is_on_average() {
    let predicate =
        parse("for all w in A B C: time(system=a, workload=$w) > 1.05 * time(system=b, workload=$w)")
            .unwrap();
    let judged = evaluate(&predicate, &over_workloads([1.08, 0.96, 1.02]));
    assert!(judged.cases.iter().any(|case| !case.close), "{judged:?}");
    assert_eq!(judged.verdict, MeasuredVerdict::Close, "{judged:?}");
    assert_eq!(judged.averages.len(), 1);
    let average = &judged.averages[0];
    assert!(average.close && average.shown.is_none(), "{average:?}");
    assert!(average.text.starts_with("on average over w: 1.02"), "{average:?}");
    assert!(average.text.ends_with("claimed > 1.05"), "{average:?}");

    // Both sides differ much in one of the tests, as claimed: the average of all would hide that.
    let judged = evaluate(&predicate, &over_workloads([1.5, 0.97, 0.97]));
    assert!(judged.averages[0].close, "{judged:?}");
    assert_eq!(judged.verdict, MeasuredVerdict::Undecided, "{judged:?}");
}

#[test]
fn one_comparison_has_no_average() {
    let judged = evaluate(
        &parse("time(system=a, records=10) < time(system=b, records=10)").unwrap(),
        &measured(),
    );
    assert_eq!(judged.averages, []);
}

/// Two systems at five sizes, each measured together with the other at a time of its own: the machine moves both alike. The first
/// one's time grows by 3% from size to size.
fn at_a_changing_speed() -> Measurements {
    let mut random = dbdyno_random::SplitMix64::new(5);
    let mut measured = Measurements::default();
    for size in 0..5_u32 {
        let speeds: [f64; 6] = std::array::from_fn(|_| 0.12 * random.normal());
        for (system, growth) in [("a", 1.03_f64), ("b", 1.0)] {
            let times = speeds
                .map(|speed| growth.powf(f64::from(size)) * (1.5 * speed + 0.01 * random.normal()).exp());
            let mut row = row(system, &(10 << size).to_string(), &times);
            let readings = speeds.iter().enumerate();
            row.reference_ns = readings
                .map(|(block, speed)| (block as u32, 100_000.0 * speed.exp()))
                .collect();
            measured.rows.push(row);
        }
    }
    measured
}

#[test]
fn sizes_are_compared_as_at_one_speed_of_the_machine() {
    let predicate = parse("time(system=a, records=10) < time(system=a, records=160)").unwrap();
    let of_systems = parse("time(system=a, records=160) > time(system=b, records=160)").unwrap();
    let mut measured = at_a_changing_speed();
    let judged = evaluate(&predicate, &measured);
    assert_eq!(judged.verdict, MeasuredVerdict::Holds, "{judged:?}");
    let slope = judged.at_usual_speed["time"];
    assert!(
        (slope.slope - 1.5).abs() < 0.1 && slope.explained > 0.9,
        "{slope:?}"
    );
    // The systems of one size were measured together.
    let together = evaluate(&of_systems, &measured);
    assert!(together.at_usual_speed.is_empty());

    // What is not all measured is not judged, and no speed has a part in it.
    let predicate_with_a_gap =
        parse("time(system=a, records=10) < time(system=a, records=160); time(system=c, records=10) < 1")
            .unwrap();
    assert!(
        evaluate(&predicate_with_a_gap, &measured)
            .at_usual_speed
            .is_empty()
    );

    // A block without a reading: nothing is adjusted, and noise hides the growth.
    measured.rows[0].reference_ns.remove(&3);
    let judged = evaluate(&predicate, &measured);
    assert_eq!(judged.verdict, MeasuredVerdict::Undecided, "{judged:?}");
    assert!(judged.at_usual_speed.is_empty());
}

/// Two averages of one claim: the noise of both is known better than that of one.
#[test]
fn averages_of_a_claim_lend_each_other_their_noise() {
    // What a block does to a system is the same under all workloads, so it stays in the average.
    let noise = [0.9, 1.12, 1.05, 0.94, 1.08, 0.93];
    let mut measured = Measurements::default();
    for workload in ["A", "B"] {
        for (system, shift) in [("a", 0), ("c", 3)] {
            let mut noise = noise;
            noise.rotate_left(shift);
            measured.rows.push(row(system, "10", &noise));
        }
        measured.rows.push(row("b", "10", &[1.0; 6]));
        let own = measured.rows.iter_mut().rev().take(3);
        own.for_each(|row| drop(row.attributes.insert("workload".to_owned(), workload.to_owned())));
    }
    let width = |text: &str| {
        let judged = evaluate(&parse(text).unwrap(), &measured);
        let (_, range) = judged.averages[0].text.split_once('(').unwrap();
        let (low, rest) = range.split_once(" to ").unwrap();
        let high = rest.split_once(')').unwrap().0;
        high.parse::<f64>().unwrap() / low.parse::<f64>().unwrap()
    };
    let of_c = "time(system=c, workload=$w) < time(system=b, workload=$w)";
    let alone = width(&format!("for all w in A B: {of_c}"));
    let among = width(&format!(
        "for all w in A B: {of_c} and time(system=a, workload=$w) < time(system=b, workload=$w)"
    ));
    assert!(among < alone, "{among} {alone}");
}

#[test]
fn one_choice_that_is_shown_is_enough_for_some() {
    let some = |comparison: &str| answer(&format!("for some n in 10 20: {comparison}"));
    assert_eq!(
        some("time(system=a, records=$n) < time(system=b, records=$n)"),
        MeasuredVerdict::Holds
    );
    assert_eq!(some("time(system=a, records=$n) > 9"), MeasuredVerdict::Fails);
    assert_eq!(
        some("time(system=a, records=$n) > time(system=b, records=$n)"),
        MeasuredVerdict::Undecided
    );
    let missing = "for some n in 20 30: time(system=a, records=$n) > time(system=b, records=$n)";
    assert!(matches!(answer(missing), MeasuredVerdict::NotComparable { .. }));
}

#[test]
fn what_all_choices_refute_names_the_nearest() {
    let texts = |text: &str| -> Vec<String> {
        let cases = evaluate(&parse(text).unwrap(), &measured()).cases;
        cases.into_iter().map(|case| case.text).collect()
    };
    let by_a = "time(system=$s, records=10)";
    let of = texts(&format!(
        "for some s in a b: {by_a} > 9; for some s in a b: {by_a} > time(system=b, records=10);
         for some n in 10 20: time(system=a, records=$n) > time(system=b, records=$n)"
    ));
    assert!(
        of[0].starts_with("2 choices of s, and all are refuted; the nearest is time, s = b: 2.0"),
        "{of:?}"
    );
    assert!(
        of[1].starts_with("2 choices of s, and all are refuted; the nearest is time of a / b: 0.5"),
        "a system beside itself is not the nearest: {of:?}"
    );
    assert!(
        of[2].starts_with("2 choices of n, and none is shown; the nearest is time of a / b, n = 20: "),
        "{of:?}"
    );
}

#[test]
fn a_question_that_is_asked_twice_is_wrong_once() {
    let (measured, text) = (measured(), |comparison: &str| {
        format!("for some s in a b, t in a b, n in 10 20: {comparison}")
    });
    let asked = |comparison: &str| {
        let predicate = parse(&text(comparison)).unwrap();
        let sentence = &predicate.0[0];
        let mut ratios = Ratios::new(&measured);
        let mut asked = Vec::new();
        for bound in bindings(sentence) {
            let comparison = &sentence.comparisons[0];
            let (relation, right) = &comparison.rest[0];
            asked.extend(case(&comparison.first, *relation, right, &bound, &mut ratios));
        }
        (asked.len(), intervals(&asked))
    };
    // Either way round, and a system is not compared with itself.
    assert_eq!(
        asked("time(system=$s, records=$n) < time(system=$t, records=$n)"),
        (8, 2)
    );
    assert_eq!(asked("time(system=$s, records=$n) < 2"), (8, 4));
}

#[test]
fn values_that_no_trial_varies_are_compared_as_they_are() {
    let of = |system: &str, features: f64| Row {
        attributes: BTreeMap::from([("database".to_owned(), system.to_owned())]),
        exact: BTreeMap::from([("features".to_owned(), features)]),
        ..Row::default()
    };
    let measured = Measurements {
        rows: vec![of("a", 4.0), of("b", 5.0)],
    };
    let judged = |text: &str| evaluate(&parse(text).unwrap(), &measured);
    let fails = judged("features(database=a) > features(database=b)");
    assert_eq!(fails.verdict, MeasuredVerdict::Fails);
    assert_eq!(fails.cases[0].text, "0.8, claimed > 1");
    let holds = judged("features(database=a) < features(database=b)");
    assert_eq!(holds.verdict, MeasuredVerdict::Holds);
}

#[test]
fn scans_of_different_work_are_not_compared() {
    let mut measured = measured();
    for row in &mut measured.rows {
        let is_a = row.attributes["system"] == "a";
        row.scans = if is_a { "key order" } else { "token order" }.to_owned();
    }
    let judged = |text: &str| evaluate(&parse(text).unwrap(), &measured).verdict;
    let MeasuredVerdict::NotComparable { reasons } =
        judged("time(system=a, records=10) < time(system=b, records=10)")
    else {
        panic!("different work");
    };
    assert_eq!(
        reasons,
        ["their scans are different work: key order against token order"]
    );
    let own = judged("time(system=a, records=10) < time(system=a, records=20) * 9");
    assert_eq!(own, MeasuredVerdict::Holds, "a system against itself");
    let overheads = "time(system=a, records=10) / time(system=a, records=20) < 9 * time(system=b, records=10) / time(system=b, records=20)";
    assert_eq!(judged(overheads), MeasuredVerdict::Holds, "each against itself");
}
