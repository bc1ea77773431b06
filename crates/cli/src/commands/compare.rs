//! `dbdyno compare`: two result folders, or points of a history.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use dbdyno_record::{ResultFolder, TrialStatus, history};
use dbdyno_report::checks::Check;
use dbdyno_report::{
    CellFacts, CellName, FolderComparison, FolderContent, Render, cells_of, compare_cells, number,
};

use super::after::{reading_problem, warn_of};
use super::run_checks::measured_time;
use super::written::deliver;
use crate::arguments::{CompareArguments, CompareFormat, FailOn};
use crate::exit_code::ExitCode;
use crate::junit;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno compare`.
pub fn execute(arguments: &CompareArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    junit::reported("dbdyno compare", arguments.junit.as_deref(), |checks| {
        compare(arguments, checks, terminal)
    })
}

fn compare(
    arguments: &CompareArguments,
    checks: &mut Vec<Check>,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    let format = CompareFormat::wanted(arguments.format, arguments.output.as_deref())?;
    let before = measured(&arguments.before, terminal)?;
    let after = measured(&arguments.after, terminal)?;
    let sides = [(&before, &arguments.before), (&after, &arguments.after)];
    if let Some((_, empty)) = sides.into_iter().find(|(side, _)| side.cells.is_empty()) {
        return Err(
            Problem::usage(format!("{} has no completed trial to compare", empty.display()))
                .help("let its run or study end, or pass other results"),
        );
    }
    let comparison = compare_cells(&before.cells, &after.cells, arguments.margin, arguments.anyway);
    if comparison.cells.is_empty() {
        let sides = comparison.on_one_side();
        let sides: Vec<String> = sides.iter().map(ToString::to_string).collect();
        return Err(Problem::usage(format!(
            "{} and {} have no test (a system under a workload) in common",
            arguments.before.display(),
            arguments.after.display()
        ))
        .help(sides.join(" ")));
    }
    show(&comparison, arguments, format, terminal)?;
    let Some(fail_on) = arguments.fail_on else {
        return Ok(ExitCode::Success);
    };
    let made = comparison.checks(fail_on == FailOn::Change, arguments.allow_unmatched);
    checks.extend(made.into_iter().map(|check| Check {
        time: time_of(&check.subject, &comparison, [&before, &after]),
        ..check
    }));
    let failures = failures(&comparison, fail_on, arguments.allow_unmatched);
    if failures.is_empty() {
        return Ok(ExitCode::Success);
    }
    terminal.tell(&format!("Failed by --fail-on: {}", failures.join("; ")));
    Ok(ExitCode::ExpectationNotMet)
}

/// Prints the comparison, or writes it to the file that the user names.
fn show(
    comparison: &FolderComparison,
    arguments: &CompareArguments,
    format: CompareFormat,
    terminal: Terminal,
) -> Result<(), Problem> {
    let (before, after) = (&arguments.before, &arguments.after);
    let is_one =
        matches!((before.canonicalize(), after.canonicalize()), (Ok(one), Ok(other)) if one == other);
    let name = |path: &Path| path.display().to_string();
    let names = (name(before), name(if is_one { before } else { after }));
    let named = comparison.named(&names.0, &names.1);
    let output = arguments.output.as_deref();
    let text = match format {
        CompareFormat::Table => named.text(terminal.stdout),
        CompareFormat::Markdown => named.markdown(),
        CompareFormat::Html => named.html(),
        CompareFormat::Json => comparison.json(),
    };
    deliver(output, &text, terminal)?;
    if comparison.refused() > 0 {
        terminal.note("Pass --anyway to compare tests under other conditions");
    }
    Ok(())
}

/// How long the test that a check is of was measured before and after; `None` where one side does not know it.
fn time_of(subject: &str, comparison: &FolderComparison, sides: [&Measured; 2]) -> Option<Duration> {
    let mut cells = comparison.cells.iter();
    let cell = cells.find(|cell| cell.subject() == subject)?.cell.common();
    let [before, after] = sides.map(|side| side.times.get(&cell).copied());
    Some(before? + after?)
}

/// One side of a comparison.
struct Measured {
    cells: Vec<CellFacts>,
    /// How long the trials of each cell measured; a history does not know it.
    times: BTreeMap<CellName, Duration>,
}

/// The results of a folder, or of a point of a history.
fn measured(path: &Path, terminal: Terminal) -> Result<Measured, Problem> {
    let text = path.to_string_lossy();
    if let Some((file, label)) = text.rsplit_once('@')
        && !path.exists()
        && Path::new(file).is_file()
    {
        let entries = history::read(Path::new(file)).map_err(reading_problem)?;
        let cells = dbdyno_report::facts(&entries, label);
        if cells.is_empty() {
            let labels: BTreeSet<&str> = entries.iter().map(|entry| entry.label.as_str()).collect();
            let labels: Vec<&str> = labels.into_iter().collect();
            return Err(Problem::usage(format!("{file} has no point labelled {label:?}"))
                .help(format!("its points are {}", labels.join(", "))));
        }
        return Ok(Measured {
            cells,
            times: BTreeMap::new(),
        });
    }
    let content = read(path, terminal)?;
    let mut times: BTreeMap<CellName, Duration> = BTreeMap::new();
    for trial in content
        .trials
        .iter()
        .filter(|trial| trial.status == TrialStatus::Completed)
    {
        if let Some(time) = measured_time(trial) {
            *times.entry(CellName::of(trial).common()).or_default() += time;
        }
    }
    Ok(Measured {
        cells: cells_of(content.side()),
        times,
    })
}

/// Reads a result folder.
pub fn read(path: &Path, terminal: Terminal) -> Result<FolderContent, Problem> {
    let content = ResultFolder::open(path)
        .and_then(|folder| FolderContent::read(&folder))
        .map_err(reading_problem)?;
    warn_of(&content.doubts, path, terminal);
    Ok(content)
}

/// Everything that `--fail-on` rejects, one kind each. What could not be compared was not shown to be as good as before, and a
/// test that is gone may have had no completed trial.
fn failures(comparison: &FolderComparison, fail_on: FailOn, allow_unmatched: bool) -> Vec<String> {
    let tests = |count: usize, what: &str| {
        (
            count,
            format!("{} {what}", number::plural(count, "test", "tests")),
        )
    };
    let (slower, faster) = (comparison.slower(), comparison.faster());
    let mut kinds = vec![(slower, format!("{slower} slower"))];
    if fail_on == FailOn::Change {
        kinds.push((faster, format!("{faster} faster")));
    }
    kinds.push(tests(comparison.refused(), "not compared"));
    kinds.push(tests(
        comparison.rates_lost(),
        "with a rate that is no longer sustained",
    ));
    kinds.push(tests(
        comparison.answers_lost(),
        "with new failures or invalid trials",
    ));
    if !allow_unmatched {
        kinds.push(tests(
            comparison.unmatched.len(),
            "on one side only (--allow-unmatched accepts this)",
        ));
    }
    let found = kinds.into_iter().filter(|(count, _)| *count > 0);
    found.map(|(_, what)| what).collect()
}
