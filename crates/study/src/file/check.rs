//! Checks what a study file asks for, and makes the study of it.

use std::ops::Range;
use std::path::Path;

use dbdyno_files::values::{Switch, Text};
use dbdyno_files::{Mistake, Placed, StudyFile};
use dbdyno_trial::{Reset, SystemSpec, TrialSpec};
use dbdyno_workload::arrivals::Arrivals;

use super::defaults::{DEFAULT_CLIENTS, DEFAULT_DURATION, DEFAULT_REPEAT_DISTURBED, DEFAULT_SEED};
use super::kind::KindKeys;
use super::names::unique;
use super::rates::RateKeys;
use super::{effort, extent, guarantees, levels, planned, quick, systems, workload_keys};
use crate::file::definition::{AA_SUFFIX, Study, System};
use crate::judge::power;
use crate::plan::budget::{self, Planned};
use crate::run::labs;
use crate::run::ladder::Kind;

/// File systems take names of 255 bytes, and budgets and quick looks add to the study's.
const LONGEST_NAME: usize = 100;

/// Checks the text of a study file; workload files are relative to `folder`.
///
/// # Errors
/// The first mistake in it; [`super::read`] finds all.
pub fn parse(text: &str, folder: &Path) -> Result<Study, Mistake> {
    let file = dbdyno_files::read(text)?;
    let systems = systems::of(&file)?;
    study(&file, systems, folder)
}

/// The study of a file with these systems; workload files are relative to `folder`.
pub(crate) fn study(file: &StudyFile, systems: Vec<Placed<System>>, folder: &Path) -> Result<Study, Mistake> {
    check_name(&file.name)?;
    let is =
        |switch: &Option<Placed<Switch>>, default| switch.as_ref().map_or(default, |switch| switch.value.0);
    let quick = is(&file.quick, false);
    let kind = KindKeys::read(file)?;
    let counted = file.trials.is_some();
    let trials = file
        .trials
        .as_ref()
        .map_or(kind.default_trials(), |trials| trials.value.0);
    let (precision, budget) = effort::precision(file, trials)?;
    let planned = file.planned.as_ref().map(|planned| Planned::of(&planned.value.0));

    // A quick look decides nothing, so there is no noise to compare differences with.
    let systems = with_twin(systems, is(&file.aa, false) && !quick)?;
    let mut workloads = workload_keys::of(file, folder)?;
    let records = levels::records(file)?;
    let clients = levels::clients(file)?;
    let rates = RateKeys::read(file)?;
    let durabilities = guarantees::durabilities(&file.durability)?;
    let consistencies = guarantees::consistencies(&file.consistency)?;
    let arrivals = arrivals(file, rates.paced(&workloads) || kind.finds_rates())?;
    let operations = levels::operations(file)?;
    let duration = file.duration.as_ref().map(|duration| duration.value.0);
    let warmup = effort::warmup(file)?;
    let (restart, restart_place) = effort::restart(file, precision.is_some())?;

    if let (Some(budget), None, false) = (&budget, &planned, quick) {
        budget::check_fixed(&budget.span, counted, duration.is_some() && operations.is_empty())?;
    }
    let duration = match duration {
        None if operations.is_empty() => Some(DEFAULT_DURATION),
        duration => duration,
    };
    kind.check(&workloads)?;
    let common_rate = rates.common_rate(&workloads)?;
    let (kind, clients, rates) = kind.resolve((clients, &file.clients.place()), rates, &mut workloads)?;
    let mut study = Study {
        name: file.name.value.0.clone(),
        title: file.title.as_ref().map(|title| title.value.0.clone()),
        seed: file.seed.as_ref().map_or(DEFAULT_SEED, |seed| seed.value.0),
        trials,
        extended_after: Vec::new(),
        systems,
        workloads,
        records,
        clients: if clients.is_empty() {
            vec![DEFAULT_CLIENTS]
        } else {
            clients
        },
        rates,
        common_rate,
        durabilities,
        consistencies,
        arrivals,
        operations,
        duration,
        warmup: warmup.warmup,
        warmup_until_rest: warmup.until_rest,
        server_warmup: warmup.servers,
        restart,
        precision,
        budget: None,
        load_rate: None,
        repeat_disturbed: file
            .repeat_disturbed
            .as_ref()
            .map_or(DEFAULT_REPEAT_DISTURBED, |repeats| repeats.value.0),
        repeat_budget: file
            .repeat_budget
            .as_ref()
            .map_or(effort::DEFAULT_REPEAT_BUDGET, |budget| budget.value.0),
        kind,
        shared: TrialSpec {
            client_threads: file.client_threads.as_ref().map(|threads| threads.value.0),
            reset: if is(&file.fresh, true) {
                Reset::Fresh
            } else {
                Reset::Reuse
            },
            ..TrialSpec::new(SystemSpec::default(), "", 0)
        },
        quick,
        paper: file.paper.as_ref().map(|paper| planned::paper(&paper.value.0)),
    };
    extent::check(&study, &file.name.span)?;
    if !counted && study.precision.is_none() && study.kind == Kind::Comparison {
        study.trials = study.trials.max(power::fewest_blocks(&study));
    }
    let study = match &budget {
        _ if quick => quick::look(study),
        budget => budget::applied(study, budget.as_ref(), planned)?,
    };
    guarantees::check_durabilities(&study, &file.durability.place())?;
    guarantees::check_consistencies(&study, &file.consistency.place())?;
    check_restart(&study, &restart_place)?;
    Ok(study)
}

