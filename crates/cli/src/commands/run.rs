//! `dbdyno run` and `dbdyno load`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use dbdyno_engine::{Phases, Reset};
use dbdyno_record::{ResultFolder, TrialStatus};
use dbdyno_report::checks::Check;
use dbdyno_study::file::space::of_single;
use dbdyno_study::single;
use dbdyno_trial::TrialSpec;
use dbdyno_vocabulary::shell;
use dbdyno_workload::client_properties::ClientProperties;

use super::study::short_duration;
use super::{after, expectations, lab, lint, run_checks, serve, several, space};
use crate::aborted;
use crate::arguments::{LoadArguments, OnceArguments, RunArguments, WorkArguments};
use crate::defaults::{self, RESULTS};
use crate::exit_code::ExitCode;
use crate::folder_name::default_name;
use crate::install::LabProgress;
use crate::interrupt::{self, Ending};
use crate::junit;
use crate::load_generators;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::terminal::Terminal;
use crate::work::{self, WorkRequest};

/// `dbdyno run`.
pub fn run(arguments: &RunArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let request = WorkRequest {
        flags: ClientProperties {
            threads: arguments.once.clients,
            target: arguments.rate,
            arrivals: arguments.arrivals,
            operations: arguments.operations,
            max_execution_time: arguments.duration,
            ..ClientProperties::default()
        },
        warmup: arguments.warmup,
        ..request(&arguments.work, Phases::LoadAndRun)
    };
    if arguments.others.is_empty() && arguments.runs.is_none_or(|runs| runs == 1) {
        let asked = Asked {
            work: &arguments.work,
            once: &arguments.once,
            serve: arguments.serve,
        };
        junit::reported("dbdyno run", asked.once.junit.as_deref(), |checks| {
            execute(&request, &asked, checks, terminal)
        })
    } else {
        several::execute(&request, arguments, terminal)
    }
}

/// `dbdyno load`.
pub fn load(arguments: &LoadArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let request = WorkRequest {
        flags: ClientProperties {
            threads: arguments.once.clients,
            ..ClientProperties::default()
        },
        ..request(&arguments.work, Phases::LoadOnly)
    };
    let asked = Asked {
        work: &arguments.work,
        once: &arguments.once,
        serve: None,
    };
    junit::reported("dbdyno load", asked.once.junit.as_deref(), |checks| {
        execute(&request, &asked, checks, terminal)
    })
}

/// What the shared arguments ask for.
pub fn request(arguments: &WorkArguments, phases: Phases) -> WorkRequest {
    WorkRequest {
        system: arguments.system.clone(),
        workload: Some(arguments.workload.clone()),
        property_files: arguments.property_files.clone(),
        properties: arguments.properties.clone(),
        records: arguments.records,
        seed: arguments.seed,
        flags: ClientProperties::default(),
        warmup: None,
        spec: TrialSpec {
            client_threads: arguments.client_threads,
            durability: arguments.durability,
            consistency: arguments.consistency,
            reset: if arguments.fresh {
                Reset::Fresh
            } else {
                Reset::Reuse
            },
            phases,
            ..defaults::of_run()
        },
        servers_until_steady: true,
    }
}

/// The arguments of one run, whichever command it is of.
struct Asked<'a> {
    work: &'a WorkArguments,
    once: &'a OnceArguments,
    serve: Option<SocketAddr>,
}

fn execute(
    request: &WorkRequest,
    asked: &Asked<'_>,
    checks: &mut Vec<Check>,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    let Asked {
        work: arguments,
        once,
        serve,
    } = *asked;
    let work = work::prepare(request)?;
    let expectations = expectations::read(&once.expectations, &work.single)?;
    for notice in &work.notices {
        terminal.note(&format!("Note: {notice}"));
    }
    let single = &work.single;
    load_generators::check(&arguments.agents, [&single.target])?;
    space::check(of_single(single), "lower --records", terminal)?;
    let (output, name) = output(arguments, single)?;
    let _served = match serve {
        Some(address) => Some(serve::beside(&output, address, terminal)?),
        None => None,
    };
    let folder = ResultFolder::create(&output, &single.study_text(&name)).map_err(after::folder_problem)?;
    aborted::explain([&single.target]);
    let stop = interrupt::stop_on_signals(Ending::Measurement, terminal)?;
    let mut progress = LabProgress::new(terminal, arguments.install, &stop);
    let prepared = progress.prepare([&single.target]).map_err(lab::problem);
    let ready = prepared.and_then(|()| {
        if let Some(warm_up) = warm_up(&single.spec) {
            terminal.note(&warm_up);
        }
        load_generators::recruit(&arguments.agents, &name, arguments.install, &stop, terminal)
    });
    let generators = match ready {
        Ok(generators) => generators,
        Err(problem) => {
            after::discard(folder);
            return Err(problem);
        }
    };
    let single = &single.sent_by(generators);
    let mut progress = Progress::new(terminal);
    let result = single.run_into(&folder, &name, &mut progress, &stop);
    progress.finish();
    let result = result.map_err(after::study_problem)?;
    if let Some(error) = &result.error {
        if after::never_began(error) {
            after::discard(folder);
        } else if after::write_page(&folder, terminal).is_err() {
            terminal.warn("the page of the failed run could not be written");
        }
        return Err(after::engine_problem(error, &single.target));
    }

    let record = &result.record;
    terminal.print(&after::format(record, once.format, &work.client, &terminal))?;
    let mut code = after::validity(record, &terminal);
    let linted = lint::of_trial(record, &terminal);
    code = code.or(lint::exit_code(&linted));
    let judged = after::judge(record, &expectations);
    for expectation in &judged {
        code = code.or(expectation.report(&terminal));
    }
    checks.extend(run_checks::of(record, &linted, &judged));
    if record.status == TrialStatus::Interrupted {
        code = code.or(ExitCode::Interrupted);
    }
    after::write_page(&folder, terminal)?;
    Ok(code)
}

/// How long a run that warms up until it is steady may take before it measures; `None` where that was asked for.
fn warm_up(spec: &TrialSpec) -> Option<String> {
    if !spec.warmup.until_steady {
        return None;
    }
    let measured = spec.limit.duration.map_or_else(String::new, |duration| {
        format!(", then measures for {}", short_duration(duration))
    });
    Some(format!(
        "Warms up until throughput is steady, for at most {}{measured}; `--warmup 5s` shortens it",
        short_duration(spec.warmup.longest)
    ))
}

/// A run that was interrupted keeps what it measured, and no run goes on with another.
fn not_empty(path: &Path) -> Problem {
    let holds = match ResultFolder::open(path) {
        Ok(_) => ", and holds an earlier run",
        Err(_) => "",
    };
    let remove = match holds {
        "" => String::new(),
        _ => format!("; `rm -r {}` discards the earlier run", shell::path(path)),
    };
    Problem::files(format!("the output folder {} is not empty{holds}", path.display())).help(format!(
        "choose a new folder with --output, or omit it: each run then gets its own folder under results/{remove}"
    ))
}

/// The result folder, and the name of the run: the folder's last part.
fn output(arguments: &WorkArguments, single: &dbdyno_study::Single) -> Result<(PathBuf, String), Problem> {
    let Some(path) = &arguments.output else {
        let name = default_name(single, &[], None);
        return Ok((Path::new(RESULTS).join(&name), name));
    };
    if path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(not_empty(path));
    }
    let name = path
        .file_name()
        .map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok((path.clone(), single::study_name(&name)))
}
