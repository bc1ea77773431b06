//! The keys of a study file that say how much effort a result is worth.

use std::ops::Range;
use std::time::Duration;

use dbdyno_vocabulary::{Share, Time};

use crate::definition::{Precision, Restart};
use crate::toml_reader::{Mistake, Placed, TableReader};
use crate::values::{DURATION_HELP, PRECISION_HELP, TRIALS_HELP, number_of_trials, positive_duration, share};

/// The warm-up when the study says none.
pub const DEFAULT_WARMUP: Duration = Duration::from_secs(2);
/// The longest warm-up that ends by itself.
pub const LONGEST_WARMUP: Duration = Duration::from_secs(120);
/// The longest on servers that are warm already.
pub const LONGEST_WARMUP_AGAIN: Duration = Duration::from_secs(20);
/// The share of a study's estimated time that repetitions of disturbed trials may take when it says none.
pub const DEFAULT_REPEAT_BUDGET: f64 = 0.2;
/// How a warm-up says that it ends when the system is steady.
pub const AUTO: &str = "auto";
/// More trials of a cell than anybody waits for would only fill the memory with their plan.
pub const MOST_TRIALS: u32 = 10_000;
/// The most blocks of a study with a target precision, when it says none.
pub const DEFAULT_MAX_TRIALS: u32 = 30;

/// `precision`, `max_trials` and `budget`; `trials` is the least. A budget without `precision` stands beside it.
pub(crate) fn precision(
    root: &mut TableReader<'_>,
    trials: u32,
) -> Result<(Option<Precision>, Option<Placed<Duration>>), Mistake> {
    let share = root
        .scalar("precision")?
        .map(|text| text.convert(PRECISION_HELP, |text| share(&text)))
        .transpose()?;
    let most = root
        .scalar("max_trials")?
        .map(|text| text.convert(&format!("write {TRIALS_HELP}"), |text| number_of_trials(&text)))
        .transpose()?;
    let budget = root
        .scalar("budget")?
        .map(|text| text.convert(DURATION_HELP, |text| positive_duration(&text)))
        .transpose()?;
    let Some(share) = share else {
        return match most {
            None => Ok((None, budget)),
            Some(most) => Err(Mistake::new(
                most.span,
                "`max_trials` means nothing without `precision`",
                "add a line such as: precision = \"5%\"; without it, `trials` are counted",
            )),
        };
    };
    if let Some(most) = &most
        && most.value < trials
    {
        return Err(Mistake::new(
            most.span.clone(),
            format!(
                "`max_trials` is {}, but there are {trials} trials in any case",
                most.value
            ),
            "raise `max_trials`, or lower `trials`, which is the least with `precision`",
        ));
    }
    let precision = Precision {
        share: share.value,
        most_trials: most.map_or(DEFAULT_MAX_TRIALS.max(trials), |most| most.value),
        budget: budget.map(|budget| budget.value),
    };
    Ok((Some(precision), None))
}

/// What a study says of its warm-up.
pub(crate) struct WarmUpKeys {
    pub warmup: Duration,
    pub until_rest: bool,
    pub servers: Option<Duration>,
}

/// `warmup`: a time, or [`AUTO`], and `warmup_limit`, the longest that ends by itself. Without `warmup` that of servers does.
pub(crate) fn warmup(root: &mut TableReader<'_>) -> Result<WarmUpKeys, Mistake> {
    let text = root.scalar("warmup")?;
    let limit = root
        .scalar("warmup_limit")?
        .map(|text| text.convert(DURATION_HELP, |text| positive_duration(&text)))
        .transpose()?;
    let longest = limit.as_ref().map_or(LONGEST_WARMUP, |limit| limit.value);
    match text {
        None => Ok(WarmUpKeys {
            warmup: DEFAULT_WARMUP,
            until_rest: false,
            servers: Some(longest),
        }),
        Some(text) if text.value == AUTO => Ok(WarmUpKeys {
            warmup: longest,
            until_rest: true,
            servers: None,
        }),
        Some(text) => {
            let help = format!("{DURATION_HELP}; \"{AUTO}\" warms up until the throughput is steady");
            let warmup = text.convert(&help, |text| Time::parse(&text).map(Time::get))?;
            if let Some(limit) = limit {
                return Err(Mistake::new(
                    limit.span,
                    "`warmup_limit` means nothing beside a fixed `warmup`",
                    "leave one of them out, or write: warmup = \"auto\"",
                ));
            }
            Ok(WarmUpKeys {
                warmup: warmup.value,
                until_rest: false,
                servers: None,
            })
        }
    }
}

/// `restart`: for every block, or once for the study.
pub(crate) fn restart(root: &mut TableReader<'_>, precise: bool) -> Result<(Restart, Range<usize>), Mistake> {
    let Some(text) = root.scalar("restart")? else {
        return Ok((Restart::default(), 0..0));
    };
    let restart = match text.value.as_str() {
        "block" => Restart::Block,
        "study" if precise => {
            return Err(Mistake::new(
                text.span,
                "`precision` needs a new start of the servers in every block",
                "leave `precision` out, or write: restart = \"block\"",
            ));
        }
        "study" => Restart::Study,
        other => {
            return Err(Mistake::new(
                text.span,
                format!("servers cannot be restarted by `{other}`"),
                "write \"block\" for new servers in every block, or \"study\" for one start that stays until the end",
            ));
        }
    };
    Ok((restart, text.span))
}

/// `repeat_budget`: a share of the study's estimated time, in percent or as a number; 0 repeats nothing.
pub(crate) fn repeat_budget(text: Option<Placed<String>>) -> Result<f64, Mistake> {
    let Some(text) = text else {
        return Ok(DEFAULT_REPEAT_BUDGET);
    };
    let help = "a share of the study's estimated time, e.g. \"20%\"; \"0%\" repeats nothing";
    Ok(text
        .convert(help, |text| Share::parse_within(&text, 0.0..=100.0))?
        .value
        .get())
}
