//! From what a command line says to one trial: system, workload, and who wins where both a flag and a property speak.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dbdyno_driver::Target;
use dbdyno_engine::{Limit, Pace, Phases};
use dbdyno_study::file::effort::LONGEST_WARMUP;
use dbdyno_study::{Refusal, Single, address, targets, workloads};
use dbdyno_trial::TrialSpec;
use dbdyno_vocabulary::workload_name::short_name;
use dbdyno_workload::Workload;
use dbdyno_workload::client_properties::ClientProperties;
use dbdyno_workload::properties::{Properties, PropertyError, PropertyErrors};

use crate::arguments::WarmUp;
use crate::joined;
use crate::problem::Problem;

/// What is wanted, from whichever command line it comes. `None` leaves it to the properties, then to the defaults.
#[derive(Clone, Debug)]
pub struct WorkRequest {
    /// The system's address.
    pub system: String,
    /// A built-in workload's name or a property file; `None`: YCSB's defaults.
    pub workload: Option<String>,
    /// Property files, in order.
    pub property_files: Vec<PathBuf>,
    /// `key=value`, in order.
    pub properties: Vec<String>,
    /// Records in the table.
    pub records: Option<u64>,
    /// Seed.
    pub seed: u64,
    /// What flags say of the load, which wins over the same properties in files; the warm-up is beside it.
    pub flags: ClientProperties,
    /// Warm-up.
    pub warmup: Option<WarmUp>,
    /// What the trial is asked. Its records, clients, warm-up and limit stand where neither a flag nor a property says anything;
    /// no records and no limit: they must be said.
    pub spec: TrialSpec,
    /// Whether servers warm up until they are steady where nobody says how long: one that has just started takes up to minutes.
    pub servers_until_steady: bool,
}

/// A trial that is ready to run, and what is worth knowing about how it came to be.
pub struct PreparedRun {
    /// The trial.
    pub single: Single,
    /// How YCSB's client properties were set.
    pub client: ClientProperties,
    /// Notices about properties without meaning here.
    pub notices: Vec<String>,
}

/// Makes a trial of a request.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn prepare(request: &WorkRequest) -> Result<PreparedRun, Problem> {
    // The system first: who mistypes its name wants to hear of that.
    target(request)?;
    prepare_with(request, properties(request)?)
}

/// A workload's properties, of all files and overrides, and its name.
pub struct WorkloadProperties {
    /// By key.
    pub properties: Properties,
    name: String,
}

/// Reads the properties that a request names.
///
/// # Errors
/// The first thing that is wrong with them.
pub fn properties(request: &WorkRequest) -> Result<WorkloadProperties, Problem> {
    let here = Path::new("");
    let mut properties = match &request.workload {
        Some(name) => workloads::base(name, here).map_err(|refusal| refused(&refusal))?,
        None => Default::default(),
    };
    let mut name = request
        .workload
        .as_deref()
        .map(|name| short_name(name).to_owned());
    for file in &request.property_files {
        workloads::add_file(&mut properties, file).map_err(|refusal| refused(&refusal))?;
        name.get_or_insert_with(|| short_name(&file.display().to_string()).to_owned());
    }
    for property in &request.properties {
        properties
            .set(property)
            .map_err(|error| refused(&workloads::from_property(&error)))?;
    }
    workloads::attach_files(&mut properties, here).map_err(|refusal| refused(&refusal))?;
    let name = name.unwrap_or_else(|| "ycsb-defaults".to_owned());
    properties.set_name(&name);
    Ok(WorkloadProperties { properties, name })
}

