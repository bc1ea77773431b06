//! What a careful person would say about a measured phase before believing its numbers.

use std::time::Duration;

use dbdyno_driver::{ErrorClass, Execution};
use dbdyno_record::{Finding, Floor, MOST_LOST, MeasureRecord, OperationRecord, Severity, codes};
use dbdyno_vocabulary::number;

use crate::error::EngineError;

/// A p99 of fewer operations than this rests on fewer than ten that are slower.
pub const SAMPLES_FOR_P99: u64 = 1_000;
/// Shorter measured phases are dominated by their beginning and by single events.
pub const SHORTEST_MEASURE: Duration = Duration::from_secs(1);
/// The same of a phase that was asked to last so long and was cut into slices, which end with whole operations.
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

/// What findings are drawn from, beside the record.
pub(crate) struct Circumstances<'a> {
    pub(crate) measure: &'a MeasureRecord,
    pub(crate) floor: Option<&'a Floor>,
    pub(crate) execution: Execution,
    /// Whether the store runs on the threads of clients.
    pub(crate) embedded: bool,
    /// Whether clients could be carried by more threads than they were, each on a processor of its own.
    pub(crate) spare_threads: bool,
    pub(crate) clients: u32,
    pub(crate) interrupted: bool,
    pub(crate) hopeless: bool,
    pub(crate) stuck: u32,
    /// Operations sent in the warm-up that were answered only after the measured phase.
    pub(crate) outlasting: u64,
    /// Measured operations that were answered only after the measured phase.
    pub(crate) answered_late: u64,
    /// Whether the workload deletes: then its reads may find nothing.
    pub(crate) deletes: bool,
    /// Whether this trial loaded the table.
    pub(crate) loaded: bool,
    pub(crate) debug_build: bool,
    /// The measured phase was cut into slices.
    pub(crate) sliced: bool,
    /// Whether the time was real.
    pub(crate) real: bool,
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, severity: Severity, code: &str, message: String, remedy: &str) {
        self.0.push(Finding {
            code: code.to_owned(),
            severity,
            message,
            remedy: remedy.to_owned(),
        });
    }
}

fn microseconds(nanoseconds: u64) -> String {
    format!("{:.1} us", nanoseconds as f64 / 1e3)
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.1} ms", nanoseconds as f64 / 1e6)
}

