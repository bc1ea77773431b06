//! The page's structure: offline, small, complete, safe, the same every time.

use crate::common;
use crate::common::{Engine, FJALL, REDB, SQLITE, WORKLOADS, study};
use dbdyno_record::{Finding, Severity};
use dbdyno_report::{Render, ReportModel, csv};

/// What the page may weigh.
const MOST_BYTES: usize = 1_000_000;

#[test]
fn a_large_study_makes_a_page_below_a_megabyte() {
    let page = ReportModel::build(&study("large", &[FJALL, REDB, SQLITE], &WORKLOADS, 5, 120)).html();
    assert!(page.len() < MOST_BYTES, "{} bytes", page.len());
    let page = ReportModel::build(&study("larger", &[FJALL, REDB, SQLITE], &WORKLOADS, 12, 90)).html();
    assert!(page.len() < MOST_BYTES, "{} bytes", page.len());
}

#[test]
fn every_system_workload_and_trial_is_on_the_page() {
    let results = common::quickstart();
    let page = ReportModel::build(&results).html();
    assert!(page.contains("<h1>The quickstart &amp; its title</h1>"));
    for trial in &results.trials {
        assert!(
            page.contains(&format!("<code>{}</code>", trial.trial)),
            "{}",
            trial.trial
        );
    }
    for (workload, _, _) in WORKLOADS {
        assert!(
            page.contains(&format!("id=\"workload-{workload}\"")),
            "{workload}"
        );
        assert!(
            page.contains(&format!("href=\"#workload-{workload}\"")),
            "{workload}"
        );
    }
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let page = ReportModel::build(&common::quickstart()).html();
    let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    for forbidden in [
        "http://",
        "https://",
        "src=",
        "@import",
        "url(",
        "<link",
        "<iframe",
        "fetch(",
        "XMLHttpRequest",
    ] {
        assert!(!without_namespace.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn ids_are_unique_and_every_link_has_its_target() {
    let page = ReportModel::build(&common::quickstart()).html();
    let all = |before: &str| -> Vec<String> {
        page.match_indices(before)
            .map(|(at, _)| page[at + before.len()..].split('"').next().unwrap().to_owned())
            .collect()
    };
    let ids = all(" id=\"");
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    for target in all("href=\"#") {
        assert!(ids.contains(&target), "#{target} leads nowhere");
    }
    for label in all("aria-labelledby=\"")
        .into_iter()
        .chain(all("aria-describedby=\""))
    {
        assert!(ids.contains(&label), "{label} is missing");
    }
}

#[test]
fn every_figure_has_a_title_a_description_and_a_table() {
    let page = ReportModel::build(&common::quickstart()).html();
    let figures = page.matches("<figure").count();
    assert_eq!(page.matches("<desc").count(), figures);
    assert!(figures >= 6 * 6, "{figures}");
    assert_eq!(page.matches("Latencies and counts by operation").count(), 6);
}

#[test]
fn hostile_names_stay_text() {
    let evil = "<script>alert('x')</script>";
    let engine = Engine {
        name: evil,
        product: "\"><img onerror=alert(1)>",
        ..FJALL
    };
    let mix = ("<b>&\"'|*", WORKLOADS[0].1, "zipfian");
    let mut results = study(evil, &[engine, REDB], &[mix], 2, 5);
    results.study_text = "</code></pre><script>alert(2)</script>".to_owned();
    let mut model = ReportModel::build(&results);
    model.environment.push((evil.to_owned(), evil.to_owned()));
    let page = model.html();
    assert_eq!(page.matches("<script>").count(), 1, "only our own script");
    assert!(!page.contains("<img"));
    assert!(page.contains("&lt;script&gt;"));
    // After a backslash and between backticks it is text, too.
    let markdown = model.markdown().replace("\\<", "");
    let outside_code: String = markdown.split('`').step_by(2).collect();
    assert!(!outside_code.contains("<script>"), "{markdown}");
}

#[test]
fn what_nobody_sees_is_written_out_and_no_cell_is_a_formula() {
    let engine = Engine {
        name: "=cmd\u{202e}",
        product: "a\u{1b}[2Jb\u{7}",
        ..FJALL
    };
    let mut results = study("unseen", &[engine, REDB], &WORKLOADS[..1], 2, 5);
    for trial in &mut results.trials {
        trial.findings.push(Finding::in_words(
            Severity::Warning,
            "said",
            "the server said \u{9b}31m\r",
            "",
        ));
    }
    let model = ReportModel::build(&results);
    let drawn = model.figures();
    let table = csv(&results);
    let texts = [model.html(), model.markdown(), model.latex(), table.clone()]
        .into_iter()
        .chain(drawn.iter().map(|figure| figure.svg.clone()))
        .chain(drawn.iter().map(|figure| figure.csv.clone()));
    for text in texts {
        let unseen = text
            .chars()
            .find(|&sign| sign == '\u{202e}' || (sign.is_control() && sign != '\n' && sign != '\t'));
        assert_eq!(unseen, None, "{text}");
    }
    assert!(model.html().contains("=cmd\\u202e"));
    assert!(table.contains(",'=cmd\\u202e,"), "{table}");
}

#[test]
fn the_same_records_give_the_same_bytes_in_whatever_order_they_come() {
    let results = common::quickstart();
    let mut shuffled = results.clone();
    shuffled.trials.reverse();
    assert_eq!(
        ReportModel::build(&results).html(),
        ReportModel::build(&shuffled).html()
    );
}

#[test]
fn a_thousand_trials_fit_into_a_megabyte_with_every_odd_one_named() {
    let mut results = common::thousand(&WORKLOADS[2..4]);
    let odd = &mut results.trials[500];
    odd.measure.as_mut().unwrap().duration_ns *= 3;
    let name = odd.trial.clone();
    let model = ReportModel::build(&results);
    assert_eq!(model.progress.completed, 1000);
    let page = model.html();
    assert!(page.len() < MOST_BYTES, "{} bytes", page.len());
    assert!(
        page.contains(&format!("<code>{name}</code>")),
        "{name} is missing"
    );
    // All trials are in the data of a figure, whether or not they have a row of their own.
    let data: String = model
        .figures()
        .into_iter()
        .filter(|figure| figure.name.ends_with("--throughput"))
        .map(|figure| figure.csv)
        .collect();
    assert_eq!(data.matches(",trial,").count(), 1000 + 2);
}
