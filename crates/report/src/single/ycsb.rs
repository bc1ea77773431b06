//! YCSB's text report, so that scripts made for YCSB read ours. The lines are those of its
//! `TextMeasurementsExporter` and `OneMeasurementHdrHistogram`: `[SECTION], Name, value`.

use std::fmt::Write as _;

use dbdyno_record::{KnownLatency, OperationRecord, TrialRecord};

/// Which latencies are printed (YCSB's `measurement.interval`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencyKind {
    /// `op`: from the actual send.
    Operation,
    /// `intended`: from the intended start, in sections named `[Intended-READ]`.
    Intended,
    /// `both`: YCSB's sections as they always were, and those of the intended start in addition.
    #[default]
    Both,
}

/// What YCSB's client properties decide about the text.
#[derive(Clone, Debug, PartialEq)]
pub struct YcsbOptions {
    /// `hdrhistogram.percentiles`; YCSB's default is 50, 95, 99.
    pub percentiles: Vec<f64>,
    /// `measurement.interval`. YCSB's default is `op`, which hides what a rate is for: a stall delays many operations and is in
    /// the service time of few. Without a rate there is no intended start, and only `op` is printed.
    pub interval: LatencyKind,
    /// Whether the trial is a load: its inserts are the operations.
    pub load: bool,
}

impl Default for YcsbOptions {
    fn default() -> Self {
        Self {
            percentiles: vec![50.0, 95.0, 99.0],
            interval: LatencyKind::default(),
            load: false,
        }
    }
}

/// The trial in YCSB's text. Latencies are whole microseconds, cut off as YCSB's are; `[OVERALL]` counts successful
/// operations only, as everywhere in dbdyno (YCSB counts failures as throughput).
#[must_use]
pub fn ycsb(trial: &TrialRecord, options: &YcsbOptions) -> String {
    let sections: Vec<(&str, &OperationRecord)> = if options.load {
        trial.load.iter().map(|load| ("insert", &load.inserts)).collect()
    } else {
        trial
            .measure
            .iter()
            .flat_map(|measure| {
                measure
                    .operations
                    .iter()
                    .map(|(name, operation)| (name.as_str(), operation))
            })
            .collect()
    };
    let duration_ns = if options.load {
        trial.load.as_ref().map_or(0, |load| load.duration_ns)
    } else {
        trial.measure.as_ref().map_or(0, |measure| measure.duration_ns)
    };
    let mut text = String::new();
    overall(
        &mut text,
        duration_ns,
        sections.iter().map(|(_, operation)| operation.ok_in_time()).sum(),
    );
    for (name, operation) in &sections {
        // Never asked for, never printed: as YCSB does.
        if operation.attempts() > 0 {
            section(&mut text, &name.to_uppercase(), operation, options);
        }
    }
    verification(&mut text, &sections);
    text
}

fn overall(text: &mut String, duration_ns: u64, ok: u64) {
    let milliseconds = duration_ns / 1_000_000;
    let throughput = if duration_ns == 0 {
        0.0
    } else {
        ok as f64 * 1e9 / duration_ns as f64
    };
    line(text, "OVERALL", "RunTime(ms)", milliseconds);
    line(text, "OVERALL", "Throughput(ops/sec)", java_double(throughput));
}

fn section(text: &mut String, name: &str, operation: &OperationRecord, options: &YcsbOptions) {
    let returns = [
        ("OK", operation.ok),
        ("NOT_FOUND", operation.not_found + operation.too_early),
        ("ERROR", operation.error_count()),
    ];
    let intended = operation
        .has_response()
        .then(|| operation.known_latency())
        .filter(|_| options.interval != LatencyKind::Operation);
    let plain = intended.is_none() || options.interval == LatencyKind::Both;
    if plain {
        latency(text, name, &operation.known_service(), &options.percentiles);
        return_codes(text, name, &returns);
    }
    if let Some(response) = &intended {
        let name = format!("Intended-{name}");
        latency(text, &name, response, &options.percentiles);
        // Return codes are counted once, under the plain name; alone, the intended section carries them.
        if !plain {
            return_codes(text, &name, &returns);
        }
    }
    if plain && operation.known_failed().count() > 0 {
        latency(
            text,
            &format!("{name}-FAILED"),
            &operation.known_failed(),
            &options.percentiles,
        );
    }
    // Of answers "not found" only the service time is kept.
    if let Some(waited) = operation.waited.as_ref().filter(|_| intended.is_some()) {
        latency(
            text,
            &format!("Intended-{name}-FAILED"),
            &waited.into(),
            &options.percentiles,
        );
    }
}

fn return_codes(text: &mut String, name: &str, returns: &[(&str, u64)]) {
    for (code, count) in returns {
        if *count > 0 {
            line(text, name, &format!("Return={code}"), count);
        }
    }
}

fn latency(text: &mut String, name: &str, latency: &KnownLatency<'_>, percentiles: &[f64]) {
    let microseconds = |nanoseconds: u64| nanoseconds / 1_000;
    line(text, name, "Operations", latency.count());
    // Without a single success YCSB has no latency lines either, only the return codes.
    let Some(mean_ns) = latency.mean_ns() else { return };
    line(text, name, "AverageLatency(us)", java_double(mean_ns / 1_000.0));
    // An imported log may not state all of them.
    let mut state = |figure: &str, percentile: f64| {
        if let Some(value) = latency.percentile_ns(percentile) {
            line(text, name, figure, microseconds(value));
        }
    };
    state("MinLatency(us)", 0.0);
    state("MaxLatency(us)", 100.0);
    for &percentile in percentiles {
        state(&percentile_name(percentile), percentile);
    }
}

/// YCSB writes whole percentiles with an English ending and fractional ones without: `99thPercentileLatency(us)`,
/// `99.9PercentileLatency(us)`.
fn percentile_name(percentile: f64) -> String {
    if percentile.fract() != 0.0 {
        return format!("{percentile}PercentileLatency(us)");
    }
    let whole = percentile as u64;
    let ending = match (whole % 10, whole % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{whole}{ending}PercentileLatency(us)")
}

fn verification(text: &mut String, sections: &[(&str, &OperationRecord)]) {
    let verified: u64 = sections.iter().map(|(_, operation)| operation.verified).sum();
    if verified == 0 {
        return;
    }
    let failed: u64 = sections
        .iter()
        .map(|(_, operation)| operation.verification_failures)
        .sum();
    line(text, "VERIFY", "Operations", verified);
    return_codes(
        text,
        "VERIFY",
        &[
            ("OK", verified.saturating_sub(failed)),
            ("UNEXPECTED_STATE", failed),
        ],
    );
}

fn line(text: &mut String, section: &str, name: &str, value: impl std::fmt::Display) {
    writeln!(text, "[{section}], {name}, {value}").expect("writing to a string does not fail");
}

/// A number as Java's `Double.toString` writes it in the usual range: always with a decimal point.
fn java_double(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.1}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_percentiles_have_an_ending_and_fractional_ones_have_none() {
        assert_eq!(percentile_name(50.0), "50thPercentileLatency(us)");
        assert_eq!(percentile_name(99.0), "99thPercentileLatency(us)");
        assert_eq!(percentile_name(1.0), "1stPercentileLatency(us)");
        assert_eq!(percentile_name(12.0), "12thPercentileLatency(us)");
        assert_eq!(percentile_name(99.9), "99.9PercentileLatency(us)");
    }

    #[test]
    fn numbers_look_like_javas() {
        assert_eq!(java_double(0.0), "0.0");
        assert_eq!(java_double(11_627.906_976_744_185), "11627.906976744185");
    }
}
