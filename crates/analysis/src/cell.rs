//! A cell of a study as plain data: its systems, their trials, and what comparing them gave.

use std::collections::BTreeMap;

use dbdyno_record::{Fact, TrialState};
use dbdyno_trial::{Consistency, Durability, FactorLevels, ScanOrder};
use dbdyno_vocabulary::Text;
use serde::{Serialize, Serializer};

use crate::generators::GeneratorUse;
use crate::validity::Unreliable;
use crate::{
    ClientSummary, CommonRate, Comparison, CurvePoint, Distribution, Levels, Metric, Pace, ParkedUse, Scope,
    Summary, SwitchCost, Timeline, Unranked,
};

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
    /// Nodes that keep its data: 0 for a store inside the process, `None` where the system does not say.
    #[serde(skip)]
    pub nodes: Option<u32>,
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
    /// CPUs and memory of its servers, in words; empty where the lab limited none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub limits: String,
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
    /// Its one name for people, in titles, tables and sentences: `A: update heavy, 16 clients, full speed`.
    pub title: String,
    /// Name of the workload.
    pub workload: String,
    /// What the workload does, a clause each: its operations, keys and values.
    #[serde(serialize_with = "clauses")]
    pub description: Vec<Text>,
    /// Levels of the factors other than system and workload that vary in the study.
    pub factors: FactorLevels,
    /// How it was asked: clients, rate or closed loop, duration, records; empty when the report says it.
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
    /// The systems measured in it, in the order of the study's.
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

/// Clauses as one string, for programs.
fn clauses<S: Serializer>(clauses: &[Text], serializer: S) -> Result<S::Ok, S::Error> {
    Text::joined(clauses, "; ").serialize(serializer)
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
    pub unranked: Option<Unranked<Text>>,
    /// The system with the best median.
    pub leader: Option<String>,
    /// Systems not shown to be worse than the leader.
    pub tied: Vec<String>,
    /// How it is to be taken.
    pub tone: Tone,
    /// The sentence.
    pub sentence: Text,
    /// What these systems promise, where others of the cell promise something else.
    #[serde(skip)]
    pub among: Option<Text>,
    /// Why there is no verdict, as a clause, where the systems are refused for another reason than the metric.
    #[serde(skip)]
    pub refused_for: Option<Text>,
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
    /// Its load generators, where several carried its trials out together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub generators: Vec<GeneratorUse>,
    /// Why no verdict rests on its measured phases: invalid trials, operations without an answer, no steady state.
    #[serde(skip)]
    pub doubt: Option<Unreliable>,
    /// The doubt, in the words of the report.
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
    /// Name of the operation, or [`ALL_OPERATIONS`](dbdyno_vocabulary::ALL_OPERATIONS).
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
    /// Percentiles of the merged histograms, by [`TABLE_PERCENTILES`](crate::TABLE_PERCENTILES); nanoseconds, `None` with too few samples.
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flag {
    /// What it is about.
    pub code: FlagCode,
    /// Whether verdicts are refused because of it (else they are only marked).
    pub refuses: bool,
    /// The sentence.
    pub text: Text,
}

/// What a flag is about. In JSON it is the name in kebab case, e.g. `durability-differs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlagCode {
    /// Acknowledged writes survive different failures.
    DurabilityDiffers,
    /// Operations involve different numbers of replicas.
    ConsistencyDiffers,
    /// Scans return records in different orders.
    ScanOrderDiffers,
    /// The source of an imported result does not state a guarantee.
    PromiseNotStated,
    /// Systems of one block were asked different operations.
    SeedsDiffer,
    /// Trials have findings that make them invalid.
    InvalidTrials,
    /// A system was slower than the requested rate.
    RateNotSustained,
    /// A system changed its version within the study.
    VersionChanged,
    /// Attempts of a system failed.
    AttemptsFailed,
}

impl FlagCode {
    /// Whether systems are known to give different guarantees.
    #[must_use]
    pub const fn is_difference_of_guarantees(self) -> bool {
        matches!(
            self,
            Self::DurabilityDiffers | Self::ConsistencyDiffers | Self::ScanOrderDiffers
        )
    }
}
