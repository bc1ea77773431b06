//! The view model: everything a report says, as plain data, computed once.
//!
//! Built only from records and from what `stats` makes of them. Every output reads this and nothing else.

mod answer;
mod attempts;
pub(crate) mod bounds;
mod build;
pub(crate) mod cells;
mod certainty;
pub(crate) mod close;
mod colors;
mod common_rate;
mod comparability;
mod compared;
mod core_modes;
mod curve;
mod distribution;
mod doubts;
mod drift;
mod effects;
mod evidence;
mod extension;
mod family;
mod findings;
pub(crate) mod flags;
mod growth;
mod kind;
pub(crate) mod ladder;
pub(crate) mod level_order;
mod levels;
mod metric;
mod more_trials;
mod noise;
mod order;
mod overview;
mod paper;
mod place;
mod price;
mod rank;
pub(crate) mod rates;
mod run_order;
pub(crate) mod same_mode;
mod scope;
pub(crate) mod sentences;
pub(crate) mod single_parts;
mod speed;
pub(crate) mod starts;
mod summary;
pub(crate) mod systems;
mod timeline;
mod usage;
pub(crate) mod validity;
mod varied;
mod verdict_sentence;
mod verdicts;

use std::collections::BTreeMap;

use dbdyno_record::{Fact, Severity, TrialState};
use dbdyno_trial::{Consistency, Durability, ScanOrder};
use serde::Serialize;

use crate::audit::AuditReport;

pub use colors::product_color;
pub use common_rate::CommonRate;
pub use comparability::{Pace, Unranked};
pub use core_modes::{CoreModes, ModeShare, OtherRatio};
pub use curve::{CURVE_PERCENTILES, CurvePoint, TABLE_PERCENTILES};
pub use dbdyno_stats::MARGIN;
pub use distribution::Distribution;
pub use effects::{Effect, Effects, HEADER as EFFECT_HEADER};
pub use evidence::{Bounds, Comparison, Estimate, Summary, Value, Word};
pub(crate) use evidence::{compare_systems, summarise_trials};
pub use extension::added_trials;
pub use flags::FlagCode;
pub use growth::{CrossingRow, GrowthChart, GrowthCurve, GrowthOverSizes, GrowthPoint};
pub use ladder::{
    CapacityAnswer, Knee, Ladder, LadderCell, LadderComparison, LadderKind, LadderStep, LadderSystem,
};
pub use levels::Levels;
pub use metric::Metric;
pub use noise::{MetricNoise, Noise, NoiseRow, TwinsAgree};
pub use paper::{ClaimRow, PaperReport, Side, SidePoint, SideSystem};
pub use price::{Price, PriceFigure, PriceLevel, PriceQuantity};
pub use rank::Rank;
pub use run_order::{OrderedTrial, RunOrder};
pub use scope::Scope;
pub use speed::MachineSpeed;
pub use timeline::{TimePoint, Timeline};
pub use usage::{ClientSummary, ParkedUse, Resource, SwitchCost, Usage};

/// The version of the JSON output.
pub const REPORT_FORMAT: &str = "dbdyno.report/1";

/// The name under which all operations of a workload are put together.
pub const ALL_OPERATIONS: &str = "all operations";

