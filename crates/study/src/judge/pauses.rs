//! Pauses: times of the measured phase in which nothing was answered.
//!
//! A pause has no level for a search of change points to find, and pauses that come again and again look to it like noise. They
//! are counted instead: whole windows without an answer, where answers were to be expected. A pause shorter than two windows may
//! go unseen.

use dbdyno_record::finding::Paused;
use dbdyno_record::{Finding, Pauses};

use crate::plan::window::Window;

/// The fewest operations that have to be missing: fewer may be absent by chance.
const FEWEST_MISSING: f64 = 20.0;
/// How many times as long as a typical operation a time without answers must be: clients that wait for slow operations together
/// do not pause.
const LONGER_THAN_OPERATIONS: f64 = 10.0;
/// The share of the phase from which pauses are reported: that of the margin of verdicts.
const REPORTED_SHARE: f64 = 0.05;
/// The share from which a phase of several pauses has no steady state.
const LARGE_SHARE: f64 = 0.2;

/// The pauses among these windows, if there are any. `service_ns`: the typical service time of an operation.
pub(super) fn find(windows: &[Window], window_ns: u64, service_ns: Option<f64>) -> Option<Pauses> {
    let silent = silences(windows);
    let silent_windows: usize = silent.iter().map(ExactSizeIterator::len).sum();
    let answered: u64 = windows.iter().map(|window| window.ended).sum();
    let per_window = answered as f64 / (windows.len() - silent_windows).max(1) as f64;
    let shortest_ns = LONGER_THAN_OPERATIONS * service_ns?;
    let ends: Vec<usize> = silent.iter().skip(1).map(|next| next.start).collect();
    let paused: Vec<(usize, u64)> = silent
        .into_iter()
        .zip(ends.into_iter().chain([windows.len()]))
        .filter(|(silence, _)| silence.len() as f64 * per_window >= FEWEST_MISSING)
        .map(|(silence, end)| (silence.start, length_ns(&silence, end, windows, window_ns)))
        .filter(|(_, length_ns)| *length_ns as f64 >= shortest_ns)
        .collect();
    let (first, last) = (paused.first()?.0, paused.last()?.0);
    let mut lengths: Vec<u64> = paused.iter().map(|(_, length_ns)| *length_ns).collect();
    lengths.sort_unstable();
    Some(Pauses {
        count: paused.len() as u64,
        total_ns: lengths.iter().sum(),
        median_ns: lengths[lengths.len() / 2],
        longest_ns: *lengths.last()?,
        every_ns: ((last - first) as u64 * window_ns).checked_div(paused.len() as u64 - 1),
    })
}

/// The stretches of windows in which nothing ended.
fn silences(windows: &[Window]) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, _) in windows.iter().enumerate().filter(|(_, window)| window.ended == 0) {
        match found.last_mut().filter(|silence| silence.end == index) {
            Some(silence) => silence.end += 1,
            None => found.push(index..index + 1),
        }
    }
    found
}

/// How long a pause was: as long as the operation that waited for its end, which reaches into the windows on both sides, where
/// that one was successful. It was over when the next silence begins, in window `next`.
fn length_ns(silence: &std::ops::Range<usize>, next: usize, windows: &[Window], window_ns: u64) -> u64 {
    let whole_ns = silence.len() as u64 * window_ns;
    let waited_ns = windows.get(silence.end).map_or(0, |window| window.longest_ns);
    let sides = (silence.len() + 2).min(next - silence.start);
    waited_ns.clamp(whole_ns, sides as u64 * window_ns)
}

/// Whether they are no exception but the way in which the phase went.
pub(super) fn prevail(pauses: &Pauses, phase_ns: u64) -> bool {
    pauses.count > 1 && pauses.total_ns as f64 >= LARGE_SHARE * phase_ns as f64
}

/// The finding about pauses in a phase that they do not make up.
pub(super) fn finding(pauses: &Pauses, phase_ns: u64) -> Option<Finding> {
    let share = pauses.total_ns as f64 / phase_ns.max(1) as f64;
    (share >= REPORTED_SHARE && !prevail(pauses, phase_ns)).then(|| {
        Finding::warning(Paused {
            pauses: *pauses,
            phase_ns,
        })
    })
}

#[cfg(test)]
#[path = "pauses_tests.rs"]
mod tests;
