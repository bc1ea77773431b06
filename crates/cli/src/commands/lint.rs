//! `dbdyno lint`: results held against themselves.

use std::collections::BTreeMap;
use std::path::Path;

use dbdyno_lint::{
    Certainty, Clients, Finding, Line, Printed, Protocol, Rows, Rule, TableFileError, Unchecked,
};
use dbdyno_record::{ResultFolder, TrialRecord, TrialStatus};
use dbdyno_report::{LintResults, Render, StudyResults, number};
use serde::Serialize;

use super::after::{self, reading_problem};
use crate::arguments::{LintArguments, LintFormat};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// The tables or trials of one path.
struct Source {
    printed: Printed,
    unchecked: NotChecked,
}

/// What no rule looked at.
#[derive(Default, Serialize)]
struct NotChecked {
    #[serde(flatten)]
    of_file: Unchecked,
    /// Trials, each with the reason.
    trials: Vec<String>,
    /// Files of a folder without a checksum, which shows whether they changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// What more rules would need to know.
    rules: Vec<String>,
}

/// `dbdyno lint`.
pub fn execute(arguments: &LintArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let mut of_files = Printed {
        protocol: protocol(arguments),
        ..Printed::default()
    };
    let mut findings = Vec::new();
    let mut lines = Vec::new();
    let mut unchecked: BTreeMap<String, NotChecked> = BTreeMap::new();
    let mut checked = 0;
    for path in &arguments.paths {
        let source = if path.is_dir() {
            of_folder(path, arguments, terminal)?
        } else {
            of_file(path, arguments)?
        };
        let found = count(&source.printed);
        if found == 0 {
            return Err(nothing_to_check(path, &source));
        }
        checked += found;
        lines.extend(source.printed.lines.iter().cloned());
        unchecked.insert(path.display().to_string(), source.unchecked);
        // A folder says itself how it was measured; files share what the flags say.
        if path.is_dir() {
            let mut of_folder = dbdyno_lint::check(&source.printed);
            if arguments.paths.len() > 1 {
                for finding in &mut of_folder {
                    let place = &mut finding.place;
                    if place.rows == Rows::All {
                        place.name = format!("{}, {place}", path.display());
                    }
                }
            }
            findings.extend(of_folder);
        } else {
            of_files.add(source.printed);
        }
    }
    findings.extend(dbdyno_lint::check(&of_files));
    // Copies are looked for among all of them.
    findings.retain(|finding| finding.rule != Rule::Copied);
    findings.extend(dbdyno_lint::copied(&Printed {
        lines,
        ..Printed::default()
    }));
    findings.sort_by_key(|finding| finding.certainty);
    let exit = exit_code(&findings);
    let text = match arguments.format {
        LintFormat::Json => {
            let all =
                serde_json::json!({ "findings": findings, "checked": checked, "not_checked": unchecked });
            let text = serde_json::to_string_pretty(&all);
            text.map_err(|error| Problem::files("cannot write findings").caused_by(error))? + "\n"
        }
        LintFormat::Text => {
            let names: Vec<String> = arguments
                .paths
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            let not_checked = unchecked
                .iter()
                .map(|(path, unchecked)| (path.clone(), sentences(unchecked)));
            let results = LintResults {
                checked: format!(
                    "{}, {} checked",
                    names.join(", "),
                    number::plural(checked, "line", "lines")
                ),
                not_checked: not_checked.collect(),
                findings,
            };
            results.text(terminal.stdout)
        }
    };
    terminal.print(&text)?;
    Ok(exit)
}

/// Lines that some rule looks at.
fn count(printed: &Printed) -> usize {
    let compared = printed.comparisons.iter().map(|comparison| comparison.rows.len());
    [printed.lines.len(), printed.repeats.len(), printed.changes.len()]
        .into_iter()
        .chain(compared)
        .max()
        .unwrap_or(0)
}

