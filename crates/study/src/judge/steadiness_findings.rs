//! What there is to say about how steady a measured phase was, and about a warm-up that did not end by itself.

use dbdyno_record::{Finding, Severity, Steadiness, SteadyState, codes};
use dbdyno_vocabulary::number;

use crate::file::effort::LONGEST_WARMUP_AGAIN;
use crate::judge::pauses;

/// Times of shorter phases are shown in tenths of a second.
const SHORT_NS: u64 = 10_000_000_000;

/// Says of a warm-up that it reached its limit.
pub const NEVER_WARM: &str = "never-warm";

/// What there is to say of a warm-up that was to end with steady throughput, and ended without; `compiling` is the share of CPU
/// time that compilers still took, `again` says that the servers had been warmed up before.
#[must_use]
pub fn never_warm(length_ns: u64, compiling: Option<f64>, again: bool) -> Finding {
    let missing = match compiling {
        Some(share) => format!(
            "Java's compilers were idle (they took {} of the servers' CPU time)",
            number::whole_share(share)
        ),
        None => "the system was steady".to_owned(),
    };
    Finding {
        code: NEVER_WARM.to_owned(),
        severity: Severity::Warning,
        message: format!(
            "the warm-up reached its limit of {:.0} s before {missing}: the measured phase may include warm-up",
            length_ns as f64 / 1e9
        ),
        remedy: if again {
            format!(
                "servers that earlier trials warmed up get at most {} s of further warm-up: measure for longer, or move the workload to \
                 a study of its own",
                LONGEST_WARMUP_AGAIN.as_secs()
            )
        } else {
            "allow a longer warm-up: `warmup_limit = \"5m\"` in a study file".to_owned()
        },
    }
}

/// What there is to say about the measured phase, at most two things; `whole` is its throughput.
pub fn findings(steady: &SteadyState, whole: f64) -> impl Iterator<Item = Finding> {
    let phase_ns = steady.windows * steady.window_ns;
    let pauses = steady.pauses.as_ref();
    let pauses = pauses.and_then(|pauses| pauses::finding(pauses, phase_ns));
    of_levels(steady, whole).into_iter().chain(pauses)
}

fn of_levels(steady: &SteadyState, whole: f64) -> Option<Finding> {
    let last = steady.levels.last();
    let length_ns = steady.windows * steady.window_ns;
    let digits = usize::from(length_ns < SHORT_NS);
    let seconds = |ns: u64| format!("{:.digits$}", ns as f64 / 1e9);
    let levels: Vec<String> = steady
        .levels
        .iter()
        .map(
            |level| match level.latency_p50_ns.filter(|_| steady.judged_by == "latency") {
                Some(latency_ns) => format!("{:.0} us", latency_ns / 1e3),
                None => format!("{:.0}/s", level.throughput_per_second),
            },
        )
        .collect();
    let (code, message, remedy) = match (steady.steadiness, steady.pauses, last) {
        (Steadiness::NotJudged, ..) => return Some(not_judged()),
        (Steadiness::Steady, ..) => return two_speeds(steady, &levels),
        (Steadiness::Never, Some(pauses), _) if steady.is_judged_by_pauses() => (
            codes::NO_STEADY_STATE,
            format!("the answers {}", pauses::describe(&pauses, length_ns)),
            "find what stops the system (checkpoints, compactions, garbage collection, locks), and measure for longer; a system that \
             never becomes steady gets no verdict",
        ),
        (_, _, None) => return None,
        (Steadiness::Late, _, Some(last)) => (
            codes::SLOW_START,
            format!(
                "the {} became steady after {} of {} s ({}): the whole phase has {whole:.0} operations/s, its steady part {:.0}",
                steady.judged_by,
                seconds(last.from_ns),
                seconds(length_ns),
                levels.join(", then "),
                last.throughput_per_second
            ),
            match steady.levels.first() {
                Some(first) if first.throughput_per_second > last.throughput_per_second => {
                    "look for what slowed the system down and kept it slow (a failing server, compactions, a full cache); if that is how \
                     it works, warm up until it is reached: `warmup` in the study file, --warmup on the command line"
                }
                _ => "warm up longer: `warmup` in the study file, --warmup on the command line",
            },
        ),
        (Steadiness::Never, _, Some(last)) => (
            codes::NO_STEADY_STATE,
            format!(
                "the {} never became steady: {}; the last level lasted for {} of {} s",
                steady.judged_by,
                levels.join(", then "),
                seconds(length_ns - last.from_ns),
                seconds(length_ns)
            ),
            "warm up and measure longer; a verdict on it must be the same at each of these levels",
        ),
    };
    Some(Finding {
        code: code.to_owned(),
        severity: Severity::Warning,
        message,
        remedy: remedy.to_owned(),
    })
}

/// Two levels that take turns say nothing against the system, whose trials would all have them.
fn two_speeds(steady: &SteadyState, levels: &[String]) -> Option<Finding> {
    (steady.levels.len() > 1).then(|| Finding {
        code: codes::TWO_SPEEDS.to_owned(),
        severity: Severity::Note,
        message: format!(
            "the {} went back and forth between two levels: {}",
            steady.judged_by,
            levels.join(", then ")
        ),
        remedy: "two CPUs that share no cache at times look like this, and so does a system whose background work comes and \
                 goes: compare its other trials"
            .to_owned(),
    })
}

/// It holds no number, so that a report can show it once for all trials.
fn not_judged() -> Finding {
    Finding {
        code: "steadiness-not-judged".to_owned(),
        severity: Severity::Note,
        message: "the measured phase was too short, or had too few operations, to show whether it was steady".to_owned(),
        remedy: "measure for two seconds or more, at twenty operations per second or more: `duration` in the study file, --duration \
                 on the command line"
            .to_owned(),
    }
}
