//! `dbdyno ycsb load|run`: YCSB's command line in, YCSB's text out. Nothing is written to disk, as with YCSB; `dbdyno
//! run` keeps records.

use dbdyno_engine::{Phases, Reset};
use dbdyno_record::{Finding, Severity, TrialStatus};
use dbdyno_trial::TrialSpec;
use dbdyno_workload::client_properties::ClientProperties;
use dbdyno_workload::properties::Properties;

use super::{after, lab};
use crate::aborted;
use crate::arguments::{InstallArguments, YcsbCommand};
use crate::defaults;
use crate::exit_code::ExitCode;
use crate::install::LabProgress;
use crate::interrupt::{self, Ending};
use crate::load_generators;
use crate::problem::Problem;
use crate::terminal::Terminal;
use crate::work::{self, WorkRequest};
use crate::ycsb_bindings;
use crate::ycsb_host;
use crate::ycsb_options::{self, YcsbOptions};
use crate::ycsb_status::StatusLines;

/// `dbdyno ycsb`.
pub fn execute(command: &YcsbCommand, terminal: Terminal) -> Result<ExitCode, Problem> {
    let (rest, load) = match command {
        YcsbCommand::Load(rest) => (&rest.rest, true),
        YcsbCommand::Run(rest) => (&rest.rest, false),
    };
    let options = YcsbOptions::parse(rest).map_err(|error| Problem::usage(error.message).help(error.help))?;
    if options.help {
        terminal.print(&format!("{}\n", crate::arguments::YCSB_HELP))?;
        return Ok(ExitCode::Success);
    }
    let load = options.load.unwrap_or(load);
    let Some(database) = options.database.as_deref() else {
        return Err(Problem::usage("no database given").help(
            "name it after the command, e.g. `dbdyno ycsb run redb:data.redb -P workloads/workloada`",
        ));
    };
    if options.jvm_arguments {
        terminal.note("Note: -jvm-args is ignored; set JVM options with DBDYNO_JVM_OPTIONS");
    }
    run(&options, database, load, terminal)
}

/// The system that YCSB's name for a database means, with the binding's own properties taken out.
fn system_of(database: &str, properties: &mut Properties, terminal: &Terminal) -> Result<String, Problem> {
    if let Some(translation) = ycsb_bindings::translate(database, properties)? {
        if !translation.ignored.is_empty() {
            terminal.note(&format!(
                "Note: {} of YCSB's binding have no meaning here",
                translation.ignored.join(", ")
            ));
        }
        return Ok(translation.address);
    }
    let system = ycsb_options::address_of(database);
    let scheme = system.split([':', '?']).next().unwrap_or(system);
    if dbdyno_registry::find(scheme).is_err() && ycsb_options::is_binding(system) {
        let names: Vec<&str> = dbdyno_registry::databases()
            .iter()
            .map(|info| info.name)
            .collect();
        return Err(Problem::usage(format!(
            "dbdyno does not know the properties of YCSB's binding `{database}`"
        ))
        .help(format!(
            "pass its Java class and its jars (-cp) to host it, or name a system by its address; see `dbdyno \
             databases`; dbdyno itself drives {}",
            names.join(", ")
        )));
    }
    Ok(system.to_owned())
}

fn run(options: &YcsbOptions, database: &str, load: bool, terminal: Terminal) -> Result<ExitCode, Problem> {
    let mut request = WorkRequest {
        system: String::new(),
        workload: None,
        property_files: options.property_files.clone(),
        properties: options.properties.clone(),
        records: None,
        seed: defaults::SEED,
        flags: ClientProperties::default(),
        warmup: None,
        spec: TrialSpec {
            // YCSB's load inserts, whatever is there; a second load of the same records would only be errors.
            reset: Reset::Reuse,
            phases: if load {
                Phases::LoadOnly
            } else {
                Phases::LoadAndRun
            },
            ..defaults::of_ycsb()
        },
        servers_until_steady: false,
    };
    let mut read = work::properties(&request)?;
    match &options.class_path {
        Some(class_path) if ycsb_options::is_class(database) => {
            request.system = ycsb_host::address(database, class_path, &mut read.properties);
            // As YCSB does it: a load inserts whatever is there, a run loads nothing.
            (request.spec.reset, request.spec.phases) = if load {
                (Reset::Fresh, Phases::LoadOnly)
            } else {
                (Reset::Reuse, Phases::RunOnly)
            };
        }
        class_path => {
            if class_path.is_some() {
                terminal.note(&format!(
                    "Note: -cp is ignored; it applies to bindings named by their Java class, not to {database}"
                ));
            }
            request.system = system_of(database, &mut read.properties, &terminal)?;
        }
    }
    let work = work::prepare_with(&request, read)?;
    for notice in &work.notices {
        terminal.note(&format!("Note: {notice}"));
    }
    load_generators::check(&options.agents, [&work.single.target])?;
    aborted::explain([&work.single.target]);
    let stop = interrupt::stop_on_signals(Ending::Measurement, terminal)?;
    // YCSB's command line has no flag for it.
    LabProgress::new(terminal, InstallArguments::default(), &stop)
        .prepare([&work.single.target])
        .map_err(lab::problem)?;
    let agents = load_generators::recruit(
        &options.agents,
        "ycsb",
        InstallArguments::default(),
        &stop,
        terminal,
    )?;
    let single = work.single.sent_by(agents);
    let client = &work.client;
    let wanted = options.status || client.status == Some(true);
    let label = options.label.clone().or_else(|| client.label.clone());
    let mut status = StatusLines::new(
        terminal,
        wanted,
        label.unwrap_or_default(),
        client.status_interval,
        after::latency_kind(client),
    );
    let result = single.run("ycsb", &mut status, &stop);
    status.finish();
    if let Some(error) = &result.error {
        return Err(after::engine_problem(error, &single.target));
    }
    let record = &result.record;
    terminal.print(&after::ycsb(record, client))?;
    let tail = record.measure.as_ref().and_then(|measure| measure.tail);
    if let Some(tail) = tail.filter(|tail| tail.operations > 0) {
        terminal.note(&format!(
            "Note: {} operations sent after the first agent had finished are not measured",
            tail.operations
        ));
    }
    // Findings that make the result invalid follow as a warning.
    let milder = |finding: &&Finding| finding.severity < Severity::Invalid;
    for finding in record.findings.iter().filter(milder) {
        terminal.note(&format!("Note: {finding}; {}", finding.remedy()));
    }
    let mut code = after::validity(record, &terminal);
    if record.status == TrialStatus::Interrupted {
        code = code.or(ExitCode::Interrupted);
    }
    Ok(code)
}
