//! One file per rule, or per pair of rules that share their arithmetic.

mod duration;
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
mod trend;
mod units;

use crate::{Finding, Printed};

/// All of them, in the order in which their findings are told.
pub const ALL: [fn(&Printed) -> Vec<Finding>; 18] = [
    throughput::check,
    littles_law::check,
    saturation::check,
    units::check,
    percentages::check,
    noise::check,
    outlier::check,
    trend::check,
    statements::claims,
    statements::ranges,
    startup::check,
    single_thread::check,
    input::check,
    duration::check,
    set_up::over_commit,
    set_up::unequal_guarantees,
    set_up::missing_protocol,
    statements::not_probed,
];