fn nothing_to_check(path: &Path, source: &Source) -> Problem {
    let problem = Problem::usage(format!("nothing in {} can be checked", path.display()));
    match source.unchecked.of_file.cells.first() {
        Some(cell) => problem.help(format!(
            "row {}, column {}: `{}` is not a number; write numbers as 12.5, 1,250 or 1.2k, without a unit or with the column's unit",
            cell.row,
            cell.column,
            cut(&cell.text)
        )),
        None => problem.help(
            "a line of a file needs two related numbers, such as run_time_s and throughput_ops_s, or run1, run2, ...; a result \
             folder needs a trial with a measured phase",
        ),
    }
}

fn of_folder(path: &Path, arguments: &LintArguments, terminal: Terminal) -> Result<Source, Problem> {
    if !arguments.columns.is_empty() || arguments.clients.is_some() || arguments.runs.is_some() {
        return Err(Problem::usage(
            "--column, --clients and --runs apply to CSV files only; a result folder contains these values",
        ));
    }
    let folder = ResultFolder::open(path).map_err(reading_problem)?;
    let results = after::results(&folder, terminal)?;
    let printed = dbdyno_report::printed(&results);
    let is_checked = |row: usize| printed.lines.iter().any(|line| line.place.is_about(row));
    let left_out = results
        .trials
        .iter()
        .enumerate()
        .filter(|(row, _)| !is_checked(*row))
        .map(|(_, trial)| {
            let reason = match (&trial.status, &trial.measure) {
                (TrialStatus::Disturbed, _) => "disturbed and repeated",
                (_, None) => "without a measured phase",
                (_, Some(_)) => "without a successful operation",
            };
            format!("{} ({reason})", trial.trial)
        });
    let unplanned = results.doubts.unplanned.iter();
    let unplanned = unplanned.map(|trial| format!("{trial} (not in the plan)"));
    let unchecked = NotChecked {
        trials: left_out.chain(unplanned).collect(),
        files: results.doubts.unsummed.clone(),
        rules: rules_left_out(&printed, arguments),
        ..NotChecked::default()
    };
    let mut printed = printed;
    // Of several folders the paths tell apart trials of one name.
    if arguments.paths.len() > 1 {
        for line in &mut printed.lines {
            line.place.name = format!("{}: {}", path.display(), line.place);
        }
    }
    Ok(Source { printed, unchecked })
}

/// Files that are larger hold no results of a benchmark, and would not fit into memory.
const LARGEST_FILE_BYTES: u64 = 256 << 20;

fn of_file(path: &Path, arguments: &LintArguments) -> Result<Source, Problem> {
    let unreadable = |error: std::io::Error| {
        Problem::files(format!("cannot read {}", path.display()))
            .caused_by(error)
            .help("pass a result folder or a CSV file")
    };
    let found = path.metadata().map_err(unreadable)?;
    if !found.is_file() || found.len() > LARGEST_FILE_BYTES {
        return Err(Problem::files(format!(
            "{} is not a file of at most {} MiB",
            path.display(),
            LARGEST_FILE_BYTES >> 20
        ))
        .help("pass a result folder or a CSV file"));
    }
    let text = std::fs::read(path).map_err(unreadable)?;
    let names: BTreeMap<String, String> = arguments.columns.iter().cloned().collect();
    // Of several files the paths tell apart those of one name.
    let name = match path.file_name() {
        Some(name) if arguments.paths.len() == 1 => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    };
    let file = dbdyno_lint::table_of_csv(&name, &text, &names).map_err(|error| {
        let help = match error {
            TableFileError::Line { .. } | TableFileError::Encoding { .. } => {
                "pass a CSV file in UTF-8 whose rows have as many cells as the first line has names"
            }
            _ => "name the meanings of its columns, e.g. --column elapsed=run_time_s; `dbdyno lint --help` lists them",
        };
        Problem::usage(format!("{} cannot be checked: {error}", path.display())).help(help)
    })?;
    let printed = file.table.printed();
    let unchecked = NotChecked {
        rules: rules_left_out(&printed, arguments),
        of_file: file.unchecked,
        ..NotChecked::default()
    };
    Ok(Source { printed, unchecked })
}

