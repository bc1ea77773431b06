//! From a log to an ordinary record.

use std::collections::BTreeMap;

use dbdyno_record::finding::{CoordinatedOmission, FiguresDisagree, Imported};
use dbdyno_record::trial::TRIAL_FORMAT;
use dbdyno_record::{
    ClientCost, Conditions, Fact, Finding, Floor, LoadRecord, MeasureRecord, OperationRecord, SystemRecord,
    TrialRecord, TrialStatus, WorkloadRecord,
};
use dbdyno_trial::{Arrivals, Consistency, Durability, Limit, Origin, Pace, SystemSpec, TrialSpec};

use crate::{Log, Phase};

/// What the driver of an imported result is called.
pub const DRIVER: &str = "imported";

/// What the person who imports a log states about it, and its place in the folder. What is `None` is not known, unless the log
/// states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// Name of the study.
    pub study: String,
    /// Name of the trial.
    pub trial: String,
    /// Its place among all of the folder.
    pub position: u32,
    /// The file it comes from, as it was named.
    pub source: String,
    /// Name of the system.
    pub system: String,
    /// Name of the workload.
    pub workload: String,
    /// Clients.
    pub clients: Option<u32>,
    /// Records in the table.
    pub records: Option<u64>,
    /// What a write survived.
    pub durability: Option<Durability>,
    /// How many replicas took part; absent where there is one copy.
    pub consistency: Option<Fact<Consistency>>,
}

/// Makes the record. Trials of different systems were not run in blocks, so each has one of its own, and none is paired.
#[must_use]
pub fn record(log: &Log, reported: &Declared) -> TrialRecord {
    let asked = &log.asked;
    let clients = reported.clients.or(asked.clients);
    let records = reported
        .records
        .or_else(|| asked.count("recordcount"))
        .or_else(|| loaded(log));
    let system = SystemRecord {
        name: reported.system.clone(),
        driver: DRIVER.to_owned(),
        durability: reported.durability.into(),
        durability_means: reported
            .durability
            .as_ref()
            .map_or_else(String::new, |_| "stated at import".to_owned()),
        consistency: reported.consistency.unwrap_or(Fact::NotStated),
        scan_order: Fact::NotStated,
        settings: asked
            .binding
            .iter()
            .map(|binding| ("binding".to_owned(), binding.clone()))
            .collect(),
        ..SystemRecord::default()
    };
    let spec = TrialSpec {
        clients: clients.unwrap_or(0),
        pace: asked.rate.map(|rate| Pace {
            rate,
            arrivals: Arrivals::Constant,
        }),
        limit: Limit {
            operations: asked.count("operationcount"),
            duration: None,
        },
        origin: Origin::Log {
            states_rate: rate_is_known(log),
        },
        ..TrialSpec::new(
            SystemSpec::named(&reported.system),
            &reported.workload,
            records.unwrap_or(0),
        )
    };
    let (load, measure) = phases(log);
    TrialRecord {
        format: TRIAL_FORMAT.to_owned(),
        study: reported.study.clone(),
        trial: reported.trial.clone(),
        block: reported.position,
        position: reported.position,
        seed: 0,
        started_at: String::new(),
        threads: spec.clients,
        spec,
        system,
        workload: WorkloadRecord {
            name: reported.workload.clone(),
            records: records.unwrap_or(0),
            properties: asked.properties.clone(),
        },
        status: TrialStatus::Completed,
        load,
        measure,
        floor: Floor::default(),
        skew: None,
        generators: Vec::new(),
        conditions: Conditions::default(),
        findings: findings(log, reported, clients, records),
    }
}

/// Whether the log states if there was a rate.
fn rate_is_known(log: &Log) -> bool {
    log.asked.reported || log.asked.rate.is_some()
}

/// What a load has inserted is what there is.
fn loaded(log: &Log) -> Option<u64> {
    let inserts = log.operations.get("insert")?;
    (log.phase == Phase::Load).then_some(inserts.ok)
}

fn phases(log: &Log) -> (Option<LoadRecord>, Option<MeasureRecord>) {
    match log.phase {
        Phase::Load => {
            let inserts = log.operations.get("insert").cloned().unwrap_or_default();
            let duration_ns = log.duration_ns;
            (Some(LoadRecord { duration_ns, inserts }), None)
        }
        Phase::Run => {
            let measure = MeasureRecord {
                duration_ns: log.duration_ns,
                tail: None,
                drain: dbdyno_record::Drain::default(),
                operations: log.operations.clone(),
                pacing: None,
                client: ClientCost::default(),
                server: None,
                clock_drift_ppm: None,
                error_samples: Vec::new(),
            };
            (None, Some(measure))
        }
    }
}

fn findings(log: &Log, reported: &Declared, clients: Option<u32>, records: Option<u64>) -> Vec<Finding> {
    let unknown: Vec<&str> = [
        ("product and version", true),
        ("durability", reported.durability.is_none()),
        ("consistency", reported.consistency.is_none()),
        ("records", records.is_none()),
        ("clients", clients.is_none()),
        ("rate", !rate_is_known(log)),
        ("seed", true),
        ("machine", true),
    ]
    .into_iter()
    .filter_map(|(what, unknown)| unknown.then_some(what))
    .collect();
    let imported = Finding::note(Imported {
        tool: log.tool.name().to_owned(),
        source: reported.source.clone(),
        remarks: log.remarks.clone(),
        not_stated: unknown.into_iter().map(str::to_owned).collect(),
    });
    let disagree = log.disagreement.as_ref().map(|disagreement| {
        Finding::warning(FiguresDisagree {
            disagreement: disagreement.clone(),
        })
    });
    let operations = without_response(&log.operations);
    let rate = log.asked.rate.filter(|_| !operations.is_empty());
    let omitting = rate.map(|rate| {
        Finding::warning(CoordinatedOmission {
            asked_per_second: rate,
            operations,
        })
    });
    [Some(imported), disagree, omitting]
        .into_iter()
        .flatten()
        .collect()
}

fn without_response(operations: &BTreeMap<String, OperationRecord>) -> Vec<String> {
    let without = operations.iter().filter(|(_, record)| !record.has_response());
    without.map(|(kind, _)| kind.clone()).collect()
}
