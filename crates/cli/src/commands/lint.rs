//! `dbdyno lint`: results held against themselves.

use std::collections::BTreeMap;

use dbdyno_lint::{Certainty, Clients, Finding, Printed, Protocol};
use dbdyno_record::{ResultFolder, TrialRecord};
use dbdyno_report::terminal::wrap;
use dbdyno_report::{StudyResults, Style};

use super::after::folder_problem;
use crate::arguments::{LintArguments, LintFormat};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno lint`.
pub fn execute(arguments: &LintArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let path = &arguments.path;
    let printed = if path.is_dir() {
        of_folder(arguments)?
    } else {
        of_file(arguments)?
    };
    let checked = printed.lines.len().max(printed.repeats.len());
    if checked == 0 {
        return Err(Problem::usage(format!("nothing in {} can be checked", path.display())).help(
            "a line of a file needs a number in its column run_time_s, run_time_ms or run1; a result folder needs a trial",
        ));
    }
    let findings = dbdyno_lint::check(&printed);
    let text = match arguments.format {
        LintFormat::Json => {
            let all = serde_json::json!({ "findings": findings });
            let text = serde_json::to_string_pretty(&all);
            text.map_err(|error| Problem::files("cannot write findings").caused_by(error))? + "\n"
        }
        LintFormat::Text => {
            let lines = if checked == 1 { "line" } else { "lines" };
            let counted = counted(&findings);
            let end = format!("{}, {checked} {lines} checked: {counted}\n", path.display());
            told(&findings, terminal.stdout) + &end
        }
    };
    terminal.print(&text)?;
    Ok(exit_code(&findings))
}

fn of_folder(arguments: &LintArguments) -> Result<Printed, Problem> {
    if !arguments.columns.is_empty() || arguments.clients.is_some() || arguments.runs.is_some() {
        return Err(Problem::usage(
            "--column, --clients and --runs are for CSV files; a result folder says these things itself",
        ));
    }
    let folder = ResultFolder::open(&arguments.path).map_err(folder_problem)?;
    let results = StudyResults::read(&folder).map_err(folder_problem)?;
    Ok(dbdyno_report::printed(&results))
}

fn of_file(arguments: &LintArguments) -> Result<Printed, Problem> {
    let path = &arguments.path;
    let text = std::fs::read(path).map_err(|error| {
        Problem::files(format!("cannot read {}", path.display()))
            .caused_by(error)
            .help("give a result folder, or a CSV file")
    })?;
    let names: BTreeMap<String, String> = arguments.columns.iter().cloned().collect();
    let name = path
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let table = dbdyno_paper::table_of_csv(&name, &text, &names).map_err(|error| {
        Problem::usage(format!("{} cannot be checked: {error}", path.display()))
            .help("say what its columns are, e.g. --column elapsed=run_time_s; `dbdyno lint --help` lists the meanings")
    })?;
    let protocol = Protocol {
        clients: arguments.clients.map(|clients| Clients {
            number: f64::from(clients),
            stated: true,
        }),
        runs: arguments.runs,
        ..Protocol::default()
    };
    Ok(dbdyno_paper::printed_tables(&[table], protocol))
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
        for words in [&finding.arithmetic, &finding.explanation] {
            for line in wrap(words, style.width, "  ") {
                text.push_str(&line);
                text.push('\n');
            }
        }
        text.push('\n');
    }
    text
}
