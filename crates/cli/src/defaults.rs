//! What a run does by default: one place, named in help texts and in `docs/command-line.md`.

use std::time::Duration;

use dbdyno_study::file::DEFAULT_DURATION;
use dbdyno_study::file::effort::DEFAULT_WARMUP;
use dbdyno_trial::{Limit, SystemSpec, TrialSpec, WarmUp};

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

/// File name of the page in a result folder.
pub const PAGE: &str = "report.html";

/// A trial of `dbdyno run` where nobody says anything.
pub fn of_run() -> TrialSpec {
    TrialSpec {
        clients: CLIENTS,
        warmup: WarmUp::fixed(WARMUP),
        limit: limit(DURATION),
        ..TrialSpec::new(SystemSpec::default(), "", RECORDS)
    }
}

/// A trial of `dbdyno capacity` and `dbdyno sweep`, for the rest as this one: phases are as long as in studies, which warm cold
/// servers up before the first step.
pub fn of_rising_load(spec: TrialSpec) -> TrialSpec {
    TrialSpec {
        warmup: WarmUp::fixed(DEFAULT_WARMUP),
        limit: limit(DEFAULT_DURATION),
        ..spec
    }
}

/// A trial of `dbdyno ycsb`: as YCSB does it, but nothing is guessed that YCSB has no sensible default for, neither the records
/// nor the end.
pub fn of_ycsb() -> TrialSpec {
    TrialSpec::new(SystemSpec::default(), "", 0)
}

fn limit(duration: Duration) -> Limit {
    Limit {
        operations: None,
        duration: Some(duration),
    }
}
