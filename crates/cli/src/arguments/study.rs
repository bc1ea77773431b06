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
    /// Run the study, or resume it
    #[command(after_help = RUN_EXAMPLES)]
    Run(StudyFileArguments),
    /// Show cells, trial order, estimated time and detectable differences without running the study
    #[command(
        after_help = "Examples:\n  dbdyno study plan studies/quickstart.toml\n  dbdyno study plan my.toml --noise 8%\n  dbdyno study plan my.toml --budget 30m"
    )]
    Plan(StudyFileArguments),
    /// List finished and missing trials
    #[command(after_help = "Example:\n  dbdyno study status studies/quickstart.toml")]
    Status(StudyFileArguments),
}

/// A study file and its result folder.
#[derive(Clone, Debug, Args)]
pub struct StudyFileArguments {
    /// Study file; docs/studies.md describes its keys
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Result folder [default: results/<name of the study>]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Run at most 2 short trials per cell on few records, into results/<name>-quick; gives no verdicts
    #[arg(long)]
    pub quick: bool,
    /// Choose the number of blocks and their length to detect the smallest differences within this time, e.g. 30m;
    /// results go to results/<name>-30m
    #[arg(long, value_name = "TIME", value_parser = quantities::positive_duration, conflicts_with = "quick")]
    pub budget: Option<Duration>,
    /// Noise between trials, e.g. 8% [default: estimated from the study's own results]
    #[arg(long, value_name = "SHARE", value_parser = dbdyno_study::power::parse_noise, conflicts_with = "noise_from")]
    pub noise: Option<f64>,
    /// Estimate the noise from these results of the same systems
    #[arg(long, value_name = "DIR")]
    pub noise_from: Option<PathBuf>,
}

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno study run studies/quickstart.toml
  dbdyno study run studies/nosql-three.toml --quick
  dbdyno study run my.toml --budget 30m --noise-from results/my
  dbdyno study run my.toml --output /data/results/monday

Each trial is saved as soon as it ends. After Ctrl-C, a crash or a power failure, the same command
resumes with the first missing trial. If you change the study file, use another --output.";
