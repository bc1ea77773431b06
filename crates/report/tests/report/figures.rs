//! Figures as files: exactly the figures of the page, with exactly their points.

use std::collections::BTreeSet;
use std::io::Read;

use crate::common;
use crate::common::{Engine as Database, FJALL, REDB, WORKLOADS, study};
use base64::Engine;
use dbdyno_record::{Level, Steadiness, SteadyState};
use dbdyno_report::{FigureFile, Render, ReportModel};

fn named<'a>(files: &'a [FigureFile], name: &str) -> &'a FigureFile {
    files
        .iter()
        .find(|file| file.name == name)
        .unwrap_or_else(|| panic!("{name} is missing"))
}

fn rows(file: &FigureFile) -> Vec<Vec<String>> {
    csv::Reader::from_reader(file.csv.as_bytes())
        .records()
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn every_figure_of_the_page_is_a_file_of_its_name() {
    let model = ReportModel::build(&common::quickstart());
    let page = model.html();
    let files = model.figures();
    assert_eq!(page.matches("<figure id=").count(), files.len());
    let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names.len(), files.len(), "two figures share a name");
    for name in names {
        assert!(page.contains(&format!("<figure id=\"{name}\"")), "{name}");
        assert!(
            name.chars()
                .all(|character| character.is_ascii_alphanumeric() || character == '-'),
            "{name} is no good file name"
        );
    }
}

#[test]
fn what_the_page_downloads_is_the_file() {
    let model = ReportModel::build(&study("small", &[FJALL, REDB], &WORKLOADS[..1], 6, 10));
    let page = model.html();
    let mut files = model.figures().into_iter();
    for (at, before) in page.match_indices("data-points=\"") {
        let packed = page[at + before.len()..].split('"').next().unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(packed).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(bytes.as_slice())
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, files.next().unwrap().csv);
    }
    assert!(files.next().is_none(), "a figure without its data");
}

#[test]
fn a_strip_has_every_trial_with_the_median_and_interval_of_the_model() {
    let model = ReportModel::build(&study("small", &[FJALL, REDB], &WORKLOADS[..1], 6, 10));
    let files = model.figures();
    let rows = rows(named(&files, "workload-a--throughput"));
    for system in &model.cells[0].systems {
        let summary = system.throughput.as_ref().unwrap();
        let own = |mark: &str| -> Vec<f64> {
            rows.iter()
                .filter(|row| row[0] == system.name && row[1] == mark)
                .map(|row| row[4].parse().unwrap())
                .collect()
        };
        let values: Vec<f64> = summary.values.iter().map(|value| value.value).collect();
        assert_eq!(own("trial"), values);
        assert_eq!(own("median"), [summary.estimate.median]);
        let interval = summary.estimate.interval.unwrap();
        assert_eq!(own("interval_low"), [interval.low]);
        assert_eq!(own("interval_high"), [interval.high]);
    }
}

#[test]
fn curves_and_timelines_have_as_many_points_as_are_drawn() {
    let model = ReportModel::build(&study("small", &[FJALL, REDB], &WORKLOADS[..1], 3, 10));
    let files = model.figures();
    // A curve has a place for each point, a line in steps a level for each.
    for (name, class, points) in [
        (
            "workload-a--latency-of-read",
            ["class=\"line\"", "class=\"trial\""],
            &['M', 'L'][..],
        ),
        (
            "workload-a--throughput-over-time",
            ["class=\"trace\"", "class=\"trace\""],
            &['H'],
        ),
    ] {
        let file = named(&files, name);
        let drawn: usize = file
            .svg
            .split("<path ")
            .skip(1)
            .filter(|path| class.iter().any(|class| path.starts_with(class)))
            .map(|path| {
                let places = path.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
                places.matches(points).count()
            })
            .sum();
        assert!(drawn > 20, "{name}: {drawn}");
        assert_eq!(rows(file).len(), drawn, "{name}");
    }
}

#[test]
fn the_first_screen_shows_every_system_of_every_test_to_scale() {
    let model = ReportModel::build(&study("small", &[FJALL, REDB], &WORKLOADS, 6, 1));
    let page = dbdyno_document::html(&model.document());
    let (_, lanes) = page.split_once("<table class=\"lanes\">").unwrap();
    let lanes = lanes.split_once("</table>").unwrap().0;
    for (cell, letter) in model.cells.iter().zip(["A: ", "B: ", "C: "]) {
        assert!(cell.title.starts_with(letter), "{}", cell.title);
        let (_, group) = lanes
            .split_once(&format!("<a href=\"#{}\">{}</a>", cell.id, cell.title))
            .unwrap();
        let group = group.split_once("</tbody>").unwrap().0;
        assert_eq!(
            group.matches("scope=\"row\"").count(),
            2,
            "a line for each system"
        );
        assert_eq!(group.matches("class=\"dot\"").count(), 12, "a dot for each trial");
        assert_eq!(
            group.matches("class=\"whisker\"").count(),
            2,
            "six trials have an interval"
        );
        assert_eq!(group.matches("class=\"best\"").count(), 1, "{group}");
    }
}

#[test]
fn a_change_of_level_is_marked_where_it_is() {
    let mut results = study("small", &[FJALL, REDB], &WORKLOADS[..1], 3, 10);
    let level = |from_ns: u64| Level {
        from_ns,
        throughput_per_second: 1.0,
        latency_p50_ns: None,
    };
    results.trials[0].conditions.steady = Some(SteadyState {
        steadiness: Steadiness::Late,
        judged_by: "throughput".to_owned(),
        windows: 10,
        window_ns: 1_000_000_000,
        levels: vec![level(0), level(4_000_000_000)],
        pauses: None,
    });
    let model = ReportModel::build(&results);
    let files = model.figures();
    let drawn = &named(&files, "workload-a--throughput-over-time").svg;
    assert_eq!(drawn.matches("class=\"ring\"").count(), 1);
    assert!(drawn.contains("another level from 4 s on"), "{drawn}");
    let page = model.html();
    assert!(page.contains("Rings mark where the level of a trial changed"));
}

#[test]
fn ratios_are_those_of_the_comparisons() {
    let model = ReportModel::build(&study("small", &[FJALL, REDB], &WORKLOADS[..1], 6, 10));
    let files = model.figures();
    let rows = rows(named(&files, "glance--throughput-ratio"));
    let comparison = model.cells[0]
        .comparisons
        .iter()
        .find(|comparison| comparison.metric == dbdyno_report::model::Metric::Throughput)
        .unwrap();
    assert_eq!(rows.len(), 1);
    let ratio: f64 = rows[0][3].parse().unwrap();
    assert!((ratio * comparison.ratio - 1.0).abs() < 1e-12, "{ratio}");
    assert_eq!(rows[0][6], "slower");
}

#[test]
fn drawings_stand_alone_whatever_the_names() {
    let evil = Database {
        name: "</svg><script>alert(1)</script>",
        ..FJALL
    };
    let model = ReportModel::build(&study("small", &[evil, REDB], &WORKLOADS[..1], 2, 5));
    for file in model.figures() {
        assert!(file.svg.starts_with("<svg "), "{}", file.name);
        assert_eq!(file.svg.matches("</svg>").count(), 1, "{}", file.name);
        for forbidden in ["var(", "<script", "href", "url(", "class=\"hover\"", "@import"] {
            assert!(!file.svg.contains(forbidden), "{}: {forbidden}", file.name);
        }
    }
}
