//! Progress on stderr: a live line on a terminal, sparse plain lines elsewhere, nothing with `--quiet`.

use std::time::{Duration, Instant};

use dbdyno_engine::{Event, Interval, Observer, Phase};
use dbdyno_record::{Latency, OperationRecord, TrialRecord, TrialStatus};
use dbdyno_report::number;
use dbdyno_study::{StudyEvent, StudyObserver};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::Terminal;

/// Between two plain lines of one phase: a log of a long run stays readable.
const PLAIN_LINE_EVERY: Duration = Duration::from_secs(10);
/// Steps of the bar.
const BAR_STEPS: u64 = 1000;

/// Shows one trial, or the trials of a study.
pub struct Progress {
    terminal: Terminal,
    bar: Option<ProgressBar>,
    /// Before everything: which trial of which study. Empty for a single run.
    prefix: String,
    phase: Option<RunningPhase>,
    /// Of the whole study, without and with repeats of disturbed trials, from the start of the current trial on.
    study_remaining: Option<(Instant, Duration, Duration)>,
}

struct RunningPhase {
    phase: Phase,
    since: Instant,
    last_line: Instant,
    expected_operations: Option<u64>,
    expected_duration: Option<Duration>,
    operations: u64,
    errors: u64,
}

#[expect(
    clippy::disallowed_methods,
    reason = "progress is shown on the wall clock, far from any operation"
)]
fn now() -> Instant {
    Instant::now()
}

impl Progress {
    /// Shows nothing until something happens.
    pub fn new(terminal: Terminal) -> Self {
        let bar = terminal.live.then(|| {
            let template = if terminal.stderr.color {
                "{prefix:.bold}{bar:24.cyan/dim} {msg}"
            } else {
                "{prefix}{bar:24} {msg}"
            };
            let style = ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸─");
            ProgressBar::with_draw_target(Some(BAR_STEPS), ProgressDrawTarget::stderr_with_hz(10))
                .with_style(style)
        });
        Self {
            terminal,
            bar,
            prefix: String::new(),
            phase: None,
            study_remaining: None,
        }
    }

    /// Removes the live line, so that results follow clean.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// A line that stays.
    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.terminal.note(text)),
            None => self.terminal.note(text),
        }
    }

    fn engine_event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted {
                phase,
                expected_operations,
                expected_duration,
            } => {
                self.phase = Some(RunningPhase {
                    phase: *phase,
                    since: now(),
                    last_line: now(),
                    expected_operations: *expected_operations,
                    expected_duration: *expected_duration,
                    operations: 0,
                    errors: 0,
                });
                if let Some(bar) = &self.bar {
                    bar.set_prefix(self.prefix.clone());
                    bar.set_position(0);
                    bar.set_message(phase.name());
                    bar.tick();
                }
            }
            Event::Interval(interval) => self.interval(interval),
            Event::PhaseEnded { .. } => self.phase = None,
            Event::Preparing(what) => self.line(what),
            Event::Reached(_) => {}
        }
    }

    fn interval(&mut self, interval: &Interval) {
        let Some(phase) = &mut self.phase else { return };
        let seen = Seen::of(interval);
        phase.operations += seen.attempts;
        phase.errors += seen.errors;
        // What ended while draining still belongs to the phase before; its rate over a moment says nothing.
        if interval.late || interval.phase != phase.phase {
            return;
        }
        let elapsed = phase.since.elapsed();
        let done = phase.share_done(elapsed);
        let left = done
            .filter(|&done| done > 0.0)
            .map(|done| elapsed.mul_f64((1.0 - done).max(0.0) / done));
        let message = self.message(&seen, left);
        match &self.bar {
            Some(bar) => {
                bar.set_position((done.unwrap_or(0.0) * BAR_STEPS as f64) as u64);
                bar.set_message(message);
            }
            None => {
                let Some(phase) = &mut self.phase else { return };
                if phase.last_line.elapsed() >= PLAIN_LINE_EVERY {
                    phase.last_line = now();
                    let percent =
                        done.map_or_else(String::new, |done| format!("{} ", number::whole_share(done)));
                    self.terminal.note(&format!("{}{percent}{message}", self.prefix));
                }
            }
        }
    }

    fn message(&self, seen: &Seen, left: Option<Duration>) -> String {
        let Some(phase) = &self.phase else {
            return String::new();
        };
        let mut parts = vec![format!("{} {}", phase.phase.name(), number::rate(seen.rate))];
        if let Some(p99) = seen.p99_ns {
            parts.push(format!("p99 {}", number::duration_ns(p99 as f64)));
        }
        parts.push(match phase.errors {
            0 => "no errors".to_owned(),
            1 => "1 error".to_owned(),
            errors => format!("{} errors", number::quantity(errors as f64)),
        });
        if let Some(left) = left {
            parts.push(format!("{} left", short_time(left)));
        }
        if let Some((since, remaining, repeats)) = self.study_remaining {
            let remaining = remaining.saturating_sub(since.elapsed());
            let (least, most) = (short_time(remaining), short_time(remaining + repeats));
            parts.push(if least == most {
                format!("study: {least} left")
            } else {
                format!("study: {least} left, {most} with repetitions")
            });
        }
        parts.join(", ")
    }
}

