//! `dbdyno study`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

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
    /// Show the cells, the order of the trials and the estimated time; runs nothing
    #[command(after_help = "Example:\n  dbdyno study plan studies/quickstart.toml")]
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
}

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno study run studies/quickstart.toml
  dbdyno study run studies/nosql-three.toml --quick
  dbdyno study run my.toml --output /data/results/monday

Every trial is on disk the moment it ends. After ctrl-C, a crash or a power cut, the same command goes on with the
next missing trial. A study whose file was changed needs another --output.";
