//! `dbdyno lint`: results held against themselves.

use std::collections::BTreeMap;
use std::path::Path;

use dbdyno_lint::{Certainty, Clients, Finding, Line, Printed, Protocol};
use dbdyno_paper::Unchecked;
use dbdyno_record::{ResultFolder, TrialRecord, TrialStatus};
use dbdyno_report::terminal::wrap;
use dbdyno_report::{StudyResults, Style};

use super::after::folder_problem;
use crate::arguments::{LintArguments, LintFormat};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// What one path holds.
struct Source {
    printed: Printed,
    unchecked: Unchecked,
    /// Trials that no rule looked at, with the reason.
    trials: Vec<String>,
}

/// `dbdyno lint`.
pub fn execute(arguments: &LintArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let mut all = Printed {
        protocol: protocol(arguments),
        ..Printed::default()
    };
    let mut findings = Vec::new();
    let mut unchecked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut checked = 0;
    for path in &arguments.paths {
        let source = if path.is_dir() {
            of_folder(path, arguments)?
        } else {
            of_file(path, arguments)?
        };
        let found = lines(&source.printed);
        if found == 0 {
            return Err(nothing_to_check(path, &source));
        }
        checked += found;
        let left_out = left_out(&source, arguments);
        if !left_out.is_empty() {
            unchecked.insert(path.display().to_string(), left_out);
        }
        // A folder says itself how it was measured; files share what the flags say.
        if path.is_dir() {
            findings.extend(dbdyno_lint::check(&source.printed));
        } else {
            all.lines.extend(source.printed.lines);
            all.changes.extend(source.printed.changes);
            all.repeats.extend(source.printed.repeats);
            all.comparisons.extend(source.printed.comparisons);
        }
    }
    findings.splice(..0, dbdyno_lint::check(&all));
    findings.sort_by_key(|finding| finding.certainty);
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
            let lines = if checked == 1 { "line" } else { "lines" };
            let counted = counted(&findings);
            let end = format!("{}, {checked} {lines} checked: {counted}\n", names.join(", "));
            told(&findings, terminal.stdout) + &told_unchecked(&unchecked, terminal.stdout) + &end
        }
    };
    terminal.print(&text)?;
    Ok(exit_code(&findings))
}

fn lines(printed: &Printed) -> usize {
    let compared = printed.comparisons.iter().map(|comparison| comparison.rows.len());
    [printed.lines.len(), printed.repeats.len(), printed.changes.len()]
        .into_iter()
        .chain(compared)
        .max()
        .unwrap_or(0)
}

fn nothing_to_check(path: &Path, source: &Source) -> Problem {
    let problem = Problem::usage(format!("nothing in {} can be checked", path.display()));
    match source.unchecked.cells.first() {
        Some(cell) => problem.help(format!(
            "row {}, column {}: `{}` is no number; write numbers as 12.5, 1,250 or 1.2k, with no unit or that of the column",
            cell.row, cell.column, cell.text
        )),
        None => problem.help(
            "a line of a file needs two numbers that belong together, such as run_time_s and throughput_ops_s, or run1, run2, ...; a result \
             folder needs a trial with a measured phase",
        ),
    }
}

fn of_folder(path: &Path, arguments: &LintArguments) -> Result<Source, Problem> {
    if !arguments.columns.is_empty() || arguments.clients.is_some() || arguments.runs.is_some() {
        return Err(Problem::usage(
            "--column, --clients and --runs are for CSV files; a result folder says these things itself",
        ));
    }
    let folder = ResultFolder::open(path).map_err(folder_problem)?;
    let results = StudyResults::read(&folder).map_err(folder_problem)?;
    let printed = dbdyno_report::printed(&results);
    let ending = |trial: &TrialRecord| format!(", trial {}", trial.trial);
    let is_checked = |trial: &TrialRecord| {
        printed
            .lines
            .iter()
            .any(|line| line.place.ends_with(&ending(trial)))
    };
    let left_out = results
        .trials
        .iter()
        .filter(|trial| !is_checked(trial))
        .map(|trial| {
            let reason = match (&trial.status, &trial.measure) {
                (TrialStatus::Disturbed, _) => "disturbed, and repeated",
                (_, None) => "without a measured phase",
                (_, Some(_)) => "without an operation that succeeded",
            };
            format!("trial {} ({reason})", trial.trial)
        });
    Ok(Source {
        trials: left_out.collect(),
        unchecked: Unchecked::default(),
        printed,
    })
}

