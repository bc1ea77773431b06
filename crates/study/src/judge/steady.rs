//! Whether the measured phase was steady: change points of its windows.
//!
//! The windows' levels are sought by [`dbdyno_stats::change_points`]. What comes before the last level is warm-up that was
//! measured; when the last level lasts for less than half of the phase, there was no steady state (Barrett et al., "Virtual
//! Machine Warmup Blows Hot and Cold", OOPSLA 2017; Traini et al., "Towards Effective Assessment of Steady State Performance
//! in Java Software", Empirical Software Engineering 28, 2022). Where no level changes, a drift from begin to end is sought
//! ([`dbdyno_stats::trend`]): it is no steady state either.
//!
//! A closed loop is judged by its throughput and by its latency: a machine that is busy meanwhile hides a drift of the throughput, but
//! not of the median latency. Pauses, which neither shows, are judged beside them (`pauses.rs`).

use std::time::Duration;

use dbdyno_engine::{Event, Interval, Phase};
use dbdyno_record::{JUDGED_BY_PAUSES, Latency, Level, Pauses, Steadiness, SteadyState};
use dbdyno_stats::{Detection, change_points, drift, segments};

use crate::judge::{pauses, two_speeds};
use crate::plan::window::{self, FEWEST_WINDOWS, Window};

/// Smaller changes of throughput are no other level: one in less than half of the phase moves the whole by less than 5%,
/// the margin of verdicts.
pub const SMALLEST_CHANGE: f64 = 0.10;
/// Smaller changes of latency are no other level: a window's median is a coarser sign than its throughput.
pub const SMALLEST_LATENCY_CHANGE: f64 = 0.25;
/// The share of the phase that its last level must last.
pub const STEADY_SHARE: f64 = 0.5;
/// The share of windows that must hold an operation where latency is judged.
const WITH_LATENCY: f64 = 0.8;
/// A level that begins in so late a part of the phase is none yet: a pause or a burst looks the same.
const LATE_PART: f64 = 0.2;
/// A warm-up that ends by itself does so after so many windows of one level.
pub const REST_WINDOWS: usize = 10;
/// Of a warm-up only its last windows are judged: change points among hundreds of them take seconds to find, in which the clients
/// would compete with the search.
const LAST_WINDOWS: usize = 4 * REST_WINDOWS;
/// And when that was seen so often in a row: while a change is young, one more window may hide it.
pub const REST_LOOKS: u32 = 3;
/// The windows of a warm-up that ends by itself, for servers that were just started: shorter ones would take the pauses of a
/// start for noise.
pub const WARMUP_WINDOW: Duration = Duration::from_millis(250);
/// Those on servers that are warm: another workload may still have code to compile.
pub const WARMUP_AGAIN_WINDOW: Duration = Duration::from_millis(100);
/// More windows than these are joined in pairs, however long the phase: memory stays constant.
const MOST_WINDOWS: usize = 1_200;

/// The windows of a measured phase are this long at the most, unless it is very long or slow.
pub const SECOND_NS: u64 = 1_000_000_000;

/// Collects the windows of a phase while they come.
#[derive(Debug)]
pub struct Windows {
    phase: Phase,
    windows: Vec<Window>,
    window_ns: u64,
    /// Service times of the whole phase.
    service: Latency,
    /// The end of the latest interval.
    until_ns: u64,
    /// Whole windows at the last look.
    looked_at: usize,
    restful_looks: u32,
}

impl Windows {
    /// None yet, each of which will be this long.
    #[must_use]
    pub fn of(phase: Phase, window_ns: u64) -> Self {
        Self {
            phase,
            windows: Vec::new(),
            window_ns: window_ns.max(1),
            service: Latency::new(),
            until_ns: 0,
            looked_at: 0,
            restful_looks: 0,
        }
    }

