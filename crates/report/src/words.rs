//! The words for what `analysis` found: names of metrics and verdicts, figures with their units, and why something is not judged.

pub mod change;
pub mod comparability;
pub mod cost;
pub mod figures;
pub mod generators;
pub mod load;
pub mod meaning;
pub mod names;
pub mod remarks;
pub mod rising_load;
pub mod starts;
pub mod validity;
