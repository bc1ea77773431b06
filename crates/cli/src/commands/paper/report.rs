//! `dbdyno paper report`: the page of a paper.

use dbdyno_paper::Paper;
use dbdyno_record::ResultFolder;
use dbdyno_report::{NotOfThePaper, PaperPage, Render};

use crate::arguments::{PaperFormat, PaperReportArguments};
use crate::commands::written::deliver;
use crate::commands::{after, report};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Makes the page of a paper from what it printed and from the results of its repetitions.
pub fn execute(
    paper: &Paper,
    arguments: &PaperReportArguments,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    let mut results = Vec::new();
    for place in &arguments.folders {
        let folder = ResultFolder::open(place).map_err(after::reading_problem)?;
        results.push(after::results(&folder, terminal)?);
    }
    let audits = report::audits(&arguments.audits)?;
    let page = PaperPage::build(paper.clone(), results, audits).map_err(|error| {
        let help = match error {
            NotOfThePaper::ClaimTwice { .. } => {
                "give one of them: a claim is judged by one run, chosen before its results are known"
            }
            NotOfThePaper::Twice { .. } => "give one result folder for each part",
            NotOfThePaper::NoPaper { .. }
            | NotOfThePaper::Other { .. }
            | NotOfThePaper::Part { .. }
            | NotOfThePaper::Claims { .. } => {
                "give result folders that `dbdyno paper run` wrote for this paper"
            }
        };
        Problem::usage(error.to_string()).help(help)
    })?;
    if let Some(target) = &arguments.figures {
        report::figures(&page.figures(), target, terminal)?;
    }
    let text = match wanted(arguments) {
        PaperFormat::Text => page.text(terminal.stdout),
        PaperFormat::Html => page.html(),
        PaperFormat::Markdown => page.markdown(),
        PaperFormat::Latex => page.latex(),
    };
    deliver(arguments.output.as_deref(), &text, terminal)?;
    Ok(ExitCode::Success)
}

/// The format asked for, or the one that the file's name asks for.
fn wanted(arguments: &PaperReportArguments) -> PaperFormat {
    let named = || match arguments.output.as_ref()?.extension()?.to_str()? {
        "html" | "htm" => Some(PaperFormat::Html),
        "md" => Some(PaperFormat::Markdown),
        "tex" => Some(PaperFormat::Latex),
        _ => None,
    };
    arguments.format.or_else(named).unwrap_or(PaperFormat::Text)
}
