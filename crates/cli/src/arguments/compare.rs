//! `dbdyno compare`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dbdyno_vocabulary::Share;

use crate::problem::Problem;

/// `dbdyno compare`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct CompareArguments {
    /// Baseline: a result folder, or a point of a history (FILE@LABEL)
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// Result folder or point of a history to compare with the baseline
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// Smallest difference that matters
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent)]
    pub margin: f64,
    /// Compare even if workload, guarantees or machine differ (differences are listed)
    #[arg(long)]
    pub anyway: bool,
    /// Exit with code 3 when a result got slower, or when any result changed
    #[arg(long, value_name = "VERDICT")]
    pub fail_on: Option<FailOn>,
    /// Do not fail because of tests that only one side has
    #[arg(long)]
    pub allow_unmatched: bool,
    /// With --fail-on, also write every compared metric to this file as JUnit XML
    #[arg(long, value_name = "FILE", requires = "fail_on")]
    pub junit: Option<PathBuf>,
    /// Output format [default: from the extension of --output, else table]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<CompareFormat>,
    /// Write the comparison to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The verdicts that `--fail-on` rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A result is slower, could not be compared, or is on one side only
    Slower,
    /// A result is faster or slower, could not be compared, or is on one side only
    Change,
}

/// Output format of a comparison or a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people
    Table,
    /// For a pull request, or the summary page of a CI job: with a chart of characters
    Markdown,
    /// One page with a chart of every metric, readable without network
    Html,
    /// For programs
    Json,
}

impl CompareFormat {
    /// The format asked for, or the one that the file's name asks for. A name with an extension of something else would hold what it
    /// does not say.
    pub fn wanted(asked: Option<Self>, output: Option<&Path>) -> Result<Self, Problem> {
        let extension = output.and_then(Path::extension);
        let extension = extension.map(|name| name.to_string_lossy().to_lowercase());
        match (asked, extension.as_deref()) {
            (Some(asked), _) => Ok(asked),
            (None, None | Some("txt")) => Ok(Self::Table),
            (None, Some("html" | "htm")) => Ok(Self::Html),
            (None, Some("md")) => Ok(Self::Markdown),
            (None, Some("json")) => Ok(Self::Json),
            (None, Some(other)) => Err(Problem::usage(format!("no format has the extension .{other}"))
                .help("name the file .html, .md, .json or .txt, or choose the format with --format")),
        }
    }
}

pub fn percent(text: &str) -> Result<f64, String> {
    match Share::parse_proper(text) {
        Ok(share) => Ok(share.get()),
        Err(_) => Err("write a percentage above 0, e.g. 5%".to_owned()),
    }
}

const HELP: &str = "\
Examples:
  dbdyno compare results/main results/branch
  dbdyno compare results/main results/branch --output compared.html
  dbdyno compare results/main results/branch --fail-on slower --format markdown >> $GITHUB_STEP_SUMMARY
  dbdyno compare history.jsonl@v1.4 results/branch

dbdyno compares completed trials of the same system under the same workload. Verdicts are corrected
for the number of tests. An undecided comparison shows about how many trials would decide it.";
