//! The keys of a study file that say how much effort a result is worth.

use std::ops::Range;
use std::time::Duration;

pub use dbdyno_files::values::{AUTO, TRIALS as MOST_TRIALS};
use dbdyno_files::values::{PhaseTime, WarmUp};
use dbdyno_files::{Mistake, Placed, StudyFile};

use crate::file::definition::{Precision, Restart};

/// The warm-up when the study says none.
pub const DEFAULT_WARMUP: Duration = Duration::from_secs(2);
/// The longest warm-up that ends by itself.
pub const LONGEST_WARMUP: Duration = Duration::from_secs(120);
/// The longest on servers that are warm already.
pub const LONGEST_WARMUP_AGAIN: Duration = Duration::from_secs(20);
/// The share of a study's estimated time that repetitions of disturbed trials may take when it says none.
pub const DEFAULT_REPEAT_BUDGET: f64 = 0.2;
/// The most blocks of a study with a required precision, when it says none.
pub const DEFAULT_MAX_TRIALS: u32 = 30;

/// `precision`, `max_trials` and `budget`; `trials` is the least. A budget without `precision` stands beside it.
pub(crate) fn precision(
    file: &StudyFile,
    trials: u32,
) -> Result<(Option<Precision>, Option<Placed<PhaseTime>>), Mistake> {
    let most = file.max_trials.as_ref();
    let Some(share) = &file.precision else {
        return match most {
            None => Ok((None, file.budget.clone())),
            Some(most) => Err(Mistake::new(
                most.span.clone(),
                "`max_trials` has no effect without `precision`",
                "add a line such as: precision = \"5%\"; without it, `trials` sets the number of blocks",
            )),
        };
    };
    if let Some(most) = most
        && most.value.0 < trials
    {
        return Err(Mistake::new(
            most.span.clone(),
            format!(
                "`max_trials` is {}, but the minimum is {trials} trials",
                most.value.0
            ),
            "raise `max_trials`, or lower `trials`, which is the minimum with `precision`",
        ));
    }
    let precision = Precision {
        share: share.value.0,
        most_trials: most.map_or(DEFAULT_MAX_TRIALS.max(trials), |most| most.value.0),
        budget: file.budget.as_ref().map(|budget| budget.value.0),
    };
    Ok((Some(precision), None))
}

/// The keys of a study about its warm-up.
#[derive(Default)]
pub(crate) struct WarmUpKeys {
    pub warmup: Duration,
    pub until_rest: bool,
    pub servers: Option<Duration>,
}

/// `warmup`: a time, or [`AUTO`], and `warmup_limit`, the longest that ends by itself. Without `warmup` that of servers does.
pub(crate) fn warmup(file: &StudyFile) -> Result<WarmUpKeys, Mistake> {
    let limit = file.warmup_limit.as_ref();
    let longest = limit.map_or(LONGEST_WARMUP, |limit| limit.value.0);
    match file.warmup.as_ref().map(|warmup| warmup.value) {
        None => Ok(WarmUpKeys {
            warmup: DEFAULT_WARMUP,
            until_rest: false,
            servers: Some(longest),
        }),
        Some(WarmUp::Auto) => Ok(WarmUpKeys {
            warmup: longest,
            until_rest: true,
            servers: None,
        }),
        Some(WarmUp::Fixed(warmup)) => {
            if let Some(limit) = limit {
                return Err(Mistake::new(
                    limit.span.clone(),
                    "`warmup_limit` has no effect with a fixed `warmup`",
                    "omit one of them, or write: warmup = \"auto\"",
                ));
            }
            Ok(WarmUpKeys {
                warmup,
                until_rest: false,
                servers: None,
            })
        }
    }
}

/// `restart`: for every block, or once for the study.
pub(crate) fn restart(file: &StudyFile, precise: bool) -> Result<(Restart, Range<usize>), Mistake> {
    match &file.restart {
        None => Ok((Restart::default(), 0..0)),
        Some(restart) if precise && restart.value == Restart::Study => Err(Mistake::new(
            restart.span.clone(),
            "`precision` needs a new start of the servers in every block",
            "omit `precision`, or write: restart = \"block\"",
        )),
        Some(restart) => Ok((restart.value, restart.span.clone())),
    }
}
