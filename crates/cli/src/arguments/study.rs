//! `dbdyno study`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::quantities;

/// `dbdyno study`.
#[derive(Debug, Args)]
pub struct StudyArguments {
    /// What to do with the study.
    #[command(subcommand)]
    pub command: StudyCommand,
}

/// The commands about studies.
#[derive(Debug, Subcommand)]
pub enum StudyCommand {
    /// Run the study, or go on where it stopped
    #[command(after_help = RUN_EXAMPLES)]
    Run(StudyFileArguments),
    /// Show the cells, the order of the trials, the estimated time and what the study can show; runs nothing
    #[command(
        after_help = "Examples:\n  dbdyno study plan studies/quickstart.toml\n  dbdyno study plan my.toml --noise 8%\n  dbdyno study plan my.toml --budget 30m"
    )]
    Plan(StudyFileArguments),
    /// Show which trials are done and which are missing
    #[command(after_help = "Example:\n  dbdyno study status studies/quickstart.toml")]
    Status(StudyFileArguments),
}

/// A study file and its result folder.
#[derive(Clone, Debug, Args)]
pub struct StudyFileArguments {
    /// The study file; docs/studies.md describes its keys
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Folder of the results [default: results/<name of the study>]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Take a quick look: at most 2 short trials per cell on few records, in results/<name>-quick; decides nothing
    #[arg(long)]
    pub quick: bool,
    /// Choose the number of blocks and the length of measured phases that show the smallest differences within this
    /// time, e.g. 30m; results go to results/<name>-30m
    #[arg(long, value_name = "TIME", value_parser = quantities::positive_duration, conflicts_with = "quick")]
    pub budget: Option<Duration>,
    /// Noise between trials, e.g. 8% [default: measured in the study's own results]
    #[arg(long, value_name = "SHARE", value_parser = dbdyno_study::power::parse_noise, conflicts_with = "noise_from")]
    pub noise: Option<f64>,
    /// Results of the same systems to measure the noise in
    #[arg(long, value_name = "DIR")]
    pub noise_from: Option<PathBuf>,
}

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno study run studies/quickstart.toml
  dbdyno study run studies/nosql-three.toml --quick
  dbdyno study run my.toml --budget 30m --noise-from results/my
  dbdyno study run my.toml --output /data/results/monday

Every trial is on disk the moment it ends. After ctrl-C, a crash or a power cut, the same command goes on with the
next missing trial. A study whose file was changed needs another --output.";
