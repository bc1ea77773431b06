//! `dbdyno audit`: what protects a running database, by observation.

use std::path::Path;

use dbdyno_audit::{Auditor, Place, Request, Vantage};
use dbdyno_driver::{ErrorClass, Target};
use dbdyno_engine::Stop;
use dbdyno_lab::{InstanceRequest, Keep, Lab, LabHome};
use dbdyno_machine::ProcessId;
use dbdyno_record::audit::{AuditFinding, Feature, ProtectionLevel};
use dbdyno_report::checks::Check;
use dbdyno_report::{AuditReport, AuditReports, Gate, MUST_BE_KNOWN, Render};
use dbdyno_study::{Refusal, address, targets};
use dbdyno_vocabulary::words;

use super::after::or_the_lab;
use super::lab;
use super::written::deliver;
use crate::aborted;
use crate::arguments::{AuditArguments, AuditFormat};
use crate::exit_code::ExitCode;
use crate::install::LabProgress;
use crate::interrupt::{self, Ending};
use crate::joined;
use crate::junit;
use crate::problem::Problem;
use crate::terminal::Terminal;
use crate::work::refused;

/// `dbdyno audit`.
pub fn execute(arguments: &AuditArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    junit::reported("dbdyno audit", arguments.junit.as_deref(), |checks| {
        execute_all(arguments, checks, terminal)
    })
}

fn execute_all(
    arguments: &AuditArguments,
    checks: &mut Vec<Check>,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    one_system_only(arguments)?;
    // Every address is read before the first server starts.
    let systems: Vec<(Target, &dyn Auditor)> = arguments
        .systems
        .iter()
        .map(|address| system(address))
        .collect::<Result<_, _>>()?;
    aborted::explain(systems.iter().map(|(target, _)| target));
    let stop = interrupt::stop_on_signals(Ending::Audit, terminal)?;
    LabProgress::new(terminal, arguments.install, &stop)
        .prepare(systems.iter().map(|(target, _)| target))
        .map_err(lab::problem)?;
    let mut reports = Vec::with_capacity(systems.len());
    let mut failed: Option<Problem> = None;
    for (target, auditor) in &systems {
        if reports.is_empty() || !stop.is_requested() {
            match audit(arguments, target, *auditor, &stop, terminal) {
                Ok(report) => reports.push(report),
                Err(problem) if failed.is_none() => failed = Some(problem),
                Err(problem) => terminal.warn(&format!("{target}: {}", problem.message())),
            }
        }
    }
    // One that cannot be reached takes nothing away from what was found at the others.
    if let Some(problem) = failed.take_if(|_| reports.is_empty()) {
        return Err(problem);
    }
    let reports = AuditReports(reports);
    let gate = gate(arguments);
    if arguments.fail_on.is_some() || arguments.fail_on_unknown.is_some() {
        checks.extend(reports.checks(&gate));
    }
    let text = match arguments.format {
        AuditFormat::Text => reports.text(terminal.stdout),
        AuditFormat::Markdown => reports.markdown(),
        AuditFormat::Html => reports.html(),
        AuditFormat::Json => reports.json(),
        AuditFormat::Sarif => reports.sarif(),
    };
    deliver(arguments.output.as_deref(), &text, terminal)?;
    if stop.is_requested() {
        checks.push(junit::error("dbdyno audit", "the audit was interrupted"));
        return Ok(ExitCode::Interrupted);
    }
    if let Some(problem) = failed {
        return Err(problem);
    }
    let findings = reports.0.iter().flat_map(|report| &report.record.findings);
    let refused: Vec<&AuditFinding> = findings.filter(|finding| gate.refuses(finding)).collect();
    let unknown: Vec<&str> = refused
        .iter()
        .filter(|finding| finding.level == ProtectionLevel::Unknown)
        .map(|finding| finding.feature.id())
        .collect();
    if !unknown.is_empty() {
        terminal.tell(&format!(
            "Failed because an unknown answer is not a pass: {}; --allow-unknown={} accepts it",
            unknown.join(", "),
            unknown.join(",")
        ));
    }
    Ok(if refused.is_empty() {
        ExitCode::Success
    } else {
        ExitCode::ExpectationNotMet
    })
}

