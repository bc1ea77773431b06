//! The keys of a study file that say how much effort a result is worth.

use std::time::Duration;

use dbdyno_workload::quantity;

use crate::definition::Precision;
use crate::toml_reader::{Mistake, Placed, TableReader};
use crate::values::{COUNT_HELP, DURATION_HELP, PRECISION_HELP, at_least_one, positive_duration, share};

/// The warm-up when the study says none.
pub const DEFAULT_WARMUP: Duration = Duration::from_secs(2);
/// The longest warm-up that ends by itself.
pub const LONGEST_WARMUP: Duration = Duration::from_secs(120);
/// How a warm-up says that it ends when the system has come to rest.
pub const AUTO: &str = "auto";
/// The most blocks of a study with a wish for precision, when it says none.
pub const DEFAULT_MAX_TRIALS: u32 = 30;

/// `precision`, `max_trials` and `budget`; `trials` is the least.
pub(crate) fn precision(root: &mut TableReader<'_>, trials: u32) -> Result<Option<Precision>, Mistake> {
    let share = root
        .scalar("precision")?
        .map(|text| text.convert(PRECISION_HELP, |text| share(&text)))
        .transpose()?;
    let most = root
        .scalar("max_trials")?
        .map(|text| text.convert(COUNT_HELP, |text| at_least_one(&text)))
        .transpose()?;
    let budget = root
        .scalar("budget")?
        .map(|text| text.convert(DURATION_HELP, |text| positive_duration(&text)))
        .transpose()?;
    let Some(share) = share else {
        let without = most.map(|most| ("max_trials", most.span));
        return match without.or(budget.map(|budget| ("budget", budget.span))) {
            None => Ok(None),
            Some((key, span)) => Err(Mistake::new(
                span,
                format!("`{key}` means nothing without `precision`"),
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
    Ok(Some(Precision {
        share: share.value,
        most_trials: most.map_or(DEFAULT_MAX_TRIALS.max(trials), |most| most.value),
        budget: budget.map(|budget| budget.value),
    }))
}

/// `warmup`: a time, or [`AUTO`]; with it the longest time, and whether it ends by itself.
pub(crate) fn warmup(text: Option<Placed<String>>) -> Result<(Duration, bool), Mistake> {
    match text {
        None => Ok((DEFAULT_WARMUP, false)),
        Some(text) if text.value == AUTO => Ok((LONGEST_WARMUP, true)),
        Some(text) => {
            let help = format!("{DURATION_HELP}; \"{AUTO}\" warms up until the throughput is steady");
            let warmup = text.convert(&help, |text| quantity::parse_duration(&text))?;
            Ok((warmup.value, false))
        }
    }
}
