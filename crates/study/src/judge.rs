//! Records are judged: whether a trial was steady, undisturbed and set as claimed, and what its study can show.

pub(crate) mod analysis;
pub mod disturbance;
pub mod power;
pub mod precision;
pub mod protection;
pub mod setting;
pub mod steady;
pub mod window;
