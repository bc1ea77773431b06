//! How a page reads: human units, one definition of p99, blocks from one, code without backticks, findings of many trials in one
//! sentence.

use crate::common;
use crate::common::{FJALL, REDB, TrialPlan, WORKLOADS, ask, results, study, trial};
use dbdyno_record::finding::{AlwaysDisturbed, ClientsStuck, HostOtherProcesses};
use dbdyno_record::{Facts, Finding, Severity};
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
    let title =
        "fewer than 1000 successful operations of scan (916 to 1039): too few for a reliable 99th percentile";
    assert_eq!(group("few-samples").title, title);
    assert_eq!(group("noisy-machine").title, group("noisy-machine").message);
    let page = model.html();
    assert!(page.contains(title), "{page}");
    assert!(
        page.contains("In single trials") && page.contains("operations of scan (916):"),
        "{page}"
    );
}

#[test]
fn a_finding_of_trials_at_several_levels_lists_the_levels() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 4, 5);
    for trial in &mut results.trials {
        let clients = [4, 8, 16, 8][trial.block as usize];
        trial.spec.clients = clients;
        trial.findings.push(Finding::invalid(ClientsStuck {
            stuck: 1 + trial.position % 3,
            clients,
            drain_ns: 5_000_000_000,
            never_sent: 0,
        }));
    }
    let model = ReportModel::build(&results);
    let group = model
        .findings
        .iter()
        .find(|group| group.code == ClientsStuck::CODE);
    let title = &group.unwrap().title;
    assert!(
        title.starts_with("1 to 3 of 4, 8 and 16 clients were abandoned: ")
            && title.contains("unanswered 5.0 s after"),
        "{title}"
    );
}

/// Of findings of other versions, only the words are known.
#[test]
fn messages_in_words_alone_are_told_by_an_example() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5);
    for trial in &mut results.trials {
        let message = format!("{} of the cores were hot", trial.position + 1);
        trial.findings.push(Finding::in_words(
            Severity::Note,
            "hot-cores",
            message,
            "Cool them.",
        ));
    }
    let model = ReportModel::build(&results);
    let group = model
        .findings
        .iter()
        .find(|group| group.code == "hot-cores")
        .unwrap();
    assert_eq!(group.title, format!("Hot cores: for example, {}", group.message));
    assert_eq!(group.other_messages.len(), results.trials.len() - 1);
}

#[test]
fn a_page_has_no_backticks() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5);
    results.asked.quick = true;
    for trial in &mut results.trials {
        trial.findings.push(Finding::warning(HostOtherProcesses {
            share: 0.15,
            limit_share: 0.1,
            busiest: Some("rustc".to_owned()),
        }));
        trial
            .findings
            .push(Finding::warning(AlwaysDisturbed { attempts: 3 }));
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
                ask(&mut paced, "rate", "common");
                trials.push(paced);
            }
        }
    }
    let page = ReportModel::build(&results("s", trials)).html();
    let (_, lanes) = page.split_once("<table class=\"lanes\">").unwrap();
    let lanes = lanes.split_once("</table>").unwrap().0;
    assert_eq!(
        lanes.matches("p99 latency, lower is better").count(),
        2,
        "{lanes}"
    );
    assert!(!lanes.contains("throughput"), "{lanes}");
}
