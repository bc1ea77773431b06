//! `dbdyno capacity` and `dbdyno sweep`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dbdyno_engine::Phases;
use dbdyno_files::values::{ArrivalSpacing, Clients, Kind, Rate, Text, Trials};
use dbdyno_files::{List, StudyFile};
use dbdyno_record::{Finding, ResultFolder, TrialStatus, objective};
use dbdyno_report::checks::Check;
use dbdyno_report::model::RisingLoadSystem;
use dbdyno_report::{Render, ReportModel, number};
use dbdyno_study::file::{self, RisingLoadRequest};
use dbdyno_study::{Single, conductor, single};
use dbdyno_vocabulary::{Expectation, ExpectationError, shell};
use dbdyno_workload::client_properties::ClientProperties;

use super::after::Judged;
use super::run::request;
use super::{after, run_checks, study};
use crate::aborted;
use crate::arguments::{
    CapacityArguments, RisingLoadArguments, RisingLoadFormat, SweepArguments, WorkArguments,
};
use crate::defaults::{self, RESULTS};
use crate::exit_code::ExitCode;
use crate::folder_name::default_name;
use crate::install::LabProgress;
use crate::interrupt::{self, Ending};
use crate::junit;
use crate::load_generators;
use crate::problem::Problem;
use crate::progress::{Progress, TrialLines};
use crate::terminal::Terminal;
use crate::work::{self, WorkRequest};

/// `dbdyno capacity`.
pub fn capacity(arguments: &CapacityArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    junit::reported("dbdyno capacity", arguments.junit.as_deref(), |checks| {
        let expectations = arguments
            .expectations
            .iter()
            .map(|text| of_capacity(text).map_err(|error| after::misread_in("--expect", error)))
            .collect::<Result<Vec<_>, _>>()?;
        let request = RisingLoadRequest {
            kind: Kind::Capacity,
            keys: StudyFile {
                step: Some(arguments.step.into()),
                clients: List::of(arguments.clients.map(Clients)),
                ..shared_keys(&arguments.rising_load, &arguments.slo)?
            },
        };
        let asked = Asked {
            work: &arguments.work,
            rising_load: &arguments.rising_load,
            request,
            expectations: &expectations,
        };
        execute(asked, checks, terminal)
    })
}

/// `dbdyno sweep`.
pub fn sweep(arguments: &SweepArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    if !arguments.rates.is_empty() && arguments.clients.len() > 1 {
        return Err(
            Problem::usage("--rates and several --clients both define the steps")
                .help("pass one number of clients, or omit --rates"),
        );
    }
    let request = RisingLoadRequest {
        kind: Kind::Sweep,
        keys: StudyFile {
            clients: List::of(arguments.clients.iter().copied().map(Clients)),
            rates: List::of(arguments.rates.iter().copied().map(Rate::PerSecond)),
            ..shared_keys(&arguments.rising_load, &arguments.slo)?
        },
    };
    let asked = Asked {
        work: &arguments.work,
        rising_load: &arguments.rising_load,
        request,
        expectations: &[],
    };
    execute(asked, &mut Vec::new(), terminal)
}

/// What the options of both commands say, as keys of a study file.
fn shared_keys(rising_load: &RisingLoadArguments, objective: &[String]) -> Result<StudyFile, Problem> {
    for text in objective {
        Expectation::parse(text).map_err(|error| after::misread_in("--slo", error))?;
    }
    Ok(StudyFile {
        trials: Some(Trials(rising_load.trials).into()),
        slo: List::of(objective.iter().map(|text| Text::from(text.as_str()))),
        arrivals: rising_load
            .arrivals
            .map(|arrivals| ArrivalSpacing(arrivals).into()),
        ..StudyFile::default()
    })
}

/// The arguments of a search for rates, whichever command it is of.
struct Asked<'a> {
    work: &'a WorkArguments,
    rising_load: &'a RisingLoadArguments,
    request: RisingLoadRequest,
    expectations: &'a [Expectation],
}

