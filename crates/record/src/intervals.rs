//! `intervals.csv`: one row a second, for people and plots.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Latency;
use crate::folder::FolderError;
use crate::trial::per_second;
use crate::{format, regular_file};

/// One interval of one phase, over all kinds of operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalRow {
    /// Name of the phase: `load`, `warm-up`, `measure`, `drain`.
    pub phase: String,
    /// Seconds from the phase's start to the interval's.
    pub start_s: f64,
    /// Length of the interval in seconds.
    pub duration_s: f64,
    /// Successful operations per second.
    pub rate: f64,
    /// Successful operations.
    pub ok: u64,
    /// Operations whose record was not there.
    pub not_found: u64,
    /// Not found because its insert had not been acknowledged yet.
    pub too_early: u64,
    /// Failed operations.
    pub errors: u64,
    /// Median latency in microseconds (response time with a rate, service time without); empty without operations, as the
    /// next ones.
    pub p50_us: Option<f64>,
    /// 95th percentile.
    pub p95_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// 99.9th percentile.
    pub p999_us: Option<f64>,
    /// Largest latency.
    pub max_us: Option<f64>,
    /// CPU seconds that the client process used in the interval.
    pub client_cpu_seconds: f64,
    /// Resident memory of the client process at its end, bytes.
    pub resident_memory_bytes: u64,
    /// CPU seconds that the servers used in the interval; empty, as the next ones, where nobody knows their processes, and in
    /// folders of earlier versions.
    #[serde(default)]
    pub server_cpu_seconds: Option<f64>,
    /// Resident memory of the servers at its end, bytes.
    #[serde(default)]
    pub server_memory_bytes: Option<u64>,
    /// Bytes that the servers read from storage.
    #[serde(default)]
    pub server_read_bytes: Option<u64>,
    /// Bytes that were written to the storage of the servers' data.
    #[serde(default)]
    pub server_written_bytes: Option<u64>,
}

/// Resources that the servers used in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntervalServers {
    /// CPU time, seconds.
    pub cpu_seconds: f64,
    /// Resident memory at its end, bytes.
    pub memory_bytes: u64,
    /// Read from storage, bytes.
    pub read_bytes: u64,
    /// Written to storage, bytes; `None` where it is not known.
    pub written_bytes: Option<u64>,
}

/// How the operations of an interval ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntervalCounts {
    /// Successful.
    pub ok: u64,
    /// The record was not there.
    pub not_found: u64,
    /// Not there because its insert had not been acknowledged yet.
    pub too_early: u64,
    /// Failed.
    pub errors: u64,
}

impl IntervalRow {
    /// A row without costs; `latency` holds the successful operations of all kinds.
    #[must_use]
    pub fn new(
        phase: &str,
        start_ns: u64,
        duration_ns: u64,
        counts: IntervalCounts,
        latency: &Latency,
    ) -> Self {
        let percentile_us = |percentile| latency.percentile_ns(percentile).map(|ns| ns as f64 / 1e3);
        Self {
            phase: phase.to_owned(),
            start_s: start_ns as f64 / 1e9,
            duration_s: duration_ns as f64 / 1e9,
            rate: per_second(counts.ok, duration_ns).unwrap_or(0.0),
            ok: counts.ok,
            not_found: counts.not_found,
            too_early: counts.too_early,
            errors: counts.errors,
            p50_us: percentile_us(50.0),
            p95_us: percentile_us(95.0),
            p99_us: percentile_us(99.0),
            p999_us: percentile_us(99.9),
            max_us: percentile_us(100.0),
            client_cpu_seconds: 0.0,
            resident_memory_bytes: 0,
            server_cpu_seconds: None,
            server_memory_bytes: None,
            server_read_bytes: None,
            server_written_bytes: None,
        }
    }

    /// Adds what the client cost.
    #[must_use]
    pub fn with_client(mut self, cpu_seconds: f64, resident_memory_bytes: u64) -> Self {
        self.client_cpu_seconds = cpu_seconds;
        self.resident_memory_bytes = resident_memory_bytes;
        self
    }

    /// Adds what the servers cost, where that is known.
    #[must_use]
    pub fn with_servers(mut self, servers: Option<IntervalServers>) -> Self {
        self.server_cpu_seconds = servers.map(|servers| servers.cpu_seconds);
        self.server_memory_bytes = servers.map(|servers| servers.memory_bytes);
        self.server_read_bytes = servers.map(|servers| servers.read_bytes);
        self.server_written_bytes = servers.and_then(|servers| servers.written_bytes);
        self
    }
}

