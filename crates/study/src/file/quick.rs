//! A quick look at a study: fewer and shorter trials on fewer records. It shows that everything runs and about where the
//! numbers lie, and decides nothing: two trials allow no verdict.

use std::time::Duration;

use dbdyno_record::study::Kind;
use dbdyno_trial::{Limit, TrialSpec, WarmUp};

use crate::file::definition::{Operations, Study};

/// The end of the name of a quick look.
pub const SUFFIX: &str = "-quick";
/// The beginning of its title.
const TITLE: &str = "Quick look that decides nothing: ";
/// Trials of a cell at most.
pub const TRIALS: u32 = 2;
/// Records at most.
pub const RECORDS: u64 = 10_000;
/// Operations of a measured phase at most.
const OPERATIONS: u64 = 20_000;
/// The longest measured phase.
const DURATION: Duration = Duration::from_secs(2);
/// The longest warm-up.
const WARMUP: Duration = Duration::from_secs(1);
/// The smallest step of a search.
const STEP: f64 = 0.2;
/// The line more of a study's text, so that the result folder says what it holds.
pub(crate) const LINE: &str =
    "quick = true # A quick look: fewer and shorter trials on fewer records, without verdicts.";

/// The quick look at a study.
pub(crate) fn look(study: Study) -> Study {
    let title = title(study.heading());
    let mut workloads = study.workloads;
    for workload in &mut workloads {
        workload.records = workload.records.min(RECORDS);
    }
    let fewer = |operations: &Operations| match *operations {
        Operations::Count(count) => Operations::Count(count.min(OPERATIONS)),
        Operations::AsRecords => Operations::AsRecords,
    };
    let mut kind = study.kind;
    if let Kind::Capacity(capacity) = &mut kind {
        capacity.step = capacity.step.max(STEP);
    }
    Study {
        name: format!("{}{SUFFIX}", study.name),
        title: Some(title),
        trials: study.trials.min(TRIALS),
        workloads,
        records: distinct(study.records.iter().map(|&records| records.min(RECORDS))),
        operations: distinct(study.operations.iter().map(fewer)),
        shared: TrialSpec {
            warmup: WarmUp::fixed(study.shared.warmup.longest.min(WARMUP)),
            limit: Limit {
                duration: Some(study.shared.limit.duration.unwrap_or(DURATION).min(DURATION)),
                ..study.shared.limit
            },
            ..study.shared
        },
        server_warmup: None,
        precision: None,
        repeat_disturbed: 0,
        kind,
        ..study
    }
}

/// The title of a quick look at the study with this one.
pub(crate) fn title(of_study: &str) -> String {
    format!("{TITLE}{of_study}")
}

/// The levels that remain different.
fn distinct<T: PartialEq>(levels: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for level in levels {
        if !distinct.contains(&level) {
            distinct.push(level);
        }
    }
    distinct
}