fn execute(asked: Asked<'_>, checks: &mut Vec<Check>, terminal: Terminal) -> Result<ExitCode, Problem> {
    let Asked {
        work: arguments,
        rising_load,
        request: mut asked,
        expectations,
    } = asked;
    let request = request(arguments, Phases::LoadAndRun);
    let work = work::prepare(&WorkRequest {
        flags: ClientProperties {
            arrivals: rising_load.arrivals,
            operations: rising_load.operations,
            max_execution_time: rising_load.duration,
            ..ClientProperties::default()
        },
        warmup: rising_load.warmup,
        spec: defaults::of_rising_load(request.spec),
        servers_until_steady: false,
        ..request
    })?;
    for notice in &work.notices {
        terminal.note(&format!("Note: {notice}"));
    }
    if asked.keys.clients.is_empty() {
        asked.keys.clients = List::of(work.client.threads.map(Clients));
    }
    let kind = asked.kind.word();
    load_generators::check(&arguments.agents, [&work.single.target])?;
    let output = output(arguments, &work.single, kind);
    let name = output.file_name().map_or_else(
        || kind.to_owned(),
        |name| single::study_name(&name.to_string_lossy()),
    );
    let file = file::rising_load(&work.single, &name, asked)
        .map_err(|mistake| Problem::usage(mistake.message).help(mistake.help))?;
    let is_new = !output.exists();
    let folder = conductor::open_folder(&file, &output).map_err(after::study_problem)?;
    aborted::explain([&work.single.target]);
    let stop = interrupt::stop_on_signals(Ending::Measurement, terminal)?;
    let progress = LabProgress::new(terminal, arguments.install, &stop);
    let is_left = !conductor::is_complete(&file, &folder).map_err(after::study_problem)?;
    let ready = study::prepare(&file, &folder, progress).and_then(|()| match is_left {
        true => load_generators::recruit(&arguments.agents, &name, arguments.install, &stop, terminal),
        false => Ok(None),
    });
    let generators = match ready {
        Ok(generators) => generators,
        Err(problem) => {
            if is_new {
                after::discard(folder);
            }
            return Err(problem);
        }
    };
    let mut progress = Progress::of_study(TrialLines::of(&file.study, &folder), terminal);
    let run = conductor::StudyRun {
        file: &file,
        folder: &folder,
        aborted: &[],
        generators,
    };
    let outcome = conductor::run_with(run, &mut progress, &stop);
    progress.finish();
    let shown = show(&folder, rising_load.format, terminal);
    let summary = outcome.map_err(after::study_problem)?;
    let model = shown?;
    study::tell(&summary, &folder, terminal)?;
    let mut code = study::exit_code(&summary);
    let system = model.as_ref().and_then(only_system);
    let spoiled = spoiled(&folder)?;
    let mut reasons = incomplete(code);
    if !spoiled.is_empty() {
        code = code.or(ExitCode::ResultInvalid);
        spoiled.iter().for_each(|reason| terminal.warn(reason));
        reasons.extend(spoiled);
    }
    checks.push(run_checks::valid(subject(system), &reasons));
    if code == ExitCode::Success {
        for expectation in expectations {
            let judged = judge(expectation, system);
            code = code.or(judged.report(&terminal));
            checks.push(check(&judged, system));
        }
    }
    if summary.interrupted {
        terminal.note(&format!(
            "Interrupted; to resume, run the same command with --output {}",
            shell::path(folder.path())
        ));
    }
    terminal.note(&format!("Results are in {}", folder.path().display()));
    Ok(code)
}

fn output(arguments: &WorkArguments, single: &Single, kind: &str) -> PathBuf {
    arguments
        .output
        .clone()
        .unwrap_or_else(|| Path::new(RESULTS).join(default_name(single, &[], Some(kind))))
}

