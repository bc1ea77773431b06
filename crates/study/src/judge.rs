//! Records are judged: whether a trial was steady, undisturbed and set as claimed, and what its study can show.

pub mod disturbance;
mod pauses;
pub mod precision;
pub mod protection;
pub mod setting;
pub mod steadiness_findings;
pub mod steady;
pub(crate) mod turns;
mod two_speeds;
