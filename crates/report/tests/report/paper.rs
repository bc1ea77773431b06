//! A study that measures a paper again: its claims on numbers whose truth is planted.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::common::{Engine, FJALL, Mix, REDB, ask, mark_invalid, pace, results, study, wobble};
use dbdyno_record::PlannedPaper;
use dbdyno_report::{PaperPage, Render, ReportModel, StudyResults};
use dbdyno_trial::Limit;

const WORKLOADS: [Mix; 2] = [
    ("A", [0.5, 0.5, 0.0, 0.0, 0.0], "zipfian"),
    ("H", [0.0, 1.0, 0.0, 0.0, 0.0], "zipfian"),
];

/// Operations end the phase, so that its length is their time.
const COUNTED: Limit = Limit {
    operations: Some(1000),
    duration: None,
};

/// MongoDB and Cassandra of abramova-2013 at its three sizes, with the speeds of writes that are given; the first once more.
fn again(writes: [f64; 2]) -> ReportModel {
    ReportModel::build(&measured_again(writes))
}

fn measured_again(writes: [f64; 2]) -> StudyResults {
    let system = |name, write| Engine {
        name,
        write,
        noise: 0.01,
        ..REDB
    };
    let twin = Engine {
        noise: 0.012,
        ..system("mongodb (A/A)", writes[0])
    };
    let systems = [system("mongodb", writes[0]), system("cassandra", writes[1]), twin];
    let mut trials = Vec::new();
    for (ours, size) in [(2000_u64, 0_u32), (5600, 1), (14_000, 2)] {
        for mut trial in study("again", &systems, &WORKLOADS, 6, 10).trials {
            trial.trial.push_str(&format!("-{ours}"));
            trial.position += size * 1000;
            ask(&mut trial, "records", &ours.to_string());
            trial.workload.records = ours;
            trial.spec.limit = COUNTED;
            // The made-up trials last as long as each other; these last as long as their operations take.
            let measure = trial.measure.as_mut().unwrap();
            let ok: u64 = measure.operations.values().map(|operation| operation.ok).sum();
            measure.duration_ns = measure.duration_ns * 1000 / ok;
            // Each size has its own luck, or all sizes would take equally long to the nanosecond.
            let luck = 1.0 + 0.01 * wobble(&trial.system.name, &[ours, u64::from(trial.block)]);
            measure.duration_ns = (measure.duration_ns as f64 * luck) as u64;
            trials.push(trial);
        }
    }
    let mut results = results("again", trials);
    results.asked.paper = Some(PlannedPaper {
        scale: 0.02,
        notes: vec!["Assumed: all of it.".to_owned()],
        records: [(2000, 100_000), (5600, 280_000), (14_000, 700_000)].into(),
        operations: [(1000, 10_000)].into(),
        ..planned("abramova-2013", "single")
    });
    results
}

fn planned(id: &str, part: &str) -> PlannedPaper {
    PlannedPaper {
        id: id.to_owned(),
        part: part.to_owned(),
        claims: Vec::new(),
        scale: 1.0,
        notes: Vec::new(),
        records: BTreeMap::new(),
        operations: BTreeMap::new(),
    }
}

fn verdict(model: &ReportModel, claim: &str) -> (String, String) {
    let paper = model.paper.as_ref().unwrap();
    let row = paper.claims.iter().find(|row| row.id == claim).unwrap();
    (row.printed.to_string(), row.measured.to_string())
}

fn pair(printed: &str, measured: &str) -> (String, String) {
    (printed.to_owned(), measured.to_owned())
}

#[test]
fn what_is_planted_is_what_the_claims_say() {
    let model = again([FJALL.write, FJALL.write * 30.0]);
    assert_eq!(verdict(&model, "C2"), pair("undecided", "holds"));
    assert_eq!(verdict(&model, "C1"), pair("undecided", "fails"));
    // Loads of the same size of work at every size: nothing grows.
    assert_eq!(verdict(&model, "C3").1, "close");
    assert_eq!(verdict(&model, "C4").1, "not comparable");
    assert_eq!(verdict(&model, "C11"), pair("not printed", "not tested"));
    let slower = again([FJALL.write, FJALL.write / 2.0]);
    assert_eq!(verdict(&slower, "C2").1, "fails");
    assert_eq!(verdict(&slower, "C1"), pair("undecided", "holds"));
}

