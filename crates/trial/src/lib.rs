//! WHAT one trial is asked to do: plain data, known to every stage of its way.
//!
//! A study resolves each of its cells into one [`TrialSpec`]. The plan stores it, the engine carries it out, and the
//! record holds it beside what was measured. It depends on no other crate of ours and knows no secret.

mod arrivals;
mod consistency;
mod durability;
mod factor;
mod factor_levels;
mod lab_address;
mod load;
mod nanoseconds;
mod purpose;
mod scan_order;
mod spec;
mod twin;

pub use arrivals::{Arrivals, UnknownArrivals};
pub use consistency::Consistency;
pub use durability::Durability;
pub use factor::{COMMON, Factor, PILOT, PROBE, SYSTEM_FACTOR, UNLIMITED};
pub use lab_address::{LAB_SCHEME, lab_request};
pub use load::{Limit, Pace, Phases, Reset, WarmUp};
pub use purpose::Purpose;
pub use scan_order::ScanOrder;
pub use spec::{SystemSpec, TrialSpec};
pub use twin::{twin_name, twin_original};
