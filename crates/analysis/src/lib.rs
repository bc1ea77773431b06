//! What records mean: estimates, comparisons and their verdicts, effects, prices, growth, noise, capacity, and what advice rests on.
//!
//! Records come in, plain data goes out. Nothing here builds a page, writes a sentence, prints, or knows a driver; `dbdyno-report` puts the
//! results into words.

pub mod advice;
pub mod audit;
pub mod baseline;
pub mod bounds;
mod cell;
mod cell_name;
pub mod cells;
pub mod common_rate;
pub mod comparability;
mod compared;
pub mod core_modes;
pub mod cost;
pub mod curve;
mod distribution;
pub mod effects;
pub mod evidence;
pub mod family;
pub mod generators;
pub mod grouped;
pub mod growth;
mod input;
pub mod latency_over_time;
pub mod level_order;
pub mod levels;
pub mod metric;
pub mod metrics;
pub mod noise;
pub mod order;
pub mod price;
pub mod rank;
pub mod rates;
pub mod remark;
pub mod rising_load;
pub mod run_order;
pub mod same_mode;
pub mod scope;
pub mod speed;
pub mod starts;
pub mod systems;
pub mod timeline;
mod undecided;
pub mod usage;
pub mod validity;
pub mod workload_name;

pub use cell::{
    Cell, CellSystem, Flag, FlagCode, MetricVerdict, OperationSummary, PacingSummary, System, Tone,
    TrialCurve, TrialRow,
};
pub use cell_name::{CellName, cell_name, is_usual};
pub use common_rate::CommonRate;
pub use comparability::{MissedRate, Pace, Unranked};
pub use core_modes::{CoreModes, ModeShare, OtherRatio};
pub use curve::{CURVE_PERCENTILES, CurvePoint, TABLE_PERCENTILES};
pub use dbdyno_stats::{Estimate, Interval, MARGIN, Word};
pub use distribution::Distribution;
pub use effects::Effect;
pub use evidence::{Comparison, Summary, Value, compare_systems, summarise_trials};
pub use growth::GrowthPoint;
pub use input::{StudyResults, TimelinePoint};
pub use latency_over_time::{LatencyColumn, LatencyOverTime};
pub use levels::Levels;
pub use metric::Metric;
pub use metrics::MetricValues;
pub use noise::{MetricNoise, Noise, NoiseRow, TwinsAgree};
pub use price::{Price, PriceFigure, PriceLevel, PriceQuantity};
pub use rank::Rank;
pub use remark::Remark;
pub use rising_load::{CapacityAnswer, CapacityWord, Knee, RisingLoadComparison, RisingLoadStep};
pub use run_order::{OrderedTrial, RunOrder};
pub use scope::Scope;
pub use speed::MachineSpeed;
pub use timeline::{TimePoint, Timeline};
pub use undecided::Undecided;
pub use usage::{ClientSummary, ParkedUse, SwitchCost, Usage};
pub use validity::Unreliable;
pub use workload_name::is_same_workload;
