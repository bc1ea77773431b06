//! One file per rule, or per few rules that share their arithmetic.

mod busy;
mod comparison;
mod counts;
mod duration;
mod idle;
mod input;
mod littles_law;
mod noise;
mod outlier;
mod percentages;
mod saturation;
mod set_up;
mod single_thread;
mod startup;
mod statements;
mod throughput;
mod totals;
mod trend;
mod units;
mod values;

pub use counts::copied;
pub use values::impossible as impossible_values;

use crate::{Finding, Printed};

/// All that judge what was measured, in the order of their findings.
pub const ALL: [fn(&Printed) -> Vec<Finding>; 32] = [
    values::contradictions,
    throughput::check,
    littles_law::check,
    idle::check,
    counts::check,
    totals::successes,
    values::order,
    totals::means,
    counts::rate_exceeded,
    counts::copied,
    saturation::check,
    units::check,
    percentages::check,
    comparison::check,
    statements::ratios,
    statements::clock_resolution,
    noise::check,
    outlier::check,
    outlier::means,
    trend::check,
    statements::claims,
    statements::ranges,
    startup::check,
    single_thread::check,
    input::check,
    duration::check,
    set_up::over_commit,
    set_up::placement,
    set_up::unequal_guarantees,
    set_up::unreported,
    set_up::missing_protocol,
    statements::not_probed,
];
