//! YCSB's text (`TextMeasurementsExporter`): `[SECTION], Name, value`, after whatever the client and the binding printed.

use std::collections::BTreeMap;

use dbdyno_record::{OperationRecord, Stated};

use crate::Asked;
use crate::kinds::{ours, without_halves};
use crate::log::{ImportError, Log, Phase, Tool};
use crate::section::Section;

const COMMAND_LINE: &str = "Command line:";
const INTENDED: &str = "Intended-";
/// Share of the operations that the sections may lack of what `[OVERALL]` says.
const TOLERANCE: f64 = 0.01;

type Sections = BTreeMap<String, Section>;
type Operations = BTreeMap<String, OperationRecord>;

pub fn is_log(text: &str) -> bool {
    text.lines().any(|line| {
        line.starts_with("[OVERALL], ") || line.starts_with(COMMAND_LINE) || line.starts_with("YCSB Client")
    })
}

pub fn read(text: &str) -> Result<Log, ImportError> {
    let runs = text
        .lines()
        .filter(|line| line.starts_with("[OVERALL], RunTime(ms)"))
        .count();
    if runs > 1 {
        return Err(ImportError::Several { runs });
    }
    let mut asked = Asked::default();
    let mut sections = Sections::new();
    let mut overall: BTreeMap<String, f64> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |reason: String| ImportError::Line {
            line: number + 1,
            text: line.to_owned(),
            reason,
        };
        if let Some(words) = line.strip_prefix(COMMAND_LINE) {
            asked = Asked::of_command_line(words);
        } else if let Some((section, name, value)) = entry(line) {
            if section == "OVERALL" {
                let figure: f64 = value
                    .parse()
                    .map_err(|_| wrong(format!("{value:?} is not a number")))?;
                if figure < 0.0 {
                    return Err(wrong(format!("{value} is negative")));
                }
                overall.insert(name.to_owned(), figure);
            } else {
                let section = sections.entry(section.to_owned()).or_default();
                section.take(name, value).map_err(wrong)?;
            }
        } else if let Some((name, latency_us)) = sample(line) {
            let section = sections.entry(name.to_owned()).or_default();
            let latency_ns = latency_us.checked_mul(1_000);
            let too_large = || wrong(format!("{latency_us} is larger than any measurement"));
            section.samples.record(latency_ns.ok_or_else(too_large)?);
        }
    }
    let cut = |what: String| ImportError::Truncated { what };
    let (run_time_ms, throughput) = of_all(&overall)?;
    for (name, section) in sections.iter().filter(|(name, _)| kind_of(name).is_some()) {
        if let Some(what) = section.missing() {
            return Err(cut(format!("[{name}] lacks {what}")));
        }
    }
    // One line for each thread.
    let threads = sections.get("CLEANUP").and_then(|section| section.operations);
    if let Some(threads) = threads.and_then(|threads| u32::try_from(threads).ok()) {
        asked.clients = Some(threads);
    }
    let mut operations = operations(&sections);
    let sum = |operations: &Operations, of: fn(&OperationRecord) -> u64| -> f64 {
        operations.values().map(|record| of(record) as f64).sum()
    };
    let stated = throughput * run_time_ms / 1e3;
    // YCSB counts failures as throughput and the halves of read-modify-writes with the reads; our own text does neither.
    let off = |operations: &Operations| {
        let all = (sum(operations, OperationRecord::attempts) - stated).abs();
        all.min((sum(operations, |record| record.ok) - stated).abs())
    };
    let mut without = operations.clone();
    without_halves(&mut without);
    if off(&without) < off(&operations) {
        operations = without;
    }
    // If the return codes contradict the latencies, the linter finds it.
    let counted = sum(&operations, |record| {
        record.known_service().count().max(record.ok) + record.error_count()
    });
    if counted == 0.0 {
        return Err(ImportError::Nothing);
    }
    let disagreement = || {
        format!(
            "[OVERALL] states {stated:.0} operations ({throughput:.1}/s in {run_time_ms} ms), its sections of {counted:.0}"
        )
    };
    if counted < stated * (1.0 - TOLERANCE) - 1.0 {
        return Err(ImportError::Disagreement { what: disagreement() });
    }
    let answered = sum(&operations, |record| record.ok);
    let too_many = answered > stated * (1.0 + TOLERANCE) + 1.0;
    let phase = phase(&asked, &operations);
    Ok(Log {
        tool: Tool::Ycsb,
        phase,
        duration_ns: duration_ns(run_time_ms),
        remarks: remarks(&asked, &sections, &operations),
        disagreement: too_many.then(disagreement),
        operations,
        asked,
    })
}