    /// How long they are together, nanoseconds.
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.until_ns
    }

    /// How long a level must last, nanoseconds.
    #[must_use]
    pub fn rest_ns(&self) -> u64 {
        REST_WINDOWS as u64 * self.window_ns
    }

    /// Whether the system is steady: a level that lasts since [`REST_WINDOWS`], seen in [`REST_LOOKS`] windows in a row. To
    /// be asked after each interval.
    pub fn at_rest(&mut self, with_rate: bool) -> bool {
        let whole = ((self.until_ns / self.window_ns) as usize).min(self.windows.len());
        if whole <= self.looked_at {
            return self.restful_looks >= REST_LOOKS;
        }
        self.looked_at = whole;
        let windows = &self.windows[whole.saturating_sub(LAST_WINDOWS)..whole];
        let rests = last_windows_agree(windows, with_rate) && {
            let steady = judge_by(windows, self.window_ns, with_rate, 0.0);
            let last_ns = steady.levels.last().map_or(0, |level| level.from_ns);
            steady.steadiness != Steadiness::NotJudged
                && windows.len() as u64 * self.window_ns - last_ns >= self.rest_ns()
        };
        self.restful_looks = if rests { self.restful_looks + 1 } else { 0 };
        self.restful_looks >= REST_LOOKS
    }

    /// Takes note of what happened.
    pub fn event(&mut self, event: &Event) {
        if let Event::Interval(interval) = event
            && interval.phase == self.phase
        {
            self.interval(interval);
        }
    }

    fn interval(&mut self, interval: &Interval) {
        self.until_ns = self.until_ns.max(interval.start_ns + interval.duration_ns);
        let index = (interval.start_ns / self.window_ns) as usize;
        if index >= self.windows.len() {
            self.windows.resize(index + 1, Window::default());
        }
        let window = &mut self.windows[index];
        for operation in interval.operations.values() {
            self.service.merge(&operation.service);
            window.ok += operation.ok;
            window.ended += operation.ok + operation.not_found + operation.too_early + operation.errors;
            window.longest_ns = window.longest_ns.max(operation.service.0.max());
        }
        // A late addition is a few operations: the median of the rest stands for them.
        window.latency_p50_ns = match (window.latency_p50_ns, median_latency_ns(interval)) {
            (Some(before), Some(_)) if interval.late => Some(before),
            (Some(first), Some(second)) => Some(f64::midpoint(first, second)),
            (before, now) => before.or(now),
        };
        if self.windows.len() > MOST_WINDOWS {
            self.windows = in_pairs(&self.windows);
            self.window_ns *= 2;
            self.looked_at /= 2;
        }
    }

    /// Judges what was collected of a measured phase of this length; the drain after it does not count. With a `rate` by
    /// the latency.
    #[must_use]
    pub fn judge(&self, measured_ns: u64, with_rate: bool) -> SteadyState {
        // A phase in slices may miss a part of an operation at each of their ends.
        let nearly_ns = measured_ns.saturating_add(self.window_ns / 10);
        let whole = nearly_ns.checked_div(self.window_ns).unwrap_or(0) as usize;
        let whole = &self.windows[..whole.min(self.windows.len())];
        let (mut windows, mut window_ns) = (whole.to_vec(), self.window_ns);
        // More windows than it takes only look at shorter noise, and windows of few operations only at chance.
        while (windows.len() >= 2 * window::WINDOWS as usize && window_ns * 2 <= SECOND_NS)
            || (windows.len() >= 2 * FEWEST_WINDOWS && hold_too_little(&windows))
        {
            // Half a window would look like a change.
            windows.truncate(windows.len() & !1);
            windows = in_pairs(&windows);
            window_ns *= 2;
        }
        let steady = judge(&windows, window_ns, with_rate);
        let service_ns = self.service.percentile_ns(50.0).map(|ns| ns as f64);
        let pauses = pauses::find(whole, self.window_ns, service_ns);
        with_pauses(steady, pauses.filter(|_| whole.len() >= FEWEST_WINDOWS))
    }
}

/// The median latency of the successful operations of an interval; see [`Window::latency_p50_ns`].
fn median_latency_ns(interval: &Interval) -> Option<f64> {
    let mut operations = 0.0;
    let mut logarithms = 0.0;
    for operation in interval.operations.values() {
        let latency = operation.response.as_ref().unwrap_or(&operation.service);
        if let Some(median_ns) = latency.percentile_ns(50.0) {
            operations += latency.count() as f64;
            logarithms += latency.count() as f64 * (median_ns.max(1) as f64).ln();
        }
    }
    (operations > 0.0).then(|| (logarithms / operations).exp())
}

/// Adds the pauses, which leave no steady state where they make up much of the phase.
fn with_pauses(steady: SteadyState, pauses: Option<Pauses>) -> SteadyState {
    let phase_ns = steady.windows * steady.window_ns;
    let prevail = pauses.is_some_and(|pauses| pauses::prevail(&pauses, phase_ns));
    let (steadiness, judged_by) = if prevail {
        (Steadiness::Never, JUDGED_BY_PAUSES.to_owned())
    } else {
        (steady.steadiness, steady.judged_by)
    };
    SteadyState {
        steadiness,
        judged_by,
        pauses,
        ..steady
    }
}

/// Whether the median window has too few operations to be told from its neighbours.
fn hold_too_little(windows: &[Window]) -> bool {
    let mut counts: Vec<u64> = windows.iter().map(|window| window.ok).collect();
    counts.sort_unstable();
    counts
        .get(counts.len() / 2)
        .is_some_and(|&ok| ok < window::FEWEST_OPERATIONS)
}

/// Every two windows as one; the last one alone when there is an odd number.
fn in_pairs(windows: &[Window]) -> Vec<Window> {
    let joined = windows.chunks(2).map(|pair| Window {
        ok: pair.iter().map(|window| window.ok).sum(),
        ended: pair.iter().map(|window| window.ended).sum(),
        longest_ns: pair.iter().map(|window| window.longest_ns).max().unwrap_or(0),
        latency_p50_ns: pair
            .iter()
            .filter_map(|window| window.latency_p50_ns)
            .reduce(f64::midpoint),
    });
    joined.collect()
}

