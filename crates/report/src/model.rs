//! The view model: everything a report says, as plain data, computed once.
//!
//! Built only from records and from what `stats` makes of them. Every output reads this and nothing else.

mod answer;
mod attempts;
mod build;
mod cell;
mod certainty;
pub(crate) mod close;
mod colors;
mod core_modes;
mod cost;
mod doubts;
mod drift;
mod effects;
pub(crate) mod environment;
mod extension;
mod findings;
pub(crate) mod flags;
mod growth;
pub(crate) mod kind;
mod machine_speed;
mod more_trials;
mod noise;
mod overview;
mod paper;
mod paper_quantity;
pub(crate) mod place;
mod rising_load;
pub(crate) mod sentences;
pub(crate) mod single_parts;
mod summary;
mod varied;
mod verdict_sentence;
mod verdicts;

use dbdyno_record::Severity;
use dbdyno_vocabulary::Text;
use serde::Serialize;

use crate::audit::AuditReport;

pub(crate) use build::foreign_audits;
pub use colors::product_color;
pub use core_modes::CoreModes;
pub(crate) use cost::pricing;
pub use cost::{
    CellCost, Cost, CostComparison, CostPrices, CostRate, RisingLoadCost, RisingLoadRate,
    RisingLoadSystemCost, SystemPrice,
};
pub use dbdyno_analysis::{
    CURVE_PERCENTILES, CapacityAnswer, CapacityWord, Cell, CellSystem, ClientSummary, CommonRate, Comparison,
    CurvePoint, Distribution, Estimate, Flag, FlagCode, GrowthPoint, Interval, Knee, Levels, MARGIN, Metric,
    MetricNoise, MetricVerdict, ModeShare, NoiseRow, OperationSummary, OrderedTrial, OtherRatio, Pace,
    PacingSummary, ParkedUse, Price, PriceFigure, PriceLevel, PriceQuantity, Rank, RunOrder, Scope, Summary,
    SwitchCost, System, TABLE_PERCENTILES, TimePoint, Timeline, Tone, TrialCurve, TrialRow, TwinsAgree,
    Usage, Value, Word,
};
pub use effects::{Effect, Effects};
pub use extension::added_trials;
pub use growth::{CrossingRow, GrowthChart, GrowthCurve, GrowthOverSizes};
pub use machine_speed::MachineSpeed;
pub use noise::Noise;
pub use paper::{
    BarGroup, BarValue, Bars, ClaimRow, PaperReport, Side, SidePoint, SideSystem, citation,
    claims_without_runs, figures as paper_figures,
};
pub use paper_quantity::PrintedQuantity;
pub use rising_load::{
    RisingLoad, RisingLoadCell, RisingLoadComparison, RisingLoadKind, RisingLoadStep, RisingLoadSystem,
};

/// Why a metric ranks nothing, in words.
pub type Unranked = dbdyno_analysis::Unranked<Text>;

/// The version of the JSON output.
pub const REPORT_FORMAT: &str = "dbdyno.report/1";

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
    pub basis: Vec<Text>,
    /// What must not be concluded, each as the end of "This does not show ...".
    pub limits: Vec<Text>,
    /// How many of the planned trials ran.
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
    #[serde(rename = "ladder", skip_serializing_if = "Option::is_none")]
    pub rising_load: Option<RisingLoad>,
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
    /// What operations cost, in money where there are prices; `None` where neither prices nor what servers used is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
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
    /// The words.
    pub text: Text,
    /// What kind of statement it is.
    pub tone: Tone,
}

/// How many of the planned trials ran.
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
            "an operation on the empty driver takes {}, of which a latency contains {} at most (p99); a reading of the clock takes {}",
            range(self.operation_ns),
            crate::number::duration_ns(self.latency_p99_ns as f64),
            range(self.clock_ns)
        )
    }
}