/// The time of the run in milliseconds, and its throughput.
fn of_all(overall: &BTreeMap<String, f64>) -> Result<(f64, f64), ImportError> {
    let cut = |what: String| ImportError::Truncated { what };
    let figure = |name: &str| overall.get(name).copied();
    let run_time_ms = figure("RunTime(ms)").ok_or_else(|| {
        cut("there is no line `[OVERALL], RunTime(ms), ...`, which YCSB prints at the end of a run; was it sent elsewhere with \
             exportfile?"
            .to_owned())
    })?;
    if duration_ns(run_time_ms) == 0 {
        return Err(ImportError::Disagreement {
            what: format!("[OVERALL], RunTime(ms) is {run_time_ms}, in which nothing can have been measured"),
        });
    }
    let throughput = figure("Throughput(ops/sec)")
        .ok_or_else(|| cut("there is no line `[OVERALL], Throughput(ops/sec), ...`".to_owned()))?;
    if !throughput.is_finite() {
        return Err(ImportError::Disagreement {
            what: format!("[OVERALL], Throughput(ops/sec) is {throughput}"),
        });
    }
    Ok((run_time_ms, throughput))
}

/// Whole nanoseconds; none in what is no number.
fn duration_ns(run_time_ms: f64) -> u64 {
    (run_time_ms * 1e6) as u64
}

/// `[SECTION], name, value`.
fn entry(line: &str) -> Option<(&str, &str, &str)> {
    let (section, rest) = line.trim_end().strip_prefix('[')?.split_once("], ")?;
    let (name, value) = rest.rsplit_once(", ")?;
    Some((section, name, value))
}

/// `READ,1795275738905,369`: the operation, milliseconds since 1970, and its latency in microseconds.
fn sample(line: &str) -> Option<(&str, u64)> {
    let mut parts = line.split(',');
    let (name, at, latency) = (parts.next()?, parts.next()?, parts.next()?);
    at.parse::<u64>().ok()?;
    let whole = parts.next().is_none() && ours(name).is_some();
    let latency_us = latency.parse().ok().filter(|_| whole)?;
    Some((name, latency_us))
}

/// The operation that a section is of, without `Intended-` and what distinguishes failures from successes.
fn kind_of(section: &str) -> Option<&'static str> {
    let name = section.strip_prefix(INTENDED).unwrap_or(section);
    ours(name).or_else(|| failures(name).and_then(ours))
}

/// `READ` of `READ-FAILED`, or of `READ-NOT_FOUND` with `reportlatencyforeacherror`.
fn failures(section: &str) -> Option<&str> {
    let (name, status) = section.rsplit_once('-')?;
    (ours(section).is_none()
        && status
            .chars()
            .all(|letter| letter.is_ascii_uppercase() || letter == '_'))
    .then_some(name)
}

fn operations(sections: &Sections) -> Operations {
    let mut operations: Operations = BTreeMap::new();
    for (name, section) in sections {
        let intended = name.strip_prefix(INTENDED);
        let plain = intended.unwrap_or(name);
        let Some(kind) = kind_of(name) else { continue };
        let record = operations.entry(kind.to_owned()).or_default();
        let stated = record.stated.get_or_insert_with(Stated::default);
        match (ours(plain).is_some(), intended.is_some()) {
            (true, false) if section.is_raw() => record.service = section.samples.clone(),
            (true, false) => stated.service = section.stated(),
            (true, true) => stated.response = section.stated(),
            (false, _) => stated.failed = stated.failed.take().or_else(|| section.stated()),
        }
        if ours(plain).is_some() {
            counts(record, section);
        }
    }
    for record in operations.values_mut() {
        if record.stated == Some(Stated::default()) {
            record.stated = None;
        }
    }
    operations.retain(|_, record| record.attempts() > 0);
    operations
}

/// What became of the operations. Read-modify-writes have no return codes: only their latencies are printed.
fn counts(record: &mut OperationRecord, section: &Section) {
    record.ok = record.ok.max(section.operations.unwrap_or(0));
    for (code, count) in &section.returns {
        match code.as_str() {
            // 0 is what YCSB up to 0.1.4 prints.
            "OK" | "0" | "BATCHED_OK" => {}
            "NOT_FOUND" => record.not_found = record.not_found.max(*count),
            other => {
                record
                    .errors
                    .insert(other.to_lowercase().replace('_', "-"), *count);
            }
        }
    }
    // YCSB up to 0.1.4 counts failures among the operations. Later ones do not, so that both numbers are one; where they are not, the
    // linter says so.
    let succeeded: u64 = ["OK", "0", "BATCHED_OK"]
        .iter()
        .filter_map(|code| section.returns.get(*code))
        .sum();
    if succeeded > 0 {
        record.ok = succeeded;
    }
}

/// A run inserts among other things, a load does nothing else.
fn phase(asked: &Asked, operations: &Operations) -> Phase {
    let only_inserts = operations.keys().all(|kind| kind == "insert");
    if asked.load || !asked.reported && only_inserts {
        Phase::Load
    } else {
        Phase::Run
    }
}

fn remarks(asked: &Asked, sections: &Sections, operations: &Operations) -> Vec<String> {
    let mut remarks = Vec::new();
    if operations.contains_key(crate::kinds::READ_MODIFY_WRITE) && asked.reported {
        remarks.push(
            "YCSB times the halves of read-modify-writes with the reads and updates: the latencies of these are of both".to_owned(),
        );
    }
    let kinds = || sections.iter().filter(|(name, _)| kind_of(name).is_some());
    if kinds().any(|(_, section)| section.has_buckets()) {
        remarks
            .push("percentiles are whole milliseconds, cut off: they come from buckets of 1 ms".to_owned());
    }
    remarks
}