/// Makes a trial of a request whose properties were read.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn prepare_with(request: &WorkRequest, read: WorkloadProperties) -> Result<PreparedRun, Problem> {
    let target = target(request)?;
    let WorkRequest {
        flags, spec: usual, ..
    } = request;
    let WorkloadProperties { mut properties, name } = read;
    if let Some(operations) = flags.operations {
        properties.insert("operationcount", &operations.to_string());
    }
    let stated = request
        .records
        .or(workloads::recordcount(&properties))
        .or_else(|| {
            // insertcount alone says it too; the workload knows how.
            properties
                .get("insertcount")
                .is_none()
                .then_some(usual.records)
                .filter(|records| *records > 0)
        });
    let resolved = match stated {
        Some(records) => workloads::resolve(&properties, records),
        None => workloads::resolve_as_is(&properties),
    }
    .map_err(|errors| wrong_properties(&errors))?;
    let client = resolved.client;

    let operations = flags.operations.or(client.operations);
    let duration = flags.max_execution_time.or(client.max_execution_time);
    // A flag for one limit replaces a property for the other: `--duration 5m` means five minutes whatever the file's
    // operationcount says.
    let (operations, duration) = match (flags.operations, flags.max_execution_time) {
        (None, Some(duration)) => (None, Some(duration)),
        (Some(operations), None) => (Some(operations), client.max_execution_time),
        _ => (operations, duration),
    };
    let limit = match (operations, duration) {
        (None, None) => usual.limit,
        (operations, duration) => Limit { operations, duration },
    };
    if limit == Limit::default() && usual.phases != Phases::LoadOnly {
        return Err(Problem::usage("the run has no end").help(
            "set the number of operations, e.g. -p operationcount=1000000, or the seconds, -p maxexecutiontime=60",
        ));
    }
    let rate = flags.target.or(client.target);
    let pace = rate.map(|rate| Pace {
        rate,
        arrivals: flags.arrivals.or(client.arrivals).unwrap_or_default(),
    });
    let clients = flags.threads.or(client.threads).unwrap_or(usual.clients);
    let fallback = match request.servers_until_steady && address::is_server(&target) {
        true => WarmUp::UntilRest,
        false => WarmUp::Time(usual.warmup.longest),
    };
    let warmup = request
        .warmup
        .or(client.warmup.map(WarmUp::Time))
        .unwrap_or(fallback);
    let loads_only = usual.phases == Phases::LoadOnly;
    let warmup = match warmup {
        _ if loads_only => dbdyno_trial::WarmUp::default(),
        WarmUp::Time(warmup) => dbdyno_trial::WarmUp::fixed(warmup),
        WarmUp::UntilRest => dbdyno_trial::WarmUp {
            longest: LONGEST_WARMUP,
            until_steady: true,
        },
    };
    let workload = Workload::new(resolved.specification, request.seed)
        .map_err(|error| refused(&workloads::from_workload(&name, &error)))?;
    let mut single = Single::new(target, Arc::new(workload), &name);
    single.spec = TrialSpec {
        clients,
        client_threads: usual.client_threads,
        pace: pace.filter(|_| !loads_only),
        warmup,
        limit: if loads_only { Limit::default() } else { limit },
        reset: usual.reset,
        phases: usual.phases,
        ..single.spec
    };
    Ok(PreparedRun {
        single,
        client,
        notices: resolved.notices,
    })
}

fn target(request: &WorkRequest) -> Result<Target, Problem> {
    let address = &request.system;
    let (durability, consistency) = (request.spec.durability, request.spec.consistency);
    let mut target = targets::parse(address).map_err(|refusal| {
        let problem = refused(&refusal);
        match joined::help(address, "run") {
            Some(help) => problem.help(help),
            None => problem,
        }
    })?;
    match (target.durability, durability) {
        (Some(there), Some(flag)) if there != flag => {
            return Err(Problem::usage(format!(
                "durability is set twice: `{there}` in the system's address, and `{flag}` by --durability"
            ))
            .help("remove one of them"));
        }
        (_, flag) => target.durability = target.durability.or(flag),
    }
    match (target.consistency, consistency) {
        (Some(there), Some(flag)) if there != flag => {
            return Err(Problem::usage(format!(
                "consistency is set twice: `{there}` in the system's address, and `{flag}` by --consistency"
            ))
            .help("remove one of them"));
        }
        (_, flag) => target.consistency = target.consistency.or(flag),
    }
    targets::check(&target).map_err(|refusal| refused(&refusal))?;
    Ok(target)
}

/// All that is wrong with the properties.
fn wrong_properties(errors: &PropertyErrors) -> Problem {
    let problem = |error: &PropertyError| refused(&workloads::from_property(error));
    problem(errors.first()).and(errors.iter().skip(1).map(problem))
}

/// A refused input as an error of usage.
pub fn refused(refusal: &Refusal) -> Problem {
    Problem::usage(refusal.message.clone()).help(refusal.help.clone())
}