/// A whole study as a report shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ReportModel {
    /// [`REPORT_FORMAT`].
    pub format: &'static str,
    /// Name of the study.
    pub study: String,
    /// What the study file calls itself; empty when it has no title.
    pub title: String,
    /// Whether it is a quick look, which decides nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// What the study says, in few sentences: the first thing to read.
    pub summary: Vec<Sentence>,
    /// What the verdicts rest on: trials, intervals, the narrowest lead.
    pub basis: Vec<String>,
    /// What must not be concluded, each as the end of "This does not show ...".
    pub limits: Vec<String>,
    /// How much of the plan was carried out.
    pub progress: Progress,
    /// Everything that makes systems or cells incomparable.
    pub flags: Vec<Flag>,
    /// The systems by name, each level of what the study varies below its baseline in the order of the study's file, A/A twins last.
    pub systems: Vec<System>,
    /// How all cells were asked, when all were asked the same; else empty.
    pub asked: String,
    /// The cells: one per workload and level of every other factor.
    pub cells: Vec<Cell>,
    /// Systems at rising load, in studies of kind `capacity` or `sweep`; these have no other cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// How much equal systems may differ; `None` where nothing was compared.
    pub noise: Option<Noise>,
    /// What throughput owes to the speed of the machine; `None` where nothing is adjusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_speed: Option<MachineSpeed>,
    /// Where the CPUs of the machine ran; `None` where that hardly changed, or nothing was measured in turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_modes: Option<CoreModes>,
    /// In which steps the trials were planned, where more were added after all planned ones had run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_trials: Option<String>,
    /// The paper that the study measures again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<PaperReport>,
    /// What single factors change; `None` when no factor has two levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    /// What each level of the options that the study varies costs, one for each cell and baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<Price>,
    /// How numbers grow with the records; `None` with one size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<GrowthOverSizes>,
    /// Security audits of the systems; only in reports that were given some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audits: Vec<AuditReport>,
    /// The systems of those audits that are not the ones that were measured, by their addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_audits: Vec<String>,
    /// All trials in the order in which they ran; the records have them, too.
    #[serde(skip)]
    pub run_order: Vec<RunOrder>,
    /// Findings of all trials, grouped.
    pub findings: Vec<FindingGroup>,
    /// Trials that failed, and why.
    pub failures: Vec<Failure>,
    /// The machine in a few words, the same for the same kind of machine; empty when it is not known.
    pub machine: String,
    /// The machine: label and value.
    pub environment: Vec<(String, String)>,
    /// The tool's own cost on this machine; `None` when no trial measured it.
    pub floor: Option<FloorRange>,
    /// When the first trial began, RFC 3339; empty without trials.
    pub started_at: String,
    /// The study file.
    pub study_text: String,
}

/// One sentence with the judgement it rests on.
#[derive(Clone, Debug, Serialize)]
pub struct Sentence {
    /// The text, without markup.
    pub text: String,
    /// What kind of statement it is.
    pub tone: Tone,
}

/// How a statement is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// A difference that was shown.
    Shown,
    /// Shown to be the same within the margin.
    Same,
    /// Shown to be close: whichever is better, neither is much better.
    Bounded,
    /// Not enough evidence.
    Undecided,
    /// Refused: the systems do not promise the same, or the quantity ranks nothing under this load.
    NotComparable,
    /// A plain fact.
    Plain,
}

/// How much of the plan was carried out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Progress {
    /// Planned trials (the number of records when there is no plan).
    pub planned: usize,
    /// Trials that ran to their limit.
    pub completed: usize,
    /// Attempts that were stopped; shown, but not part of any estimate.
    pub interrupted: usize,
    /// Attempts that failed.
    pub failed: usize,
    /// Trials that the machine disturbed and that were repeated, or are to be; shown, but not part of any estimate.
    pub disturbed: usize,
    /// Trials that were measured again because others that took turns with them were missing.
    #[serde(skip_serializing_if = "is_none")]
    pub torn: usize,
    /// Planned trials without a record.
    pub missing: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Progress {
    /// Whether every planned trial ran to its limit.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.completed == self.planned
    }
}