fn show(
    folder: &ResultFolder,
    format: RisingLoadFormat,
    terminal: Terminal,
) -> Result<Option<ReportModel>, Problem> {
    let Some(study::Derived { model, page, .. }) = study::derive(folder, terminal)? else {
        return Ok(None);
    };
    terminal.print(&match format {
        RisingLoadFormat::Table => model.text(terminal.stdout),
        RisingLoadFormat::Json => dbdyno_report::rising_load_json(&model),
        RisingLoadFormat::Markdown => model.markdown(),
    })?;
    terminal.note(&format!("Report: {}", page.display()));
    Ok(Some(model))
}

fn only_system(model: &ReportModel) -> Option<&RisingLoadSystem> {
    model.rising_load.as_ref()?.cells.first()?.systems.first()
}

/// An expectation of a capacity, which is one of a rate: read as one of throughput.
fn of_capacity(text: &str) -> Result<Expectation, ExpectationError> {
    const NAME: &str = "capacity";
    const RATE: &str = "throughput";
    let Some(rest) = text.trim_start().strip_prefix(NAME) else {
        return Err(ExpectationError {
            text: text.to_owned(),
            span: 0..text.len(),
            message: "--expect accepts only `capacity` here".to_owned(),
            help: "write e.g. 'capacity>40k'; use --slo for objectives at each rate".to_owned(),
        });
    };
    let mut expectation = Expectation::parse(&format!("{RATE}{rest}")).map_err(|mut error| {
        let shift = |place: usize| {
            (place + text.len())
                .saturating_sub(error.text.len())
                .min(text.len())
        };
        error.span = shift(error.span.start)..shift(error.span.end);
        error.text = text.to_owned();
        error
    })?;
    expectation.text = text.to_owned();
    Ok(expectation)
}

/// Why there is no answer yet; empty when the search came to its end.
fn incomplete(code: ExitCode) -> Vec<String> {
    match code {
        ExitCode::Success => Vec::new(),
        code => vec![format!("the search did not complete: {}", code.meaning())],
    }
}

/// What makes its trials invalid, beside the rates and the errors that a search looks for; a sentence for each kind.
fn spoiled(folder: &ResultFolder) -> Result<Vec<String>, Problem> {
    let trials = folder.trials().map_err(after::folder_problem)?;
    let completed = || {
        trials
            .iter()
            .filter(|trial| trial.status == TrialStatus::Completed)
    };
    let mut kinds: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in completed().flat_map(objective::spoiling) {
        kinds.entry(finding.code()).or_default().push(finding);
    }
    let all = number::plural(completed().count(), "trial", "trials");
    let sentence = |(code, findings): (&str, Vec<&Finding>)| {
        let verb = number::agreeing(&findings.len(), "is", "are");
        format!(
            "{} of {all} {verb} invalid ({code}); e.g. {}",
            findings.len(),
            findings[0]
        )
    };
    Ok(kinds.into_iter().map(sentence).collect())
}

fn check(judged: &Judged, system: Option<&RisingLoadSystem>) -> Check {
    let check = run_checks::expected(judged, subject(system));
    // The sentence has the interval.
    let sentence = system.map_or_else(String::new, |system| format!("; {}", system.sentence));
    Check {
        message: format!("{}{sentence}", check.message),
        ..check
    }
}

fn subject(system: Option<&RisingLoadSystem>) -> String {
    system.map_or_else(|| "capacity".to_owned(), |system| system.name.clone())
}

/// A lower bound is met by what was shown to hold, an upper one by what was shown to miss.
fn judge(expectation: &Expectation, system: Option<&RisingLoadSystem>) -> Judged {
    let capacity = system.and_then(|system| system.capacity.as_ref());
    let (rate, what) = if expectation.is_lower_bound() {
        (capacity.and_then(|capacity| capacity.held), "was shown to hold")
    } else {
        (capacity.and_then(|capacity| capacity.missed), "was shown to miss")
    };
    let measured = rate.map_or_else(
        || format!("no rate {what}"),
        |rate| format!("{} {what}", number::rate(rate)),
    );
    Judged {
        text: expectation.text.clone(),
        is_met: rate.is_some_and(|rate| expectation.holds_for(rate)),
        measured,
    }
}
