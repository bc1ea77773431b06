//! Progress on stderr: live lines on a terminal, sparse plain lines elsewhere, nothing with `--quiet`.

mod trial_lines;

use std::time::{Duration, Instant};

use dbdyno_engine::{Event, Interval, Observer, Phase};
use dbdyno_record::finding::{Facts as _, RateNotSustained};
use dbdyno_record::plan::number_of;
use dbdyno_record::{Latency, OperationRecord, TrialRecord, TrialStatus};
use dbdyno_report::{Style, number};
use dbdyno_serve::StudyPosition;
use dbdyno_study::{StudyEvent, StudyObserver};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::aborted;
use crate::screen;
use crate::terminal::Terminal;

use trial_lines::fitted;
pub use trial_lines::{TrialLines, shortened};

/// Between two plain lines of one phase: a log of a long run stays readable.
const PLAIN_LINE_EVERY: Duration = Duration::from_secs(10);
/// Steps of the bar.
const BAR_STEPS: u64 = 1000;

/// Shows one trial, or the trials of a study: there, the bar is the whole study's, and the trial has the line below.
pub struct Progress {
    terminal: Terminal,
    bar: Option<ProgressBar>,
    /// How the trials of a study are called.
    trials: TrialLines,
    phase: Option<RunningPhase>,
    study: Option<StudyPlace>,
}

/// Where a study stands.
struct StudyPlace {
    /// What people call the trial.
    name: String,
    position: StudyPosition,
    /// When the trial began.
    since: Instant,
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
    /// Of a study. Shows nothing until something happens.
    pub fn of_study(trials: TrialLines, terminal: Terminal) -> Self {
        Self {
            trials,
            ..Self::new(terminal)
        }
    }

    /// Of a single run. Shows nothing until something happens.
    pub fn new(terminal: Terminal) -> Self {
        let bar = terminal.live.then(|| {
            ProgressBar::with_draw_target(Some(BAR_STEPS), ProgressDrawTarget::stderr_with_hz(10))
                .with_style(bar_style(terminal, false))
        });
        Self {
            terminal,
            bar,
            trials: TrialLines::default(),
            phase: None,
            study: None,
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
            Some(bar) if !screen::is_up() => bar.suspend(|| self.terminal.note(text)),
            _ => self.terminal.note(text),
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
                self.draw(Some(0.0), &[phase.name().to_owned()]);
            }
            Event::Interval(interval) => self.interval(interval),
            Event::PhaseEnded { .. } => self.phase = None,
            Event::Preparing(what) => self.line(what),
            Event::Servers(_)
            | Event::Generator(_)
            | Event::Reached(_)
            | Event::SliceStarted
            | Event::SliceEnded => {}
        }
    }

    fn interval(&mut self, interval: &Interval) {
        let Some(phase) = &mut self.phase else { return };
        let seen = Seen::of(interval);
        phase.operations += seen.attempts;
        phase.errors += seen.errors;
        // Operations that ended while draining still belong to the phase before; its rate over a moment says nothing.
        if interval.late || interval.phase != phase.phase {
            return;
        }
        let elapsed = phase.since.elapsed();
        let done = phase.share_done(elapsed);
        let left = done
            .filter(|&done| done > 0.0)
            .map(|done| elapsed.mul_f64((1.0 - done).max(0.0) / done));
        let mut message = self.message(&seen, left);
        if self.bar.is_some() {
            self.draw(done, &message);
            return;
        }
        let Some(phase) = &mut self.phase else { return };
        if phase.last_line.elapsed() >= PLAIN_LINE_EVERY {
            phase.last_line = now();
            if let Some(done) = done {
                message[0] = format!("{} {}", number::whole_share(done), message[0]);
            }
            let Some(study) = &self.study else {
                self.terminal.note(&message.join(", "));
                return;
            };
            message.push(study.time_left());
            let limit = self.terminal.broken_at();
            let line = self.trials.line(&study.prefix(), &study.name, &message, limit);
            self.terminal.note(&line);
        }
    }

    /// Redraws the live lines; `done` is the share of the phase that is over.
    fn draw(&self, done: Option<f64>, message: &[String]) {
        let Some(bar) = &self.bar else { return };
        if screen::is_up() {
            return;
        }
        match &self.study {
            None => {
                bar.set_position((done.unwrap_or(0.0) * BAR_STEPS as f64) as u64);
                bar.set_message(message.join(", "));
            }
            Some(study) => {
                bar.set_prefix(study.heading());
                bar.set_position((study.share_done() * BAR_STEPS as f64) as u64);
                bar.set_message(fitted(&study.name, message, self.terminal.stderr.width));
            }
        }
        bar.tick();
    }

    /// The last second of the phase, what matters most first.
    fn message(&self, seen: &Seen, left: Option<Duration>) -> Vec<String> {
        let Some(phase) = &self.phase else {
            return vec![String::new()];
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
        // Of a study, the time left is the whole study's.
        if let Some(left) = left.filter(|_| self.study.is_none()) {
            parts.push(format!("{} left", short_time(left)));
        }
        parts
    }
}

