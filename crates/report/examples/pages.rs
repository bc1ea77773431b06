//! Writes one page of each kind, of made-up studies, to look at in a browser: `cargo run -p dbdyno-report --example pages -- FOLDER`.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "made-up data is sound, and the tests' helpers are shared"
)]

#[path = "../tests/report/common/mod.rs"]
mod common;

use std::path::PathBuf;

use common::needs::{advise, small, trade_off};
use common::{REDB, WORKLOADS};
use dbdyno_report::index::{Index, StudyEntry};
use dbdyno_report::{Render, ReportModel};

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let write = |name: &str, page: String| std::fs::write(folder.join(name), page).unwrap();
    let advice = advise(&trade_off(), &[("results/small", &small())]).unwrap();
    write("advice.html", advice.html());
    let quickstart = ReportModel::build(&common::quickstart());
    write("study.html", quickstart.html());
    for (name, results) in [
        ("capacity.html", common::rising::capacity_study()),
        ("sweep.html", common::rising::sweep_study()),
    ] {
        write(name, ReportModel::build(&results).html());
    }
    let mut run = common::study("run", &[REDB], &WORKLOADS[..1], 1, 60);
    let trial = run.trials[0].trial.clone();
    run.latency_over_time
        .insert(trial.clone(), common::over_time(&trial, 60));
    write("run.html", ReportModel::build(&run).html());
    let mut elsewhere = small();
    elsewhere.environment = Some(common::machine("Other 1", 64, 512));
    let entry = |model: &ReportModel, name: &str| StudyEntry::new(model, name, Some("study.html"));
    let entries = vec![
        entry(&quickstart, "here"),
        entry(&ReportModel::build(&elsewhere), "there"),
    ];
    write("index.html", Index::new(entries).html());
}
