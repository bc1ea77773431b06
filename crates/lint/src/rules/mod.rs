//! One file per rule, or per pair of rules that share their arithmetic.

mod duration;
mod input;
mod littles_law;
mod noise;
mod outlier;
mod percentages;
mod set_up;
mod single_thread;
mod startup;
mod throughput;

use crate::{Finding, Printed};

/// All of them, in the order in which their findings are told.
pub const ALL: [fn(&Printed) -> Vec<Finding>; 12] = [
    throughput::check,
    littles_law::check,
    percentages::check,
    noise::check,
    outlier::check,
    startup::check,
    single_thread::check,
    input::check,
    duration::check,
    set_up::over_commit,
    set_up::unequal_guarantees,
    set_up::missing_protocol,
];
