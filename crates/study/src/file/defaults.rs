//! Values of keys that a study file leaves out.

use std::time::Duration;

/// The measured phase when the study says neither `operations` nor `duration`.
pub const DEFAULT_DURATION: Duration = Duration::from_secs(10);
/// Blocks when the study says none: the guarantees are simulated with six, of which one wild block moves no comparison much.
pub const DEFAULT_TRIALS: u32 = 6;
/// Clients when the study says none.
pub const DEFAULT_CLIENTS: u32 = 4;
/// The seed when the study says none.
pub const DEFAULT_SEED: u64 = 42;
/// Records of built-in workloads when the study says none.
pub const DEFAULT_RECORDS: u64 = 100_000;
/// How often a disturbed trial is repeated when the study does not say.
pub const DEFAULT_REPEAT_DISTURBED: u32 = 2;
