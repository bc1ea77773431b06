//! Figures of whole studies and of single trials: what they show, when there are any, and in which colours.

use crate::common::{
    Engine, FJALL, REDB, SQLITE, TrialPlan, WORKLOADS, ask, folder, mark_invalid, results, study, trial,
};
use dbdyno_record::{IntervalLogWriter, Latency, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_report::{FigureFile, LatencyColumn, LatencyOverTime, Render, ReportModel, StudyResults};
use dbdyno_trial::{Level, LevelOrder, RATE};
use std::time::Duration;

fn figure(results: &StudyResults, name: &str) -> Option<FigureFile> {
    let figures = ReportModel::build(results).figures();
    figures.into_iter().find(|figure| figure.name == name)
}

fn rows(figure: &FigureFile) -> Vec<Vec<String>> {
    csv::Reader::from_reader(figure.csv.as_bytes())
        .records()
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

fn named(name: &'static str, product: &'static str) -> Engine {
    Engine {
        name,
        product,
        ..REDB
    }
}

/// The colours of these systems in one report.
fn colors(engines: &[Engine]) -> Vec<(String, usize)> {
    let model = ReportModel::build(&study("s", engines, &WORKLOADS[..1], 1, 5));
    let systems = model.systems.into_iter();
    systems.map(|system| (system.name, system.color)).collect()
}

fn color(engines: &[Engine], name: &str) -> usize {
    let colors = colors(engines);
    colors.iter().find(|(known, _)| known == name).unwrap().1
}

#[test]
fn a_product_has_one_colour_whatever_it_is_compared_with() {
    let alone = color(&[REDB], "redb");
    let server = named("server", "PostgreSQL");
    let pages = [
        vec![FJALL, REDB],
        vec![REDB, SQLITE],
        vec![server, REDB, SQLITE, FJALL],
        vec![named("another", "Other"), REDB],
        vec![named("a-redb", "redb"), SQLITE],
    ];
    for page in &pages[..4] {
        assert_eq!(color(page, "redb"), alone);
        let mut colors: Vec<usize> = colors(page).into_iter().map(|(_, color)| color).collect();
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), page.len());
    }
    assert_eq!(color(&pages[4], "a-redb"), alone, "whatever its name");
    assert_eq!(color(&pages[2], "server"), color(&[server], "server"));
    assert_eq!(color(&pages[1], "sqlite"), color(&pages[4], "sqlite"));
}

#[test]
fn systems_of_one_product_and_unknown_ones_take_free_colours() {
    let variants = [REDB, named("redb-big", "redb"), SQLITE, named("new", "Unheard")];
    let colors = colors(&variants);
    assert_eq!(
        colors,
        [("new", 0), ("redb", 4), ("redb-big", 1), ("sqlite", 5)]
            .map(|(name, color)| (name.to_owned(), color))
    );
    // Stand-ins have a product's colour as long as the product is not there.
    let memory = named("memory", "memory");
    let postgres = named("postgres", "PostgreSQL");
    assert_eq!(color(&[memory], "memory"), color(&[postgres], "postgres"));
    assert_eq!(
        color(&[memory, postgres], "postgres"),
        color(&[postgres], "postgres")
    );
    assert_ne!(
        color(&[memory, postgres], "memory"),
        color(&[postgres], "postgres")
    );
    let twin = named("redb (A/A)", "redb");
    assert_eq!(color(&[REDB, twin], "redb (A/A)"), color(&[REDB], "redb") + 8);
}

const IN_RUN_ORDER: &str = "run-order--throughput-in-run-order";

#[test]
fn the_order_of_all_trials_shows_which_are_in_doubt() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..2], 4, 10);
    let before = rows(&figure(&results, IN_RUN_ORDER).unwrap());
    assert_eq!(before.len(), 16);
    let mut disturbed = results.trials[3].clone();
    let repeated = format!("{}~2", disturbed.trial);
    results.trials[3].trial.clone_from(&repeated);
    results.trials[3].started_at = "2026-11-20T13:00:00.5Z".to_owned();
    disturbed.status = TrialStatus::Disturbed;
    disturbed.conditions.disturbed_by = vec!["host-steal".to_owned()];
    results.trials.push(disturbed);
    mark_invalid(&mut results.trials[5], "values-lost");
    let drawn = figure(&results, IN_RUN_ORDER).unwrap();
    let after = rows(&drawn);
    let of = |trial: &str| after.iter().find(|row| row[2] == trial).unwrap();
    assert_eq!(after.len(), 17);
    assert_eq!(of(&repeated)[1], "17", "a repetition ran when it ran");
    assert_eq!(of(results.trials[16].trial.as_str())[7], "disturbed (host-steal)");
    assert_eq!(of(results.trials[5].trial.as_str())[7], "invalid (values-lost)");
    assert_eq!(drawn.svg.matches("class=\"cross\"").count(), 2);
    for row in &before {
        let relative: f64 = row[6].parse().unwrap();
        assert!((relative - 1.0).abs() < 0.2, "{row:?}");
    }
}