/// Whether the later half of the last [`REST_WINDOWS`] is like the earlier: a change that is younger than that may not show
/// yet as a level of its own.
fn last_windows_agree(windows: &[Window], with_rate: bool) -> bool {
    let last = &windows[windows.len().saturating_sub(REST_WINDOWS)..];
    let (earlier, later) = last.split_at(last.len() / 2);
    let level = |windows: &[Window]| {
        let mut values: Vec<f64> = windows
            .iter()
            .filter_map(|window| window.value(with_rate))
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let Some((earlier, later)) = level(earlier).zip(level(later)) else {
        return false;
    };
    (later / earlier).ln().abs() < smallest_change(with_rate).ln_1p()
}

impl Window {
    /// The value that it is judged by.
    fn value(&self, with_rate: bool) -> Option<f64> {
        if with_rate {
            self.latency_p50_ns
        } else {
            Some(self.ok as f64)
        }
    }
}

fn smallest_change(with_rate: bool) -> f64 {
    if with_rate {
        SMALLEST_LATENCY_CHANGE
    } else {
        SMALLEST_CHANGE
    }
}

/// The levels of these windows. With a rate, those of the latency; without one, those of the throughput, unless the latency was
/// less steady.
#[must_use]
pub fn judge(windows: &[Window], window_ns: u64, with_rate: bool) -> SteadyState {
    let judged_by = |latency| judge_by(windows, window_ns, latency, LATE_PART);
    if with_rate {
        return judged_by(true);
    }
    let (throughput, latency) = (judged_by(false), judged_by(true));
    let unrest = |steady: &SteadyState| match steady.steadiness {
        Steadiness::NotJudged | Steadiness::Steady => 0,
        Steadiness::Late => 1,
        Steadiness::Never => 2,
    };
    if unrest(&latency) > unrest(&throughput) {
        latency
    } else {
        throughput
    }
}

/// What the windows are judged by, one value each; `None` where too many have none. Few windows lack a latency: it is that of the
/// window before.
fn values(windows: &[Window], by_latency: bool) -> Option<Vec<f64>> {
    let known = || windows.iter().filter_map(|window| window.value(by_latency));
    let enough = known().count() as f64 >= WITH_LATENCY * windows.len() as f64;
    let mut last = known().next().filter(|_| enough)?;
    let filled = windows.iter().map(|window| {
        last = window.value(by_latency).unwrap_or(last);
        last
    });
    Some(filled.collect())
}

/// The parts of a series that have a level each, and whether they take turns between the two speeds of a machine.
fn parts(values: &[f64], smallest_change: f64, late_part: f64) -> (Vec<std::ops::Range<usize>>, bool) {
    let mut points = change_points(
        values,
        &Detection {
            smallest_change,
            ..Detection::default()
        },
    );
    if points.is_empty() {
        let drifts = drift(values).is_some_and(|ratio| ratio.ln().abs() >= smallest_change.ln_1p());
        return if drifts {
            (thirds(values.len()), false)
        } else {
            (segments(values.len(), &[]), false)
        };
    }
    if let Some(turns) = two_speeds::turns(values) {
        return (turns, true);
    }
    let late = values.len() as f64 * (1.0 - late_part);
    points.retain(|point| (point.index as f64) < late);
    (segments(values.len(), &points), false)
}

/// The levels of these windows, of their latency or of their throughput. A level that begins in the `late_part` of them is part of
/// the one before.
fn judge_by(windows: &[Window], window_ns: u64, by_latency: bool, late_part: f64) -> SteadyState {
    let judged_by = if by_latency { "latency" } else { "throughput" };
    let values = values(windows, by_latency).unwrap_or_default();
    let enough = values.len() >= FEWEST_WINDOWS;
    let (parts, two_speeds) = if enough {
        parts(&values, smallest_change(by_latency), late_part)
    } else {
        (segments(windows.len(), &[]), false)
    };
    let last = parts.last().map_or(0, |part| part.start);
    let steadiness = if !enough {
        Steadiness::NotJudged
    } else if last == 0 || two_speeds {
        Steadiness::Steady
    } else if (windows.len() - last) as f64 >= STEADY_SHARE * windows.len() as f64 {
        Steadiness::Late
    } else {
        Steadiness::Never
    };
    let level = |part: std::ops::Range<usize>| {
        let ok: u64 = windows[part.clone()].iter().map(|window| window.ok).sum();
        let mut medians: Vec<f64> = windows[part.clone()]
            .iter()
            .filter_map(|window| window.latency_p50_ns)
            .collect();
        medians.sort_unstable_by(f64::total_cmp);
        Level {
            from_ns: part.start as u64 * window_ns,
            throughput_per_second: ok as f64 * 1e9 / (part.len() as f64 * window_ns as f64),
            latency_p50_ns: medians.get(medians.len() / 2).copied(),
        }
    };
    SteadyState {
        steadiness,
        judged_by: judged_by.to_owned(),
        windows: windows.len() as u64,
        window_ns,
        levels: parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(level)
            .collect(),
        pauses: None,
    }
}

/// A drift has no levels; those of its thirds tell it.
fn thirds(windows: usize) -> Vec<std::ops::Range<usize>> {
    let (first, second) = (windows / 3, windows * 2 / 3);
    vec![0..first, first..second, second..windows]
}

#[cfg(test)]
#[path = "steady_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "steady_simulated_tests.rs"]
mod simulated_tests;
