//! One trial: from a cell to a record.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass, SystemFacts, Target};
use dbdyno_engine::{
    EngineError, EngineErrorClass, LoadGenerators, Observer, Outcome, Phase, PreparedTrial, Stop,
};
use dbdyno_lab::{LabError, LabErrorKind};
use dbdyno_record::PlannedTrial;
use dbdyno_record::trial::TRIAL_FORMAT;
use dbdyno_record::{
    Conditions, Fact, Floor, ProtectionRecord, ServerCost, Skew, SystemRecord, TrialRecord, TrialStatus,
    WorkloadRecord,
};
use dbdyno_trial::TrialSpec;
use dbdyno_workload::Workload;

use crate::address;
use crate::judge::protection;
use crate::judge::setting;
use crate::judge::steady::{self, Windows};
use crate::plan::window;
use crate::run::conditions::{ConditionsWatch, JudgedWindows, Machine, ThisMachine, WatchedSystem};
use crate::run::labs::Labs;
use crate::run::remedy;
use crate::run::server_watch::ServerWatch;

/// How long operations in flight may take after the end of a phase.
pub(crate) const DRAIN: Duration = Duration::from_secs(30);

/// Everything a trial needs.
#[derive(Clone)]
pub struct TrialRequest<'a> {
    /// Name of the study.
    pub study: &'a str,
    /// Name, place and seed of the trial.
    pub planned: &'a PlannedTrial,
    /// The system, with the secrets that its specification hides.
    pub target: &'a Target,
    /// The trial, as the engine carries it out.
    pub plan: PreparedTrial,
}

/// A trial of this specification for the engine. Its warm-up has windows of this length where it ends by itself.
pub(crate) fn prepared(
    spec: TrialSpec,
    workload: Arc<Workload>,
    warmup_window: Option<Duration>,
) -> PreparedTrial {
    PreparedTrial {
        interval: window::length(&spec.limit, spec.pace),
        spec,
        workload,
        warmup_interval: warmup_window,
        drain: DRAIN,
        turns: None,
        part: None,
    }
}

/// The result of a trial: always a record, and the engine's error when it could not run.
pub struct TrialResult {
    /// Its record.
    pub record: TrialRecord,
    /// Why it failed; the record says so too.
    pub error: Option<EngineError>,
}

