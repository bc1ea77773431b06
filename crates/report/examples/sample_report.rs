//! Writes a report of a made-up study, its tables in LaTeX and its figures, beside each other: `cargo run -p dbdyno-report --example sample_report -- sample.html`.

#[path = "../tests/report/common/mod.rs"]
mod common;

use std::process::ExitCode;

use dbdyno_report::{Render, ReportModel};

fn main() -> ExitCode {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "sample.html".to_owned());
    let model = ReportModel::build(&common::quickstart());
    let mut files = vec![
        (path.clone(), model.html()),
        (format!("{path}.tex"), model.latex()),
    ];
    for figure in model.figures() {
        files.push((format!("{path}.{}.svg", figure.name), figure.svg));
    }
    let written = files
        .iter()
        .try_for_each(|(path, text)| std::fs::write(path, text));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