/// Writes rows as they come.
pub struct IntervalsWriter<W: Write> {
    csv: csv::Writer<W>,
}

impl IntervalsWriter<File> {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::new(File::create(path)?))
    }

    /// Ends the file and makes it last.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.csv
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)?
            .sync_all()
    }
}

impl<W: Write> IntervalsWriter<W> {
    /// Begins on any writer.
    pub fn new(out: W) -> Self {
        Self {
            csv: csv::Writer::from_writer(out),
        }
    }

    /// Adds a row; it reaches the file at once, so that a killed run keeps what it saw.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, row: &IntervalRow) -> io::Result<()> {
        self.csv.serialize(row).map_err(io::Error::other)?;
        self.csv.flush()
    }
}

/// Reads a trial's rows. A last line that a killed writer left unfinished is passed over; a file that is not there has no
/// rows.
///
/// # Errors
/// When the file cannot be read or a row is not what this format says.
pub fn read(path: &Path) -> Result<Vec<IntervalRow>, FolderError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let remedy = "remove this file to go on without the trial's course over time";
    let text = format::read_summed(path, regular_file::LARGEST_LOG_BYTES, remedy)?;
    read_text(&text).map_err(|error| FolderError::Damaged {
        path: path.into(),
        reason: error.to_string(),
        remedy: remedy.to_owned(),
    })
}

/// The rows in the text of a file.
///
/// # Errors
/// When a row is not what this format says.
pub(crate) fn read_text(text: &str) -> csv::Result<Vec<IntervalRow>> {
    let whole_lines = text.rfind('\n').map_or("", |end| &text[..=end]);
    csv::Reader::from_reader(whole_lines.as_bytes())
        .deserialize()
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn rows() -> Vec<IntervalRow> {
        let mut latency = Latency::new();
        (1..=1000).for_each(|i| latency.record(i * 100));
        let counts = IntervalCounts {
            ok: 1000,
            not_found: 3,
            too_early: 1,
            errors: 2,
        };
        vec![
            IntervalRow::new("measure", 0, 500_000_000, counts, &latency)
                .with_client(0.4, 30_000_000)
                .with_servers(Some(IntervalServers {
                    cpu_seconds: 0.7,
                    memory_bytes: 90_000_000,
                    read_bytes: 0,
                    written_bytes: None,
                })),
            IntervalRow::new(
                "measure",
                500_000_000,
                1_000_000_000,
                IntervalCounts::default(),
                &Latency::new(),
            ),
        ]
    }

    #[test]
    fn comes_back_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("intervals.csv");
        let mut writer = IntervalsWriter::create(&path).unwrap();
        rows().iter().for_each(|row| writer.write(row).unwrap());
        writer.finish().unwrap();
        assert_eq!(read(&path).unwrap(), rows());
        assert_eq!(rows()[0].rate, 2000.0);
        assert!(
            rows()[1].p99_us.is_none(),
            "no operations have no latency, not a latency of 0"
        );
    }

    #[test]
    fn files_of_earlier_versions_know_nothing_of_servers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("intervals.csv");
        let header = "phase,start_s,duration_s,rate,ok,not_found,too_early,errors,p50_us,p95_us,p99_us,p999_us,max_us,\
                      client_cpu_seconds,resident_memory_bytes";
        let row = "measure,0.0,1.0,10.0,10,0,0,0,1.0,2.0,3.0,4.0,5.0,0.5,1000";
        fs::write(&path, format!("{header}\n{row}\n")).unwrap();
        let read = read(&path).unwrap();
        assert_eq!((read[0].ok, read[0].server_cpu_seconds), (10, None));
    }

    #[test]
    fn an_unfinished_last_line_is_passed_over_and_garbage_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("intervals.csv");
        assert_eq!(read(&path).unwrap(), []);
        let mut writer = IntervalsWriter::create(&path).unwrap();
        rows().iter().for_each(|row| writer.write(row).unwrap());
        drop(writer);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
        assert_eq!(read(&path).unwrap(), rows()[..1]);
        fs::write(&path, text.replace("1000", "many")).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(
            error.contains("intervals.csv") && error.contains("remove this file"),
            "{error}"
        );
    }
}
