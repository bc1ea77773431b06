//! Writes a result folder of 1,000 made-up trials once, and times how long its report takes, step by step:
//! `cargo run --release -p dbdyno-report --example thousand_trials -- /tmp/thousand`.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example that measures the report itself and prints it"
)]

#[path = "../tests/report/common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::time::Instant;

use dbdyno_record::ResultFolder;
use dbdyno_report::{Render, ReportModel, StudyResults};

fn main() {
    let place: PathBuf = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "thousand".to_owned())
        .into();
    for (name, workloads) in [("few-cells", &common::WORKLOADS[..5]), ("many-cells", &many())] {
        let path = place.join(name);
        if !path.exists() {
            common::folder::write(&common::thousand(workloads), &path);
        }
        let folder = ResultFolder::open(&path).unwrap();
        let begin = Instant::now();
        let results = StudyResults::read(&folder, folder.plan().unwrap().unwrap()).unwrap();
        let read = begin.elapsed();
        let model = ReportModel::build(&results);
        let built = begin.elapsed();
        let page = model.html();
        let written = begin.elapsed();
        folder.write_derived("report.html", page.as_bytes()).unwrap();
        println!(
            "{name}: {} trials, read {:.2} s, judged {:.2} s, written {:.2} s, together {:.2} s; {} bytes",
            results.trials.len(),
            read.as_secs_f64(),
            (built - read).as_secs_f64(),
            (written - built).as_secs_f64(),
            written.as_secs_f64(),
            page.len()
        );
    }
}

/// Twenty-five workloads.
fn many() -> Vec<common::Mix> {
    const NAMES: [&str; 25] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t",
        "u", "v", "w", "x", "y",
    ];
    let kinds = &common::WORKLOADS;
    let named = NAMES.iter().enumerate();
    named
        .map(|(index, name)| (*name, kinds[index % 5].1, kinds[index % 5].2))
        .collect()
}