/// Everything there is to say, the gravest first.
pub(crate) fn judge(circumstances: &Circumstances<'_>) -> Vec<Finding> {
    let mut findings = Findings(Vec::new());
    validity(circumstances, &mut findings);
    outcomes(circumstances, &mut findings);
    pacing(circumstances, &mut findings);
    tool(circumstances, &mut findings);
    busiest_thread(circumstances, &mut findings);
    let mut findings = findings.0;
    findings.extend(
        circumstances
            .measure
            .clock_drift_ppm
            .and_then(|ppm| clock_drift("measured", ppm)),
    );
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// The table could not be finished after the measured phase.
pub(crate) fn table_not_kept(error: &EngineError) -> Finding {
    Finding {
        code: "table-not-kept".to_owned(),
        severity: Severity::Invalid,
        message: format!("after the measured phase, {error}"),
        remedy:
            "make the system healthy (a full disk?), then load the table anew: what it holds now is not known"
                .to_owned(),
    }
}

/// Records that could not be inserted by a trial that only loads; one that measures, too, fails then.
pub(crate) fn load_incomplete(failed: u64, records: u64, sample: &str) -> Finding {
    Finding {
        code: codes::LOAD_INCOMPLETE.to_owned(),
        severity: Severity::Invalid,
        message: format!(
            "{failed} of {records} records could not be loaded, so the table is incomplete; e.g. {sample}"
        ),
        remedy: "find the cause, then load the table anew".to_owned(),
    }
}

/// A clock that did not keep time during a phase.
pub(crate) fn clock_drift(phase: &str, ppm: f64) -> Option<Finding> {
    let severity = match ppm.abs() {
        drift if drift > INVALID_DRIFT_PPM => Severity::Invalid,
        drift if drift > LARGEST_DRIFT_PPM => Severity::Warning,
        _ => return None,
    };
    Some(Finding {
        code: "clock-drift".to_owned(),
        severity,
        message: format!(
            "during the {phase} phase, dbdyno's clock ran {:.0} ppm {} than the operating system's clock; \
             latencies and rates are wrong by the same amount",
            ppm.abs(),
            if ppm > 0.0 { "faster" } else { "slower" }
        ),
        remedy: "run again; if this happens again, check the kernel log for `clocksource`, and that the machine was not \
                 suspended or migrated and that its time was not adjusted during the run"
            .to_owned(),
    })
}

fn validity(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let measure = circumstances.measure;
    if circumstances.debug_build && circumstances.real {
        findings.add(
            Severity::Invalid,
            codes::DEBUG_BUILD,
            "dbdyno was built without optimisation, so its overhead is many times higher than it should be"
                .to_owned(),
            "build it with --release",
        );
    }
    if circumstances.interrupted {
        findings.add(
            Severity::Warning,
            "interrupted",
            format!(
                "the run was stopped after {:.1} s; the results cover that time only",
                measure.duration_ns as f64 / 1e9
            ),
            "let the run finish",
        );
    }
    if circumstances.stuck > 0 {
        findings.add(
            Severity::Invalid,
            codes::CLIENTS_STUCK,
            format!(
                "{} of {} clients were abandoned: their operations in flight were unanswered {:.1} s after the deadline, and {} due operations were never sent; their waiting times are lower bounds of their latency",
                circumstances.stuck,
                circumstances.clients,
                measure.drain.duration_ns as f64 / 1e9,
                measure.drain.never_sent
            ),
            "find out why the database stopped answering, or set a timeout",
        );
    }
    let shortest = match circumstances.sliced {
        true => SHORTEST_SLICED_MEASURE,
        false => SHORTEST_MEASURE,
    };
    if u128::from(measure.duration_ns) < shortest.as_nanos() {
        findings.add(
            Severity::Warning,
            codes::TOO_SHORT,
            format!("the measured phase lasted {}", milliseconds(measure.duration_ns)),
            "measure for at least a second, or better a minute: use --duration 60s or more --operations",
        );
    }
    let scarce: Vec<String> = measure
        .operations
        .iter()
        .filter(|(_, record)| record.known_latency().count() < SAMPLES_FOR_P99)
        .map(|(kind, record)| format!("{kind} ({})", record.known_latency().count()))
        .collect();
    if let Some((message, remedy)) = nothing_measured(circumstances) {
        findings.add(Severity::Invalid, "nothing-measured", message, remedy);
    }
    if !scarce.is_empty() {
        findings.add(
            Severity::Warning,
            "few-samples",
            format!(
                "fewer than {SAMPLES_FOR_P99} successful operations of {}: too few for a reliable 99th percentile",
                scarce.join(", ")
            ),
            "run longer, or ignore the high percentiles of these operations",
        );
    }
}

/// Why the measured phase has no figure, and what to do, where it has none. In an open loop, an operation that was answered late
/// is latency; in a closed loop, it is the throughput that is missing.
fn nothing_measured(circumstances: &Circumstances<'_>) -> Option<(String, &'static str)> {
    let measure = circumstances.measure;
    let attempts = sum(measure, OperationRecord::attempts);
    let length = number::duration_ns(measure.duration_ns as f64);
    if circumstances.stuck > 0 {
        // Another finding says what happened.
        None
    } else if measure.pacing.is_some() {
        (attempts + measure.drain.never_sent == 0).then(|| {
            (
                "no operation was due in the measured phase".to_owned(),
                "measure for longer, or at a higher rate",
            )
        })
    } else if attempts == 0 && circumstances.sliced && !circumstances.interrupted {
        Some((
            "every operation began in the head of a slice, which is not measured, and was in flight until the slice was over".to_owned(),
            "measure in longer slices: `slice` in the study file, or none, so that slices suit the operations",
        ))
    } else if attempts == 0 && circumstances.outlasting > 0 {
        Some((
            format!(
                "no operation began in the measured phase of {length}: {} in flight until after its end",
                operations(circumstances.outlasting, " sent in the warm-up")
            ),
            "measure for longer than the slowest operations take, and find out why they take so long (a busy machine?)",
        ))
    } else if attempts == 0 {
        Some((
            format!(
                "no client began an operation in the measured phase of {length}: the phase was too short, or the machine too busy to \
                 run the client threads"
            ),
            "measure for longer, or free the machine's CPUs",
        ))
    } else if circumstances.answered_late == attempts {
        Some((
            format!(
                "no operation was answered in the measured phase of {length}: {} in flight at its end, and the last was \
                 answered {} later",
                operations(attempts, ""),
                number::duration_ns(measure.drain.duration_ns as f64)
            ),
            "measure for longer than the slowest operations take",
        ))
    } else {
        None
    }
}

/// *1 operation was*, *4 operations sent in the warm-up were*.
fn operations(count: u64, which: &str) -> String {
    match count {
        1 => format!("1 operation{which} was"),
        _ => format!("{count} operations{which} were"),
    }
}

fn sum(measure: &MeasureRecord, count: impl Fn(&OperationRecord) -> u64) -> u64 {
    measure.operations.values().map(count).sum()
}

fn outcomes(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let measure = circumstances.measure;
    let attempts = sum(measure, OperationRecord::attempts);
    let errors = sum(measure, OperationRecord::error_count);
    let share = |count: u64| count as f64 / attempts.max(1) as f64;
    if circumstances.hopeless {
        findings.add(
            Severity::Invalid,
            codes::ONLY_ERRORS,
            format!(
                "the run was stopped: all operations failed for {} s",
                crate::phase::HOPELESS.as_secs()
            ),
            "see the error messages of this trial, and check that the database is running",
        );
    } else if errors > 0 {
        let lost = measure.share_lost_to_errors(circumstances.clients);
        let of_time = if lost > share(errors) {
            format!(", and took {} of the clients' time", number::share(lost))
        } else {
            String::new()
        };
        let severity = if lost >= MOST_LOST {
            Severity::Invalid
        } else {
            Severity::Warning
        };
        let sample = measure
            .error_samples
            .first()
            .map(|sample| format!("; e.g. {sample}"));
        findings.add(
            severity,
            codes::ERRORS,
            format!(
                "{errors} of {attempts} operations failed ({}){of_time}{}",
                number::share(share(errors)),
                sample.unwrap_or_default()
            ),
            "find the cause before comparing: failed operations do not count as throughput, and percentiles rank them after all answered operations",
        );
    }
    wrong_values(circumstances, findings);
    missing_records(circumstances, findings);
    early_reads(circumstances, findings);
}

/// Values read back that are not what was written.
fn wrong_values(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let measure = circumstances.measure;
    let failures = sum(measure, |record| record.verification_failures);
    if failures > 0 {
        findings.add(
            Severity::Invalid,
            codes::VERIFICATION_FAILED,
            format!(
                "{failures} of {} values read back were missing or differed from the written values",
                sum(measure, |record| record.verified)
            ),
            if circumstances.loaded {
                "the database lost or corrupted acknowledged values, so these results are invalid for this workload"
            } else {
                "the database lost or corrupted data, or the table was loaded with other settings: reload it and run again"
            },
        );
    }
}

/// Records that operations did not find.
fn missing_records(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let measure = circumstances.measure;
    let attempts = sum(measure, OperationRecord::attempts);
    let share = |count: u64| count as f64 / attempts.max(1) as f64;
    // An update of a record that is not there is an error to its driver.
    let absent = sum(measure, |record| {
        record.not_found
            + record
                .errors
                .get(ErrorClass::NotFound.name())
                .copied()
                .unwrap_or(0)
    });
    if absent > 0 {
        let (severity, remedy) = match (circumstances.deletes, circumstances.loaded) {
            (true, _) => (
                Severity::Note,
                "this is normal for a workload that deletes records",
            ),
            (false, true) => (
                Severity::Invalid,
                "the database lost or hides acknowledged records (with consistency `one` a replica may lag behind), so these \
                 results are invalid for this workload",
            ),
            (false, false) => (
                Severity::Invalid,
                "the table lacks records, or the database hides them: reload it (--fresh; `fresh = true` in a study file) \
                 and run again",
            ),
        };
        findings.add(
            severity,
            codes::NOT_FOUND,
            format!(
                "{absent} of {attempts} operations ({}) did not find their record{}",
                number::share(share(absent)),
                if circumstances.deletes {
                    ""
                } else {
                    ", which had been inserted and acknowledged"
                }
            ),
            remedy,
        );
    }
}

/// Operations on records whose insert was still under way.
fn early_reads(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let measure = circumstances.measure;
    let attempts = sum(measure, OperationRecord::attempts);
    let share = |count: u64| count as f64 / attempts.max(1) as f64;
    let early = sum(measure, |record| record.too_early);
    if share(early) > LARGEST_TOO_EARLY_SHARE {
        findings.add(
            Severity::Note,
            "too-early",
            format!(
                "{early} of {attempts} operations ({}) requested records whose insert had not been acknowledged yet",
                number::share(share(early))
            ),
            "inserts are slower than the other operations; use fewer clients or a lower rate",
        );
    }
}

fn pacing(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let Some(pacing) = &circumstances.measure.pacing else {
        return;
    };
    if !pacing.sustained {
        findings.add(
            Severity::Invalid,
            codes::RATE_NOT_SUSTAINED,
            format!(
                "the requested rate was {:.0} operations per second, but the measured phase achieved {:.0} ({}); at its end, {} operations were due and not sent",
                pacing.asked_rate,
                pacing.achieved_rate,
                number::share(pacing.achieved_rate / pacing.asked_rate),
                pacing.backlog
            ),
            "lower --rate, or raise --clients if the system is not busy; in an overloaded system, response times grow for as long as the run lasts",
        );
    }
    let lag_ns = pacing.scheduling_lag.percentile_ns(99.0).unwrap_or(0);
    if lag_ns > LARGEST_LAG.as_nanos() as u64 {
        findings.add(
            Severity::Warning,
            "scheduling-lag",
            format!(
                "dbdyno sent 1% of operations more than {} late, although a client was free",
                microseconds(lag_ns)
            ),
            "the client's CPUs are too busy: use fewer threads or another machine, or leave a CPU free",
        );
    }
}

fn tool(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let measure = circumstances.measure;
    if let Some(floor) = circumstances.floor {
        let medians = measure.operations.iter().filter_map(|(kind, record)| {
            let median_ns = record.service.percentile_ns(50.0)?;
            (floor.latency_p50_ns as f64 > median_ns as f64 * LARGEST_FLOOR_SHARE)
                .then_some((kind, median_ns))
        });
        let named: Vec<String> = medians
            .map(|(kind, median_ns)| format!("{kind} ({median_ns} ns)"))
            .collect();
        if !named.is_empty() {
            findings.add(
                Severity::Note,
                "tool-is-bottleneck",
                format!(
                    "dbdyno's overhead per operation ({} ns of timing, {:.0} ns in total) exceeds {} of the median latency of {}",
                    floor.latency_p50_ns,
                    floor.operation_ns,
                    number::share(LARGEST_FLOOR_SHARE),
                    named.join(", ")
                ),
                "the system is about as fast as dbdyno itself: true differences between such systems are larger than measured",
            );
        }
    }
    let share = measure.client.cpu_share;
    if circumstances.real && share > SATURATED_SHARE {
        let (severity, whose, remedy) = match circumstances.execution {
            Execution::Async => (
                Severity::Warning,
                "the load generator used",
                "it may limit the results: use fewer clients, or a machine with more CPUs",
            ),
            Execution::Blocking => (
                Severity::Note,
                "the database and the load generator together used",
                "the store runs in this process: CPU is the limit, so more clients will not help",
            ),
        };
        findings.add(
            severity,
            codes::CPU_SATURATED,
            format!("{whose} {} of all CPUs", number::share(share)),
            remedy,
        );
    }
}

/// A client thread that is never idle limits its clients, whatever the other threads do.
fn busiest_thread(circumstances: &Circumstances<'_>, findings: &mut Findings) {
    let measure = circumstances.measure;
    let Some(thread) = &measure.client.busiest_thread else {
        return;
    };
    let of_the_store = circumstances.embedded && circumstances.execution == Execution::Blocking;
    if !circumstances.real || of_the_store || thread.cpu_share <= SATURATED_SHARE {
        return;
    }
    // Short waits between the operations of a schedule are spent spinning: the thread is busy and has time left.
    let on_time = measure.pacing.as_ref().is_some_and(|pacing| {
        let lag_ns = pacing.scheduling_lag.percentile_ns(99.0).unwrap_or(0);
        pacing.sustained && lag_ns <= LARGEST_LAG.as_nanos() as u64
    });
    let (severity, meaning) = if on_time {
        (Severity::Note, "every operation was still sent on time")
    } else {
        (Severity::Warning, "the load generator may limit the results")
    };
    let remedy = match circumstances.execution {
        Execution::Async if circumstances.spare_threads => "use more --client-threads",
        Execution::Async => {
            "use fewer clients, or run dbdyno on another machine or on one with more or faster CPUs"
        }
        Execution::Blocking => {
            "use more clients, because each has its own thread, or run dbdyno on a machine with more or faster CPUs"
        }
    };
    findings.add(
        severity,
        codes::CLIENT_THREAD_SATURATED,
        format!(
            "client thread `{}` used {} of one CPU; {meaning}",
            thread.name,
            number::share(thread.cpu_share)
        ),
        remedy,
    );
}

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;
