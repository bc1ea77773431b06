//! `latency.hlog`: latencies over time, in HdrHistogram's own interval log format, version 1.3.
//!
//! One line per interval and tag: `Tag=read,start,duration,max,histogram`, times in seconds, max in milliseconds, the
//! histogram in nanoseconds as HdrHistogram V2, compressed, in base64. `HistogramLogAnalyzer`, `HistogramLogProcessor` and
//! the plotters of the HdrHistogram project read it. The tag is `phase` and operation, e.g. `measure.read`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};

use crate::Latency;

/// Writes an interval log line by line; it holds one encoded histogram in memory, however long the log grows.
pub struct IntervalLogWriter<W: Write> {
    out: W,
    serializer: V2DeflateSerializer,
    bytes: Vec<u8>,
    text: String,
}

impl IntervalLogWriter<BufWriter<File>> {
    /// Begins a log file. `started_at` is the moment that the intervals' starts count from.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &Path, started_at: jiff::Timestamp, comment: &str) -> io::Result<Self> {
        Self::new(BufWriter::new(File::create(path)?), started_at, comment)
    }

    /// Ends the log and makes it last.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.out.into_inner()?.sync_all()
    }
}

impl<W: Write> IntervalLogWriter<W> {
    /// Begins a log on any writer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut out: W, started_at: jiff::Timestamp, comment: &str) -> io::Result<Self> {
        for line in comment.lines() {
            writeln!(out, "#{line}")?;
        }
        writeln!(out, "#[Histogram log format version 1.3]")?;
        let seconds = started_at.as_duration().as_secs_f64();
        writeln!(
            out,
            "#[StartTime: {seconds:.3} (seconds since epoch), {started_at}]"
        )?;
        // With a base time the intervals' starts are offsets from it, which people can read.
        writeln!(out, "#[BaseTime: {seconds:.3} (seconds since epoch)]")?;
        writeln!(
            out,
            r#""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#
        )?;
        Ok(Self {
            out,
            serializer: V2DeflateSerializer::new(),
            bytes: Vec::new(),
            text: String::new(),
        })
    }

    /// Adds one interval. `tag` names the operation (ASCII letters, digits, `-`, `_`, `.`; others become `_`); `start` counts
    /// from the log's start. Whole lines reach the file at once, so that a killed run leaves a readable log.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(
        &mut self,
        tag: &str,
        start: Duration,
        duration: Duration,
        latency: &Latency,
    ) -> io::Result<()> {
        self.bytes.clear();
        self.serializer
            .serialize(&latency.0, &mut self.bytes)
            .map_err(io::Error::other)?;
        self.text.clear();
        self.text.push_str("Tag=");
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        self.text.extend(
            tag.chars()
                .map(|letter| if allowed(letter) { letter } else { '_' }),
        );
        let max_ms = latency.0.max() as f64 / 1e6;
        self.text.push_str(&format!(
            ",{:.3},{:.3},{max_ms:.3},",
            start.as_secs_f64(),
            duration.as_secs_f64()
        ));
        STANDARD.encode_string(&self.bytes, &mut self.text);
        self.text.push('\n');
        self.out.write_all(self.text.as_bytes())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    fn latency(values: impl IntoIterator<Item = u64>) -> Latency {
        let mut latency = Latency::new();
        values.into_iter().for_each(|value| latency.record(value));
        latency
    }

    #[test]
    fn another_reader_finds_every_interval_and_value() {
        let reads = latency((1..=1000).map(|i| i * 1_000));
        let (empty, update) = (Latency::new(), latency([7_200_000_000_000]));
        let mut out = Vec::new();
        let start = "2026-01-02T03:04:05.5Z".parse().unwrap();
        let mut log = IntervalLogWriter::new(&mut out, start, "dbdyno\nsecond line").unwrap();
        let second = Duration::from_secs(1);
        log.write("measure.read", Duration::ZERO, second, &reads).unwrap();
        log.write("measure.update", Duration::ZERO, second, &update)
            .unwrap();
        log.write("odd, tag", second, Duration::from_millis(250), &empty)
            .unwrap();

        let entries: Vec<LogEntry<'_>> = IntervalLogIterator::new(&out).map(Result::unwrap).collect();
        assert_eq!(entries.len(), 5);
        let began = Duration::from_millis(start.as_millisecond() as u64);
        assert!(
            matches!(entries[0], LogEntry::StartTime(time) if time == began),
            "{:?}",
            entries[0]
        );
        assert!(matches!(entries[1], LogEntry::BaseTime(time) if time == began));
        let expected = [
            ("measure.read", Duration::ZERO, second, &reads),
            ("measure.update", Duration::ZERO, second, &update),
            ("odd__tag", second, Duration::from_millis(250), &empty),
        ];
        for (entry, (tag, start, duration, latency)) in entries[2..].iter().zip(expected) {
            let LogEntry::Interval(interval) = entry else {
                panic!("{entry:?}")
            };
            assert_eq!(interval.tag().unwrap().as_str(), tag);
            assert_eq!(
                (interval.start_timestamp(), interval.duration()),
                (start, duration)
            );
            assert!((interval.max() - latency.0.max() as f64 / 1e6).abs() < 0.001);
            let bytes = STANDARD.decode(interval.encoded_histogram()).unwrap();
            let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            assert_eq!(histogram, latency.0);
        }
    }
}
