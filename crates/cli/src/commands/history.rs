//! `dbdyno history`: a series over versions.

use dbdyno_record::{FolderError, history};
use dbdyno_report::{Render, number};

use super::compare::read;
use super::written::deliver;
use crate::arguments::{CompareFormat, HistoryAddArguments, HistoryCommand, HistoryShowArguments};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno history`.
pub fn execute(command: &HistoryCommand, terminal: Terminal) -> Result<ExitCode, Problem> {
    match command {
        HistoryCommand::Add(arguments) => add(arguments, terminal),
        HistoryCommand::Show(arguments) => show(arguments, terminal),
    }
}

fn add(arguments: &HistoryAddArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let folder = arguments.folder.display();
    let read = read(&arguments.folder, terminal)?;
    let trials = &read.trials;
    let named = trials.first().map_or("", |trial| trial.study.as_str());
    let study = arguments.study.as_deref().unwrap_or(named);
    let began = trials.iter().map(|trial| trial.started_at.as_str()).min();
    let began = began.filter(|began| !began.is_empty());
    let label = arguments.label.as_deref().or(began);
    let label = label.ok_or_else(|| {
        Problem::usage(format!("{folder} has no start time"))
            .help("label the point with --label, e.g. --label v1.4")
    })?;
    let lines = dbdyno_report::lines(read.side(), study, label);
    if lines.is_empty() {
        return Err(Problem::usage(format!(
            "{folder} holds no completed trial to add"
        )));
    }
    let path = &arguments.history;
    let known = if path.exists() {
        history::read(path).map_err(adding_problem)?
    } else {
        Vec::new()
    };
    let twice = |entry: &&dbdyno_record::HistoryEntry| {
        lines
            .iter()
            .any(|line| (&line.study, &line.label, &line.cell) == (&entry.study, &entry.label, &entry.cell))
    };
    if let Some(entry) = known.iter().find(twice) {
        return Err(Problem::usage(format!(
            "{} already has {} at the point {label:?}",
            path.display(),
            entry.cell
        ))
        .help("choose another label with --label"));
    }
    if let Some(copied) = dbdyno_report::already_held(&known, &lines) {
        return Err(Problem::usage(format!(
            "{} already has {} of {folder} at the point {:?}",
            path.display(),
            number::plural(copied.trials, "trial of a test", "trials of a test"),
            copied.of
        ))
        .help("a point needs a new measurement: measure into another folder, and add that one"));
    }
    history::append(path, &lines).map_err(adding_problem)?;
    let metrics = number::plural(lines.len(), "series", "series");
    terminal.note(&format!("{}: added {label} to {metrics}", path.display()));
    Ok(ExitCode::Success)
}

/// A history that cannot be read or written.
fn adding_problem(error: FolderError) -> Problem {
    let help = match error {
        FolderError::Io { .. } => "choose another file with --history, in a folder that you may write to",
        _ => "",
    };
    Problem::files(error.to_string()).help(help)
}

fn show(arguments: &HistoryShowArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let output = arguments.output.as_deref();
    let format = CompareFormat::wanted(arguments.format, output)?;
    let path = &arguments.history;
    let mut entries = history::read(path).map_err(|error| {
        let is_missing = !path.exists();
        let create = "create one with `dbdyno history add RESULTS --history FILE`";
        Problem::files(error.to_string()).help(if is_missing { create } else { "" })
    })?;
    if let Some(only) = &arguments.only {
        entries.retain(|entry| {
            let shown = dbdyno_report::test_of(entry).text(&[]);
            format!("{}: {}, {}", entry.study, entry.cell, entry.metric).contains(only)
                || format!("{shown}: {}", entry.metric).contains(only)
        });
    }
    if entries.is_empty() {
        return Err(
            Problem::usage(format!("{} has no matching series", path.display()))
                .help("omit --only, or add results with `dbdyno history add`"),
        );
    }
    let history = dbdyno_report::history(&entries, arguments.margin);
    let name = path.display().to_string();
    let named = history.named(&name);
    let text = match format {
        CompareFormat::Table => named.text(terminal.stdout),
        CompareFormat::Markdown => named.markdown(),
        CompareFormat::Html => named.html(),
        CompareFormat::Json => history.json(),
    };
    deliver(output, &text, terminal)?;
    let recent = arguments.recent as usize;
    let slower = history.series.iter().any(|series| series.got_slower(recent));
    Ok(if slower && arguments.fail_on.is_some() {
        ExitCode::ExpectationNotMet
    } else {
        ExitCode::Success
    })
}
