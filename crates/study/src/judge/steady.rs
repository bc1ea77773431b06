//! Whether the measured phase was steady: change points of its windows.
//!
//! The windows' levels are sought by [`dbdyno_stats::change_points`]. What comes before the last level is warm-up that was
//! measured; when the last level lasts for less than half of the phase, there was no steady state (Barrett et al., "Virtual
//! Machine Warmup Blows Hot and Cold", OOPSLA 2017; Traini et al., "Towards Effective Assessment of Steady State Performance
//! in Java Software", Empirical Software Engineering 28, 2022). Where no level changes, a drift from begin to end is sought
//! ([`dbdyno_stats::trend`]): it is no steady state either.

use std::time::Duration;

use dbdyno_engine::{Event, Interval, Phase};
use dbdyno_record::{Finding, Latency, Level, Severity, Steadiness, SteadyState, codes};
use dbdyno_stats::{Detection, change_points, drift, segments};
use dbdyno_vocabulary::number;

use crate::file::effort::LONGEST_WARMUP_AGAIN;
use crate::judge::window;

/// With fewer windows nothing is said.
pub const FEWEST_WINDOWS: usize = 20;
/// Smaller changes of throughput are no other level: one in less than half of the phase moves the whole by less than 5%,
/// the margin of verdicts.
pub const SMALLEST_CHANGE: f64 = 0.10;
/// The same for latency, of which a window's median is a coarser sign.
pub const SMALLEST_LATENCY_CHANGE: f64 = 0.25;
/// The share of the phase that its last level must last.
pub const STEADY_SHARE: f64 = 0.5;
/// What begins in so late a part of the phase is no level yet: a pause or a burst looks the same.
const LATE_PART: f64 = 0.2;
/// Times of shorter phases are shown in tenths of a second.
const SHORT_NS: u64 = 10_000_000_000;
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

/// One window of the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Successful operations.
    pub ok: u64,
    /// Their median latency, nanoseconds.
    pub latency_p50_ns: Option<f64>,
}

/// Collects the windows of a phase while they come.
#[derive(Debug)]
pub struct Windows {
    phase: Phase,
    windows: Vec<Window>,
    window_ns: u64,
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
            let steady = judge_with(windows, self.window_ns, with_rate, 0.0);
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
        let mut latency = Latency::new();
        for operation in interval.operations.values() {
            latency.merge(operation.response.as_ref().unwrap_or(&operation.service));
        }
        let window = &mut self.windows[index];
        window.ok += interval
            .operations
            .values()
            .map(|operation| operation.ok)
            .sum::<u64>();
        // A late addition is a few operations: the median of the rest stands for them.
        let median = latency.percentile_ns(50.0).map(|latency_ns| latency_ns as f64);
        window.latency_p50_ns = match (window.latency_p50_ns, median) {
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
        let whole = measured_ns.checked_div(self.window_ns).unwrap_or(0) as usize;
        let (mut windows, mut window_ns) = (
            self.windows[..whole.min(self.windows.len())].to_vec(),
            self.window_ns,
        );
        // More windows than it takes only look at shorter noise, and windows of few operations only at chance.
        while (windows.len() >= 2 * window::WINDOWS as usize && window_ns * 2 <= SECOND_NS)
            || (windows.len() >= 2 * FEWEST_WINDOWS && hold_too_little(&windows))
        {
            // Half a window would look like a change.
            windows.truncate(windows.len() & !1);
            windows = in_pairs(&windows);
            window_ns *= 2;
        }
        judge(&windows, window_ns, with_rate)
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
    /// What it is judged by.
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

/// The levels of these windows.
#[must_use]
pub fn judge(windows: &[Window], window_ns: u64, with_rate: bool) -> SteadyState {
    judge_with(windows, window_ns, with_rate, LATE_PART)
}

/// The same, where levels that begin in this last part of the windows are parts of those before.
fn judge_with(windows: &[Window], window_ns: u64, with_rate: bool, late_part: f64) -> SteadyState {
    let judged_by = if with_rate { "latency" } else { "throughput" };
    // Windows without an operation have no latency: the phase was not steady in a way that others judge.
    let values: Vec<f64> = windows
        .iter()
        .filter_map(|window| window.value(with_rate))
        .collect();
    let enough = values.len() >= FEWEST_WINDOWS && values.len() == windows.len();
    let points = if enough {
        change_points(
            &values,
            &Detection {
                smallest_change: smallest_change(with_rate),
                ..Detection::default()
            },
        )
    } else {
        Vec::new()
    };
    let drifts = enough
        && points.is_empty()
        && drift(&values).is_some_and(|ratio| ratio.ln().abs() >= smallest_change(with_rate).ln_1p());
    let parts = if drifts {
        thirds(windows.len())
    } else {
        let late = windows.len() as f64 * (1.0 - late_part);
        let mut points = points;
        points.retain(|point| (point.index as f64) < late);
        segments(windows.len(), &points)
    };
    let last = parts.last().map_or(0, |part| part.start);
    let steadiness = if !enough {
        Steadiness::NotJudged
    } else if last == 0 {
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
    }
}

/// A drift has no levels; those of its thirds tell it.
fn thirds(windows: usize) -> Vec<std::ops::Range<usize>> {
    let (first, second) = (windows / 3, windows * 2 / 3);
    vec![0..first, first..second, second..windows]
}

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

/// What there is to say about it; `whole` is the throughput of the whole phase.
#[must_use]
pub fn finding(steady: &SteadyState, whole: f64) -> Option<Finding> {
    if steady.steadiness == Steadiness::NotJudged {
        return Some(not_judged());
    }
    let last = steady.levels.last()?;
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
    let (code, message, remedy) = match steady.steadiness {
        Steadiness::Steady | Steadiness::NotJudged => return None,
        Steadiness::Late => (
            codes::SLOW_START,
            format!(
                "the {} became steady after {} of {} s ({}): the whole phase has {whole:.0} operations/s, its steady part {:.0}",
                steady.judged_by,
                seconds(last.from_ns),
                seconds(length_ns),
                levels.join(", then "),
                last.throughput_per_second
            ),
            "warm up longer: `warmup` in the study file, --warmup on the command line",
        ),
        Steadiness::Never => (
            codes::NO_STEADY_STATE,
            format!(
                "the {} never became steady: {}; the last level lasted for {} of {} s",
                steady.judged_by,
                levels.join(", then "),
                seconds(length_ns - last.from_ns),
                seconds(length_ns)
            ),
            "warm up and measure longer; a system that never becomes steady gets no verdict",
        ),
    };
    Some(Finding {
        code: code.to_owned(),
        severity: Severity::Warning,
        message,
        remedy: remedy.to_owned(),
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

#[cfg(test)]
#[path = "steady_tests.rs"]
mod tests;