#[test]
fn a_length_that_a_limit_of_time_set_is_no_run_time() {
    let mut results = measured_again([FJALL.write, FJALL.write * 30.0]);
    for trial in &mut results.trials {
        trial.spec.limit.duration = Some(Duration::from_secs(1));
    }
    let model = ReportModel::build(&results);
    assert_eq!(verdict(&model, "C2").1, "not comparable");
    // The load ends with its last record.
    assert_eq!(verdict(&model, "C1").1, "fails");
}

#[test]
fn no_claim_is_judged_on_a_cell_with_an_invalid_trial() {
    let mut results = measured_again([FJALL.write, FJALL.write * 30.0]);
    assert_eq!(verdict(&ReportModel::build(&results), "C2").1, "holds");
    let mut trials = results.trials.iter_mut();
    let of_claim = trials.find(|trial| {
        let names = (trial.system.name.as_str(), trial.workload.name.as_str());
        names == ("cassandra", "A") && trial.workload.records == 5600
    });
    mark_invalid(of_claim.unwrap(), "integrity");
    let model = ReportModel::build(&results);
    assert_eq!(verdict(&model, "C2").1, "not comparable");
}

#[test]
fn a_claim_about_latency_in_a_closed_loop_says_how_it_is_judged() {
    let system = |name| Engine { name, ..REDB };
    let mut again = study(
        "again",
        &[system("mongodb"), system("cassandra")],
        &WORKLOADS,
        6,
        10,
    );
    again.asked.paper = Some(planned("shwaysh-2018", "cluster"));
    let note = |again: &dbdyno_report::StudyResults| {
        let model = ReportModel::build(again);
        let note = model.paper.as_ref().unwrap().closed_loop_note();
        (note, model.html(), model.markdown())
    };
    let (reported, page, markdown) = note(&again);
    let reported = reported.unwrap();
    assert!(
        reported.ends_with("judged as the authors measured it: latency in a closed loop, with each system at its own throughput."),
        "{reported}"
    );
    assert!(
        page.contains(&reported) && markdown.contains(&reported),
        "{reported}"
    );
    for trial in &mut again.trials {
        trial.spec.pace = Some(pace(1000.0));
    }
    assert_eq!(note(&again).0, None, "at a rate there is nothing to say");
}

