//! Writes reports of made-up studies at rising load: `cargo run -p dbdyno-report --example ladder_report -- FOLDER`.
#![allow(clippy::unwrap_used, reason = "made-up data is sound")]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/rising.rs"]
mod rising;

use std::path::PathBuf;
use std::process::ExitCode;

use dbdyno_report::ReportModel;

fn main() -> ExitCode {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    for (name, results) in [
        ("capacity.html", rising::capacity_study()),
        ("sweep.html", rising::sweep_study()),
    ] {
        let page = dbdyno_report::html(&ReportModel::build(&results));
        if std::fs::write(folder.join(name), page).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