/// A system, with its settings as read back.
#[derive(Clone, Debug, Serialize)]
pub struct System {
    /// Name in tables.
    pub name: String,
    /// Index of its colour, from 0: that of its product, unless another system of the report has it.
    pub color: usize,
    /// Name of the driver.
    pub driver: String,
    /// Product and version, e.g. `redb 4.4.0`.
    pub product: String,
    /// Topology as read back.
    pub topology: String,
    /// Durability in force.
    pub durability: Fact<Durability>,
    /// How it provides that.
    pub durability_means: String,
    /// Consistency in force; empty where there is one copy and no choice.
    #[serde(skip_serializing_if = "Fact::is_absent")]
    pub consistency: Fact<Consistency>,
    /// How it provides that.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub consistency_means: String,
    /// Encryption of the servers' files, in words; empty where the lab did nothing about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub at_rest: String,
    /// Order of scans.
    pub scan_order: Fact<ScanOrder>,
    /// Other settings, with every value that occurred.
    pub settings: BTreeMap<String, Vec<String>>,
    /// The system this one is the A/A twin of.
    pub twin_of: Option<String>,
    /// The system that it is compared with, and no other, where the study varies options of servers; the baseline's is its own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// One cell: a workload at one level of every other factor, all systems.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// Stable name for links, unique in the report.
    pub id: String,
    /// Title, e.g. `Workload a` or `Workload a · clients 16`.
    pub title: String,
    /// The title without its first word, for lists of cells.
    #[serde(skip)]
    pub name: String,
    /// The same with the meaning of YCSB's workloads: `A: update heavy`.
    #[serde(skip)]
    pub label: String,
    /// The same in words for a first look: `Update heavy (A), 16 clients, at full speed`.
    #[serde(skip)]
    pub place: String,
    /// Name of the workload.
    pub workload: String,
    /// What the workload does, in words.
    pub description: String,
    /// Levels of the factors other than system and workload that vary in the study.
    pub factors: BTreeMap<String, String>,
    /// How it was asked: clients, rate or closed loop, duration, records; empty when [`ReportModel::asked`] says it.
    pub asked: String,
    /// The one rate of all systems, where pilots found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common_rate: Option<CommonRate>,
    /// The work, as asked.
    pub scope: Scope,
    /// Whether a rate was asked for (response time) or not (closed loop, service time).
    pub open_loop: bool,
    /// The verdicts: throughput first, then latency.
    pub verdicts: Vec<MetricVerdict>,
    /// The systems measured in it, in the order of [`ReportModel::systems`].
    pub systems: Vec<CellSystem>,
    /// Whether there are too many trials to draw each of them as a line.
    #[serde(skip)]
    pub pooled: bool,
    /// Every pair compared.
    pub comparisons: Vec<Comparison>,
    /// What makes this cell's systems incomparable, or its numbers doubtful.
    pub flags: Vec<Flag>,
    /// Realised skew of the keys, in words; empty when unknown.
    pub skew: String,
}

/// The verdict about one metric among systems that can be compared.
#[derive(Clone, Debug, Serialize)]
pub struct MetricVerdict {
    /// `throughput` or `p99 latency`.
    pub metric: Metric,
    /// The systems that it is about.
    pub systems: Vec<String>,
    /// Why the metric ranks nothing here; `None` when it does, or the systems are refused for another reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unranked: Option<Unranked>,
    /// The system with the best median.
    pub leader: Option<String>,
    /// Systems not shown to be worse than the leader.
    pub tied: Vec<String>,
    /// How it is to be taken.
    pub tone: Tone,
    /// The sentence.
    pub sentence: String,
    /// What these systems promise, where others of the cell promise something else.
    #[serde(skip)]
    pub among: Option<String>,
    /// Why there is no verdict, as a clause, where the systems are refused for another reason than the metric.
    #[serde(skip)]
    pub refused_for: Option<String>,
}