fn bar_style(terminal: Terminal, is_of_study: bool) -> ProgressStyle {
    let template = match (is_of_study, terminal.stderr.color) {
        (false, true) => "{bar:24.cyan/dim} {wide_msg}",
        (false, false) => "{bar:24} {wide_msg}",
        // Each line is cut where the terminal ends: the rest of a longer one would be left behind.
        (true, true) => "{bar:24.cyan/dim} {prefix:.bold}\n{wide_msg}",
        (true, false) => "{bar:24} {prefix}\n{wide_msg}",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸─")
}

impl StudyPlace {
    /// Which trial, and how long all of them take: fits beside the bar on 80 columns.
    fn heading(&self) -> String {
        let StudyPosition { number, total, .. } = self.position;
        format!("trial {number} of {total}, {}", self.time_left())
    }

    /// `[ 7/112] `, before everything that is said of the trial.
    fn prefix(&self) -> String {
        prefix(self.position.number, self.position.total)
    }

    fn time_left(&self) -> String {
        time_left(self.position.expected_left(self.since.elapsed()))
    }

    fn share_done(&self) -> f64 {
        self.position.share_done(self.since.elapsed())
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
                ..
            } => {
                self.trials.begin(&trial.planned.spec);
                let name = self.trials.name(&trial.planned.trial, &trial.planned.spec);
                aborted::note_trial(number_of(&trial.planned.trial).unwrap_or(0));
                if self.study.is_none()
                    && let Some(bar) = &self.bar
                {
                    bar.set_style(bar_style(self.terminal, true));
                }
                // Trials that take turns begin one after the other, and all of them are what is left since the first began.
                let before = self
                    .study
                    .as_ref()
                    .filter(|before| before.position.remaining == *remaining);
                let since = before.map_or_else(now, |before| before.since);
                self.study = Some(StudyPlace {
                    name,
                    position: StudyPosition {
                        number: *number,
                        total: *total,
                        remaining: *remaining,
                        repeats: *repeats,
                    },
                    since,
                });
                self.draw(None, &["preparing".to_owned()]);
            }
            StudyEvent::Engine(event) => self.engine_event(event),
            StudyEvent::TrialEnded {
                record,
                number,
                total,
            } => {
                aborted::note_trial(0);
                // Of trials that take turns, the last to begin need not be the one that ends.
                let name = self.trials.name(&record.trial, &record.spec);
                let mut parts = outcome(record, self.terminal.stderr);
                if is_invalid(record) {
                    parts.push(format!("see {}", self.trials.place(&record.trial)));
                }
                let (prefix, limit) = (prefix(*number, *total), self.terminal.broken_at());
                self.line(&self.trials.line(&prefix, &name, &parts, limit));
            }
        }
    }
}

/// Which trial of a study a line is about.
fn prefix(number: usize, total: usize) -> String {
    let digits = total.to_string().len();
    format!("[{number:>digits$}/{total}] ")
}

/// Whether a trial's figures cannot be used for another reason than a rate that it missed.
fn is_invalid(record: &TrialRecord) -> bool {
    let mut reasons = record.spoiled_because().into_iter();
    reasons.any(|reason| reason.code != RateNotSustained::CODE)
}

/// How a trial ended, with a mark on one whose figures do not count.
fn outcome(record: &TrialRecord, style: Style) -> Vec<String> {
    if let TrialStatus::Failed { reason, .. } = &record.status {
        return vec![format!("{}: {reason}", style.bad("failed"))];
    }
    let Some(measure) = &record.measure else {
        return vec!["ended before the measured phase".to_owned()];
    };
    let total = |count: fn(&OperationRecord) -> u64| measure.operations.values().map(count).sum::<u64>();
    let (ok, errors) = (
        total(|operation| operation.ok),
        total(OperationRecord::error_count),
    );
    let mut parts = vec![number::rate(ok as f64 * 1e9 / measure.duration_ns.max(1) as f64)];
    // With the median, lines are too long for most terminals.
    let p99 = record.latency(None).percentile(99.0);
    parts.extend(p99.map(|p99| format!("p99 {}", number::latency(Some(p99.ns()), p99.is_bound()))));
    if errors > 0 {
        parts.push(number::plural(errors, "error", "errors"));
    }
    for reason in record.spoiled_because() {
        parts.push(if reason.code == RateNotSustained::CODE {
            style.warn("missed its rate")
        } else {
            format!("{}: {}", style.bad("invalid"), reason.message)
        });
    }
    match record.status {
        TrialStatus::Interrupted => parts.push("interrupted".to_owned()),
        TrialStatus::Disturbed => parts.push("disturbed: will be repeated".to_owned()),
        TrialStatus::Completed | TrialStatus::Failed { .. } => {}
    }
    parts
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

/// `20 s left`, `about 35 min left`.
pub fn time_left(left: Duration) -> String {
    const EXACT: Duration = Duration::from_secs(60);
    let about = if left > EXACT { "about " } else { "" };
    format!("{about}{} left", short_time(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(number: usize, total: usize, remaining_s: u64, repeats_s: u64) -> StudyPlace {
        StudyPlace {
            name: "redis, A: update heavy".to_owned(),
            position: StudyPosition {
                number,
                total,
                remaining: Duration::from_secs(remaining_s),
                repeats: Duration::from_secs(repeats_s),
            },
            since: now(),
        }
    }

    #[test]
    fn a_study_counts_its_trials_and_tells_the_time_left() {
        assert_eq!(
            place(2, 4, 3600, 600).heading(),
            "trial 2 of 4, about 65 min left"
        );
        assert_eq!(place(4, 4, 20, 0).heading(), "trial 4 of 4, 20 s left");
        let longest = place(9_999, 10_000, 359_940, 71_000);
        assert!(
            longest.heading().chars().count() <= 80 - 25,
            "beside the bar: {}",
            longest.heading()
        );
    }
}
