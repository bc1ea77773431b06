//! WHAT one trial is asked to do: plain data, known to every stage of its way.
//!
//! A study resolves each of its cells into one [`TrialSpec`]. The plan stores it, the engine carries it out, and the
//! record holds it beside what was measured. It depends on the words alone and knows no secret.

mod arrivals;
mod asked_rate;
mod consistency;
mod durability;
mod factor;
mod factor_levels;
mod lab_address;
mod level;
mod level_order;
mod load;
mod nanoseconds;
mod purpose;
mod scan_order;
mod spec;

pub use arrivals::{Arrivals, UnknownArrivals};
pub use asked_rate::AskedRate;
pub use consistency::Consistency;
pub use durability::Durability;
pub use factor::{CLIENTS, COMMON, Factor, PILOT, PROBE, RATE, SYSTEM_FACTOR, UNLIMITED};
pub use factor_levels::FactorLevels;
pub use lab_address::{LAB_SCHEME, lab_request};
pub use level::Level;
pub use level_order::{LevelOrder, LevelPlace, Variation};
pub use load::{Limit, Pace, Phases, Reset, WarmUp};
pub use purpose::Purpose;
pub use scan_order::ScanOrder;
pub use spec::{Origin, SystemSpec, TrialSpec};
