//! How a page reads: human units, one definition of p99, blocks from one, code without backticks, findings of many trials in one
//! sentence.

use crate::common;
use crate::common::{FJALL, REDB, TrialPlan, WORKLOADS, results, study, trial};
use dbdyno_record::{Finding, Severity};
use dbdyno_report::{Render, ReportModel};

/// What people read of a page.
fn main_of(page: &str) -> &str {
    page.split_once("<main>")
        .unwrap()
        .1
        .split_once("</main>")
        .unwrap()
        .0
}

#[test]
fn a_finding_of_many_trials_shows_their_range() {
    let model = ReportModel::build(&common::quickstart());
    let group = |code: &str| model.findings.iter().find(|group| group.code == code).unwrap();
    let title = "90016 to 90139 scans in 10.0 s: p99.99 needs more.";
    assert_eq!(group("few-samples").title, title);
    assert_eq!(group("noisy-machine").title, group("noisy-machine").message);
    let page = model.html();
    assert!(page.contains(title), "{page}");
    assert!(
        page.contains("In single trials") && page.contains("90016 scans in 10.0 s"),
        "{page}"
    );
}

#[test]
fn a_finding_of_trials_at_several_levels_lists_the_levels() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 4, 5);
    for trial in &mut results.trials {
        let clients = [4, 8, 16, 8][trial.block as usize];
        trial.settings.clients = clients;
        trial.factors.insert("clients".to_owned(), clients.to_string());
        trial.findings.push(Finding {
            code: "client-cpu".to_owned(),
            severity: Severity::Note,
            message: format!("{clients} clients used {}% of one CPU", 40 + trial.position),
            remedy: "Use fewer.".to_owned(),
        });
    }
    let positions = results.trials.iter().map(|trial| trial.position);
    let (low, high) = (positions.clone().min().unwrap(), positions.max().unwrap());
    assert!(low < high);
    let model = ReportModel::build(&results);
    let group = model.findings.iter().find(|group| group.code == "client-cpu");
    assert_eq!(
        group.unwrap().title,
        format!(
            "4, 8 and 16 clients used {} to {}% of one CPU",
            40 + low,
            40 + high
        )
    );
}

#[test]
fn a_page_has_no_backticks() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5);
    results.asked.quick = true;
    for trial in &mut results.trials {
        trial.findings.push(Finding {
            code: "host-other-processes".to_owned(),
            severity: Severity::Warning,
            message: "other processes used 15% of the CPUs, most of it `rustc`".to_owned(),
            remedy: "stop it, or set `repeat_disturbed`".to_owned(),
        });
    }
    let page = ReportModel::build(&results).html();
    let main = main_of(&page);
    assert!(!main.contains('`'), "{main}");
    for code in ["rustc", "repeat_disturbed", "--quick"] {
        assert!(main.contains(&format!("<code>{code}</code>")), "{code}: {main}");
    }
}

#[test]
fn people_count_blocks_from_one() {
    let model = ReportModel::build(&study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5));
    let page = model.html();
    let main = main_of(&page);
    assert!(
        main.contains(", block 1: ") && main.contains(", block 2: "),
        "{main}"
    );
    assert!(!main.contains(", block 0: "), "{main}");
    assert_eq!(
        model.cells[0].systems[0].trials[0].block, 0,
        "records count from zero"
    );
}

#[test]
fn p99_is_defined_once_and_sizes_are_readable() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5);
    for trial in &mut results.trials {
        let cache = "33554432 bytes of pages".to_owned();
        trial.system.settings.insert("cache".to_owned(), cache);
    }
    let page = ReportModel::build(&results).html();
    assert_eq!(
        page.matches("p99 is the latency that 99% of the operations")
            .count(),
        1
    );
    assert!(
        page.contains("32.0 MiB of pages") && !page.contains("33554432"),
        "{page}"
    );
}

#[test]
fn at_a_common_rate_the_first_figures_are_latency_by_workload() {
    let mut trials = Vec::new();
    for block in 0..6 {
        for mix in &WORKLOADS[..2] {
            for engine in [&FJALL, &REDB] {
                let position = trials.len() as u32;
                let plan = TrialPlan {
                    study: "s",
                    engine,
                    mix,
                    block,
                    position,
                    seconds: 5,
                    rate: Some(20_000.0),
                };
                let mut paced = trial(&plan);
                paced.factors.insert("rate".to_owned(), "common".to_owned());
                trials.push(paced);
            }
        }
    }
    let files = ReportModel::build(&results("s", trials)).figures();
    for (file, workload) in files.iter().zip(["a", "b"]) {
        let name = format!("verdict--p99-latency-workload-{workload}");
        assert!(file.name.starts_with(&name), "{}", file.name);
        assert!(file.csv.starts_with("system,latency_p99_ns,"), "{}", file.csv);
    }
    assert!(!files[2].name.starts_with("verdict--"), "{}", files[2].name);
}
