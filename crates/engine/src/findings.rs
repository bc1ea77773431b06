//! What a careful person would say about a measured phase before believing its numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dbdyno_driver::{ErrorClass, Execution};
use dbdyno_record::finding::{
    ClientThreadSaturated, ClientsStuck, ClockDrift, CpuSaturated, DebugBuild, Errors, FewSamples,
    Interrupted, LoadIncomplete, MoreThreads, NotFound, NothingMeasured, NothingMeasuredBecause, OnlyErrors,
    RateNotSustained, SchedulingLag, TableNotKept, TooEarly, TooShort, ToolIsBottleneck, VerificationFailed,
};
use dbdyno_record::{Finding, Floor, MOST_LOST, MeasureRecord, OperationRecord, Pacing, Severity};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// A p99 of fewer operations than this rests on fewer than ten that are slower.
pub const SAMPLES_FOR_P99: u64 = 1_000;
/// Shorter measured phases are dominated by their beginning and by single events.
pub const SHORTEST_MEASURE: Duration = Duration::from_secs(1);
/// The shortest measured phase in slices: they end with whole operations, so it may last for less than was asked.
pub const SHORTEST_SLICED_MEASURE: Duration = Duration::from_millis(900);
/// A tool whose own cost is more than this part of the median latency measures itself.
pub const LARGEST_FLOOR_SHARE: f64 = 0.10;
/// From this share of all processors on the client side is taken to be short of processor time.
pub const SATURATED_SHARE: f64 = 0.90;
/// The most that the clock may differ from the operating system's, parts per million.
pub const LARGEST_DRIFT_PPM: f64 = 100.0;
/// From this drift on durations and rates are wrong by as much as a rate may be missed by: 1%.
pub const INVALID_DRIFT_PPM: f64 = 10_000.0;
/// The most that the tool may be late itself, at its 99th percentile.
pub const LARGEST_LAG: Duration = Duration::from_millis(1);
/// The share of operations that may ask for records before their insert was acknowledged.
pub const LARGEST_TOO_EARLY_SHARE: f64 = 0.01;

/// Everything that findings are drawn from.
pub(crate) struct Circumstances<'a> {
    pub(crate) measure: &'a MeasureRecord,
    pub(crate) floor: Option<&'a Floor>,
    pub(crate) execution: Execution,
    pub(crate) clients: u32,
    pub(crate) stuck: u32,
    /// Operations sent in the warm-up that were answered only after the measured phase.
    pub(crate) outlasting: u64,
    /// Measured operations that were answered only after the measured phase.
    pub(crate) answered_late: u64,
    /// Everything else that holds.
    pub(crate) given: BTreeSet<Given>,
}

/// Something that holds in a trial, or does not, and that its record does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Given {
    /// The store runs on the threads of clients.
    Embedded,
    /// Clients could be carried by more threads than they were, each on a processor of its own.
    SpareThreads,
    /// A stop was requested.
    Interrupted,
    /// Nothing but failures came for too long.
    Hopeless,
    /// The workload deletes: its reads may find nothing.
    Deletes,
    /// This trial loaded the table.
    Loaded,
    /// This program is a debug build.
    DebugBuild,
    /// The measured phase was cut into slices.
    Sliced,
    /// Time passed by itself.
    RealTime,
}

impl Given {
    /// The given ones that hold.
    pub(crate) fn those(all: impl IntoIterator<Item = (Self, bool)>) -> BTreeSet<Self> {
        let holding = all.into_iter().filter(|(_, holds)| *holds);
        holding.map(|(given, _)| given).collect()
    }
}

impl Circumstances<'_> {
    fn has(&self, given: Given) -> bool {
        self.given.contains(&given)
    }
}