/// The systems, each of a name of its own, with the A/A twin of the first one where it is asked for.
fn with_twin(systems: Vec<Placed<System>>, is_asked: bool) -> Result<Vec<System>, Mistake> {
    unique(&systems, "system")?;
    check_twins(&systems)?;
    let mut systems: Vec<System> = systems.into_iter().map(|system| system.value).collect();
    let Some(first) = systems.first() else {
        return Err(Mistake::new(
            0..0,
            "the study names no system",
            "add a line such as: systems = [\"fjall\", \"redb\", \"sqlite\"]",
        ));
    };
    if is_asked {
        let mut twin = first.clone();
        twin.name.push_str(AA_SUFFIX);
        systems.push(twin);
    }
    Ok(systems)
}

/// The name of an A/A twin is taken.
fn check_twins(systems: &[Placed<System>]) -> Result<(), Mistake> {
    let twin = systems
        .iter()
        .find(|system| system.value.name.ends_with(AA_SUFFIX));
    twin.map_or(Ok(()), |twin| {
        Err(Mistake::new(
            twin.span.clone(),
            format!("`{}` looks like the name of an A/A twin", twin.value.name),
            "choose another `name`; `aa = true` adds such a system",
        ))
    })
}

/// `restart`, where it was written, is about servers of the lab in a comparison.
fn check_restart(study: &Study, place: &Range<usize>) -> Result<(), Mistake> {
    let of_lab = study
        .systems
        .iter()
        .any(|system| system.target.scheme == labs::SCHEME);
    if place.is_empty() || of_lab && study.kind == Kind::Comparison {
        return Ok(());
    }
    Err(Mistake::new(
        place.clone(),
        "`restart` has no effect here: it applies to lab servers in a comparison",
        "omit it; searches keep their servers, and dbdyno does not restart servers that it did not start",
    ))
}

/// Names go into paths and tables.
pub(super) fn check_name(name: &Placed<Text>) -> Result<(), Mistake> {
    let fits = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let text = &name.value.0;
    let fits_length = (1..=LONGEST_NAME).contains(&text.len());
    if !fits_length || text.starts_with('.') || !text.chars().all(fits) {
        return Err(Mistake::new(
            name.span.clone(),
            format!("`{text}` cannot be the name of a folder everywhere"),
            format!("use up to {LONGEST_NAME} letters, digits, `-`, `_` and `.`, not starting with a dot"),
        ));
    }
    Ok(())
}

/// The spacing of arrivals, which an open loop has.
fn arrivals(file: &StudyFile, is_paced: bool) -> Result<Arrivals, Mistake> {
    match &file.arrivals {
        None => Ok(Arrivals::Constant),
        Some(arrivals) if is_paced => Ok(arrivals.value.0),
        Some(arrivals) => Err(Mistake::new(
            arrivals.span.clone(),
            "`arrivals` has no effect without `rates`",
            "add a line such as: rates = [\"5k\", \"20k\"]",
        )),
    }
}
