//! `dbdyno compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno compare`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct CompareArguments {
    /// The result folder of before, or a point of a history: FILE@LABEL
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The result folder of after, or a point of a history
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// The smallest difference that matters
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent)]
    pub margin: f64,
    /// Compare what differs in work, promises or machine, too; the differences are still told
    #[arg(long)]
    pub anyway: bool,
    /// End with exit code 3 when something got slower, or when something changed at all
    #[arg(long, value_name = "VERDICT")]
    pub fail_on: Option<FailOn>,
    /// How it is printed
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: CompareFormat,
}

/// What a continuous integration stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Something is slower, or could not be compared
    Slower,
    /// Something is faster or slower, or could not be compared
    Change,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people
    Table,
    /// For the summary page of a continuous integration
    Markdown,
    /// For programs
    Json,
}

pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(|number| number.trim().parse::<f64>());
    match number {
        Some(Ok(number)) if number > 0.0 && number < 100.0 => Ok(number / 100.0),
        _ => Err("write a percentage above 0, e.g. 5%".to_owned()),
    }
}

const HELP: &str = "\
Examples:
  dbdyno compare results/main results/branch
  dbdyno compare results/main results/branch --fail-on slower --format markdown >> $GITHUB_STEP_SUMMARY
  dbdyno compare history.jsonl@v1.4 results/branch

Only completed trials of the same system under the same workload are compared. Verdicts are corrected for the number
of cells; what is undecided says about how many trials would decide it.";
