//! `dbdyno paper`: published studies, and what their numbers say.

use std::path::Path;

use dbdyno_lint::Finding;
use dbdyno_paper::predicate::Verdict;
use dbdyno_paper::{Judged, Paper, PaperError, Request, RerunError, plain};
use dbdyno_report::number;
use dbdyno_report::terminal::wrap;
use dbdyno_study::file;
use dbdyno_vocabulary::suggest::nearest;

use super::lint;
use super::run::RESULTS;
use super::study::conduct;
use crate::arguments::{LintFormat, PaperCommand, PaperRunArguments};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno paper`.
pub fn execute(command: &PaperCommand, terminal: Terminal) -> Result<ExitCode, Problem> {
    match command {
        PaperCommand::List => list(terminal),
        PaperCommand::Show { id } => show(&find(id)?, terminal),
        PaperCommand::Lint { id, format } => check(&find(id)?, *format, terminal),
        PaperCommand::Run(arguments) => run(arguments, terminal),
    }
}

/// `dbdyno paper run`.
fn run(arguments: &PaperRunArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let paper = find(&arguments.id)?;
    let request = Request {
        part: arguments.part.as_deref(),
        scale: arguments.scale,
        trials: arguments.trials,
        records: &arguments.records,
        operations: &arguments.operations,
    };
    let study = dbdyno_paper::study(&paper, &request).map_err(|error| {
        let flag = match error {
            RerunError::Part { .. } => "--part NAME chooses one of them",
            RerunError::Operations { .. } => "use --records",
            RerunError::Scale { .. } => "use --scale 0.1, or leave it out",
        };
        Problem::usage(error.to_string()).help(flag)
    })?;
    let text = study.text();
    if arguments.print {
        terminal.print(&text)?;
        return Ok(ExitCode::Success);
    }
    let study_file = file::of_value(&study.file, text)
        .map_err(|mistake| Problem::usage(mistake.message).help(mistake.help))?;
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| Path::new(RESULTS).join(&study_file.study.name));
    for note in &study.notes {
        terminal.note(note);
    }
    conduct(&study_file, &output, None, "the same command", terminal)
}

fn damaged(error: PaperError) -> Problem {
    Problem::files(error.to_string())
}

fn find(id: &str) -> Result<Paper, Problem> {
    if let Some(paper) = dbdyno_paper::find(id).map_err(damaged)? {
        return Ok(paper);
    }
    let papers = dbdyno_paper::all().map_err(damaged)?;
    let ids = || papers.iter().map(|paper| paper.head.id.as_str());
    Err(
        Problem::usage(format!("unknown paper `{id}`")).help(match nearest(id, ids()) {
            Some(near) => format!("did you mean `{near}`? `dbdyno paper list` shows all papers"),
            None => format!("there are {}", ids().collect::<Vec<_>>().join(", ")),
        }),
    )
}

fn list(terminal: Terminal) -> Result<ExitCode, Problem> {
    let mut text = String::new();
    for paper in dbdyno_paper::all().map_err(damaged)? {
        let head = &paper.head;
        text.push_str(&format!("{}  {}\n", terminal.stdout.bold(&head.id), head.title));
        text.push_str(&format!(
            "  {} ({})\n",
            head.authors.join(", "),
            plain(&head.year)
        ));
        let counts = [
            number::plural(paper.systems.len(), "system", "systems"),
            number::plural(paper.workloads.len(), "workload", "workloads"),
            number::plural(paper.tables.len(), "table", "tables"),
            number::plural(paper.claims.len(), "claim", "claims"),
        ];
        text.push_str(&format!("  {}\n\n", counts.join(", ")));
    }
    text.push_str("`dbdyno paper show ID` describes a study; `dbdyno paper lint ID` checks its numbers.\n");
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}

fn show(paper: &Paper, terminal: Terminal) -> Result<ExitCode, Problem> {
    let style = terminal.stdout;
    let mut text = format!("{}\n", style.bold(&paper.head.title));
    text.push_str(&format!(
        "{} ({})\n",
        paper.head.authors.join(", "),
        plain(&paper.head.year)
    ));
    let section = |text: &mut String, title: &str, entries: Vec<(String, String)>| {
        if entries.is_empty() {
            return;
        }
        text.push_str(&format!("\n{}\n", style.bold(title)));
        for (name, words) in entries {
            for line in entry(&name, &words, style.width) {
                text.push_str(&line);
                text.push('\n');
            }
        }
    };
    let systems = paper.systems.iter().map(|system| {
        let version = if system.version.is_empty() {
            "not stated"
        } else {
            &system.version
        };
        (system.id.clone(), format!("{} {version}", system.db))
    });
    let workloads = paper.workloads.iter().map(|workload| {
        let shares = workload
            .mix
            .iter()
            .map(|(kind, share)| format!("{} {kind}", number::whole_share(*share)));
        (workload.id.clone(), shares.collect::<Vec<_>>().join(", "))
    });
    let hardware = paper
        .hardware
        .iter()
        .map(|(name, value)| (name.replace('_', " "), plain(value)));
    let protocol = paper
        .protocol
        .iter()
        .map(|(name, value)| (name.replace('_', " "), plain(value)));
    let claims = paper
        .claims
        .iter()
        .map(|claim| (claim.id.clone(), claim.text.clone()));
    let limits = paper.limits.iter().map(|limit| {
        let by = if limit.author {
            "the author's own"
        } else {
            "found by dbdyno"
        };
        (by.to_owned(), limit.text.clone())
    });
    let assumptions = paper.assumptions.iter().map(|assumption| {
        let words = format!("{} ({})", plain(&assumption.value), assumption.reason);
        (assumption.field.replace('_', " "), words)
    });
    let tables = paper.tables.iter().map(|table| {
        let about: Vec<&str> = [&table.system, &table.workload, &table.metric]
            .into_iter()
            .filter_map(|about| about.as_deref())
            .collect();
        let read_off = if table.approx {
            ", read from a figure or from text"
        } else {
            ""
        };
        (
            table.name(),
            format!("{} rows {}{read_off}", table.rows.len(), about.join(", ")),
        )
    });
    section(&mut text, "Systems", systems.collect());
    section(&mut text, "Workloads", workloads.collect());
    section(&mut text, "Machines", hardware.collect());
    section(&mut text, "Protocol", protocol.collect());
    section(&mut text, "Tables", tables.collect());
    section(&mut text, "Claims", claims.collect());
    section(&mut text, "Limits", limits.collect());
    section(
        &mut text,
        "Assumptions needed to repeat it",
        assumptions.collect(),
    );
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}

/// Reasons of a verdict that are shown to people; programs get all of them.
const REASONS: usize = 3;

/// Columns of the names before an entry's words.
const NAMES: usize = 18;

fn entry(name: &str, words: &str, width: usize) -> Vec<String> {
    let indent = " ".repeat(NAMES + 4);
    let mut lines = wrap(words, width.saturating_sub(NAMES + 4).max(30), "");
    for (number, line) in lines.iter_mut().enumerate() {
        *line = if number == 0 {
            format!("  {name:<NAMES$}  {line}")
        } else {
            format!("{indent}{line}")
        };
    }
    lines
}

fn check(paper: &Paper, format: LintFormat, terminal: Terminal) -> Result<ExitCode, Problem> {
    let findings = dbdyno_lint::check(&dbdyno_paper::printed(paper));
    let claims = dbdyno_paper::judge(paper, &findings).map_err(|error| Problem::files(error.to_string()))?;
    let certain = lint::exit_code(&findings) != ExitCode::Success
        || claims
            .iter()
            .any(|claim| matches!(claim.verdict, Some(Verdict::Fails { .. })));
    let text = match format {
        LintFormat::Text => told(paper, &findings, &claims, terminal),
        LintFormat::Json => json(&findings, &claims)?,
    };
    terminal.print(&text)?;
    Ok(if certain {
        ExitCode::ExpectationNotMet
    } else {
        ExitCode::Success
    })
}

fn json(findings: &[Finding], claims: &[Judged]) -> Result<String, Problem> {
    let claims: Vec<serde_json::Value> = claims
        .iter()
        .map(|claim| {
            let (verdict, reasons) = verdict(claim);
            serde_json::json!({"id": claim.id, "text": claim.text, "verdict": verdict, "reasons": reasons, "doubted": claim.doubted})
        })
        .collect();
    let all = serde_json::json!({"findings": findings, "claims": claims});
    let text = serde_json::to_string_pretty(&all);
    Ok(text.map_err(|error| Problem::files("cannot write findings").caused_by(error))? + "\n")
}

/// The verdict in one or two words, and its evidence.
fn verdict(claim: &Judged) -> (&'static str, &[String]) {
    match &claim.verdict {
        Some(Verdict::Holds { .. }) => ("holds", &[]),
        Some(Verdict::Fails { against, .. }) => ("fails", against),
        Some(Verdict::Undecided { reasons }) => ("undecided", reasons),
        Some(Verdict::Ambiguous { what }) => ("undecided", std::slice::from_ref(what)),
        None => ("not judged", &[]),
    }
}

fn told(paper: &Paper, findings: &[Finding], claims: &[Judged], terminal: Terminal) -> String {
    let style = terminal.stdout;
    let mut text = String::new();
    let lines = |text: &mut String, words: &str| {
        for line in wrap(words, style.width, "  ") {
            text.push_str(&line);
            text.push('\n');
        }
    };
    text.push_str(&lint::told(findings, style));
    text.push_str(&format!(
        "{}\n",
        style.bold("Claims, judged on the printed tables")
    ));
    for claim in claims {
        let (word, reasons) = verdict(claim);
        let (heading, verb) = match &claim.verdict {
            Some(Verdict::Holds { .. }) => (style.good(word), ""),
            Some(Verdict::Fails { .. }) => (style.bad(word), "against it: "),
            Some(Verdict::Ambiguous { .. }) => (style.warn(word), "printed twice: "),
            Some(_) => (style.warn(word), ""),
            None => (style.dim(word), ""),
        };
        text.push_str(&format!("\n{}  {heading}\n", style.bold(&claim.id)));
        lines(&mut text, &claim.text);
        if !reasons.is_empty() {
            let shown = &reasons[..reasons.len().min(REASONS)];
            let more = reasons.len() - shown.len();
            let more = if more > 0 {
                format!("; and {more} more")
            } else {
                String::new()
            };
            lines(&mut text, &format!("{verb}{}{more}", shown.join("; ")));
        }
        if !claim.doubted.is_empty() {
            lines(
                &mut text,
                &format!("depends on a doubtful number: {}", claim.doubted.join("; ")),
            );
        }
    }
    let judged = |wanted| claims.iter().filter(|claim| verdict(claim).0 == wanted).count();
    text.push_str(&format!(
        "\n{}: {}; of {} claims, {} hold and {} fail on the printed tables\n",
        paper.head.id,
        lint::counted(findings),
        claims.len(),
        judged("holds"),
        judged("fails"),
    ));
    text
}