#[test]
fn printed_and_new_numbers_stand_at_the_papers_sizes() {
    let model = again([FJALL.write, FJALL.write]);
    let sides = &model.paper.as_ref().unwrap().sides;
    let load = sides.iter().find(|side| side.workload == "load").unwrap();
    assert_eq!(load.sizes(), [100_000, 280_000, 700_000]);
    let last = load.systems[0].points.last().unwrap();
    assert_eq!((last.size, last.printed, last.trials), (700_000, Some(282.0), 6));
    assert!(last.measured.is_some() && last.interval.is_some());
    let [printed, measured] = load.ratios(700_000);
    assert!((printed.unwrap() - 282.0 / 342.0).abs() < 1e-9);
    assert!((measured.unwrap() - 1.0).abs() < 0.1);
    let page = model.html();
    for part in [
        "The paper and now",
        "Printed: run time",
        "Measured now: run time",
        "Assumed: all of it.",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// MongoDB and Cassandra without and with encryption, under workloads of the thesis: how much slower Cassandra is, and what is left
/// of the throughput of MongoDB's workload F.
fn encrypted(slower: f64, left_of_f: f64) -> ReportModel {
    let system = |name, speed: f64| Engine {
        name,
        read: REDB.read * speed,
        write: REDB.write * speed,
        noise: 0.01,
        ..REDB
    };
    let systems = [
        system("mongodb-oss", 1.0),
        system("mongodb-ee", 1.0),
        system("cassandra-oss", 1.0 / slower),
        system("cassandra-dse", 1.0 / slower),
    ];
    let mix = |name| (name, WORKLOADS[0].1, WORKLOADS[0].2);
    let mut results = study(
        "again",
        &systems,
        &[mix("A"), mix("B"), mix("E"), mix("F")],
        6,
        10,
    );
    for trial in &mut results.trials {
        trial.spec.limit = COUNTED;
        let costs = trial.system.name == "mongodb-ee" && trial.workload.name == "F";
        let measure = trial.measure.as_mut().unwrap();
        let ok: u64 = measure.operations.values().map(|operation| operation.ok).sum();
        // As many operations for everybody, so that run times differ as throughputs do.
        let share = if costs { left_of_f } else { 1.0 };
        measure.duration_ns = (measure.duration_ns as f64 / ok as f64 * 1000.0 / share) as u64;
        for operation in measure.operations.values_mut() {
            operation.ok = operation.ok * 1000 / ok;
        }
    }
    results.asked.paper = Some(planned("shwaysh-2018", "encryption"));
    ReportModel::build(&results)
}

#[test]
fn the_price_of_encryption_decides_the_claims_about_it() {
    let as_claimed = encrypted(2.2, 0.6);
    assert_eq!(verdict(&as_claimed, "C14").1, "holds");
    // It keeps C13 from holding: with the price of F, Cassandra is less than twice as slow there.
    assert_eq!(verdict(&as_claimed, "C13").1, "fails");
    let without_price = encrypted(2.2, 1.0);
    assert_eq!(verdict(&without_price, "C14").1, "fails");
    // Under E their scans are different work, so the claim about all workloads is tested on the others.
    assert_eq!(verdict(&without_price, "C13").1, "holds where tested");
    assert_eq!(verdict(&without_price, "C16").1, "holds where tested");
    assert_eq!(verdict(&encrypted(3.0, 1.0), "C13").1, "fails");
}

fn page(id: &str, results: Vec<StudyResults>) -> PaperPage {
    let paper = dbdyno_paper::find(id).unwrap().unwrap();
    PaperPage::build(paper, results, Vec::new()).unwrap()
}

#[test]
fn the_page_of_a_paper_puts_claims_below_the_figures_that_they_are_about() {
    let again = measured_again([FJALL.write, FJALL.write * 30.0]);
    let page = page("abramova-2013", vec![again]);
    insta::assert_snapshot!("paper_page", page.markdown());
    insta::assert_snapshot!("paper_page_latex", page.latex());
    let names: Vec<String> = page.figures().into_iter().map(|figure| figure.name).collect();
    insta::assert_snapshot!("paper_page_figures", names.join("\n"));
}

/// The same study, measured for one claim alone.
fn for_a_claim(claim: &str, writes: [f64; 2]) -> StudyResults {
    let mut results = measured_again(writes);
    if let Some(paper) = &mut results.asked.paper {
        paper.claims = vec![claim.to_owned()];
    }
    results
}

#[test]
fn a_run_for_a_claim_judges_it_in_place_of_all_others() {
    let whole = measured_again([FJALL.write, FJALL.write * 30.0]);
    let own = for_a_claim("C2", [FJALL.write, FJALL.write / 2.0]);
    let claims = ReportModel::build(&own).paper.unwrap().claims;
    assert_eq!(
        claims.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(),
        ["C2"]
    );

    let rows = |results: Vec<StudyResults>| -> Vec<String> {
        let text = page("abramova-2013", results).markdown();
        let row = |line: &&str| line.starts_with("| C1 ") || line.starts_with("| C2 ");
        text.lines().filter(row).map(str::to_owned).collect()
    };
    let [before, after] = [rows(vec![whole.clone()]), rows(vec![own, whole.clone()])];
    assert!(
        before[1].contains("holds") && !before[1].contains("fails"),
        "{before:?}"
    );
    assert_eq!(after[0], before[0], "C1 is the whole part's");
    assert!(
        after[1].contains("fails") && !after[1].contains("holds"),
        "{after:?}"
    );

    let twice = [(); 2]
        .map(|()| for_a_claim("C2", [FJALL.write, FJALL.write]))
        .into();
    let paper = dbdyno_paper::find("abramova-2013").unwrap().unwrap();
    let error = PaperPage::build(paper, twice, Vec::new()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "two of these folders were measured for C2 of abramova-2013"
    );
}

#[test]
fn the_load_is_that_of_whatever_workload_was_measured() {
    let mut results = for_a_claim("C1", [FJALL.write, FJALL.write * 30.0]);
    results.trials.retain(|trial| trial.workload.name == "H");
    assert_eq!(verdict(&ReportModel::build(&results), "C1").1, "fails");
}

#[test]
fn the_load_is_the_mean_of_those_before_all_valid_workloads() {
    let point = |results: &dbdyno_report::StudyResults| {
        let model = ReportModel::build(results);
        let sides = &model.paper.as_ref().unwrap().sides;
        let load = sides.iter().find(|side| side.workload == "load").unwrap();
        load.systems[0].points.last().unwrap().clone()
    };
    let seconds = |results: &dbdyno_report::StudyResults| point(results).measured.unwrap();
    let mut results = measured_again([FJALL.write, FJALL.write]);
    let workloads: std::collections::BTreeSet<String> = results
        .trials
        .iter()
        .map(|trial| trial.workload.name.clone())
        .collect();
    let before = seconds(&results);
    // Loads of one workload take 8 times as long; the others' are as before.
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.workload.name == "A")
    {
        trial.load.as_mut().unwrap().duration_ns *= 8;
    }
    let expected = before * 8.0_f64.powf(1.0 / workloads.len() as f64);
    let slower = seconds(&results);
    assert!((slower / expected - 1.0).abs() < 0.01, "{slower} and {expected}");
    let mut interrupted = results.clone();
    let last = results.trials.iter().map(|trial| trial.block).max().unwrap();
    interrupted
        .trials
        .retain(|trial| trial.block != last || trial.workload.name == "A");
    assert_eq!([point(&results).trials, point(&interrupted).trials], [6, 5]);
    let mut trials = results.trials.iter_mut();
    mark_invalid(
        trials.find(|trial| trial.workload.name == "A").unwrap(),
        "integrity",
    );
    let without = seconds(&results);
    assert!((without / before - 1.0).abs() < 0.1, "{without} and {before}");
}

#[test]
fn without_results_the_page_is_the_printed_half() {
    for id in ["altoros-2013", "dhayalan-2018", "madureira"] {
        let page = page(id, Vec::new());
        insta::assert_snapshot!(format!("paper_page_printed_{id}"), page.markdown());
        let drawn = page.figures();
        assert!(!drawn.is_empty(), "{id}");
        assert!(drawn.iter().all(|figure| figure.name.contains("printed")), "{id}");
    }
}

#[test]
fn rates_are_an_axis_where_they_were_asked_for() {
    let system = |name| Engine { name, ..REDB };
    let systems = [system("cassandra"), system("mongodb"), system("hbase")];
    let mut all = results("again", Vec::new());
    for rate in [500.0, 1500.0] {
        for mut trial in study("again", &systems, &WORKLOADS[..1], 6, 10).trials {
            trial.trial.push_str(&format!("-{rate}"));
            trial.spec.pace = Some(pace(rate));
            all.trials.push(trial);
        }
    }
    all.asked.paper = Some(planned("altoros-2013", "rates"));
    let model = ReportModel::build(&all);
    let side = model
        .paper
        .as_ref()
        .unwrap()
        .sides
        .iter()
        .find(|side| side.workload == "A" && side.quantity.column() == "update_avg_us");
    let side = side.unwrap();
    assert_eq!((side.size.as_str(), side.sizes()), ("rate", vec![500, 1500]));
    let mongodb = side
        .systems
        .iter()
        .find(|system| system.name == "mongodb")
        .unwrap();
    let printed: Vec<Option<f64>> = mongodb.points.iter().map(|point| point.printed).collect();
    assert_eq!(printed, [None, Some(100_000.0)]);
    assert!(mongodb.points.iter().all(|point| point.measured.is_some()));
    assert_eq!(
        verdict(&model, "C1").1,
        "not comparable",
        "throughput at a rate is that rate"
    );
    let of_latency = model.paper.as_ref().unwrap().claims.iter();
    let at_rates: Vec<&str> = of_latency
        .filter(|row| row.id == "C2")
        .map(|row| row.assuming.as_str())
        .collect();
    assert_eq!(at_rates, ["rate 500", "rate 1500"]);
}

#[test]
fn results_of_another_paper_are_refused() {
    let paper = dbdyno_paper::find("dhayalan-2018").unwrap().unwrap();
    let results = vec![measured_again([FJALL.write, FJALL.write])];
    let error = PaperPage::build(paper, results, Vec::new()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "again repeats abramova-2013, not dhayalan-2018"
    );
}
