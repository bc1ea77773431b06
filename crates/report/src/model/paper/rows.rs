//! Trials as rows in a paper's words and sizes, which claims are judged on and figures drawn from.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::speed::Readings;
use dbdyno_paper::measured::{Measurements, Row};
use dbdyno_paper::{LOAD, Rerun};
use dbdyno_record::audit::{Feature, ProtectionLevel};
use dbdyno_record::{KnownLatency, MeasureRecord, PlannedPaper, TrialRecord, TrialStatus};
use dbdyno_trial::Factor;
use dbdyno_vocabulary::{OperationKind, twin_original};

use crate::AuditReport;
use crate::model::PrintedQuantity;

/// The attributes of a row, by name.
type Attributes = BTreeMap<String, String>;
/// Values by the name of their column.
type Columns = BTreeMap<String, f64>;

/// Our trials, as rows in the paper's words and sizes. The load is a workload of its own, `load`: in each block the geometric mean of the
/// loads before [all workloads](workloads_of_loads), for the table is loaded alike before each. All rows are shown; claims are judged on
/// those of the second result, which leave out every cell with an invalid trial: to leave out that trial alone would choose results.
pub(super) fn measured(
    reference: &PlannedPaper,
    rerun: &Rerun,
    trials: &[TrialRecord],
) -> (Measurements, Measurements) {
    let readings = Readings::between_turns(trials, None);
    let mut rows: Vec<Row> = Vec::new();
    let mut unusable: BTreeSet<Attributes> = BTreeSet::new();
    let printed = |sizes: &BTreeMap<u64, u64>, ours: u64| sizes.get(&ours).copied().unwrap_or(ours);
    let of_loads = workloads_of_loads(rerun, trials);
    let mut loads: BTreeMap<(Attributes, bool), BTreeMap<u32, Vec<Columns>>> = BTreeMap::new();
    for trial in trials {
        let (name, twin) = match twin_original(&trial.system.name) {
            Some(original) => (original, true),
            None => (trial.system.name.as_str(), false),
        };
        let known = rerun.systems.iter().any(|system| system.id == name);
        let (Some(measure), TrialStatus::Completed, true) = (&trial.measure, &trial.status, known) else {
            continue;
        };
        let is_factor = trial.spec.factors.contains(&Factor::Records);
        let ours = if is_factor {
            trial.spec.records
        } else {
            trial.workload.records
        };
        let records = printed(&reference.records, ours);
        let ops = printed(
            &reference.operations,
            trial.spec.limit.operations.unwrap_or_default(),
        );
        let rate = trial.spec.pace.map(|pace| pace.rate);
        let is_unusable = !trial.is_valid();
        let attributes = |workload: &str, ops: u64| -> Attributes {
            let attributes = [
                ("system", name.to_owned()),
                ("workload", workload.to_owned()),
                ("topology", rerun.topology.clone()),
                ("records", records.to_string()),
                ("ops", ops.to_string()),
            ];
            attributes.map(|(name, value)| (name.to_owned(), value)).into()
        };
        let kinds = measure.operations.iter();
        let mut values = columns(
            trial.spec.limit.is_counted().then(|| measure.run_time_ns()),
            measure.throughput_per_second(),
            kinds.map(|(kind, operation)| (kind.as_str(), operation.known_latency())),
        );
        values.extend(counts(measure));
        values.extend(server_cost(measure));
        let mut of_row = attributes(&trial.workload.name, ops);
        if let Some(rate) = rate {
            of_row.insert("rate".to_owned(), rate.to_string());
        }
        if is_unusable {
            unusable.insert(of_row.clone());
        }
        let row = row_of(&mut rows, of_row);
        row.scans = scans(trial);
        add(row, twin, trial.block, values);
        let reference_ns = readings.as_ref().and_then(|readings| readings.ns(trial));
        if let (Some(reference_ns), false) = (reference_ns, twin) {
            row.reference_ns.entry(trial.block).or_insert(reference_ns);
        }
        if let (Some(load), true) = (&trial.load, of_loads.contains(trial.workload.name.as_str())) {
            let of_row = attributes(LOAD, records);
            if is_unusable {
                unusable.insert(of_row.clone());
            }
            let inserts = std::iter::once(("insert", load.inserts.known_latency()));
            let values = columns(Some(load.duration_ns), load.throughput_per_second(), inserts);
            let blocks = loads.entry((of_row, twin)).or_default();
            blocks.entry(trial.block).or_default().push(values);
        }
    }
    for ((of_row, twin), blocks) in loads {
        let row = row_of(&mut rows, of_row);
        let most = blocks.values().map(Vec::len).max();
        // A block that was interrupted has loads of some workloads only.
        for (block, values) in blocks
            .into_iter()
            .filter(|(_, values)| Some(values.len()) == most)
        {
            add(row, twin, block, geometric_means(&values));
        }
    }
    let usable = rows
        .iter()
        .filter(|row| !unusable.contains(&row.attributes))
        .cloned()
        .collect();
    (Measurements { rows }, Measurements { rows: usable })
}

