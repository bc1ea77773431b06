//! Many studies on one page: what stands beside what, and what does not.

use crate::common::{Engine, FJALL, REDB, SQLITE, WORKLOADS, machine, study};
use dbdyno_report::index::{Index, StudyEntry};
use dbdyno_report::{Render, ReportModel, StudyResults, Style};

fn entry(results: &StudyResults, folder: &str) -> StudyEntry {
    let report = format!("{folder}/report.html");
    StudyEntry::new(&ReportModel::build(results), folder, Some(&report))
}

fn synced() -> Engine {
    Engine {
        durability: "synced",
        ..SQLITE
    }
}

/// Two studies of the same work on one machine, one of which has a system at another durability, and one elsewhere.
fn index() -> Index {
    let here = study("here", &[FJALL, REDB], &WORKLOADS[..2], 6, 10);
    let again = study("again", &[REDB, synced()], &WORKLOADS[..1], 6, 10);
    let mut there = study("there", &[REDB], &WORKLOADS[..1], 2, 10);
    there.environment = Some(machine("Other 1", 64, 512));
    Index::new(vec![
        entry(&there, "there"),
        entry(&here, "here"),
        entry(&again, "2026/again"),
    ])
}

/// Workload, durability and machine of a group, and the study and system of each row.
type Told<'a> = (String, String, String, Vec<(&'a str, &'a str)>);

#[test]
fn only_the_same_work_promise_and_machine_share_a_group() {
    let index = index();
    let groups: Vec<Told<'_>> = index
        .groups
        .iter()
        .map(|group| {
            let rows = group
                .rows
                .iter()
                .map(|row| (row.study.as_str(), row.system.as_str()))
                .collect();
            (
                group.workload.clone(),
                group.durability.to_string(),
                group.machine.clone(),
                rows,
            )
        })
        .collect();
    let text = |parts: [&str; 3], rows: &[(&'static str, &'static str)]| {
        let [workload, durability, machine] = parts.map(str::to_owned);
        (workload, durability, machine, rows.to_vec())
    };
    assert_eq!(
        groups,
        [
            text(
                ["a", "buffered", "A"],
                &[("again", "redb"), ("here", "fjall"), ("here", "redb")]
            ),
            text(["a", "buffered", "B"], &[("there", "redb")]),
            text(["a", "synced", "A"], &[("again", "sqlite")]),
            text(["b", "buffered", "A"], &[("here", "fjall"), ("here", "redb")]),
        ]
    );
}

#[test]
fn other_clients_are_other_work_and_an_unknown_machine_is_like_no_other() {
    let mut one = study("one", &[REDB], &WORKLOADS[..1], 2, 10);
    let mut two = one.clone();
    two.name = "two".to_owned();
    for trial in &mut two.trials {
        trial.spec.clients = 8;
    }
    let entries = || vec![entry(&one, "one"), entry(&two, "two")];
    assert_eq!(Index::new(entries()).groups.len(), 2);
    two.trials.clone_from(&one.trials);
    let same = Index::new(vec![entry(&one, "one"), entry(&two, "two")]);
    assert_eq!(same.groups.len(), 1);
    one.environment = None;
    two.environment = None;
    let unknown = Index::new(vec![entry(&one, "one"), entry(&two, "two")]);
    assert_eq!(unknown.groups.len(), 2);
}

#[test]
fn the_order_of_the_folders_changes_nothing() {
    let studies = [
        study("x", &[FJALL, REDB], &WORKLOADS[..2], 2, 10),
        study("y", &[REDB], &WORKLOADS[..1], 2, 10),
    ];
    let [x, y] = [entry(&studies[0], "x"), entry(&studies[1], "y")];
    let (one, two) = (Index::new(vec![x.clone(), y.clone()]), Index::new(vec![y, x]));
    assert_eq!(one.html(), two.html());
    assert_eq!(one.json(), two.json());
}

#[test]
fn every_row_is_on_the_page_with_its_link() {
    let index = index();
    let page = index.html();
    assert_eq!(page.matches("<tr data-keys=\"product=").count(), index.len());
    assert!(page.contains("href=\"2026/again/report.html#workload-a\""));
    assert!(page.contains("Numbers of different groups are not comparable"));
    let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    for forbidden in [
        "http://", "https://", "src=", "@import", "url(", "<link", "fetch(",
    ] {
        assert!(!without_namespace.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let evil = Engine {
        name: "<script>alert(1)</script>",
        product: "\"><img>",
        ..FJALL
    };
    let results = study("</title><script>", &[evil], &WORKLOADS[..1], 1, 5);
    let index = Index::new(vec![StudyEntry::new(&ReportModel::build(&results), "<b>", None)]);
    let page = index.html();
    assert_eq!(page.matches("<script>").count(), 1, "only our own script");
    assert!(!page.contains("<img"));
    let markdown = index.markdown();
    assert!(markdown.contains("\\<script>"), "{markdown}");
    assert!(!markdown.replace("\\<", "").contains('<'), "{markdown}");
}

#[test]
fn a_thousand_rows_stay_below_a_megabyte() {
    let results = study("many", &[FJALL, REDB, SQLITE], &WORKLOADS, 1, 1);
    let model = ReportModel::build(&results);
    let entries = (0..56).map(|number| {
        let folder = format!("folder-{number}");
        let report = format!("{folder}/report.html");
        StudyEntry::new(&model, &folder, Some(&report))
    });
    let index = Index::new(entries.collect());
    assert!(index.len() >= 1000);
    let page = index.html();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

#[test]
fn markdown_of_three_studies() {
    insta::assert_snapshot!(index().markdown());
}

#[test]
fn terminal_of_three_studies() {
    insta::assert_snapshot!(index().text(Style::plain(110)));
}

#[test]
fn csv_of_three_studies() {
    insta::assert_snapshot!(index().csv());
}