/// One system in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellSystem {
    /// Name of the system.
    pub name: String,
    /// Index of its colour.
    pub color: usize,
    /// Product and version in this cell.
    pub product: String,
    /// Durability in force in this cell.
    pub durability: Levels<Durability>,
    /// Consistency in force in this cell; empty where there is one copy and no choice.
    #[serde(skip_serializing_if = "Levels::is_empty")]
    pub consistency: Levels<Consistency>,
    /// Every trial, in the order of blocks.
    pub trials: Vec<TrialRow>,
    /// Successful operations per second over completed trials.
    pub throughput: Option<Summary>,
    /// The same as at the machine's usual speed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levelled: Option<Summary>,
    /// What comparisons of each metric rest on.
    #[serde(skip)]
    pub compared: Vec<(Metric, Summary)>,
    /// What comparisons of its throughput with that in other tests rest on, where the machine's speed is known from between the turns.
    #[serde(skip)]
    pub between_tests: Option<Summary>,
    /// Latency by operation, all operations together first.
    pub operations: Vec<OperationSummary>,
    /// The load phase; `None` when no completed trial loaded.
    pub load: Option<Summary>,
    /// What the client side cost; `None` without a completed trial.
    pub client: Option<ClientSummary>,
    /// CPU time in its turns and between them; `None` without turns, and where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parked: Option<ParkedUse>,
    /// What switches between the systems cost it; `None` without turns, and where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<SwitchCost>,
    /// Why no verdict rests on its measured phases: invalid trials, operations without an answer, no steady state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreliable: Option<String>,
    /// Who decides when requests are sent, and whether the system kept up.
    pub pace: Pace,
    /// Asked against achieved rate; `None` in a closed loop.
    pub pacing: Option<PacingSummary>,
    /// Rate and latency over time, one line per trial.
    pub timelines: Vec<Timeline>,
    /// How the latencies of its only trial are distributed, in a small study; not in the JSON, the records have the histograms.
    #[serde(skip)]
    pub distribution: Option<Distribution>,
}

impl CellSystem {
    /// The summary of one metric.
    #[must_use]
    pub fn metric(&self, metric: Metric) -> Option<&Summary> {
        match metric {
            Metric::Throughput => self.throughput.as_ref(),
            Metric::LatencyP99 => self.operations.first()?.p99.as_ref(),
            Metric::LatencyP50 => self.operations.first()?.p50.as_ref(),
            Metric::LoadThroughput => self.load.as_ref(),
        }
    }

    /// Operations that did not find their record.
    #[must_use]
    pub fn not_found(&self) -> u64 {
        self.operations.first().map_or(0, |all| all.not_found)
    }
}

/// One trial, as a row of a table.
#[derive(Clone, Debug, Serialize)]
pub struct TrialRow {
    /// Name of the trial.
    pub trial: String,
    /// Its block.
    pub block: u32,
    /// Its place in the order of execution.
    pub position: u32,
    /// Its seed.
    pub seed: u64,
    /// How it ended.
    pub status: TrialState,
    /// Successful operations per second; `None` when nothing was measured.
    pub throughput: Option<f64>,
    /// Median latency of all operations, nanoseconds.
    pub p50_ns: Option<u64>,
    /// 99th percentile of the latency of all operations, nanoseconds.
    pub p99_ns: Option<u64>,
    /// Those of the latencies that fall on operations without an answer, and are lower bounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_least: Vec<Metric>,
    /// Successful operations.
    pub ok: u64,
    /// Operations that did not find their record, which had been inserted and acknowledged.
    pub not_found: u64,
    /// Failed operations.
    pub errors: u64,
    /// Why it stands out, when it does.
    pub outlier: Option<String>,
}