/// The workloads whose loads count: all without an invalid trial; where each has one, the first that was measured. What made a trial
/// invalid was seen after its load, and says nothing of the others'.
fn workloads_of_loads<'t>(rerun: &Rerun, trials: &'t [TrialRecord]) -> BTreeSet<&'t str> {
    let mut measured: BTreeSet<&str> = trials.iter().map(|trial| trial.workload.name.as_str()).collect();
    let mut workloads = rerun.workloads.iter();
    let first = workloads.find_map(|workload| measured.get(workload.id.as_str()).copied());
    for trial in trials.iter().filter(|trial| !trial.is_valid()) {
        measured.remove(trial.workload.name.as_str());
    }
    match measured.is_empty() {
        true => first.into_iter().collect(),
        false => measured,
    }
}

/// Adds what a block has of a row. What is there stays.
fn add(row: &mut Row, twin: bool, block: u32, values: Columns) {
    let columns = if twin { &mut row.again } else { &mut row.values };
    for (column, value) in values {
        let blocks: &mut BTreeMap<u32, f64> = columns.entry(column).or_default();
        blocks.entry(block).or_insert(value);
    }
}

/// The geometric mean of each column over all that have it.
fn geometric_means(values: &[Columns]) -> Columns {
    let mut columns: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for (column, value) in values.iter().flatten() {
        columns.entry(column).or_default().push(*value);
    }
    let mean = |values: &[f64]| match values {
        // To the last digit.
        [alone] => *alone,
        _ => (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp(),
    };
    let means = columns
        .iter()
        .map(|(column, values)| ((*column).clone(), mean(values)));
    means.collect()
}

/// The columns of a phase; a length that a limit of time set is no time that the work took.
fn columns<'a>(
    run_time_ns: Option<u64>,
    throughput: Option<f64>,
    kinds: impl Iterator<Item = (&'a str, KnownLatency<'a>)>,
) -> Columns {
    let run_time = run_time_ns.into_iter().flat_map(|run_time_ns| {
        [
            (PrintedQuantity::Seconds, run_time_ns as f64 / 1e9),
            (PrintedQuantity::Milliseconds, run_time_ns as f64 / 1e6),
        ]
    });
    let throughput = throughput.map(|throughput| (PrintedQuantity::Throughput, throughput));
    let latencies = kinds.filter_map(|(kind, latency)| {
        let kind = OperationKind::from_name(kind)?;
        Some((PrintedQuantity::MeanLatency(kind), latency.mean_ns()? / 1e3))
    });
    let values = run_time.chain(throughput).chain(latencies);
    values
        .map(|(quantity, value)| (quantity.column(), value))
        .collect()
}

/// The row of these attributes, a new one where there is none.
fn row_of(rows: &mut Vec<Row>, attributes: Attributes) -> &mut Row {
    let index = rows.iter().position(|row| row.attributes == attributes);
    let index = index.unwrap_or_else(|| {
        rows.push(Row {
            attributes,
            ..Row::default()
        });
        rows.len() - 1
    });
    &mut rows[index]
}

/// Operations that succeeded, by kind: `read_ops`.
fn counts(measure: &MeasureRecord) -> Columns {
    let kinds = measure.operations.iter();
    let counts = kinds.filter_map(|(kind, operation)| {
        let kind = OperationKind::from_name(kind)?;
        Some((
            format!("{}_ops", kind.name().replace('-', "_")),
            operation.ok as f64,
        ))
    });
    counts.collect()
}

/// CPU time of the servers for each operation, microseconds, and their memory, MB; nothing where they were not watched.
fn server_cost(measure: &MeasureRecord) -> Vec<(String, f64)> {
    let Some(server) = &measure.server else {
        return Vec::new();
    };
    let cpu = measure.cpu_ns_per_operation(server.cpu_seconds);
    let cpu = cpu.map(|nanoseconds| ("server_cpu_us".to_owned(), nanoseconds / 1e3));
    let memory = ("server_memory_mb".to_owned(), server.resident_bytes as f64 / 1e6);
    cpu.into_iter().chain([memory]).collect()
}

/// The order that a trial's scans follow, in words; empty where it does not scan.
fn scans(trial: &TrialRecord) -> String {
    let operations = trial.measure.as_ref().map(|measure| &measure.operations);
    let has_scans = operations.is_some_and(|operations| operations.contains_key(OperationKind::Scan.name()));
    if has_scans {
        format!("{} order", trial.system.scan_order.name())
    } else {
        String::new()
    }
}

/// What audits observed, as rows of the topology `audit`: how many of the thesis' features each database enforced.
pub(super) fn audited(audits: &[AuditReport]) -> Vec<Row> {
    let row = |audit: &AuditReport| {
        let attributes = [
            ("database", audit.record.database.as_str()),
            ("topology", "audit"),
        ];
        let enforced = audit.record.findings.iter().filter(|finding| {
            Feature::of_the_thesis().contains(&finding.feature) && finding.level == ProtectionLevel::Enforced
        });
        Row {
            attributes: attributes
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            exact: [("features".to_owned(), enforced.count() as f64)].into(),
            ..Row::default()
        }
    };
    audits.iter().map(row).collect()
}
