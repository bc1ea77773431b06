//! Results as they were printed: the one form in which papers, files and our own folders come to the rules. What was not
//! printed is absent, never guessed.

mod protocol;
mod statements;

pub use protocol::{Clients, Copies, Memory, Placement, Protocol};
pub use statements::{
    Better, Change, Claim, Comparison, ComparisonRow, Difference, Properties, Range, Rates, Ratio, Repeats,
    Trend,
};

use crate::{Figure, Place};

/// All that one author printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed {
    /// Measured lines.
    pub lines: Vec<Line>,
    /// Effects that were printed as percentages.
    pub changes: Vec<Change>,
    /// Runs of the same thing, printed one by one.
    pub repeats: Vec<Repeats>,
    /// Rates of several kinds of operations in one mix.
    pub rates: Vec<Rates>,
    /// Percentages by which one time is claimed to be better than another.
    pub better: Vec<Better>,
    /// Ratios of printed numbers.
    pub ratios: Vec<Ratio>,
    /// Differences of printed times.
    pub differences: Vec<Difference>,
    /// Columns that say how others compare.
    pub comparisons: Vec<Comparison>,
    /// Trends that are claimed.
    pub trends: Vec<Trend>,
    /// Conclusions, judged on the printed numbers.
    pub claims: Vec<Claim>,
    /// Ranges, with values that they are claimed to hold.
    pub ranges: Vec<Range>,
    /// Properties of systems.
    pub properties: Vec<Properties>,
    /// How it was measured.
    pub protocol: Protocol,
}

impl Printed {
    /// The same with what another table of the author, or another file, says.
    pub fn add(&mut self, other: Self) {
        self.lines.extend(other.lines);
        self.changes.extend(other.changes);
        self.repeats.extend(other.repeats);
        self.comparisons.extend(other.comparisons);
    }

    /// The clients of a line: its own, or those of all lines.
    pub(crate) fn clients_of(&self, line: &Line) -> Option<Clients> {
        let own = line.clients.map(|number| Clients { number, stated: true });
        own.or(self.protocol.clients)
    }

    /// Operations of a line: its own, or those of all lines where there is one number for all.
    pub(crate) fn operations_of(&self, line: &Line) -> Option<Figure> {
        let of_all = match self.protocol.operations[..] {
            [operations] => Some(Figure::exact(operations)),
            _ => None,
        };
        line.operations.or(of_all)
    }

    /// The same without what cannot have been measured: times, counts and rates that are no numbers above zero. They stand
    /// for something that was not printed, or are findings of `impossible-value`.
    pub(crate) fn measured(&self) -> Self {
        let mut measured = self.clone();
        let is_measured = |value: f64| value.is_finite() && value > 0.0;
        for line in &mut measured.lines {
            line.operations = line.operations.filter(|value| value.is_measured());
            line.run_time_s = line.run_time_s.filter(|value| value.is_measured());
            line.throughput = line.throughput.filter(|value| value.is_measured());
            line.rate = line.rate.filter(|value| value.is_measured());
            line.all = line.all.measured();
            line.clients = line.clients.filter(|value| is_measured(*value));
            for part in &mut line.parts {
                *part = part.measured();
            }
        }
        measured.changes.retain(|change| {
            let values = change.run_time_s.iter().chain(&change.throughput);
            values.copied().all(Figure::is_measured) && change.time_percent.low() > -100.0
        });
        for rates in &mut measured.rates {
            rates
                .kinds
                .retain(|(_, share, rate)| is_measured(*share) && is_measured(*rate));
        }
        measured
            .better
            .retain(|better| better.times.into_iter().all(Figure::is_measured));
        measured
            .ratios
            .retain(|ratio| ratio.of.into_iter().all(Figure::is_measured));
        for trend in &mut measured.trends {
            trend
                .points
                .retain(|(_, runs)| runs.iter().copied().all(is_measured));
        }
        for range in &mut measured.ranges {
            range.values.retain(|(_, value)| is_measured(*value));
        }
        measured
            .ranges
            .retain(|range| range.low.is_finite() && is_measured(range.high));
        measured
            .repeats
            .retain(|repeats| repeats.values.iter().copied().all(is_measured));
        measured
    }
}

/// One line of results: a system under a workload at one size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// The table that it stands in, or the file.
    pub table: String,
    /// Where it stands there.
    pub place: Place,
    /// Operations of a run.
    pub operations: Option<Figure>,
    /// Length of a run, seconds.
    pub run_time_s: Option<Figure>,
    /// Operations a second.
    pub throughput: Option<Figure>,
    /// Seconds that its clients together are known to have spent outside of these operations: in failed ones, in the tool itself.
    pub otherwise_s: f64,
    /// Operations a second that the clients were held back to.
    pub rate: Option<Figure>,
    /// What is printed for all operations together, not by kind.
    pub all: Part,
    /// Whether latencies count from the actual send. With a rate they may count from when the operation was due, and then hold time in
    /// which no client was busy.
    pub from_send: bool,
    /// Records of the table.
    pub records: Option<Figure>,
    /// Pairs of its figures of one thing that differ, in words.
    pub contradictions: Vec<String>,
    /// Clients of this line, where lines differ; else the protocol states those of all.
    pub clients: Option<f64>,
    /// Whether the clients were held back to a rate, be it stated or not.
    pub throttled: bool,
    /// Shares of the kinds of operations that were asked for.
    pub mix: Vec<(String, f64)>,
    /// The operations by kind. A read-modify-write's reads are counted with the reads by YCSB, and may be so here.
    pub parts: Vec<Part>,
}

/// Operations of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// `read`, `update`, ...
    pub kind: String,
    /// How many there are latencies of.
    pub count: Option<Figure>,
    /// How many succeeded, where it is printed beside their count (YCSB's `Return=OK`).
    pub succeeded: Option<Figure>,
    /// Whether the count is of operations that succeeded, as in YCSB's logs, so that both numbers are one.
    pub counts_successes: bool,
    /// Their mean latency, microseconds.
    pub mean_latency_us: Option<Figure>,
    /// The smallest latency, microseconds.
    pub min_latency_us: Option<Figure>,
    /// The largest latency, microseconds.
    pub max_latency_us: Option<Figure>,
    /// Percentiles of the latency, microseconds: percent, value.
    pub percentiles_us: Vec<(f64, Figure)>,
}

impl Part {
    /// Operations of a kind with their mean latency, microseconds.
    #[must_use]
    pub fn new(kind: &str, count: impl Into<Figure>, mean_latency_us: impl Into<Figure>) -> Self {
        Self {
            kind: kind.to_owned(),
            count: Some(count.into()),
            mean_latency_us: Some(mean_latency_us.into()),
            ..Self::default()
        }
    }

    fn measured(&self) -> Self {
        // A smallest latency or a low percentile may well be zero.
        let is_latency = |value: &Figure| value.value().is_finite() && value.value() >= 0.0;
        Self {
            count: self.count.filter(|value| value.is_measured()),
            succeeded: self
                .succeeded
                .filter(|value| value.value().is_finite() && value.value() >= 0.0),
            mean_latency_us: self.mean_latency_us.filter(|value| value.is_measured()),
            min_latency_us: self.min_latency_us.filter(is_latency),
            max_latency_us: self.max_latency_us.filter(is_latency),
            percentiles_us: self
                .percentiles_us
                .iter()
                .copied()
                .filter(|(_, value)| is_latency(value))
                .collect(),
            kind: self.kind.clone(),
            counts_successes: self.counts_successes,
        }
    }
}
