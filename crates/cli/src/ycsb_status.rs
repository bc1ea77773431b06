//! YCSB's status lines on stderr (`-s`):
//! `2026-11-20 21:32:30:534 10 sec: 1000 operations; 100 current ops/sec; est completion in 1 minute [READ: Count=...]`.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_engine::{Event, Interval, Observer, Phase};
use dbdyno_record::Latency;
use dbdyno_report::number;
use dbdyno_report::single::LatencyKind;
use dbdyno_workload::OperationKind;

use crate::terminal::Terminal;

/// YCSB's `status.interval`.
const EVERY: Duration = Duration::from_secs(10);

/// Writes a line per status interval.
pub struct StatusLines {
    terminal: Terminal,
    wanted: bool,
    label: String,
    /// Which sections a line has.
    kind: LatencyKind,
    every_ns: u64,
    phase: Option<Phase>,
    expected_operations: Option<u64>,
    expected_duration: Option<Duration>,
    elapsed_ns: u64,
    operations: u64,
    since_ns: u64,
    /// Since the last line: service times, and response times with a rate.
    since: BTreeMap<OperationKind, Latency>,
    since_intended: BTreeMap<OperationKind, Latency>,
    since_operations: u64,
}

impl StatusLines {
    /// Lines for whoever asked for them.
    pub fn new(
        terminal: Terminal,
        wanted: bool,
        label: String,
        every: Option<Duration>,
        kind: LatencyKind,
    ) -> Self {
        Self {
            terminal,
            wanted,
            label,
            kind,
            every_ns: every.unwrap_or(EVERY).as_nanos() as u64,
            phase: None,
            expected_operations: None,
            expected_duration: None,
            elapsed_ns: 0,
            operations: 0,
            since_ns: 0,
            since: BTreeMap::new(),
            since_intended: BTreeMap::new(),
            since_operations: 0,
        }
    }

    /// The line about what came since the last one.
    pub fn finish(&mut self) {
        if self.since_ns > 0 {
            self.line();
        }
    }

    fn interval(&mut self, interval: &Interval) {
        for (&kind, operation) in &interval.operations {
            self.since.entry(kind).or_default().merge(&operation.service);
            if let Some(response) = &operation.response {
                self.since_intended.entry(kind).or_default().merge(response);
            }
            self.since_operations +=
                operation.ok + operation.not_found + operation.too_early + operation.errors;
        }
        if !interval.late {
            self.since_ns += interval.duration_ns;
        }
        // Half an interval of the engine early is closer than half an interval late.
        if self.since_ns + interval.duration_ns / 2 >= self.every_ns {
            self.line();
        }
    }

    fn line(&mut self) {
        self.elapsed_ns += self.since_ns;
        self.operations += self.since_operations;
        if self.wanted {
            let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S:%3f").to_string();
            self.terminal.tell(&self.text(&now));
        }
        self.since_ns = 0;
        self.since_operations = 0;
        self.since.clear();
        self.since_intended.clear();
    }

    fn text(&self, now: &str) -> String {
        let rate = self.since_operations as f64 * 1e9 / self.since_ns.max(1) as f64;
        let mut text = format!(
            "{}{now} {} sec: {} operations; {} current ops/sec;",
            self.label,
            self.elapsed_ns / 1_000_000_000,
            self.operations,
            java_decimal(rate)
        );
        if let Some(left) = self.left() {
            text.push_str(&format!(" est completion in {}", in_words(left)));
        }
        let paced = !self.since_intended.is_empty();
        let plain = self
            .since
            .iter()
            .map(|(kind, latency)| (kind.name().to_uppercase(), latency));
        let intended = self
            .since_intended
            .iter()
            .map(|(kind, latency)| (format!("Intended-{}", kind.name().to_uppercase()), latency));
        // As in YCSB, all plain sections come first.
        let plain = plain.filter(|_| !paced || self.kind != LatencyKind::Intended);
        let intended = intended.filter(|_| self.kind != LatencyKind::Operation);
        for (name, latency) in plain.chain(intended).filter(|(_, latency)| latency.count() > 0) {
            text.push_str(&section(&name, latency));
        }
        text
    }

    fn left(&self) -> Option<Duration> {
        let elapsed = Duration::from_nanos(self.elapsed_ns);
        let by_count = self
            .expected_operations
            .filter(|_| self.operations > 0)
            .map(|expected| elapsed.mul_f64((expected as f64 / self.operations as f64 - 1.0).max(0.0)));
        let by_time = self
            .expected_duration
            .map(|expected| expected.saturating_sub(elapsed));
        by_count.into_iter().chain(by_time).min()
    }
}

impl Observer for StatusLines {
    fn event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted {
                phase,
                expected_operations,
                expected_duration,
            } => {
                self.finish();
                self.phase = Some(*phase);
                self.expected_operations = *expected_operations;
                self.expected_duration = *expected_duration;
                self.elapsed_ns = 0;
                self.operations = 0;
            }
            Event::Interval(interval) => self.interval(interval),
            Event::Preparing(what) => self.terminal.note(&format!("Note: {what}")),
            Event::Servers(_)
            | Event::Generator(_)
            | Event::PhaseEnded { .. }
            | Event::Reached(_)
            | Event::SliceStarted
            | Event::SliceEnded => {}
        }
    }
}

fn section(name: &str, latency: &Latency) -> String {
    let percentile = |percentile| latency.percentile_ns(percentile).unwrap_or_default() / 1000;
    format!(
        " [{}: Count={}, Max={}, Min={}, Avg={}, 50={}, 90={}, 99={}, 99.9={}, 99.99={}]",
        name,
        latency.count(),
        latency.0.max() / 1000,
        latency.0.min() / 1000,
        java_decimal(latency.mean_ns().unwrap_or_default() / 1000.0),
        percentile(50.0),
        percentile(90.0),
        percentile(99.0),
        percentile(99.9),
        percentile(99.99)
    )
}

/// As Java's `DecimalFormat("#.##")`.
fn java_decimal(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// As YCSB's `RemainingFormatter`: the two largest units of days, hours, minutes and seconds that are not zero;
/// seconds only below a minute.
fn in_words(left: Duration) -> String {
    let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
    let units = [
        ("day", "days", seconds / 86_400),
        ("hour", "hours", seconds / 3600 % 24),
        ("minute", "minutes", seconds / 60 % 60),
    ];
    let mut words: Vec<String> = units
        .iter()
        .filter(|(.., count)| *count > 0)
        .map(|(one, many, count)| number::plural(*count, one, many))
        .take(2)
        .collect();
    if words.is_empty() {
        words.push(number::plural(seconds, "second", "seconds"));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_written_as_ycsb_writes_them() {
        assert_eq!(java_decimal(100.0), "100");
        assert_eq!(java_decimal(0.5), "0.5");
        assert_eq!(java_decimal(1234.567), "1234.57");
        assert_eq!(in_words(Duration::from_secs(1)), "1 second");
        assert_eq!(in_words(Duration::from_millis(41_500)), "42 seconds");
        assert_eq!(in_words(Duration::from_secs(3_720)), "1 hour 2 minutes");
        assert_eq!(in_words(Duration::from_secs(90_000)), "1 day 1 hour");
    }

    #[test]
    fn a_section_reads_like_ycsbs() {
        let mut latency = Latency::new();
        for _ in 0..4 {
            latency.record(13_000);
        }
        assert_eq!(
            section("READ", &latency),
            " [READ: Count=4, Max=13, Min=13, Avg=13, 50=13, 90=13, 99=13, 99.9=13, 99.99=13]"
        );
    }
}