/// Carries out one trial.
///
/// A system of the lab is started first, when it does not run yet, and stays until `labs` is dropped.
pub fn run(
    request: &TrialRequest<'_>,
    labs: &mut Labs,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> TrialResult {
    run_on(&mut ThisMachine::default(), request, labs, observer, stop)
}

/// Carries out one trial, as [`run`] does, on a machine whose counters the caller supplies.
pub(crate) fn run_on(
    machine: &mut dyn Machine,
    request: &TrialRequest<'_>,
    labs: &mut Labs,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> TrialResult {
    let ready = Ready::new(request, labs, observer, stop);
    let mut conditions = conditions(request, labs, &[], machine, observer);
    let name = request.plan.spec.system.name.as_str();
    let mut watching = ServerWatch::new(labs, name, request.target, &mut conditions);
    let generators = labs.generators();
    let outcome = ready.target.as_ref().ok().map(|target| {
        let plan = &request.plan;
        carry_out(generators.as_deref(), target, plan, &mut watching, stop)
    });
    // A stop while load generators are waited for is no failure of theirs.
    let is_stopped = |outcome: &Result<Outcome, EngineError>| {
        let class = outcome.as_ref().err().map(EngineError::class);
        class == Some(EngineErrorClass::Generators) && stop.is_requested()
    };
    let outcome = outcome.filter(|outcome| !is_stopped(outcome));
    let server = watching.finish();
    ready.concluded(request, with_server(outcome, server), conditions, labs)
}

/// Carries out a plan in this process, or with other load generators.
pub(crate) fn carry_out(
    generators: Option<&dyn LoadGenerators>,
    target: &Target,
    plan: &PreparedTrial,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<Outcome, EngineError> {
    match generators {
        Some(generators) => generators.run_trial(target, plan, observer, stop),
        None => dbdyno_registry::run_trial(target, plan, observer, stop),
    }
}

/// The engine's result, with the resources that the servers used.
pub(crate) fn with_server(
    outcome: Option<Result<Outcome, EngineError>>,
    server: Option<ServerCost>,
) -> Option<Result<Outcome, EngineError>> {
    outcome.map(|outcome| {
        outcome.map(|mut outcome| {
            if let Some(measure) = &mut outcome.measure {
                measure.server = server;
            }
            outcome
        })
    })
}

/// Watches the conditions of a trial. Servers of the systems `beside` it run in turns with its own.
pub(crate) fn conditions<'a>(
    request: &TrialRequest<'_>,
    labs: &Labs,
    beside: &[(&str, &Target)],
    machine: &'a mut dyn Machine,
    observer: &'a mut dyn Observer,
) -> ConditionsWatch<'a> {
    let plan = &request.plan;
    let system = WatchedSystem {
        name: &plan.spec.system.name,
        target: request.target,
        beside,
    };
    let warming = plan.warmup_interval.map_or(steady::SECOND_NS, nanoseconds);
    let windows = JudgedWindows {
        measured: Windows::of(Phase::Measure, nanoseconds(plan.interval)),
        warming: Windows::of(Phase::WarmUp, warming),
        warms_until_rest: plan.warmup_interval.map(|_| plan.spec.pace.is_some()),
    };
    ConditionsWatch::new(labs, &system, windows, machine, observer)
}

/// A system that the lab has made ready for a trial.
pub(crate) struct Ready {
    started_at: String,
    /// Its real address, or why it has none.
    pub(crate) target: Result<Target, LabError>,
    protection: Option<ProtectionRecord>,
    /// Ctrl-C reaches what fetches and starts servers, too: their failure is not the reason then.
    interrupted: bool,
}

impl Ready {
    /// Starts the servers of a trial's system where they do not run yet.
    pub(crate) fn new(
        request: &TrialRequest<'_>,
        labs: &mut Labs,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Self {
        let started_at = jiff::Timestamp::now().to_string();
        let name = request.plan.spec.system.name.as_str();
        let target = labs.resolve(name, request.target, observer, stop);
        let protection = target
            .as_ref()
            .ok()
            .and_then(|target| labs.protection(name, target));
        let interrupted = target.is_err() && stop.is_requested();
        Self {
            started_at,
            target,
            protection,
            interrupted,
        }
    }

    /// The record of the trial. `outcome` is `None` where it could not be begun.
    pub(crate) fn concluded(
        self,
        request: &TrialRequest<'_>,
        outcome: Option<Result<Outcome, EngineError>>,
        conditions: ConditionsWatch<'_>,
        labs: &Labs,
    ) -> TrialResult {
        let name = request.plan.spec.system.name.as_str();
        let mut record = empty_record(request, self.started_at);
        record.conditions.start = labs.start_of(name).cloned();
        record.system.protection = self.protection;
        record.system.at_rest = labs.at_rest(name).cloned();
        record.system.resources = labs.resources(name).cloned();
        if self.interrupted {
            record.status = TrialStatus::Interrupted;
            return TrialResult { record, error: None };
        }
        let full = labs.full_volume(name).map(setting::full_volume);
        let outcome = match (outcome, self.target) {
            (_, Err(error)) => Err(not_started(request.target, &error)),
            (Some(outcome), Ok(_)) => outcome,
            // A stop came first.
            (None, Ok(_)) => {
                record.status = TrialStatus::Interrupted;
                return TrialResult { record, error: None };
            }
        };
        let error = match outcome {
            Ok(outcome) => {
                fill(&mut record, request, outcome);
                record.findings.extend(protection::findings(&record));
                conditions.judge(&mut record);
                let one_disk = setting::nodes_share_disk(&record);
                record.findings.extend(one_disk);
                None
            }
            Err(error) => {
                record.status = TrialStatus::Failed {
                    reason: remedy::explained(&error),
                    of_generators: error.class() == EngineErrorClass::Generators,
                };
                Some(error)
            }
        };
        record.findings.extend(full);
        TrialResult { record, error }
    }
}

fn fill(record: &mut TrialRecord, request: &TrialRequest<'_>, outcome: Outcome) {
    describe(&mut record.system, outcome.facts);
    record.system.scan_order = Fact::Known(outcome.scan_order);
    record
        .system
        .settings
        .extend(address::java_options(request.target));
    record.workload.records = outcome.records_before;
    record.threads = outcome.threads;
    record.status = if outcome.interrupted {
        TrialStatus::Interrupted
    } else {
        TrialStatus::Completed
    };
    record.floor = outcome.floor;
    record.findings = outcome.findings;
    let attempts: u64 = outcome
        .measure
        .iter()
        .flat_map(|measure| measure.operations.values())
        .map(dbdyno_record::OperationRecord::attempts)
        .sum();
    if attempts > 0 {
        record.skew =
            dbdyno_workload::skew::realised(&request.plan.workload, outcome.records_before, attempts).map(
                |skew| Skew {
                    operations: skew.operations,
                    hottest_key: skew.hottest_key,
                    top_1_percent: skew.top_1_percent,
                    top_20_percent: skew.top_20_percent,
                },
            );
    }
    record.load = outcome.load;
    record.measure = outcome.measure;
    record.generators = outcome.generators;
}

fn describe(system: &mut SystemRecord, facts: SystemFacts) {
    system.product = facts.product;
    system.version = facts.version;
    system.topology = facts.topology;
    system.nodes = facts.nodes;
    system.replicas = facts.replicas;
    system.durability = Fact::Known(facts.durability);
    system.durability_means = facts.durability_means;
    system.consistency = facts.consistency.map_or(Fact::Absent, Fact::Known);
    system.consistency_means = facts.consistency_means;
    system.settings = facts.settings;
}

/// The lab's error, as one of reaching the system.
fn not_started(target: &Target, error: &LabError) -> EngineError {
    let class = match error.kind {
        LabErrorKind::Request => ErrorClass::Rejected,
        _ => ErrorClass::Unavailable,
    };
    let advice = if error.help.is_empty() {
        String::new()
    } else {
        format!("; {}", error.help)
    };
    EngineError::Connect {
        system: target.to_string(),
        error: DbError::new(class, format!("the lab could not start it: {error}{advice}")),
    }
}

/// The record of a trial without an outcome: it could not be begun, or a kill left none.
pub(crate) fn without_outcome(request: &TrialRequest<'_>, status: TrialStatus) -> TrialRecord {
    let mut record = empty_record(request, jiff::Timestamp::now().to_string());
    record.status = status;
    record
}

/// The record before the system is reached.
fn empty_record(request: &TrialRequest<'_>, started_at: String) -> TrialRecord {
    let info = address::driver_info(request.target);
    let spec = &request.plan.spec;
    let specification = request.plan.workload.specification();
    TrialRecord {
        format: TRIAL_FORMAT.to_owned(),
        study: request.study.to_owned(),
        trial: request.planned.trial.clone(),
        block: request.planned.block,
        position: request.planned.position,
        seed: request.planned.seed,
        started_at,
        spec: spec.clone(),
        threads: 0,
        system: SystemRecord {
            name: spec.system.name.clone(),
            driver: info.map_or("", |info| info.name).to_owned(),
            address: request.target.to_string(),
            scan_order: info.map_or(Fact::Absent, |info| Fact::Known(info.capabilities.scan)),
            ..SystemRecord::default()
        },
        workload: WorkloadRecord {
            name: spec.workload.clone(),
            records: specification.records,
            properties: specification.properties(),
        },
        status: TrialStatus::Completed,
        load: None,
        measure: None,
        floor: Floor::default(),
        skew: None,
        generators: Vec::new(),
        findings: Vec::new(),
        conditions: Conditions::default(),
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