fn of_file(path: &Path, arguments: &LintArguments) -> Result<Source, Problem> {
    let text = std::fs::read(path).map_err(|error| {
        Problem::files(format!("cannot read {}", path.display()))
            .caused_by(error)
            .help("give a result folder, or a CSV file")
    })?;
    let names: BTreeMap<String, String> = arguments.columns.iter().cloned().collect();
    // Of several files the paths tell apart those of one name.
    let name = match path.file_name() {
        Some(name) if arguments.paths.len() == 1 => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    };
    let file = dbdyno_paper::table_of_csv(&name, &text, &names).map_err(|error| {
        Problem::usage(format!("{} cannot be checked: {error}", path.display()))
            .help("say what its columns are, e.g. --column elapsed=run_time_s; `dbdyno lint --help` lists the meanings")
    })?;
    Ok(Source {
        printed: dbdyno_paper::printed_tables(&[file.table], protocol(arguments)),
        unchecked: file.unchecked,
        trials: Vec::new(),
    })
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

/// Names that are listed before the rest is only counted.
const NAMES: usize = 8;

/// What no rule looked at, one sentence each.
fn left_out(source: &Source, arguments: &LintArguments) -> Vec<String> {
    let named = |count: usize, thing: &str, mut names: Vec<String>| {
        let more = names.len().saturating_sub(NAMES);
        names.truncate(NAMES);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let things = if count == 1 { "" } else { "s" };
        format!("{count} {thing}{things}: {}{more}", names.join(", "))
    };
    let Unchecked { columns, rows, cells } = &source.unchecked;
    let mut sentences = Vec::new();
    if !columns.is_empty() {
        sentences.push(named(columns.len(), "column", columns.clone()));
    }
    if !rows.is_empty() {
        let numbers: Vec<String> = rows.iter().map(usize::to_string).collect();
        let told = named(rows.len(), "row", numbers);
        sentences.push(format!("{told} (without two numbers that belong together)"));
    }
    if !cells.is_empty() {
        let told = cells
            .iter()
            .map(|cell| format!("`{}` (row {}, {})", cell.text, cell.row, cell.column));
        sentences.push(named(cells.len(), "unreadable cell", told.collect()));
    }
    if !source.trials.is_empty() {
        sentences.push(named(source.trials.len(), "trial", source.trials.clone()));
    }
    let has_latency = |line: &Line| {
        line.mean_latency_us.is_some() || line.parts.iter().any(|part| part.mean_latency_us.is_some())
    };
    let knows_clients = |line: &Line| line.clients.or(arguments.clients.map(f64::from)).is_some();
    let lines = &source.printed.lines;
    if lines.iter().any(|line| has_latency(line) && !knows_clients(line)) {
        sentences.push(
            "latencies against the number of clients, which is not told: --clients N, or a column clients"
                .to_owned(),
        );
    }
    sentences
}

fn told_unchecked(unchecked: &BTreeMap<String, Vec<String>>, style: Style) -> String {
    let mut text = String::new();
    for (path, sentences) in unchecked {
        text.push_str(&format!("{}  {path}\n", style.dim("not checked")));
        for line in sentences
            .iter()
            .flat_map(|sentence| wrap(sentence, style.width, "  "))
        {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// What the rules find in one trial that was just run: what is more than a notice goes to stderr.
pub fn of_trial(record: &TrialRecord, terminal: &Terminal) -> ExitCode {
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
    exit_code(&findings)
}

/// For a continuous integration: it stops at what cannot be true.
pub fn exit_code(findings: &[Finding]) -> ExitCode {
    if count(findings, Certainty::Certain) > 0 {
        ExitCode::ExpectationNotMet
    } else {
        ExitCode::Success
    }
}

fn count(findings: &[Finding], certainty: Certainty) -> usize {
    findings
        .iter()
        .filter(|finding| finding.certainty == certainty)
        .count()
}

/// How many findings there are of each certainty.
pub fn counted(findings: &[Finding]) -> String {
    format!(
        "{} certain, {} likely, {} to notice",
        count(findings, Certainty::Certain),
        count(findings, Certainty::Likely),
        count(findings, Certainty::Notice)
    )
}

/// Findings for people, each with an empty line after it.
pub fn told(findings: &[Finding], style: Style) -> String {
    let mut text = String::new();
    for finding in findings {
        let certainty = finding.certainty.name();
        let certainty = match finding.certainty {
            Certainty::Certain => style.bad(certainty),
            Certainty::Likely => style.warn(certainty),
            Certainty::Notice => style.dim(certainty),
        };
        let rule = style.bold(finding.rule.name());
        text.push_str(&format!("{certainty}  {rule}  {}\n", finding.place));
        let mut words = vec![finding.arithmetic.clone(), finding.explanation.clone()];
        let others: Vec<&str> = finding.also.iter().map(|case| case.place.as_str()).collect();
        if !others.is_empty() {
            let shown = others.len().min(NAMES);
            let more = others.len() - shown;
            let more = if more > 0 {
                format!("; and in {more} more")
            } else {
                String::new()
            };
            words.push(format!("also in: {}{more}", others[..shown].join("; ")));
        }
        for line in words.iter().flat_map(|words| wrap(words, style.width, "  ")) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
    }
    text
}
