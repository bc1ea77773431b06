//! From what a command line says to one trial: system, workload, and who wins where both a flag and a property speak.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{Consistency, Durability, Target};
use dbdyno_engine::{Limit, Pace, Phases, Reset};
use dbdyno_study::file::effort::LONGEST_WARMUP;
use dbdyno_study::{Refusal, Single, address, targets, workloads};
use dbdyno_trial::TrialSpec;
use dbdyno_workload::Workload;
use dbdyno_workload::arrivals::Arrivals;
use dbdyno_workload::client_properties::ClientProperties;
use dbdyno_workload::properties::{Properties, PropertyError, PropertyErrors};

use crate::arguments::WarmUp;
use crate::defaults;
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
    /// Clients.
    pub clients: Option<u32>,
    /// Threads that carry them, where they can share.
    pub client_threads: Option<u32>,
    /// Durability.
    pub durability: Option<Durability>,
    /// Consistency.
    pub consistency: Option<Consistency>,
    /// The measured phase's limit in operations.
    pub operations: Option<u64>,
    /// The measured phase's limit in time.
    pub duration: Option<Duration>,
    /// Operations per second.
    pub rate: Option<f64>,
    /// Spacing of arrivals.
    pub arrivals: Option<Arrivals>,
    /// Warm-up.
    pub warmup: Option<WarmUp>,
    /// What becomes of data that is there.
    pub reset: Reset,
    /// Which phases run.
    pub phases: Phases,
    /// What stands where nobody says anything.
    pub fallback: Fallback,
}

/// What stands where neither a flag nor a property says anything.
#[derive(Clone, Copy, Debug)]
pub struct Fallback {
    /// Records; `None`: they must be said.
    pub records: Option<u64>,
    /// Clients.
    pub clients: u32,
    /// The measured phase, when it has no limit at all; `None`: it must be said.
    pub duration: Option<Duration>,
    /// The warm-up.
    pub warmup: Duration,
    /// Whether servers warm up until they are steady instead: one that has just started takes up to minutes.
    pub servers_until_steady: bool,
}

impl Fallback {
    /// Of `dbdyno run`.
    pub const OURS: Self = Self {
        records: Some(defaults::RECORDS),
        clients: defaults::CLIENTS,
        duration: Some(defaults::DURATION),
        warmup: defaults::WARMUP,
        servers_until_steady: true,
    };
    /// Of `dbdyno capacity` and `dbdyno sweep`: as studies do, which warm cold servers up before the first step.
    pub const LADDER: Self = Self {
        duration: Some(dbdyno_study::file::DEFAULT_DURATION),
        warmup: dbdyno_study::file::effort::DEFAULT_WARMUP,
        servers_until_steady: false,
        ..Self::OURS
    };
    /// Of `dbdyno ycsb`: as YCSB does it, but nothing is guessed that YCSB has no sensible default for.
    pub const YCSB: Self = Self {
        records: None,
        clients: 1,
        duration: None,
        warmup: Duration::ZERO,
        servers_until_steady: false,
    };
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
    target(&request.system, request.durability, request.consistency)?;
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
    let mut name = request.workload.as_deref().map(workloads::short_name);
    for file in &request.property_files {
        workloads::add_file(&mut properties, file).map_err(|refusal| refused(&refusal))?;
        name.get_or_insert_with(|| workloads::short_name(&file.display().to_string()));
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
    let target = target(&request.system, request.durability, request.consistency)?;
    let WorkloadProperties { mut properties, name } = read;
    if let Some(operations) = request.operations {
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
                .then_some(request.fallback.records)
                .flatten()
        });
    let resolved = match stated {
        Some(records) => workloads::resolve(&properties, records),
        None => workloads::resolve_as_is(&properties),
    }
    .map_err(|errors| wrong_properties(&errors))?;
    let client = resolved.client;

    let operations = request.operations.or(client.operations);
    let duration = request.duration.or(client.max_execution_time);
    // A flag for one limit replaces a property for the other: `--duration 5m` means five minutes whatever the file's
    // operationcount says.
    let (operations, duration) = match (request.operations, request.duration) {
        (None, Some(duration)) => (None, Some(duration)),
        (Some(operations), None) => (Some(operations), client.max_execution_time),
        _ => (operations, duration),
    };
    let limit = match (operations, duration) {
        (None, None) => Limit {
            operations: None,
            duration: request.fallback.duration,
        },
        (operations, duration) => Limit { operations, duration },
    };
    if limit == Limit::default() && request.phases != Phases::LoadOnly {
        return Err(Problem::usage("the run has no end").help(
            "set the number of operations, e.g. -p operationcount=1000000, or the seconds, -p maxexecutiontime=60",
        ));
    }
    let rate = request.rate.or(client.target);
    let pace = rate.map(|rate| Pace {
        rate,
        arrivals: request.arrivals.or(client.arrivals).unwrap_or_default(),
    });
    let clients = request
        .clients
        .or(client.threads)
        .unwrap_or(request.fallback.clients);
    let fallback = match request.fallback.servers_until_steady && address::is_server(&target) {
        true => WarmUp::UntilRest,
        false => WarmUp::Time(request.fallback.warmup),
    };
    let warmup = request
        .warmup
        .or(client.warmup.map(WarmUp::Time))
        .unwrap_or(fallback);
    let loads_only = request.phases == Phases::LoadOnly;
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
        client_threads: request.client_threads,
        pace: pace.filter(|_| !loads_only),
        warmup,
        limit: if loads_only { Limit::default() } else { limit },
        reset: request.reset,
        phases: request.phases,
        ..single.spec
    };
    Ok(PreparedRun {
        single,
        client,
        notices: resolved.notices,
    })
}

fn target(
    address: &str,
    durability: Option<Durability>,
    consistency: Option<Consistency>,
) -> Result<Target, Problem> {
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
