//! Results as they were printed: the one form in which papers, files and our own folders come to the rules. What was not
//! printed is absent, never guessed.

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
    /// Percentages by which one time is said to be better than another.
    pub better: Vec<Better>,
    /// Trends that are claimed.
    pub trends: Vec<Trend>,
    /// Conclusions, judged on the printed numbers.
    pub claims: Vec<Claim>,
    /// Ranges, with values that they are said to hold.
    pub ranges: Vec<Range>,
    /// Properties of systems.
    pub properties: Vec<Properties>,
    /// How it was measured.
    pub protocol: Protocol,
}

impl Printed {
    /// The clients of a line: its own, or those of all lines.
    pub(crate) fn clients_of(&self, line: &Line) -> Option<Clients> {
        let own = line.clients.map(|number| Clients { number, stated: true });
        own.or(self.protocol.clients)
    }

    /// The same without what cannot have been measured: times, counts and rates that are no numbers above zero. They stand
    /// for something that was not printed.
    pub(crate) fn measured(&self) -> Self {
        let is_measured = |value: f64| value.is_finite() && value > 0.0;
        let mut measured = self.clone();
        for line in &mut measured.lines {
            line.operations = line.operations.filter(|value| is_measured(*value));
            line.run_time_s = line.run_time_s.filter(|value| is_measured(*value));
            line.throughput = line.throughput.filter(|value| is_measured(*value));
            line.clients = line.clients.filter(|value| is_measured(*value));
            line.parts
                .retain(|part| is_measured(part.count) && is_measured(part.mean_latency_us));
        }
        measured.changes.retain(|change| {
            let values = change.run_time_s.iter().chain(&change.throughput);
            values.copied().all(is_measured) && change.time_percent > -100.0
        });
        for rates in &mut measured.rates {
            rates
                .kinds
                .retain(|(_, share, rate)| is_measured(*share) && is_measured(*rate));
        }
        measured
            .better
            .retain(|better| better.times.into_iter().all(is_measured));
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
    pub place: String,
    /// Operations of a run.
    pub operations: Option<f64>,
    /// Length of a run, seconds.
    pub run_time_s: Option<f64>,
    /// Operations a second.
    pub throughput: Option<f64>,
    /// Clients of this line, where lines differ; else the protocol tells those of all.
    pub clients: Option<f64>,
    /// Whether the clients were held back to a rate.
    pub throttled: bool,
    /// Shares of the kinds of operations that were asked for.
    pub mix: Vec<(String, f64)>,
    /// The operations by kind. A read-modify-write's reads are counted with the reads by YCSB, and may be so here.
    pub parts: Vec<Part>,
}

/// Operations of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// `read`, `update`, ...
    pub kind: String,
    /// How many.
    pub count: f64,
    /// Their mean latency, microseconds.
    pub mean_latency_us: f64,
}

/// The effect of one change, printed twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The table that it stands in. Its changes are of the same number of operations.
    pub table: String,
    /// Where it stands.
    pub place: String,
    /// Run times before and after, seconds.
    pub run_time_s: [f64; 2],
    /// Throughputs before and after, operations a second.
    pub throughput: [f64; 2],
    /// The printed change of the run time, percent.
    pub time_percent: f64,
    /// The printed change of the throughput, percent.
    pub throughput_percent: f64,
    /// The run time without the change, measured another time, seconds: what one and the same thing differs by.
    pub again_s: Option<f64>,
}

/// The same thing, measured several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeats {
    /// Where it stands.
    pub place: String,
    /// What was measured, with its unit.
    pub what: String,
    /// The runs, in their order.
    pub values: Vec<f64>,
}

/// Rates that are printed for kinds of operations of one mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Where they stand.
    pub place: String,
    /// Kind, its share of the mix, and operations a second.
    pub kinds: Vec<(String, f64, f64)>,
}

/// How much better one time is said to be than another.
#[derive(Clone, Debug, PartialEq)]
pub struct Better {
    /// Where it stands.
    pub place: String,
    /// The two times, the longer one first; the unit does not matter.
    pub times: [f64; 2],
    /// Percent, as printed.
    pub percent: f64,
}

/// A trend that is claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// Where.
    pub place: String,
    /// Whether it is said to grow.
    pub upwards: bool,
    /// What it is over, in its order, and the runs there.
    pub points: Vec<(f64, Vec<f64>)>,
}

/// A conclusion.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its name.
    pub place: String,
    /// Its words.
    pub text: String,
    /// What the printed numbers say against it; empty when they bear it out, or say nothing.
    pub against: Vec<String>,
}

/// A range.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Where it stands.
    pub place: String,
    /// What it is of, with the unit.
    pub unit: String,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Values that belong into it, with their places.
    pub values: Vec<(String, f64)>,
}

/// Properties of systems: what they can do, not how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    /// Where they stand.
    pub place: String,
    /// How many are stated.
    pub stated: usize,
    /// How many of them were observed on a running system.
    pub observed: usize,
}

/// How it was measured, as far as it is stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Protocol {
    /// Clients that waited for one answer before they asked the next.
    pub clients: Option<Clients>,
    /// Runs that each printed mean is of.
    pub runs: Option<u32>,
    /// Operations of the runs.
    pub operations: Vec<f64>,
    /// Records of the tables.
    pub records: Vec<f64>,
    /// What a reader needs to repeat it and is not stated.
    pub missing: Vec<String>,
    /// Copies of each record, by set-up.
    pub copies: Vec<Copies>,
    /// Memory of servers that share a host.
    pub memory: Vec<Memory>,
}

/// The number of clients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clients {
    /// How many.
    pub number: f64,
    /// Whether the author says so; else it was worked out from the numbers.
    pub stated: bool,
}

/// Copies of each record that the systems of one set-up keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Copies {
    /// The set-up.
    pub place: String,
    /// Systems, with their number of copies.
    pub systems: Vec<(String, f64)>,
}

/// Servers on one host.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The set-up.
    pub place: String,
    /// How many servers.
    pub servers: f64,
    /// Memory that each is given, GB.
    pub each_gb: f64,
    /// Memory of the host, GB.
    pub host_gb: f64,
}