/// What fails the audit.
fn gate(arguments: &AuditArguments) -> Gate {
    let named = arguments.fail_on_unknown.as_deref();
    let implied: &[Feature] = match (named, arguments.fail_on) {
        (Some([]), _) => &Feature::ALL,
        (_, Some(_)) => &MUST_BE_KNOWN,
        (_, None) => &[],
    };
    // What `--only` leaves out was not asked for, unless it is named here.
    let is_examined = |feature: &Feature| arguments.only.is_empty() || arguments.only.contains(feature);
    let implied = implied.iter().copied().filter(is_examined);
    let mut known: Vec<Feature> = named.unwrap_or_default().iter().copied().chain(implied).collect();
    if let Some(allowed) = &arguments.allow_unknown {
        known.retain(|feature| !allowed.is_empty() && !allowed.contains(feature));
    }
    Gate {
        limit: arguments.fail_on,
        known,
    }
}

/// Flags that belong to one system's servers say nothing about several.
fn one_system_only(arguments: &AuditArguments) -> Result<(), Problem> {
    let flags = [
        ("--administrator", arguments.administrator.is_some()),
        ("--data", !arguments.data.is_empty()),
        ("--log", !arguments.logs.is_empty()),
    ];
    match flags.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) if arguments.systems.len() > 1 => Err(Problem::usage(format!(
            "{flag} applies to one system, but {} are named",
            arguments.systems.len()
        ))
        .help("audit that system alone")),
        _ => Ok(()),
    }
}

/// A system with its probes.
fn system(address: &str) -> Result<(Target, &'static dyn Auditor), Problem> {
    let target = parse(address)?;
    let scheme = match target.scheme.as_str() {
        address::SCHEME => target.place.split('@').next().unwrap_or_default(),
        scheme => scheme,
    };
    let auditor = dbdyno_registry::find_auditor(scheme).map_err(|error| {
        if let Some(help) = joined::help(address, "audit") {
            return Problem::usage("one address cannot name several systems").help(help);
        }
        match dbdyno_registry::find(scheme) {
            Ok(_) => not_auditable(scheme),
            Err(_) => refused(&match targets::check(&target) {
                Err(refusal) => refusal,
                Ok(()) => Refusal::new(error.to_string(), ""),
            }),
        }
    })?;
    // A server without a host is no address, and everything else about it is the auditor's.
    if target.scheme != address::SCHEME && !target.place.starts_with("//") {
        targets::check(&target).map_err(|refusal| refused(&refusal))?;
    }
    Ok((target, auditor))
}

/// A database that can be measured, and has no server that this command examines.
fn not_auditable(name: &str) -> Problem {
    let has_server = |auditor: &&&dyn Auditor| dbdyno_registry::find_recipe(auditor.database()).is_ok();
    let auditors = dbdyno_registry::auditors().iter().filter(has_server);
    let servers: Vec<&str> = auditors.map(|auditor| auditor.database()).collect();
    let example = servers.last().map_or_else(String::new, |name| {
        format!("`dbdyno audit lab:{name}` starts one and examines it")
    });
    Problem::usage(format!(
        "{name} runs inside this process and has no server to examine; {} can be audited",
        words::list(&servers)
    ))
    .help(example)
}

/// The audit of one system.
fn audit(
    arguments: &AuditArguments,
    target: &Target,
    auditor: &dyn Auditor,
    stop: &Stop,
    terminal: Terminal,
) -> Result<AuditReport, Problem> {
    // Until the audit has ended.
    let lab = start(
        target,
        &mut LabProgress::new(terminal, arguments.install, stop),
        stop,
    )?;
    let request = request(arguments, target, lab.as_ref())?;
    let mut progress = |feature: Feature| {
        let examining = format!("Examining {}", feature.id());
        match auditor.may_run(feature) {
            // `--quiet` hides progress, but not what may run on a server.
            Some(runs) => terminal.tell(&format!("{examining}; {runs}")),
            None => terminal.note(&examining),
        }
    };
    let version = env!("CARGO_PKG_VERSION");
    let record = dbdyno_audit::run(auditor, &request, version, &|| stop.is_requested(), &mut progress)
        .map_err(|error| unreachable(error, target))?;
    Ok(AuditReport {
        record,
        catalogue: dbdyno_audit::catalogue(auditor),
    })
}

fn parse(address: &str) -> Result<Target, Problem> {
    Target::parse(address).map_err(|error| Problem::usage(error.to_string()))
}

