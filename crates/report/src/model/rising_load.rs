//! Systems at rising load: what their steps, capacities and knees say.

mod answer;
mod build;

use dbdyno_analysis::rising_load::{compare, steps};

use super::{
    Bounds, CapacityAnswer, Knee, RisingLoad, RisingLoadCell, RisingLoadComparison, RisingLoadKind,
    RisingLoadStep, RisingLoadSystem, Tone,
};

pub use build::{rising_load, summary};