#[test]
fn trials_at_a_rate_are_ordered_by_their_latency_and_few_trials_not_at_all() {
    let paced = results("paced", paced(&[50_000.0], 4));
    assert!(figure(&paced, IN_RUN_ORDER).is_none());
    let drawn = figure(&paced, "run-order--p99-latency-in-run-order").unwrap();
    assert_eq!(rows(&drawn).len(), 8);
    let few = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 10);
    assert!(figure(&few, IN_RUN_ORDER).is_none());
    assert!(
        !ReportModel::build(&few)
            .html()
            .contains("All trials in run order")
    );
}

/// Trials of workload A by two systems at each of the rates.
fn paced(rates: &[f64], blocks: u32) -> Vec<TrialRecord> {
    let mut trials: Vec<TrialRecord> = Vec::new();
    for block in 0..blocks {
        for rate in rates {
            for engine in [&FJALL, &REDB] {
                let mut made = trial(&TrialPlan {
                    study: "paced",
                    engine,
                    mix: &WORKLOADS[0],
                    block,
                    position: trials.len() as u32,
                    seconds: 10,
                    rate: Some(*rate),
                });
                ask(&mut made, "rate", &rate.to_string());
                trials.push(made);
            }
        }
    }
    trials
}

const BY_RATE: &str = "rates--workload-a-p99-against-throughput";

