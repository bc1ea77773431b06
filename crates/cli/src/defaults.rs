//! What a run does by default: one place, named in help texts and in `docs/command-line.md`.

use std::time::Duration;

/// Records of built-in workloads. (YCSB's files say 1000, which fits every processor cache and shows nothing.)
pub const RECORDS: u64 = 100_000;

/// Clients: enough to show contention, few enough for a laptop.
pub const CLIENTS: u32 = 4;

/// The measured phase.
pub const DURATION: Duration = Duration::from_secs(5);

/// The warm-up before it.
pub const WARMUP: Duration = Duration::from_secs(1);

/// The seed.
pub const SEED: u64 = 42;

/// Where results go when nobody says otherwise.
pub const RESULTS: &str = "results";
