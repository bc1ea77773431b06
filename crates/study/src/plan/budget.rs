//! A budget of time: `--budget 30m` and the key `budget` choose the number of blocks and the length of the measured phases that show the
//! smallest differences within it ([`dbdyno_stats::budget`]).
//!
//! The choice becomes the first line of the stored study text. The result folder is self-describing that way, and a study that
//! goes on keeps its plan, although its own trials show the noise better by then.

use std::time::Duration;

use dbdyno_files::StudyFile;
use dbdyno_stats::budget::{self, Choice};
use dbdyno_trial::Limit;
use dbdyno_vocabulary::{Time, number};

use crate::file::CheckedStudy;
use crate::file::changes;
use crate::file::definition::{NoiseSource, PlannedNoise, Study};
use crate::plan::known::Known;
use crate::plan::window::{self, FEWEST_WINDOWS};
use crate::plan::{Plan, pilot, power, time_for_repeats};

pub use crate::file::budget::{Planned, name, refusal};

/// The shortest and the longest measured phase that is chosen, in half seconds.
const HALF_SECONDS: std::ops::RangeInclusive<u32> = 4..=120;
/// Up to so many half seconds each is considered, beyond it each whole second.
const EVERY_HALF_SECOND: u32 = 20;

/// Chooses blocks and phases for the most decided comparisons within `time`, and says in a sentence what others would show.
///
/// # Errors
/// When not even the fewest blocks that can decide fit, in words.
pub fn choose(study: &Study, time: Duration, known: &Known) -> Result<(Planned, String), String> {
    let fixed = !study.operations.is_empty();
    let lengths = if fixed {
        vec![known.noise.seconds]
    } else {
        lengths(study)
    };
    let of = |seconds: f64| {
        let mut study = Study {
            load_rate: known.load_rate,
            ..study.clone()
        };
        if !fixed {
            study.shared.limit.duration = Some(Duration::from_secs_f64(seconds));
        }
        study
    };
    let cost = |blocks: usize, seconds: f64| {
        let study = of(seconds);
        let once = pilot::estimated_time(&study);
        let block = Plan::of_blocks(&study, 1)
            .estimated_time(&study)
            .saturating_sub(once);
        let whole = once + block * blocks as u32;
        (whole + time_for_repeats(&study, whole)).as_secs_f64()
    };
    let design = power::design(study, known.noise.total);
    let phase = |seconds: f64| {
        if fixed {
            String::new()
        } else {
            format!(" of {seconds} s")
        }
    };
    let choices =
        budget::choices(design, known.noise, &lengths, time.as_secs_f64(), cost).map_err(|too_small| {
            format!(
                "{} is too short for this study: {} blocks{}, the fewest that can decide, take about {}",
                Time::new(time),
                too_small.blocks,
                phase(lengths[0]),
                Time::new(Duration::from_secs(too_small.seconds.ceil() as u64))
            )
        })?;
    let best = budget::best(&choices).expect("there is a choice where there is no error");
    let others: Vec<String> = [choices.first(), choices.last()]
        .into_iter()
        .flatten()
        .filter(|other| other.blocks != best.blocks)
        .map(|other: &Choice| {
            format!(
                "{} blocks{} from {}",
                other.blocks,
                phase(other.seconds),
                number::whole_share(other.difference)
            )
        })
        .collect();
    let why = if others.is_empty() {
        String::new()
    } else {
        format!("Other ways to spend the time: {}", others.join(", "))
    };
    let planned = Planned {
        time,
        trials: best.blocks as u32,
        duration: of(best.seconds).shared.limit.duration.filter(|_| !fixed),
        noise: PlannedNoise {
            noise: best.noise,
            source: known.source,
        },
        load_rate: known.load_rate,
    };
    Ok((planned, why))
}

/// The phases to choose from, in seconds: none so short that it would not be judged for steadiness.
fn lengths(study: &Study) -> Vec<f64> {
    let judged = |seconds: f64| {
        let duration = Duration::from_secs_f64(seconds);
        let limit = Limit {
            operations: None,
            duration: Some(duration),
        };
        study.rates.iter().all(|rate| {
            let pace = study.pace(rate.per_second());
            window::length(&limit, pace) * FEWEST_WINDOWS as u32 <= duration
        })
    };
    HALF_SECONDS
        .filter(|half| *half <= EVERY_HALF_SECOND || half % 2 == 0)
        .map(|half| f64::from(half) / 2.0)
        .filter(|&seconds| judged(seconds))
        .collect()
}

/// The plan of a stored study text that planned this very study for this very budget.
#[must_use]
pub fn planned_before(stored: &str, source: &CheckedStudy, time: Duration) -> Option<Planned> {
    let mut stored: StudyFile = dbdyno_files::read(stored).ok()?;
    let planned = Planned::of(&stored.planned.take()?.value.0);
    let asked: StudyFile = dbdyno_files::read(&source.text).ok()?;
    (changes::between(&stored, &asked).is_empty() && planned.time == time).then_some(planned)
}

/// What the study will show within its budget, once it is planned.
#[must_use]
pub fn sentence(study: &Study) -> Option<String> {
    let budget = study.budget?;
    let planned = budget.noise?;
    let phases = match (study.operations.is_empty(), study.shared.limit.duration) {
        (true, Some(duration)) => format!(" of {} s", duration.as_secs_f64()),
        _ => String::new(),
    };
    let shown = match power::design(study, planned.noise).smallest_difference() {
        Some(difference) => format!(
            "differences of {} and more in 9 of 10 cases",
            number::whole_share(difference)
        ),
        None => "no difference in 9 of 10 cases".to_owned(),
    };
    let source = match planned.source {
        NoiseSource::Given => "",
        NoiseSource::Measured => ", measured in earlier results",
        NoiseSource::Assumed => ", an assumption (set yours with `--noise` or `--noise-from`)",
    };
    Some(format!(
        "Within {}: {} blocks{phases}; {shown} ({}) at {} noise{source}",
        Time::new(budget.time),
        study.trials,
        power::among(power::comparisons(study)),
        number::whole_share(planned.noise)
    ))
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