#[test]
fn several_rates_have_a_figure_that_says_which_were_missed_and_closed_loops_have_none() {
    // The second rate is too high for one of the two.
    let trials = paced(&[50_000.0, 200_000.0], 3);
    let drawn = figure(&results("paced", trials.clone()), BY_RATE).unwrap();
    let points = rows(&drawn);
    assert_eq!(points.len(), 4);
    let missed: Vec<&str> = points
        .iter()
        .filter(|row| row[9] == "0")
        .map(|row| row[0].as_str())
        .collect();
    assert_eq!(missed, ["redb"]);
    assert_eq!(drawn.svg.matches("class=\"dot outlier\"").count(), 1);
    // Beside a closed loop, which is another cell, nothing changes.
    let mut beside = trials;
    for mut closed in study("paced", &[FJALL, REDB], &WORKLOADS[..1], 3, 10).trials {
        ask(&mut closed, "rate", "unlimited");
        closed.trial.push_str("-closed");
        beside.push(closed);
    }
    let mut beside = results("paced", beside);
    let again = figure(&beside, BY_RATE).unwrap();
    assert_eq!(again.csv, drawn.csv);
    // Lines go from the lowest rate to the highest one, whichever the study lists first.
    let mut order = LevelOrder::default();
    order.list(
        RATE,
        [Level::Rate(200_000.0), Level::Unlimited, Level::Rate(50_000.0)],
    );
    beside.asked.levels = Some(order);
    let cells = ReportModel::build(&beside).cells;
    let names: Vec<&str> = cells.iter().map(|cell| cell.title.as_str()).collect();
    assert_eq!(
        names,
        [
            "A: update heavy, at 200k/s",
            "A: update heavy, full speed",
            "A: update heavy, at 50.0k/s"
        ]
    );
    assert_eq!(figure(&beside, BY_RATE).unwrap().csv, drawn.csv);
    assert!(figure(&results("paced", paced(&[50_000.0], 3)), BY_RATE).is_none());
    let closed = study("closed", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    assert!(figure(&closed, BY_RATE).is_none());
}

fn one() -> StudyResults {
    study("one", &[REDB], &WORKLOADS[..1], 1, 10)
}

const HISTOGRAM: &str = "workload-a--latency-histogram";
const OVER_TIME: &str = "workload-a--latency-over-time";

#[test]
fn a_run_has_the_histogram_of_all_of_its_operations() {
    let results = one();
    let drawn = figure(&results, HISTOGRAM).unwrap();
    let counted: u64 = rows(&drawn)
        .iter()
        .filter(|row| row[1] == "count")
        .map(|row| row[4].parse::<u64>().unwrap())
        .sum();
    let operations = &results.trials[0].measure.as_ref().unwrap().operations;
    assert_eq!(counted, operations.values().map(|own| own.ok).sum::<u64>());
    for (percentile, name) in [(50.0, "p50"), (99.0, "p99")] {
        let exact = results.trials[0].latency(None).percentile(percentile).unwrap();
        let marks = rows(&drawn);
        let mark = marks.iter().find(|row| row[1] == name).unwrap();
        assert_eq!(mark[2], exact.ns().to_string());
    }
    assert!(figure(&results, OVER_TIME).is_none(), "there is no log");
    let repeated = study("two", &[REDB], &WORKLOADS[..1], 2, 10);
    assert!(figure(&repeated, HISTOGRAM).is_none());
    let mut imported = one();
    imported.trials[0].measure = None;
    assert!(figure(&imported, HISTOGRAM).is_none());
}

#[test]
fn each_system_of_a_quick_look_has_its_own_and_a_study_of_many_has_none() {
    let few = study("quick", &[FJALL, REDB], &WORKLOADS[..1], 1, 10);
    for system in ["fjall", "redb"] {
        assert!(figure(&few, &format!("{HISTOGRAM}-of-{system}")).is_some());
    }
    let many = study("many", &[FJALL, REDB, SQLITE], &WORKLOADS[..3], 1, 10);
    let page = ReportModel::build(&many).html();
    assert!(!page.contains("Distribution of latency"));
}

#[test]
fn a_log_is_drawn_with_the_slow_second_that_is_in_it() {
    let mut results = one();
    let column = |second: u32| LatencyColumn {
        from_s: f64::from(second),
        to_s: f64::from(second + 1),
        p99_ns: 20_000,
        counts: if second == 7 {
            vec![(10_000, 900), (80_000_000, 2)]
        } else {
            vec![(10_000, 990), (20_000, 10)]
        },
    };
    let columns = (0..10).map(column).collect();
    let trial = results.trials[0].trial.clone();
    let known = LatencyOverTime { columns };
    results.latency_over_time.insert(trial.clone(), known.clone());
    let drawn = figure(&results, OVER_TIME).unwrap();
    let rows = rows(&drawn);
    let slow: Vec<&Vec<String>> = rows
        .iter()
        .filter(|row| row[1] == "count" && row[4].parse::<f64>().unwrap() > 1e7)
        .collect();
    assert_eq!(slow.len(), 1);
    assert_eq!((slow[0][2].as_str(), slow[0][6].as_str()), ("7", "2"));
    assert!(
        ReportModel::build(&results)
            .html()
            .contains("The line is the p99 of each column.")
    );
    results
        .latency_over_time
        .insert(trial, LatencyOverTime::default());
    assert!(figure(&results, OVER_TIME).is_none());
}

#[test]
fn the_log_of_a_folder_is_read_and_damage_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("one");
    let results = one();
    folder::write(&results, &path);
    let opened = ResultFolder::open(&path).unwrap();
    let read = || StudyResults::read(&opened, opened.plan().unwrap().unwrap());
    let trial = &results.trials[0].trial;
    assert!(read().unwrap().latency_over_time.is_empty());
    let file = opened.trial_dir(trial).join("latency.hlog");
    let start = "2026-01-02T03:04:05Z".parse().unwrap();
    let mut log = IntervalLogWriter::create(&file, start, "made up").unwrap();
    for second in 0..3 {
        let mut latency = Latency::new();
        latency.record_many(1_000 * (second + 1), 10);
        for tag in ["measure.read", "measure.update", "warm-up.read"] {
            log.write(
                tag,
                Duration::from_secs(4 + second),
                Duration::from_secs(1),
                &latency,
            )
            .unwrap();
        }
    }
    log.finish().unwrap();
    let read_back = read().unwrap();
    let columns = &read_back.latency_over_time[trial].columns;
    assert_eq!(columns.len(), 3);
    assert_eq!((columns[0].from_s, columns[2].to_s), (0.0, 3.0));
    assert_eq!(columns[1].counts, [(2_000, 20)]);
    assert!(figure(&read_back, OVER_TIME).is_some());
    std::fs::write(&file, "Tag=measure.read,0.000,1.000,1.000,nothing\n").unwrap();
    let error = read().unwrap_err().to_string();
    assert!(
        error.contains("latency.hlog") && error.contains("remove this file"),
        "{error}"
    );
}

#[test]
fn the_overview_carries_bars_where_throughput_is_ranked() {
    let page = ReportModel::build(&study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10)).html();
    assert!(page.contains("class=\"bar s6\" aria-hidden=\"true\"><span style=\"width: 100.0%\">"));
    assert_eq!(page.matches("class=\"bar s").count(), 2);
    assert!(page.contains("Bars compare throughput within a row."));
    assert!(
        page.contains("data-label=\"redb\""),
        "a phone shows no head of columns"
    );
    let page = ReportModel::build(&results("paced", paced(&[50_000.0], 6))).html();
    assert!(!page.contains("class=\"bar s") && !page.contains("Bars compare"));
}