/// One kind of operation of one system in one cell, over all completed trials.
#[derive(Clone, Debug, Serialize)]
pub struct OperationSummary {
    /// Name of the operation, or [`ALL_OPERATIONS`].
    pub name: String,
    /// Successful operations, summed.
    pub ok: u64,
    /// Records that were not there, summed.
    pub not_found: u64,
    /// Not found because the insert was not yet acknowledged, summed.
    pub too_early: u64,
    /// Failures by class, summed.
    pub errors: BTreeMap<String, u64>,
    /// Values read back that were not what was written, summed.
    pub verification_failures: u64,
    /// Percentiles of the merged histograms, by [`TABLE_PERCENTILES`]; nanoseconds, `None` with too few samples.
    #[serde(rename = "merged_percentiles")]
    pub percentiles: Vec<CurvePoint>,
    /// Largest latency of all trials, nanoseconds.
    pub max_ns: Option<u64>,
    /// Whether that is a lower bound only: an operation had no answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub max_at_least: bool,
    /// Those of the medians below that are lower bounds, as so many operations had no answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_least: Vec<Metric>,
    /// Mean of the merged histograms, nanoseconds; operations without an answer count with the time they were waited for.
    #[serde(rename = "merged_mean_ns")]
    pub mean_ns: Option<f64>,
    /// Percentiles of the merged service times, when response time is what the others show.
    #[serde(rename = "merged_service_percentiles")]
    pub service_percentiles: Vec<CurvePoint>,
    /// The merged latency by percentile, as far as the samples reach.
    #[serde(rename = "merged_curve")]
    pub curve: Vec<CurvePoint>,
    /// Each trial's own curve, coarser; not in the JSON, the records have the histograms.
    #[serde(skip)]
    pub trial_curves: Vec<TrialCurve>,
    /// Median latency of each trial, and their median.
    pub p50: Option<Summary>,
    /// 99th percentile of each trial, and their median.
    pub p99: Option<Summary>,
}

/// The latency by percentile of one trial.
#[derive(Clone, Debug)]
pub struct TrialCurve {
    /// Name of the trial.
    pub trial: String,
    /// As far as its samples reach.
    pub points: Vec<CurvePoint>,
}

/// Asked against achieved rate over the completed trials.
#[derive(Clone, Debug, Serialize)]
pub struct PacingSummary {
    /// Operations per second asked for.
    pub asked_rate: f64,
    /// Median of the achieved rates.
    pub achieved_rate: f64,
    /// Trials that held the rate.
    pub sustained: usize,
    /// Trials there were.
    pub trials: usize,
    /// Largest scheduling lag's 99th percentile, nanoseconds.
    pub lag_p99_ns: Option<u64>,
}

/// Something that makes a comparison unfair or numbers doubtful.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// What it is about.
    pub code: FlagCode,
    /// Whether verdicts are refused because of it (else they are only marked).
    pub refuses: bool,
    /// The sentence.
    pub text: String,
}

/// A finding, with the trials that have it.
#[derive(Clone, Debug, Serialize)]
pub struct FindingGroup {
    /// Stable name.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What all of its messages say in one sentence: the ranges of their numbers, or the words that they share.
    pub title: String,
    /// The most telling message (the first one, in order of trials).
    pub message: String,
    /// Other messages of the group.
    pub other_messages: Vec<String>,
    /// What to do.
    pub remedy: String,
    /// How many trials have it.
    pub trials: usize,
    /// The systems concerned.
    pub systems: Vec<String>,
    /// The workloads concerned.
    pub workloads: Vec<String>,
}

/// A failed trial.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Name of the trial.
    pub trial: String,
    /// System.
    pub system: String,
    /// Workload.
    pub workload: String,
    /// Why.
    pub reason: String,
}

/// The tool's own cost over all trials.
#[derive(Clone, Debug, Serialize)]
pub struct FloorRange {
    /// One operation on the empty driver, smallest and largest, nanoseconds.
    pub operation_ns: (f64, f64),
    /// One reading of the clock, smallest and largest, nanoseconds.
    pub clock_ns: (f64, f64),
    /// Largest p99 that the empty driver shows, nanoseconds.
    pub latency_p99_ns: u64,
}

impl FloorRange {
    /// The floor in words.
    #[must_use]
    pub fn sentence(&self) -> String {
        let range = |(low, high): (f64, f64)| {
            let (low, high) = (crate::number::duration_ns(low), crate::number::duration_ns(high));
            if low == high {
                low
            } else {
                format!("{low} to {high}")
            }
        };
        format!(
            "an operation on the empty driver takes {}, a reading of the clock {}, and the empty driver's p99 is {} at most",
            range(self.operation_ns),
            range(self.clock_ns),
            crate::number::duration_ns(self.latency_p99_ns as f64)
        )
    }
}
