//! After a trial: how it is printed, whether it is usable, whether expectations hold, and how failures end.

use std::io::ErrorKind;
use std::path::Path;

use dbdyno_driver::Target;
use dbdyno_engine::{EngineError, EngineErrorClass};
use dbdyno_record::{Doubts, FolderError, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_report::{StudyResults, single};
use dbdyno_study::{StudyError, StudyFileError, plan, remedy};
use dbdyno_vocabulary::{Expectation, ExpectationError, MetricValue};
use dbdyno_workload::client_properties::{ClientProperties, MeasurementInterval};

use crate::arguments::Format;
use crate::defaults::{PAGE, RESULTS};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// The result in the format asked for.
pub fn format(
    record: &TrialRecord,
    format: Format,
    client: &ClientProperties,
    terminal: &Terminal,
) -> String {
    match format {
        Format::Table => single::table(record, terminal.stdout),
        Format::Json => single::json(record),
        Format::Csv => single::csv(record),
        Format::Ycsb => ycsb(record, client),
    }
}

/// Which latencies YCSB's lines show; unless `measurement.interval` says otherwise, those of a rate in addition.
pub fn latency_kind(client: &ClientProperties) -> single::LatencyKind {
    match client.measurement_interval {
        Some(MeasurementInterval::Service) => single::LatencyKind::Operation,
        Some(MeasurementInterval::Response) => single::LatencyKind::Intended,
        None | Some(MeasurementInterval::Both) => single::LatencyKind::Both,
    }
}

/// The result in YCSB's text, as its properties want it.
pub fn ycsb(record: &TrialRecord, client: &ClientProperties) -> String {
    let mut options = single::YcsbOptions {
        load: record.measure.is_none(),
        interval: latency_kind(client),
        ..single::YcsbOptions::default()
    };
    if let Some(percentiles) = &client.percentiles {
        options.percentiles.clone_from(percentiles);
    }
    single::ycsb(record, &options)
}

/// Whether the result can be used; when not, stderr says why.
pub fn validity(record: &TrialRecord, terminal: &Terminal) -> ExitCode {
    let reasons = spoiled(record);
    // Why a trial failed is the error that the command ends with.
    if !matches!(record.status, TrialStatus::Failed { .. }) {
        for reason in &reasons {
            terminal.warn(reason);
        }
    }
    if reasons.is_empty() {
        ExitCode::Success
    } else {
        ExitCode::ResultInvalid
    }
}

/// Why the result of a trial cannot be used; empty when it can. It is invalid here where it is invalid in every report.
pub fn spoiled(record: &TrialRecord) -> Vec<String> {
    let reasons = record.spoiled_because().into_iter();
    reasons.map(|reason| reason.message.into_owned()).collect()
}

/// An expectation held against a result.
pub struct Judged {
    /// As it was written.
    pub text: String,
    /// Whether it holds.
    pub is_met: bool,
    /// The measured value, in words.
    pub measured: String,
}

/// Holds the expectations against the record.
pub fn judge(record: &TrialRecord, expectations: &[Expectation]) -> Vec<Judged> {
    let judged = expectations.iter().map(|expectation| {
        let judgement = record.judge(expectation);
        let mut measured = judgement
            .measured
            .map_or_else(|| "not measured".to_owned(), MetricValue::format);
        if let Some(MetricValue::LatencyAtLeastNs(_)) = judgement.measured {
            measured.push_str(" (a lower bound: operations without an answer waited at least this long)");
        }
        Judged {
            text: expectation.text.clone(),
            is_met: judgement.met,
            measured,
        }
    });
    judged.collect()
}

impl Judged {
    /// Reports it.
    pub fn report(&self, terminal: &Terminal) -> ExitCode {
        let Self { text, measured, .. } = self;
        if self.is_met {
            terminal.note(&format!("Expected {text}: yes, {measured}"));
            ExitCode::Success
        } else {
            terminal.tell(&format!(
                "{} {text}: no, {measured}",
                terminal.stderr.bad("Expected")
            ));
            ExitCode::ExpectationNotMet
        }
    }
}

/// A text of this flag that cannot be read as an expectation.
pub fn misread_in(flag: &str, error: ExpectationError) -> Problem {
    Problem::usage(format!("{flag}: {}", error.message))
        .help(error.help)
        .at(flag, &error.text, error.span)
}

/// A trial that could not run.
pub fn engine_problem(error: &EngineError, target: &Target) -> Problem {
    let exit = exit_of(error.class());
    let problem = Problem::new(exit, remedy::explained(error));
    if error.class() == EngineErrorClass::Generators {
        return problem.help(
            "`dbdyno agents ADDRESS` lists the agents that are there; run the command again when they are",
        );
    }
    match exit {
        ExitCode::SystemUnreachable => problem.help(format!(
            "check the address and that the system is running; `dbdyno databases` shows address formats{}",
            or_the_lab(target)
        )),
        _ => problem,
    }
}

/// That the lab can start such a server, where it can; follows a sentence about one that cannot be reached.
pub fn or_the_lab(target: &Target) -> String {
    dbdyno_registry::find(&target.scheme)
        .and_then(|info| dbdyno_registry::find_recipe(info.name))
        .map_or_else(
            |_| String::new(),
            |recipe| {
                let name = recipe.info().name;
                format!("; or measure `lab:{name}`: dbdyno starts a server of its own on this machine")
            },
        )
}

/// The exit code for a kind of failure.
pub fn exit_of(class: EngineErrorClass) -> ExitCode {
    match class {
        EngineErrorClass::Input => ExitCode::Usage,
        EngineErrorClass::Unreachable | EngineErrorClass::Generators => ExitCode::SystemUnreachable,
        EngineErrorClass::Database => ExitCode::ResultInvalid,
        EngineErrorClass::Internal => ExitCode::Bug,
    }
}

/// Whether nothing was done to the system: the same command can work once its cause is mended.
pub fn never_began(error: &EngineError) -> bool {
    matches!(
        error.class(),
        EngineErrorClass::Input | EngineErrorClass::Unreachable
    )
}

/// A result folder that cannot be used. Its message names the remedy itself.
pub fn folder_problem(error: FolderError) -> Problem {
    let help = match error {
        FolderError::Io { .. } => "choose a writable folder with --output",
        _ => "",
    };
    Problem::files(error.to_string()).help(help)
}

/// Results that cannot be read; none of these commands chooses their folder with `--output`.
pub fn reading_problem(error: FolderError) -> Problem {
    match error {
        FolderError::Io { ref source, .. } if source.kind() == ErrorKind::InvalidData => {
            Problem::files(error.to_string()).help("restore the file, or measure again into another folder")
        }
        FolderError::Foreign { path, reason } => {
            Problem::files(format!("{} was not written by dbdyno: {reason}", path.display()))
                .help("pass the result folder of a run or a study, e.g. results/quickstart")
        }
        other => Problem::files(other.to_string()),
    }
}

/// Removes a folder that this command made and measured nothing into: the same command must work once its cause is mended.
pub fn discard(folder: ResultFolder) {
    let path = folder.path().to_owned();
    drop(folder);
    // Nothing in it is anybody else's; one that stays is only in the way.
    std::fs::remove_dir_all(&path).ok();
    // The folder of all results stays as soon as anything is in it.
    if let Some(parent) = path.parent().filter(|parent| *parent == Path::new(RESULTS)) {
        std::fs::remove_dir(parent).ok();
    }
}

/// Everything a result folder of any format holds. What its writer did not put there is said.
pub fn results(folder: &ResultFolder, terminal: Terminal) -> Result<StudyResults, Problem> {
    let results = plan::stored(folder)
        .and_then(|plan| StudyResults::read(folder, plan))
        .map_err(reading_problem)?;
    warn_of(&results.doubts, folder.path(), terminal);
    Ok(results)
}

/// Writes the page of what a folder holds into it, and says where it is.
pub fn write_page(folder: &ResultFolder, terminal: Terminal) -> Result<(), Problem> {
    let page = dbdyno_report::page(&results(folder, terminal)?);
    let path = folder
        .write_derived(PAGE, page.as_bytes())
        .map_err(folder_problem)?;
    terminal.note(&format!("Report: {}", path.display()));
    Ok(())
}

/// Says what in a result folder its writer did not put there.
pub fn warn_of(doubts: &Doubts, path: &Path, terminal: Terminal) {
    for doubt in doubts.list() {
        terminal.warn(&format!(
            "{}: {}; {}",
            path.display(),
            doubt.message,
            doubt.remedy
        ));
    }
}

/// A study that cannot begin or go on.
pub fn study_problem(error: StudyError) -> Problem {
    match error {
        StudyError::Folder(error) => folder_problem(error),
        StudyError::Changed { .. } => Problem::usage(error.to_string()).help(
            "old and new trials would not measure the same; use another folder with --output, or another `name` in \
             the study file, or change the keys back (a new `title` or more `trials` can go on in the folder)",
        ),
        StudyError::FewerTrials { begun, .. } => Problem::usage(error.to_string()).help(format!(
            "pass `--trials {begun}` or more, because trials that ran are never dropped; to start again with fewer, \
             use another folder with --output"
        )),
        StudyError::OtherOrder { .. } => Problem::usage(error.to_string())
            .help("use another folder with --output, or resume with the version of dbdyno that started the study"),
        StudyError::IntervalLog { .. } => Problem::files(with_cause(&error)),
        StudyError::Workload(refusal) => crate::work::refused(&refusal),
    }
}

fn with_cause(error: &dyn std::error::Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// A study file that cannot be used, shown at the places of its mistakes.
pub fn study_file_problem(error: StudyFileError) -> Problem {
    match error {
        StudyFileError::Unreadable { ref path, .. } => {
            let help = format!(
                "pass the path of a study file, e.g. studies/quickstart.toml; {} is not one",
                path.display()
            );
            Problem::usage(with_cause(&error)).help(help)
        }
        StudyFileError::Mistakes { path, text, mistakes } => {
            Problem::in_file(&path.display().to_string(), &text, mistakes)
        }
    }
}
