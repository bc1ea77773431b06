//! Findings about how steady a measured phase was, and about a warm-up that did not end by itself.

use dbdyno_record::finding::{NeverWarm, NoSteadyState, SlowStart, SteadinessNotJudged, TwoSpeeds};
use dbdyno_record::{Finding, Steadiness, SteadyState};

use crate::file::effort::LONGEST_WARMUP_AGAIN;
use crate::judge::pauses;

/// What there is to say of a warm-up that was to end with steady throughput, and ended without; `compiling` is the share of CPU
/// time that compilers still took, `again` says that the servers had been warmed up before.
#[must_use]
pub fn never_warm(warmup_ns: u64, compiling: Option<f64>, again: bool) -> Finding {
    Finding::warning(NeverWarm {
        warmup_ns,
        compiling_share: compiling,
        again_limit_ns: again.then_some(LONGEST_WARMUP_AGAIN.as_nanos() as u64),
    })
}

/// Findings about the measured phase, at most two; `whole` is its throughput.
pub fn findings(steady: &SteadyState, whole: f64) -> impl Iterator<Item = Finding> {
    let phase_ns = steady.windows * steady.window_ns;
    let pauses = steady.pauses.as_ref();
    let pauses = pauses.and_then(|pauses| pauses::finding(pauses, phase_ns));
    of_levels(steady, whole).into_iter().chain(pauses)
}

fn of_levels(steady: &SteadyState, whole_per_second: f64) -> Option<Finding> {
    let phase_ns = steady.windows * steady.window_ns;
    let judged_by = steady.judged_by.clone();
    let levels = steady.levels.clone();
    let by_pauses = steady.is_judged_by_pauses();
    match steady.steadiness {
        Steadiness::NotJudged => Some(Finding::note(SteadinessNotJudged {})),
        Steadiness::Steady => (levels.len() > 1).then(|| Finding::note(TwoSpeeds { judged_by, levels })),
        Steadiness::Never if by_pauses && steady.pauses.is_some() => Some(Finding::warning(NoSteadyState {
            judged_by,
            phase_ns,
            levels,
            pauses: steady.pauses,
        })),
        _ if levels.is_empty() => None,
        Steadiness::Late => Some(Finding::warning(SlowStart {
            judged_by,
            phase_ns,
            whole_per_second,
            levels,
        })),
        Steadiness::Never => Some(Finding::warning(NoSteadyState {
            judged_by,
            phase_ns,
            levels,
            pauses: None,
        })),
    }
}
