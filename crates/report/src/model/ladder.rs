//! Systems at rising load: what their steps, capacities and knees say.

mod answer;
mod build;

use dbdyno_analysis::ladder::{compare, steps};

use super::{
    Bounds, CapacityAnswer, Knee, Ladder, LadderCell, LadderComparison, LadderKind, LadderStep, LadderSystem,
    Tone,
};

pub use build::{ladder, summary};
