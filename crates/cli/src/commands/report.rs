//! `dbdyno report`: from records to text. No database is needed, and the same records give the same bytes.

mod index;
mod places;

use std::path::{Path, PathBuf};

use dbdyno_driver::text_file;
use dbdyno_record::ResultFolder;
use dbdyno_report::single::SingleRun;
use dbdyno_report::{AuditReport, AuditReports, FigureFile, Render, ReportModel, StudyResults};

use super::after::{self, folder_problem, reading_problem};
use super::prices;
use super::written::deliver;
use crate::arguments::{Compared, ReportArguments, ReportFormat};
pub use crate::defaults::PAGE;
use crate::exit_code::ExitCode;
use crate::output_file;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// File name of the tidy table.
pub const TABLE: &str = "results.csv";

/// Makes one report: of a study, or the index of many.
pub fn execute(arguments: &ReportArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    match arguments.folders.as_slice() {
        [one] if !places::holds_folders(one) => study(one, arguments, terminal),
        _ if !arguments.audits.is_empty() => Err(Problem::usage(
            "--audit applies to the report of one study, but DIR contains several",
        )
        .help("name the folder of that study")),
        _ if arguments.cost.is_some() => Err(Problem::usage(
            "--cost applies to the report of one study, but DIR contains several",
        )
        .help("name the folder of that study")),
        _ => index::execute(arguments, terminal),
    }
}

fn study(place: &Path, arguments: &ReportArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let folder = ResultFolder::open(place).map_err(reading_problem)?;
    let mut results = read(&folder, arguments.compare, terminal)?;
    results.audits = audits(&arguments.audits)?;
    if let Some(path) = &arguments.cost {
        results.prices = Some(prices::read(path, &[&results])?);
    }
    if results.trials.is_empty() {
        return Err(
            Problem::files(format!("{} contains no trials yet", place.display()))
                .help("run the study first, with `dbdyno study run`"),
        );
    }
    let format = wanted(arguments);
    let model = ReportModel::build(&results);
    let run = SingleRun::of(&results);
    if let Some(target) = &arguments.figures {
        let drawn = run.as_ref().map_or_else(|| model.figures(), SingleRun::figures);
        figures(&drawn, target, terminal)?;
        if arguments.format.is_none() && arguments.output.is_none() {
            return Ok(ExitCode::Success);
        }
    }
    let shown: &dyn Render = run.as_ref().map_or(&model, |run| run);
    let text = match format {
        ReportFormat::Table => shown.text(terminal.stdout),
        ReportFormat::Html => shown.html(),
        ReportFormat::Markdown => shown.markdown(),
        ReportFormat::Summary => model.brief(),
        ReportFormat::Csv => dbdyno_report::csv(&results),
        ReportFormat::Json => dbdyno_report::json(&model),
        ReportFormat::Latex => model.latex(),
    };
    let derived = match format {
        ReportFormat::Html => Some(PAGE),
        ReportFormat::Csv => Some(TABLE),
        ReportFormat::Table
        | ReportFormat::Markdown
        | ReportFormat::Summary
        | ReportFormat::Json
        | ReportFormat::Latex => None,
    };
    match (&arguments.output, derived) {
        (Some(path), _) => deliver(Some(path), &text, terminal)?,
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

/// The audits of some files.
pub fn audits(files: &[PathBuf]) -> Result<Vec<AuditReport>, Problem> {
    let help = "name a file that `dbdyno audit SYSTEM --format json --output FILE` wrote";
    let mut all = Vec::new();
    for path in files {
        let text = text_file::read(path)
            .map_err(|error| Problem::files(format!("cannot read {}: {error}", path.display())).help(help))?;
        let read = AuditReports::read(&text)
            .map_err(|why| Problem::files(format!("{} is not an audit: {why}", path.display())).help(help))?;
        all.extend(read.0);
    }
    Ok(all)
}

/// The results of a folder, compared as asked.
fn read(folder: &ResultFolder, compared: Compared, terminal: Terminal) -> Result<StudyResults, Problem> {
    let mut results = after::results(folder, terminal)?;
    results.across_promises = compared == Compared::All;
    Ok(results)
}

/// The format asked for, or the one that the file's name asks for.
fn wanted(arguments: &ReportArguments) -> ReportFormat {
    let named = || {
        let ending = arguments.output.as_ref()?.extension()?.to_str()?;
        match ending {
            "html" | "htm" => Some(ReportFormat::Html),
            "md" => Some(ReportFormat::Markdown),
            "csv" => Some(ReportFormat::Csv),
            "json" => Some(ReportFormat::Json),
            "tex" => Some(ReportFormat::Latex),
            _ => None,
        }
    };
    arguments.format.or_else(named).unwrap_or(ReportFormat::Table)
}

/// Writes every figure as data and as a drawing.
pub fn figures(figures: &[FigureFile], target: &PathBuf, terminal: Terminal) -> Result<(), Problem> {
    let help = "choose another folder with --figures";
    let failed = |path: &Path, error| {
        Problem::files(format!("cannot write {}", path.display()))
            .caused_by(error)
            .help(help)
    };
    std::fs::create_dir_all(target).map_err(|error: std::io::Error| failed(target, error))?;
    for figure in figures {
        for (ending, text) in [("csv", &figure.csv), ("svg", &figure.svg)] {
            let path = target.join(format!("{}.{ending}", figure.name));
            output_file::write(&path, text).map_err(|error| failed(&path, error))?;
        }
    }
    terminal.note(&format!(
        "{} written to {}, each as CSV and SVG",
        dbdyno_report::number::plural(figures.len(), "figure", "figures"),
        target.display()
    ));
    Ok(())
}