fn protocol(arguments: &LintArguments) -> Protocol {
    Protocol {
        clients: arguments.clients.map(|clients| Clients {
            number: f64::from(clients),
            stated: true,
        }),
        runs: arguments.runs,
        ..Protocol::default()
    }
}

/// Rules that lack something the user can add.
fn rules_left_out(printed: &Printed, arguments: &LintArguments) -> Vec<String> {
    let has_latency = |line: &Line| {
        let mut parts = line.parts.iter().chain([&line.all]);
        parts.any(|part| part.mean_latency_us.is_some())
    };
    let knows_clients = |line: &Line| line.clients.or(arguments.clients.map(f64::from)).is_some();
    let lacks_clients = printed
        .lines
        .iter()
        .any(|line| has_latency(line) && !knows_clients(line));
    let sentence = "latencies against the number of clients, which is unknown: pass --clients N, or add a column clients";
    lacks_clients.then(|| sentence.to_owned()).into_iter().collect()
}

/// Names that are listed before the rest is only counted.
const NAMES: usize = 8;
/// Letters of a cell or a column's name that are shown.
const LETTERS: usize = 60;

fn cut(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What no rule looked at, one sentence each; programs get all of it.
fn sentences(unchecked: &NotChecked) -> Vec<String> {
    let named = |one: &str, many: &str, names: Vec<String>| {
        let shown: Vec<String> = names.iter().take(NAMES).map(|name| cut(name)).collect();
        let more = names.len().saturating_sub(NAMES);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!(
            "{}: {}{more}",
            number::plural(names.len(), one, many),
            shown.join(", ")
        )
    };
    let Unchecked {
        columns,
        rows,
        cells,
        absent,
    } = &unchecked.of_file;
    let mut sentences = Vec::new();
    if !columns.is_empty() {
        sentences.push(named("column", "columns", columns.clone()));
    }
    if !rows.is_empty() {
        let reported = named("row", "rows", rows.iter().map(usize::to_string).collect());
        sentences.push(format!("{reported} (without two related numbers)"));
    }
    if !cells.is_empty() {
        let reported = cells
            .iter()
            .map(|cell| format!("`{}` (row {}, {})", cut(&cell.text), cell.row, cut(&cell.column)));
        sentences.push(named("unreadable cell", "unreadable cells", reported.collect()));
    }
    if *absent > 0 {
        sentences.push(number::plural(
            *absent,
            "cell without a number",
            "cells without a number",
        ));
    }
    if !unchecked.trials.is_empty() {
        sentences.push(named("trial", "trials", unchecked.trials.clone()));
    }
    if !unchecked.files.is_empty() {
        sentences.push(named(
            "file without a checksum",
            "files without a checksum",
            unchecked.files.clone(),
        ));
    }
    sentences.extend(unchecked.rules.iter().cloned());
    sentences
}

/// What the rules find in one trial that was just run: what is more than a notice, which goes to stderr.
pub fn of_trial(record: &TrialRecord, terminal: &Terminal) -> Vec<Finding> {
    let results = StudyResults {
        trials: vec![record.clone()],
        ..StudyResults::default()
    };
    let mut findings = dbdyno_lint::check(&dbdyno_report::printed(&results));
    findings.retain(|finding| finding.certainty != Certainty::Notice);
    for finding in &findings {
        terminal.warn(&format!(
            "lint, {} ({}): {}; {}",
            finding.rule,
            finding.certainty.name(),
            finding.arithmetic,
            finding.explanation
        ));
    }
    findings
}

/// For a continuous integration: it stops at what cannot be true.
pub fn exit_code(findings: &[Finding]) -> ExitCode {
    if findings
        .iter()
        .any(|finding| finding.certainty == Certainty::Certain)
    {
        ExitCode::ExpectationNotMet
    } else {
        ExitCode::Success
    }
}