/// The servers of a system of the lab, started for this audit; `None` for others.
fn start(target: &Target, progress: &mut LabProgress<'_>, stop: &Stop) -> Result<Option<Lab>, Problem> {
    let Some(system) = address::read(target) else {
        return Ok(None);
    };
    let system = system.map_err(lab::problem)?;
    let home = LabHome::of_user().map_err(lab::problem)?;
    let instance = InstanceRequest {
        recipe: system.recipe,
        request: &system.request,
        home: &home,
        keep: Keep::UntilDropped,
    };
    let lab = dbdyno_lab::up(&instance, progress, &|| stop.is_requested());
    lab.map(Some).map_err(lab::problem)
}

/// What the audit may use: what the user named, or what the lab knows of its own servers.
fn request(arguments: &AuditArguments, target: &Target, lab: Option<&Lab>) -> Result<Request, Problem> {
    let own = |option: bool, flag: &str| {
        if option && lab.is_some() {
            Err(
                Problem::usage(format!("{flag} is for systems that the lab did not start"))
                    .help(format!("leave {flag} out: the lab knows its own servers")),
            )
        } else {
            Ok(())
        }
    };
    own(arguments.administrator.is_some(), "--administrator")?;
    own(!arguments.data.is_empty(), "--data")?;
    own(!arguments.logs.is_empty(), "--log")?;
    for path in arguments.data.iter().chain(&arguments.logs) {
        check_place(path)?;
    }
    let (address, administrator, place) = match lab {
        Some(lab) => {
            let instance = lab.instance();
            let administrator = instance.administrator.as_deref().map(parse).transpose()?;
            (parse(lab.address())?, administrator, place_of(lab))
        }
        None => {
            let administrator = arguments.administrator.as_deref().map(parse).transpose()?;
            if let Some(administrator) = &administrator
                && administrator.scheme != target.scheme
            {
                return Err(Problem::usage(format!(
                    "--administrator names a system of `{}`, but SYSTEM one of `{}`",
                    administrator.scheme, target.scheme
                ))
                .help("give the same address with another login"));
            }
            let place = Place {
                data: arguments.data.clone(),
                logs: arguments.logs.clone(),
                processes: processes(target)?,
            };
            (target.clone(), administrator, place)
        }
    };
    let from = arguments
        .from_namespace
        .clone()
        .map_or(Vantage::Here, Vantage::Namespace);
    from.check().map_err(|why| {
        Problem::usage(why).help("`ip netns list` shows the namespaces; entering one needs root")
    })?;
    Ok(Request {
        target: address,
        administrator,
        name: target.to_string(),
        place,
        from,
        only: arguments.only.clone(),
        tries_defaults: arguments.try_defaults,
        tries_idle_connections: arguments.try_idle_connections,
        patience: arguments.timeout,
    })
}

/// Whether a server may keep data or logs there.
fn check_place(path: &Path) -> Result<(), Problem> {
    let help = "name the servers' own directories on this machine with --data and --log, or leave them out";
    if let Err(error) = std::fs::metadata(path) {
        return Err(Problem::files(format!("cannot look into {}: {error}", path.display())).help(help));
    }
    if dbdyno_audit::is_of_the_kernel(path) {
        let what = format!(
            "{} contains no files on disk, so no server keeps data or logs there",
            path.display()
        );
        return Err(Problem::usage(what).help(help));
    }
    Ok(())
}

fn place_of(lab: &Lab) -> Place {
    let servers = lab.servers();
    Place {
        data: servers.iter().map(|server| server.directory.clone()).collect(),
        logs: servers.iter().map(|server| server.log.clone()).collect(),
        processes: servers.iter().map(|server| server.process).collect(),
    }
}

/// The processes that the address names by `server_pids`.
fn processes(target: &Target) -> Result<Vec<ProcessId>, Problem> {
    let option = dbdyno_driver::remote::SERVER_PIDS;
    let Some(text) = target.options.get(option) else {
        return Ok(Vec::new());
    };
    text.split(',')
        .map(|number| {
            ProcessId::named(number).map_err(|why| {
                Problem::usage(format!("{why}, but `{option}` names it"))
                    .help("name the processes of the servers, separated by commas")
            })
        })
        .collect()
}

fn unreachable(error: dbdyno_driver::DbError, target: &Target) -> Problem {
    let exit = match error.class {
        ErrorClass::Rejected => ExitCode::Usage,
        _ => ExitCode::SystemUnreachable,
    };
    Problem::new(exit, error.message).help(format!(
        "check the address and the port, and that the server runs{}",
        or_the_lab(target)
    ))
}
