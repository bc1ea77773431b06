//! `dbdyno report`: from records to text. No database is needed, and the same records give the same bytes.

use std::path::Path;

use dbdyno_record::ResultFolder;
use dbdyno_report::{ReportModel, StudyResults};

use super::after::folder_problem;
use crate::arguments::{Compared, ReportArguments, ReportFormat};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// File name of the page.
pub const PAGE: &str = "report.html";
/// File name of the tidy table.
pub const TABLE: &str = "results.csv";

/// Makes one report.
pub fn execute(arguments: &ReportArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let folder = ResultFolder::open(&arguments.folder).map_err(folder_problem)?;
    let mut results = StudyResults::read(&folder).map_err(folder_problem)?;
    results.across_promises = arguments.compare == Compared::All;
    if results.trials.is_empty() {
        return Err(
            Problem::files(format!("{} holds no trial yet", arguments.folder.display()))
                .help("run the study first, with `dbdyno study run`"),
        );
    }
    let text = render(&results, arguments.format, terminal);
    let derived = match arguments.format {
        ReportFormat::Html => Some(PAGE),
        ReportFormat::Csv => Some(TABLE),
        ReportFormat::Table | ReportFormat::Markdown | ReportFormat::Json => None,
    };
    match (&arguments.output, derived) {
        (Some(path), _) if path == Path::new("-") => terminal.print(&text)?,
        (Some(path), _) => {
            std::fs::write(path, &text).map_err(|error| {
                Problem::files(format!("cannot write {}", path.display()))
                    .caused_by(error)
                    .help("give another file with --output, or - to print")
            })?;
            terminal.note(&format!("Written to {}", path.display()));
        }
        (None, Some(name)) => {
            let path = folder
                .write_derived(name, text.as_bytes())
                .map_err(folder_problem)?;
            terminal.note(&format!("Written to {}", path.display()));
        }
        (None, None) => terminal.print(&text)?,
    }
    Ok(ExitCode::Success)
}

fn render(results: &StudyResults, format: ReportFormat, terminal: Terminal) -> String {
    let model = || ReportModel::build(results);
    match format {
        ReportFormat::Table => dbdyno_report::terminal::study(&model(), terminal.stdout),
        ReportFormat::Html => dbdyno_report::html(&model()),
        ReportFormat::Markdown => dbdyno_report::markdown(&model()),
        ReportFormat::Csv => dbdyno_report::csv(results),
        ReportFormat::Json => dbdyno_report::json(&model()),
    }
}
