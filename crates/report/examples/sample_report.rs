//! Writes a report of a made-up study: `cargo run -p dbdyno-report --example sample_report -- sample.html`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::process::ExitCode;

use dbdyno_report::ReportModel;

fn main() -> ExitCode {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "sample.html".to_owned());
    let model = ReportModel::build(&common::quickstart());
    match std::fs::write(&path, dbdyno_report::html(&model)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
