//! A budget of time as a study file states it, and what was chosen for it: [`crate::plan::budget`].

use std::ops::Range;
use std::time::Duration;

use dbdyno_files::values::{Count, Noise, PhaseTime, Trials};
use dbdyno_files::{Mistake, Placed, PlannedTable};
use dbdyno_record::study::Kind;
use dbdyno_vocabulary::Time;

use crate::file::comparisons;
use crate::file::definition::{Budget, PlannedNoise, Study};

/// Why a budget has nothing to choose in a study, and what to do.
#[must_use]
pub fn refusal(study: &Study) -> Option<(&'static str, &'static str)> {
    Some(match () {
        () if study.quick => (
            "a quick look cannot have a budget, because it runs a fixed small number of trials",
            "omit `--budget`, or omit `--quick` and `quick`",
        ),
        () if study.precision.is_some() => (
            "`precision` adds blocks while the study runs, so `--budget` cannot choose their number",
            "omit `precision`, or set its own `budget` in the study file",
        ),
        () if study.kind != Kind::Comparison => (
            "a budget applies to comparisons, but this study is a search",
            "omit `budget`; use `trials`, `step` and `duration` to shorten a search",
        ),
        () if comparisons::comparisons(study) == 0 => (
            "a budget applies to comparisons, but this study has only one system",
            "add a system, or omit `budget` and set `trials` and `duration`",
        ),
        () if comparisons::one_start(study) => (
            "with `restart = \"study\"` all trials of a cell count as one value, however many blocks there are",
            "omit `restart`, or omit `budget` and set `trials` and `duration`",
        ),
        () => return None,
    })
}

/// The plan for a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    pub(crate) time: Duration,
    pub(crate) trials: u32,
    /// `None` where phases end by count.
    pub(crate) duration: Option<Duration>,
    pub(crate) noise: PlannedNoise,
    pub(crate) load_rate: Option<f64>,
}

impl Planned {
    /// As it stands in a study file.
    #[must_use]
    pub fn table(&self) -> PlannedTable {
        PlannedTable {
            budget: PhaseTime(self.time).into(),
            trials: Trials(self.trials).into(),
            duration: self.duration.map(|duration| PhaseTime(duration).into()),
            noise: Noise(as_written(self.noise.noise)).into(),
            noise_is: self.noise.source.into(),
            load_rate: self.load_rate.map(|rate| Count(rate as u64).into()),
        }
    }

    /// From what stands in a study file.
    #[must_use]
    pub fn of(table: &PlannedTable) -> Self {
        Self {
            time: table.budget.value.0,
            trials: table.trials.value.0,
            duration: table.duration.as_ref().map(|duration| duration.value.0),
            noise: PlannedNoise {
                noise: table.noise.value.0,
                source: table.noise_is.value,
            },
            load_rate: table.load_rate.as_ref().map(|rate| rate.value.0 as f64),
        }
    }
}

/// Noise in hundredths of a percent: a share lies between 0 and 100%, and earlier trials may be noisier still.
fn as_written(noise: f64) -> f64 {
    (noise * 10_000.0).round().clamp(1.0, 9_999.0) / 10_000.0
}

/// The name of a study with a budget: its own where the file asks for it, so that no other results lie there.
#[must_use]
pub fn name(study: &Study, time: Duration) -> String {
    match study.budget {
        Some(own) if own.time == time => study.name.clone(),
        _ => format!("{}-{}", study.name, Time::new(time)),
    }
}

/// A budget in the file chooses what these keys would fix.
pub(crate) fn check_fixed(place: &Range<usize>, trials: bool, duration: bool) -> Result<(), Mistake> {
    let (key, what) = match (trials, duration) {
        (true, _) => ("trials", "the number of blocks"),
        (_, true) => ("duration", "how long the measured phases are"),
        _ => return Ok(()),
    };
    Err(Mistake::new(
        place.clone(),
        format!("`budget` chooses {what}, but `{key}` sets it"),
        format!("omit `{key}` or `budget`; `--budget` on the command line overrides both"),
    ))
}

/// The study with its budget, as far as that is planned.
pub(crate) fn applied(
    mut study: Study,
    own: Option<&Placed<PhaseTime>>,
    planned: Option<Planned>,
) -> Result<Study, Mistake> {
    if let Some(own) = own {
        if let Some((message, help)) = refusal(&study) {
            return Err(Mistake::new(own.span.clone(), message, help));
        }
        study.budget = Some(Budget {
            time: own.value.0,
            noise: None,
        });
    }
    if let Some(planned) = planned {
        study.name = name(&study, planned.time);
        study.budget = Some(Budget {
            time: planned.time,
            noise: Some(planned.noise),
        });
        study.trials = planned.trials;
        let limit = &mut study.shared.limit;
        limit.duration = planned.duration.or(limit.duration);
        study.load_rate = planned.load_rate;
    }
    Ok(study)
}
