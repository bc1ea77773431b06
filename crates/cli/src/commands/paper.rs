//! `dbdyno paper`: published studies, and what their numbers say.

use std::path::Path;

use dbdyno_lint::Finding;
use dbdyno_paper::{ClaimVerdict, Judged, Paper, PaperError, Request, RerunError};
use dbdyno_report::publication;
use dbdyno_study::file;
use dbdyno_vocabulary::suggest::nearest;

use super::lint;
use super::study::{Conducted, conduct};
use crate::aborted;
use crate::arguments::{LintFormat, PaperCommand, PaperRunArguments};
use crate::defaults::RESULTS;
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
    aborted::go_on_with(std::env::args_os());
    let conducted = Conducted {
        study_file: &study_file,
        output: &output,
        noise: None,
        again: "the same command",
        install: arguments.install,
        is_full_screen: false,
    };
    conduct(conducted, terminal)
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
    let papers = dbdyno_paper::all().map_err(damaged)?;
    terminal.print(&publication::list(&papers, terminal.stdout))?;
    Ok(ExitCode::Success)
}

fn show(paper: &Paper, terminal: Terminal) -> Result<ExitCode, Problem> {
    terminal.print(&publication::description(paper, terminal.stdout))?;
    Ok(ExitCode::Success)
}

fn check(paper: &Paper, format: LintFormat, terminal: Terminal) -> Result<ExitCode, Problem> {
    let findings = dbdyno_lint::check(&dbdyno_paper::printed(paper));
    let claims = dbdyno_paper::judge(paper, &findings).map_err(|error| Problem::files(error.to_string()))?;
    let certain = lint::exit_code(&findings) != ExitCode::Success
        || claims.iter().any(|claim| claim.word() == ClaimVerdict::Fails);
    let text = match format {
        LintFormat::Text => publication::checked(paper, &findings, &claims, terminal.stdout),
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
            serde_json::json!({
                "id": claim.id,
                "text": claim.text,
                "verdict": claim.word(),
                "reasons": claim.reasons(),
                "doubted": claim.doubted
            })
        })
        .collect();
    let all = serde_json::json!({"findings": findings, "claims": claims});
    let text = serde_json::to_string_pretty(&all);
    Ok(text.map_err(|error| Problem::files("cannot write findings").caused_by(error))? + "\n")
}
