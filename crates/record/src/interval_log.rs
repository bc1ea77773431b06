//! `latency.hlog`: latencies over time, in HdrHistogram's own interval log format, version 1.3.
//!
//! One line per interval and tag: `Tag=read,start,duration,max,histogram`, times in seconds, max in milliseconds, the
//! histogram in nanoseconds as HdrHistogram V2, compressed, in base64. `HistogramLogAnalyzer`, `HistogramLogProcessor` and
//! the plotters of the HdrHistogram project read it. The tag is `phase` and operation, e.g. `measure.read`.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry, LogIteratorError};
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};

use crate::Latency;
use crate::folder::FolderError;
use crate::{format, regular_file};

/// The encoding of no histogram of ours is longer, in bytes: 3 digits and 64 bits have so many counters.
const LONGEST_HISTOGRAM: u64 = 1 << 20;
/// The bytes before the compressed part: a cookie and a length.
const COMPRESSED_FROM: usize = 8;

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

/// One interval of one tag.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedInterval {
    /// Its beginning since that of the log.
    pub start: Duration,
    /// Its length.
    pub duration: Duration,
    /// The latencies in it.
    pub latency: Latency,
}

/// Visits, in the order of the log, the intervals whose tag is `wanted`; the histograms of all others stay encoded. A last
/// line that a killed writer left unfinished is passed over; a file that is not there has no lines.
///
/// # Errors
/// When the file cannot be read or a line is not what this format says.
pub fn read(
    path: &Path,
    wanted: impl Fn(&str) -> bool,
    visit: impl FnMut(&LoggedInterval),
) -> Result<(), FolderError> {
    if !path.exists() {
        return Ok(());
    }
    let remedy = "remove this file to go on without the trial's latencies over time";
    let text = format::read_summed(path, regular_file::LARGEST_LOG_BYTES, remedy)?;
    read_text(&text, wanted, visit).map_err(|reason| FolderError::Damaged {
        path: path.into(),
        reason,
        remedy: remedy.to_owned(),
    })
}

/// Reads the text of a log.
///
/// # Errors
/// When a line is not what this format says.
pub(crate) fn read_text(
    text: &str,
    wanted: impl Fn(&str) -> bool,
    mut visit: impl FnMut(&LoggedInterval),
) -> Result<(), String> {
    let whole_lines = text.rfind('\n').map_or("", |end| &text[..=end]);
    for entry in IntervalLogIterator::new(whole_lines.as_bytes()) {
        let entry = entry.map_err(|LogIteratorError::ParseError { offset }| {
            format!("at byte {offset} there is no interval")
        })?;
        let LogEntry::Interval(interval) = entry else {
            continue;
        };
        if interval.tag().is_some_and(|tag| wanted(tag.as_str())) {
            visit(&LoggedInterval {
                start: interval.start_timestamp(),
                duration: interval.duration(),
                latency: decode(interval.encoded_histogram())?,
            });
        }
    }
    Ok(())
}

/// The histogram of a line: inflated to no more than one can have, and its header checked, before it is believed.
fn decode(encoded: &str) -> Result<Latency, String> {
    let bytes = STANDARD.decode(encoded).map_err(|error| error.to_string())?;
    let compressed = bytes.get(COMPRESSED_FROM..).unwrap_or_default();
    let mut histogram = Vec::new();
    ZlibDecoder::new(compressed)
        .take(LONGEST_HISTOGRAM)
        .read_to_end(&mut histogram)
        .map_err(|error| error.to_string())?;
    Latency::decode(&histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;

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

    /// The intervals of a file with these bytes whose tag is `measure.read`.
    fn reads(bytes: &[u8]) -> Result<Vec<LoggedInterval>, FolderError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("latency.hlog");
        std::fs::write(&path, bytes).unwrap();
        let mut found = Vec::new();
        let wanted = |tag: &str| tag == "measure.read";
        read(&path, wanted, |interval| found.push(interval.clone()))?;
        Ok(found)
    }

    fn log() -> Vec<u8> {
        let mut out = Vec::new();
        let start = "2026-01-02T03:04:05Z".parse().unwrap();
        let mut log = IntervalLogWriter::new(&mut out, start, "dbdyno").unwrap();
        for second in 0..2 {
            let start = Duration::from_millis(1_500 + 1_000 * second);
            for tag in ["measure.read", "measure.read.service", "warm-up.read"] {
                log.write(
                    tag,
                    start,
                    Duration::from_secs(1),
                    &latency([1_000, 2_000 + second]),
                )
                .unwrap();
            }
        }
        out
    }

    #[test]
    fn wanted_intervals_come_back_as_written() {
        let found = reads(&log()).unwrap();
        let starts: Vec<Duration> = found.iter().map(|interval| interval.start).collect();
        assert_eq!(starts, [1_500, 2_500].map(Duration::from_millis));
        assert_eq!(found[0].latency, latency([1_000, 2_000]));
        assert_eq!(found[1].duration, Duration::from_secs(1));
        let missing = Path::new("/nonexistent/latency.hlog");
        read(missing, |_| true, |_| panic!("there is nothing to visit")).unwrap();
    }

    #[test]
    fn an_unfinished_last_line_is_passed_over_and_garbage_is_not() {
        let whole = log();
        // The last line is of another tag.
        assert_eq!(reads(&whole[..whole.len() - 9]).unwrap().len(), 2);
        let text = String::from_utf8(whole).unwrap();
        for (from, to) in [(",1.000,", ",many,"), ("HISTFAAA", "HISTFAA!")] {
            let error = reads(text.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(
                error.contains("latency.hlog") && error.contains("remove this file"),
                "{error}"
            );
        }
    }

    /// The cookie of a V2 histogram, and a header that asks for four gigabytes.
    #[test]
    fn a_histogram_that_claims_gigabytes_is_refused() {
        let mut header = 0x1c84_9313_u32.to_be_bytes().to_vec();
        header.extend(u32::MAX.to_be_bytes());
        header.extend([0_u8; 32]);
        let mut encoder = ZlibEncoder::new(vec![0_u8; COMPRESSED_FROM], Compression::best());
        encoder.write_all(&header).unwrap();
        let line = STANDARD.encode(encoder.finish().unwrap());
        let error = reads(format!("Tag=measure.read,0.000,1.000,1.000,{line}\n").as_bytes());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("another length than its header says"), "{error}");
    }
}