/// Everything there is to say, the gravest first.
pub(crate) fn judge(circumstances: &Circumstances<'_>) -> Vec<Finding> {
    let drift_ppm = circumstances.measure.clock_drift_ppm;
    let mut findings: Vec<Finding> = validity(circumstances)
        .chain(outcomes(circumstances))
        .chain(pacing(circumstances))
        .chain(too_slow(circumstances))
        .chain(busy_processors(circumstances))
        .chain(busiest_thread(circumstances))
        .chain(drift_ppm.and_then(|ppm| clock_drift("measured", ppm)))
        .collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// The table could not be finished after the measured phase.
pub(crate) fn table_not_kept(error: &EngineError) -> Finding {
    Finding::invalid(TableNotKept {
        error: error.to_string(),
    })
}

/// Records that could not be inserted by a trial that only loads; one that measures, too, fails then.
pub(crate) fn load_incomplete(failed: u64, records: u64, sample: &str) -> Finding {
    Finding::invalid(LoadIncomplete {
        failed,
        records,
        sample: sample.to_owned(),
    })
}

/// A clock that did not keep time during a phase.
pub(crate) fn clock_drift(phase: &str, faster_ppm: f64) -> Option<Finding> {
    let severity = match faster_ppm.abs() {
        drift if drift > INVALID_DRIFT_PPM => Severity::Invalid,
        drift if drift > LARGEST_DRIFT_PPM => Severity::Warning,
        _ => return None,
    };
    let drift = ClockDrift {
        phase: phase.to_owned(),
        faster_ppm,
    };
    Some(Finding::new(severity, drift))
}

/// Whether the phase was long enough and went to its end.
fn validity(circumstances: &Circumstances<'_>) -> impl Iterator<Item = Finding> {
    let measure = circumstances.measure;
    let is_debug = circumstances.has(Given::DebugBuild) && circumstances.has(Given::RealTime);
    let debug = is_debug.then(|| Finding::invalid(DebugBuild {}));
    let interrupted = circumstances.has(Given::Interrupted).then(|| {
        Finding::warning(Interrupted {
            after_ns: measure.duration_ns,
        })
    });
    let stuck = (circumstances.stuck > 0).then(|| {
        Finding::invalid(ClientsStuck {
            stuck: circumstances.stuck,
            clients: circumstances.clients,
            drain_ns: measure.drain.duration_ns,
            never_sent: measure.drain.never_sent,
        })
    });
    let shortest = match circumstances.has(Given::Sliced) {
        true => SHORTEST_SLICED_MEASURE,
        false => SHORTEST_MEASURE,
    };
    let is_short = u128::from(measure.duration_ns) < shortest.as_nanos();
    let short = is_short.then(|| {
        Finding::warning(TooShort {
            duration_ns: measure.duration_ns,
        })
    });
    let nothing = nothing_measured(circumstances).map(|because| {
        Finding::invalid(NothingMeasured {
            phase_ns: measure.duration_ns,
            because,
        })
    });
    debug
        .into_iter()
        .chain(interrupted)
        .chain(stuck)
        .chain(short)
        .chain(nothing)
        .chain(few_samples(measure))
}

fn few_samples(measure: &MeasureRecord) -> Option<Finding> {
    let counts = measure
        .operations
        .iter()
        .map(|(kind, record)| (kind.clone(), record.known_latency().count()));
    let operations: BTreeMap<String, u64> = counts.filter(|(_, count)| *count < SAMPLES_FOR_P99).collect();
    (!operations.is_empty()).then(|| {
        Finding::warning(FewSamples {
            fewest: SAMPLES_FOR_P99,
            operations,
        })
    })
}

/// Why the measured phase has no figure, where it has none. In an open loop, an operation that was answered late is latency; in a closed
/// loop, it is the throughput that is missing.
fn nothing_measured(circumstances: &Circumstances<'_>) -> Option<NothingMeasuredBecause> {
    let measure = circumstances.measure;
    let attempts = sum(measure, OperationRecord::attempts);
    if circumstances.stuck > 0 {
        // Another finding says what happened.
        None
    } else if measure.pacing.is_some() {
        (attempts + measure.drain.never_sent == 0).then_some(NothingMeasuredBecause::NothingDue)
    } else if attempts == 0 && circumstances.has(Given::Sliced) && !circumstances.has(Given::Interrupted) {
        Some(NothingMeasuredBecause::HeadsOnly)
    } else if attempts == 0 && circumstances.outlasting > 0 {
        Some(NothingMeasuredBecause::WarmUpOutlasted {
            operations: circumstances.outlasting,
        })
    } else if attempts == 0 {
        Some(NothingMeasuredBecause::NothingBegan)
    } else if circumstances.answered_late == attempts {
        Some(NothingMeasuredBecause::AnsweredLate {
            operations: attempts,
            last_ns: measure.drain.duration_ns,
        })
    } else {
        None
    }
}

fn sum(measure: &MeasureRecord, count: impl Fn(&OperationRecord) -> u64) -> u64 {
    measure.operations.values().map(count).sum()
}

/// Findings about the outcomes of operations: errors, wrong values, missing records.
fn outcomes(circumstances: &Circumstances<'_>) -> impl Iterator<Item = Finding> {
    let hopeless = circumstances.has(Given::Hopeless).then(|| {
        Finding::invalid(OnlyErrors {
            for_s: crate::phase::HOPELESS.as_secs(),
        })
    });
    hopeless
        .or_else(|| errors(circumstances))
        .into_iter()
        .chain(wrong_values(circumstances))
        .chain(missing_records(circumstances))
        .chain(early_reads(circumstances.measure))
}

fn errors(circumstances: &Circumstances<'_>) -> Option<Finding> {
    let measure = circumstances.measure;
    let attempts = sum(measure, OperationRecord::attempts);
    let failed = sum(measure, OperationRecord::error_count);
    let lost = measure.share_lost_to_errors(circumstances.clients);
    let severity = match lost >= MOST_LOST {
        true => Severity::Invalid,
        false => Severity::Warning,
    };
    let errors = Errors {
        failed,
        attempts,
        share_of_time: (lost > failed as f64 / attempts.max(1) as f64).then_some(lost),
        sample: measure.error_samples.first().cloned(),
    };
    (failed > 0).then(|| Finding::new(severity, errors))
}

/// Values read back that are not what was written.
fn wrong_values(circumstances: &Circumstances<'_>) -> Option<Finding> {
    let failed = sum(circumstances.measure, |record| record.verification_failures);
    (failed > 0).then(|| {
        Finding::invalid(VerificationFailed {
            failed,
            verified: sum(circumstances.measure, |record| record.verified),
            loaded: circumstances.has(Given::Loaded),
        })
    })
}

/// Records that operations did not find.
fn missing_records(circumstances: &Circumstances<'_>) -> Option<Finding> {
    let measure = circumstances.measure;
    // An update of a record that is not there is an error to its driver.
    let to_driver = |record: &OperationRecord| record.errors.get(ErrorClass::NotFound.name()).copied();
    let absent = sum(measure, |record| {
        record.not_found + to_driver(record).unwrap_or(0)
    });
    let severity = match circumstances.has(Given::Deletes) {
        true => Severity::Note,
        false => Severity::Invalid,
    };
    let missing = NotFound {
        absent,
        attempts: sum(measure, OperationRecord::attempts),
        deletes: circumstances.has(Given::Deletes),
        loaded: circumstances.has(Given::Loaded),
    };
    (absent > 0).then(|| Finding::new(severity, missing))
}

/// Operations on records whose insert was still under way.
fn early_reads(measure: &MeasureRecord) -> Option<Finding> {
    let attempts = sum(measure, OperationRecord::attempts);
    let early = sum(measure, |record| record.too_early);
    let share = early as f64 / attempts.max(1) as f64;
    (share > LARGEST_TOO_EARLY_SHARE).then(|| Finding::note(TooEarly { early, attempts }))
}

/// Whether operations were sent when they were due.
fn pacing(circumstances: &Circumstances<'_>) -> impl Iterator<Item = Finding> {
    let pacing = circumstances.measure.pacing.as_ref();
    let missed = pacing.filter(|pacing| !pacing.sustained).map(|pacing| {
        Finding::invalid(RateNotSustained {
            asked_per_second: pacing.asked_rate,
            achieved_per_second: pacing.achieved_rate,
            backlog: pacing.backlog,
        })
    });
    let lag_ns = pacing.map(lag_p99_ns);
    let late = lag_ns.filter(|lag_ns| u128::from(*lag_ns) > LARGEST_LAG.as_nanos());
    let late = late.map(|p99_ns| Finding::warning(SchedulingLag { p99_ns }));
    missed.into_iter().chain(late)
}

fn lag_p99_ns(pacing: &Pacing) -> u64 {
    pacing.scheduling_lag.percentile_ns(99.0).unwrap_or(0)
}

/// Operations that take hardly longer than this program does with them.
fn too_slow(circumstances: &Circumstances<'_>) -> Option<Finding> {
    let floor = circumstances.floor?;
    let medians = circumstances
        .measure
        .operations
        .iter()
        .filter_map(|(kind, record)| Some((kind.clone(), record.service.percentile_ns(50.0)?)));
    let is_short = |median_ns: u64| floor.latency_p50_ns as f64 > median_ns as f64 * LARGEST_FLOOR_SHARE;
    let medians_ns: BTreeMap<String, u64> = medians.filter(|(_, median_ns)| is_short(*median_ns)).collect();
    (!medians_ns.is_empty()).then(|| {
        Finding::note(ToolIsBottleneck {
            timing_ns: floor.latency_p50_ns,
            operation_ns: floor.operation_ns,
            limit_share: LARGEST_FLOOR_SHARE,
            medians_ns,
        })
    })
}

fn busy_processors(circumstances: &Circumstances<'_>) -> Option<Finding> {
    let share = circumstances.measure.client.cpu_share;
    let with_store = circumstances.execution == Execution::Blocking;
    let severity = match with_store {
        true => Severity::Note,
        false => Severity::Warning,
    };
    let is_busy = circumstances.has(Given::RealTime) && share > SATURATED_SHARE;
    is_busy.then(|| Finding::new(severity, CpuSaturated { share, with_store }))
}

/// A client thread that is never idle limits its clients, whatever the other threads do.
fn busiest_thread(circumstances: &Circumstances<'_>) -> Option<Finding> {
    let measure = circumstances.measure;
    let thread = measure.client.busiest_thread.as_ref()?;
    let of_the_store = circumstances.has(Given::Embedded) && circumstances.execution == Execution::Blocking;
    if !circumstances.has(Given::RealTime) || of_the_store || thread.cpu_share <= SATURATED_SHARE {
        return None;
    }
    // Short waits between the operations of a schedule are spent spinning: the thread is busy and has time left.
    let on_time = measure
        .pacing
        .as_ref()
        .is_some_and(|pacing| pacing.sustained && u128::from(lag_p99_ns(pacing)) <= LARGEST_LAG.as_nanos());
    let severity = match on_time {
        true => Severity::Note,
        false => Severity::Warning,
    };
    let more_threads = match circumstances.execution {
        Execution::Async if circumstances.has(Given::SpareThreads) => MoreThreads::Spare,
        Execution::Async => MoreThreads::None,
        Execution::Blocking => MoreThreads::OneForEachClient,
    };
    let saturated = ClientThreadSaturated {
        thread: thread.name.clone(),
        share: thread.cpu_share,
        on_time,
        more_threads,
    };
    Some(Finding::new(severity, saturated))
}

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;
