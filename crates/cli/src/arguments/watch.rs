//! `dbdyno watch`.

use std::path::PathBuf;

use clap::Args;

use crate::defaults::RESULTS;

/// `dbdyno watch`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct WatchArguments {
    /// Result folder of a study, or a folder that contains some: then the study that is running
    #[arg(value_name = "RESULTS", default_value = RESULTS)]
    pub results: PathBuf,
}

const HELP: &str = "\
Examples:
  dbdyno watch                                    the running study in results/
  dbdyno watch results/quickstart                 one study
  ssh -t benchmark-host dbdyno watch /data/results/monday

Keys: p pauses the study after the running trial, r resumes it, s stops it after a question; the arrow keys
scroll the table of trials, f follows the running trial, q leaves. The study does not notice who watches.";
