//! `dbdyno paper`: published studies, and what their numbers say.

mod report;
mod whole;

use std::path::{Path, PathBuf};

use dbdyno_files::PaperSizes;
use dbdyno_lint::Finding;
use dbdyno_paper::{ClaimVerdict, Judged, Operations, Paper, PaperError, Request, RerunError, parts_for};
use dbdyno_report::publication;
use dbdyno_study::{CheckedStudy, file};
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
        PaperCommand::Report(arguments) => report::execute(&find(&arguments.id)?, arguments, terminal),
    }
}

/// `dbdyno paper run`.
fn run(arguments: &PaperRunArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let paper = find(&arguments.id)?;
    let parts = chosen(&paper, arguments)?;
    let [only] = parts.as_slice() else {
        return whole::execute(&paper, arguments, &parts, terminal);
    };
    if arguments.whole || arguments.budget.is_some() {
        return whole::execute(&paper, arguments, &parts, terminal);
    }
    let part = planned(&paper, arguments, only, (arguments.scale, arguments.trials))?;
    if arguments.print {
        terminal.print(&part.text)?;
        return Ok(ExitCode::Success);
    }
    carry_out(&part, arguments, terminal)
}

/// A part that is asked for, with the claims that it is to be measured for; without any, for all.
type Chosen = (String, Vec<String>);

/// The parts that are asked for.
fn chosen(paper: &Paper, arguments: &PaperRunArguments) -> Result<Vec<Chosen>, Problem> {
    if !arguments.claims.is_empty() {
        let parts = parts_for(paper, &arguments.claims, arguments.part.as_deref()).map_err(refused)?;
        if let (Some(_), [(first, _), (second, _), ..]) = (&arguments.output, parts.as_slice()) {
            return Err(Problem::usage(format!(
                "--output names one result folder, and these claims need the parts `{first}` and `{second}`"
            ))
            .help("leave --output out: each part has a folder of its own"));
        }
        return Ok(parts);
    }
    let all = paper.reruns.iter().map(|rerun| (rerun.part.clone(), Vec::new()));
    Ok(match &arguments.part {
        Some(part) => vec![(part.clone(), Vec::new())],
        None if arguments.whole => all.collect(),
        None => all.take(1).collect(),
    })
}

fn refused(error: RerunError) -> Problem {
    let help = match &error {
        RerunError::Part { .. } => "--part NAME chooses one of them".to_owned(),
        RerunError::Operations { .. } => "use --records".to_owned(),
        RerunError::Scale { .. } => "use --scale 0.1, or leave it out".to_owned(),
        RerunError::Claim { claim, known, .. } => match nearest(claim, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean --claim {near}?"),
            None => "`dbdyno paper show ID` shows them all".to_owned(),
        },
        RerunError::ClaimSize { .. } => "raise --scale, and leave --records and --operations out".to_owned(),
        RerunError::ClaimUntested { .. } => "leave it out of --claim".to_owned(),
        RerunError::ClaimElsewhere { judging, .. } if judging.is_empty() => {
            "leave it out of --claim; `dbdyno paper report ID --audit FILE` judges claims about security"
                .to_owned()
        }
        RerunError::ClaimElsewhere { .. } => "leave --part out, or name one of these".to_owned(),
    };
    Problem::usage(error.to_string()).help(help)
}

/// A part of a paper as a study that can be run.
struct PlannedPart {
    study_file: CheckedStudy,
    /// The text of its study file.
    text: String,
    notes: Vec<String>,
    /// How many sizes are left of the paper's, and how many it has: those that shrink to the same one are measured once.
    sizes: [usize; 2],
    /// Its result folder.
    output: PathBuf,
}

/// The study of a part at a scale, with this number of trials where it is not its own.
fn planned(
    paper: &Paper,
    arguments: &PaperRunArguments,
    (part, claims): &Chosen,
    (scale, trials): (f64, Option<u32>),
) -> Result<PlannedPart, Problem> {
    let request = Request {
        part: Some(part),
        claims,
        scale,
        trials,
        records: &arguments.records,
        operations: &arguments.operations,
    };
    let study = dbdyno_paper::study(paper, &request).map_err(refused)?;
    let text = study.text();
    let study_file = file::of_value(&study.file, text.clone())
        .map_err(|mistake| Problem::usage(mistake.message).help(mistake.help))?;
    let own = || Path::new(RESULTS).join(&study_file.study.name);
    Ok(PlannedPart {
        output: arguments.output.clone().unwrap_or_else(own),
        sizes: sizes(paper, part, &study),
        study_file,
        text,
        notes: study.notes,
    })
}

/// The sizes of a study and of the part that it repeats: records, or operations where those are more.
fn sizes(paper: &Paper, part: &str, study: &dbdyno_paper::Study) -> [usize; 2] {
    let table = study.file.paper.as_ref().map(|paper| &paper.value.0);
    let left = |sizes: Option<&PaperSizes>| sizes.map_or(0, |sizes| sizes.0.len());
    let left = table.map_or(0, |table| {
        left(table.records.as_ref()).max(left(table.operations.as_ref()))
    });
    let mut reruns = paper.reruns.iter();
    let rerun = reruns.find(|rerun| rerun.part == part);
    let all = rerun.map_or(0, |rerun| match &rerun.operations {
        Operations::Counts(counts) => counts.len().max(rerun.records.len()),
        Operations::AsRecords(_) | Operations::Timed(_) => rerun.records.len(),
    });
    [left, all]
}

/// Runs a part, or its missing trials.
fn carry_out(
    part: &PlannedPart,
    arguments: &PaperRunArguments,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    for note in &part.notes {
        terminal.note(note);
    }
    aborted::go_on_with(std::env::args_os());
    let conducted = Conducted {
        study_file: &part.study_file,
        output: &part.output,
        noise: None,
        again: "the same command",
        agents: &arguments.agents,
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
                "untested": claim.untested,
                "doubted": claim.doubted
            })
        })
        .collect();
    let all = serde_json::json!({"findings": findings, "claims": claims});
    let text = serde_json::to_string_pretty(&all);
    Ok(text.map_err(|error| Problem::files("cannot write findings").caused_by(error))? + "\n")
}