impl RunningPhase {
    /// How much of the phase is over, 0 to 1, by time or by count, whichever is further.
    fn share_done(&self, elapsed: Duration) -> Option<f64> {
        let by_time = self
            .expected_duration
            .filter(|expected| !expected.is_zero())
            .map(|expected| elapsed.as_secs_f64() / expected.as_secs_f64());
        let by_count = self
            .expected_operations
            .filter(|&expected| expected > 0)
            .map(|expected| self.operations as f64 / expected as f64);
        by_time
            .into_iter()
            .chain(by_count)
            .reduce(f64::max)
            .map(|done| done.min(1.0))
    }
}

/// One interval, all kinds of operations together.
struct Seen {
    rate: f64,
    attempts: u64,
    errors: u64,
    p99_ns: Option<u64>,
}

impl Seen {
    fn of(interval: &Interval) -> Self {
        let mut latency = Latency::new();
        let (mut ok, mut attempts, mut errors) = (0, 0, 0);
        for operation in interval.operations.values() {
            ok += operation.ok;
            errors += operation.errors;
            attempts += operation.ok + operation.not_found + operation.too_early + operation.errors;
            latency.merge(operation.response.as_ref().unwrap_or(&operation.service));
        }
        Self {
            rate: ok as f64 * 1e9 / interval.duration_ns.max(1) as f64,
            attempts,
            errors,
            p99_ns: latency.percentile_ns(99.0),
        }
    }
}

impl Observer for Progress {
    fn event(&mut self, event: &Event) {
        self.engine_event(event);
    }
}

impl StudyObserver for Progress {
    fn event(&mut self, event: &StudyEvent<'_>) {
        match event {
            StudyEvent::TrialStarted {
                trial,
                number,
                total,
                remaining,
                repeats,
            } => {
                let digits = total.to_string().len();
                let name = trial.planned.trial.split_once('-').map_or("", |(_, name)| name);
                self.prefix = format!("[{number:>digits$}/{total}] {name:<18} ");
                self.study_remaining = Some((now(), *remaining, *repeats));
            }
            StudyEvent::Engine(event) => self.engine_event(event),
            StudyEvent::TrialEnded { record, .. } => {
                self.line(&format!("{}{}", self.prefix, outcome(record)));
            }
        }
    }
}

/// One line about a trial that ended.
fn outcome(record: &TrialRecord) -> String {
    if let TrialStatus::Failed { reason } = &record.status {
        return format!("failed: {reason}");
    }
    let Some(measure) = &record.measure else {
        return "ended before the measured phase".to_owned();
    };
    let total = |count: fn(&OperationRecord) -> u64| measure.operations.values().map(count).sum::<u64>();
    let (ok, errors) = (
        total(|operation| operation.ok),
        total(OperationRecord::error_count),
    );
    let mut text = number::rate(ok as f64 * 1e9 / measure.duration_ns.max(1) as f64);
    let latency = record.latency(None);
    for percentile in [50.0, 99.0] {
        if let Some(value) = latency.percentile(percentile) {
            text.push_str(&format!(
                ", {} {}",
                number::percentile(percentile),
                number::latency(Some(value.ns()), value.is_bound())
            ));
        }
    }
    if errors > 0 {
        text.push_str(&format!(", {}", number::plural(errors, "error", "errors")));
    }
    match record.status {
        TrialStatus::Interrupted => text.push_str(", interrupted"),
        TrialStatus::Disturbed => text.push_str(", disturbed: will be repeated"),
        TrialStatus::Completed | TrialStatus::Failed { .. } => {}
    }
    text
}

/// Whole seconds, minutes or hours: `45 s`, `3 min`, `2 h 5 min`.
pub fn short_time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
