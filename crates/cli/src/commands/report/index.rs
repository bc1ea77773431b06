//! `dbdyno report` of many result folders: one page that leads to all of them.

use std::path::{Path, PathBuf};

use dbdyno_record::ResultFolder;
use dbdyno_report::index::{Index, StudyEntry};
use dbdyno_report::{Render, ReportModel};

use super::{PAGE, places, read, wanted};
use crate::arguments::{ReportArguments, ReportFormat};
use crate::commands::after::reading_problem;
use crate::commands::written::deliver;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// File name of the index, in the folder that holds the studies.
const INDEX: &str = "index.html";

/// Makes the index.
pub fn execute(arguments: &ReportArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let format = wanted(arguments);
    for (wrong, flag, remedy) in [
        (
            format == ReportFormat::Latex,
            "--format latex",
            "LaTeX tables cover one study: pass one result folder",
        ),
        (
            format == ReportFormat::Summary,
            "--format summary",
            "a summary covers one study: pass one result folder, or use --format markdown",
        ),
        (
            arguments.figures.is_some(),
            "--figures",
            "figures cover one study: pass one result folder",
        ),
    ] {
        if wrong {
            return Err(Problem::usage(format!("{flag} does not support several studies")).help(remedy));
        }
    }
    let output = match (&arguments.output, arguments.folders.as_slice(), format) {
        (Some(path), _, _) => Some(path.clone()),
        (None, [one], ReportFormat::Html) => Some(one.join(INDEX)),
        (None, _, ReportFormat::Html) => {
            return Err(Problem::usage("a page of several folders needs an output file")
                .help("choose it with --output, e.g. --output results/index.html"));
        }
        (None, _, _) => None,
    };
    let page_folder = match &output {
        Some(path) if path != Path::new("-") => path.parent().unwrap_or(Path::new("")),
        _ => Path::new(""),
    };
    let page_folder = if page_folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        page_folder
    };
    let studies = studies(arguments, page_folder, terminal)?;
    let index = Index::new(studies);
    if index.is_empty() {
        return Err(Problem::files("none of the folders contains a trial yet")
            .help("run a study first, with `dbdyno study run`"));
    }
    let text = match format {
        ReportFormat::Html => index.html(),
        ReportFormat::Markdown => index.markdown(),
        ReportFormat::Csv => index.csv(),
        ReportFormat::Json => index.json(),
        ReportFormat::Table | ReportFormat::Summary | ReportFormat::Latex => index.text(terminal.stdout),
    };
    deliver(output.as_deref(), &text, terminal)?;
    Ok(ExitCode::Success)
}

/// What the index keeps of every folder. A folder that was named must be readable; one that was found is passed over.
fn studies(
    arguments: &ReportArguments,
    page_folder: &Path,
    terminal: Terminal,
) -> Result<Vec<StudyEntry>, Problem> {
    let mut entries = Vec::new();
    let mut seen: Vec<PathBuf> = Vec::new();
    for named in &arguments.folders {
        let found = if places::holds_folders(named) {
            places::below(named)
        } else {
            vec![named.clone()]
        };
        for place in found {
            // The same folder named twice is one study.
            let canonical = place.canonicalize().unwrap_or_else(|_| place.clone());
            if seen.contains(&canonical) {
                continue;
            }
            seen.push(canonical);
            match entry(&place, arguments, page_folder, terminal) {
                Ok(Some(entry)) => entries.push(entry),
                Ok(None) => terminal.note(&format!("{} contains no trials yet", place.display())),
                Err(problem) if place == *named => return Err(problem),
                Err(problem) => terminal.warn(&format!("Skipped {}: {}", place.display(), problem.message())),
            }
        }
    }
    Ok(entries)
}

fn entry(
    place: &Path,
    arguments: &ReportArguments,
    page_folder: &Path,
    terminal: Terminal,
) -> Result<Option<StudyEntry>, Problem> {
    let folder = ResultFolder::open(place).map_err(reading_problem)?;
    let results = read(&folder, arguments.compare, terminal)?;
    if results.trials.is_empty() {
        return Ok(None);
    }
    let name = place
        .canonicalize()
        .ok()
        .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
        .unwrap_or_default();
    // A page that cannot be reached is not linked; the row stands without it.
    let link = places::link(page_folder, &place.join(PAGE)).ok();
    Ok(Some(StudyEntry::new(
        &ReportModel::build(&results),
        &name,
        link.as_deref(),
    )))
}
