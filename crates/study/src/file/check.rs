//! Checks what a study file asks for, and makes the study of it.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use dbdyno_driver::{Consistency, Durability};
use dbdyno_files::values::{self, Operations, PhaseTime, Switch};
use dbdyno_files::{Mistake, Mistakes, Placed, StudyFile};
use dbdyno_machine::AvailableMemory;
use dbdyno_record::pilot::DEFAULT_SHARE;
use dbdyno_trial::{Limit, Reset, SystemSpec, TrialSpec, WarmUp};
use dbdyno_vocabulary::{twin_name, twin_original};
use dbdyno_workload::arrivals::Arrivals;

use super::defaults::{DEFAULT_CLIENTS, DEFAULT_DURATION, DEFAULT_REPEAT_DISTURBED, DEFAULT_SEED};
use super::effort::WarmUpKeys;
use super::kind::KindKeys;
use super::names::unique;
use super::rates::RateKeys;
use super::{client, effort, extent, guarantees, kind, levels, planned, quick, systems, workload_keys};
use crate::address;
use crate::file::budget::{self, Planned};
use crate::file::definition::{Order, Precision, Restart, Study, System, WorkloadChoice};
use crate::file::turns;

/// Clients need a few milliseconds to park and to go on.
const SHORTEST_SLICE: Duration = Duration::from_millis(10);
/// File systems take names of 255 bytes, and budgets and quick looks add to the study's.
const LONGEST_NAME: usize = 100;

/// Checks the text of a study file; workload files are relative to `folder`.
///
/// # Errors
/// The first mistake in it; [`super::read`] finds all.
pub fn parse(text: &str, folder: &Path) -> Result<Study, Mistake> {
    let file = dbdyno_files::read(text)?;
    study(&file, systems::of(&file), folder).map_err(first)
}

/// The first of several mistakes, where no file has places for them.
pub(super) fn first(mistakes: Vec<Mistake>) -> Mistake {
    let first = mistakes.into_iter().next();
    first.unwrap_or_else(|| Mistake::new(0..0, "the study cannot be used", ""))
}

/// The study of a file with these systems; workload files are relative to `folder`.
///
/// # Errors
/// All keys that do not fit the others.
pub(crate) fn study(
    file: &StudyFile,
    systems: Result<Vec<Placed<System>>, Vec<Mistake>>,
    folder: &Path,
) -> Result<Study, Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    mistakes.keep(check_name(&file.name));
    let systems = mistakes.keep_all(systems);
    let parts = Parts::read(file, systems, folder, &mut mistakes);
    let study = parts.and_then(|parts| mistakes.keep_all(parts.study(file)));
    mistakes.or(study)
}

/// What the keys of a study file say, each group of them by itself. Where a key is refused, its default stands in for it.
struct Parts {
    kind: KindKeys,
    trials: u32,
    precision: Option<Precision>,
    budget: Option<Placed<PhaseTime>>,
    systems: Vec<System>,
    workloads: Vec<WorkloadChoice>,
    records: Vec<u64>,
    clients: Vec<u32>,
    rates: RateKeys,
    durabilities: Vec<Option<Durability>>,
    consistencies: Vec<Option<Consistency>>,
    arrivals: Arrivals,
    common_rate: f64,
    operations: Vec<Operations>,
    warmup: WarmUpKeys,
    restart: Restart,
    order: Option<Order>,
}

impl Parts {
    /// Reads all of them; `None` without those that have no default.
    fn read(
        file: &StudyFile,
        systems: Option<Vec<Placed<System>>>,
        folder: &Path,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let kind = mistakes.keep_all(KindKeys::read(file));
        let trials = file.trials.as_ref();
        let trials = trials.map_or(kind::default_trials(kind::of(file)), |trials| trials.value.0);
        let (precision, budget) = mistakes.keep(effort::precision(file, trials)).unwrap_or_default();
        // A quick look decides nothing, so there is no noise to compare differences with.
        let has_twin = is(&file.aa, false) && !is(&file.quick, false);
        if let Some(systems) = &systems {
            mistakes.keep(client::check(systems));
        }
        let systems = systems.and_then(|systems| mistakes.keep(with_twin(systems, has_twin)));
        let workloads = mistakes.keep_all(workload_keys::of(file, folder));
        let records = mistakes.keep(levels::records(file));
        let clients = mistakes.keep(levels::clients(file));
        let rates = mistakes.keep(RateKeys::read(file));
        let durabilities = mistakes.keep(guarantees::durabilities(&file.durability));
        let consistencies = mistakes.keep(guarantees::consistencies(&file.consistency));
        let operations = mistakes.keep(levels::operations(file));
        let warmup = mistakes.keep(effort::warmup(file)).unwrap_or_default();
        let restart = mistakes.keep(effort::restart(file, file.precision.is_some()));
        let (restart, restart_place) = restart.unwrap_or_default();

        let order = file.order.as_ref().map(|order| order.value);
        check_budget(file, budget.as_ref(), mistakes);
        if let Some(systems) = &systems {
            let (durability, consistency) = (file.durability.place(), file.consistency.place());
            if let Some(levels) = &durabilities {
                mistakes.keep_all(guarantees::check_durabilities(systems, levels, &durability));
            }
            if let Some(levels) = &consistencies {
                mistakes.keep_all(guarantees::check_consistencies(systems, levels, &consistency));
            }
            mistakes.keep(check_restart(file, systems, &restart_place));
            mistakes.keep(check_order(file, systems));
            check_cost(file, systems, mistakes);
        }
        let (mut workloads, rates) = (workloads?, rates?);
        let records =
            records.and_then(|shared| mistakes.keep(workload_keys::records(file, shared, &mut workloads)));
        let is_paced = rates.paced(&workloads) || kind::of(file) != values::Kind::Comparison;
        let arrivals = mistakes.keep(arrivals(file, is_paced)).unwrap_or_default();
        let common_rate = mistakes.keep(rates.common_rate(&workloads));
        if let Some(kind) = &kind {
            kind.refused(&workloads).for_each(|mistake| mistakes.add(mistake));
        }
        Some(Self {
            kind: kind?,
            trials,
            precision,
            budget,
            systems: systems?,
            workloads,
            records: records?,
            clients: clients?,
            rates,
            durabilities: durabilities?,
            consistencies: consistencies?,
            arrivals,
            common_rate: common_rate.unwrap_or(DEFAULT_SHARE),
            operations: operations?,
            warmup,
            restart,
            order,
        })
    }

    /// The study, whose size and budget are checked when all else is known.
    fn study(self, file: &StudyFile) -> Result<Study, Vec<Mistake>> {
        let Self { mut workloads, .. } = self;
        let duration = match file.duration.as_ref().map(|duration| duration.value.0) {
            None if self.operations.is_empty() => Some(DEFAULT_DURATION),
            duration => duration,
        };
        let quick = is(&file.quick, false);
        let clients_place = file.clients.place();
        let (kind, clients, rates) =
            self.kind
                .resolve((self.clients, &clients_place), self.rates, &mut workloads)?;
        let mut study = Study {
            name: file.name.value.0.clone(),
            title: file.title.as_ref().map(|title| title.value.0.clone()),
            seed: file.seed.as_ref().map_or(DEFAULT_SEED, |seed| seed.value.0),
            trials: self.trials,
            extended_after: Vec::new(),
            systems: self.systems,
            workloads,
            records: self.records,
            clients: if clients.is_empty() {
                vec![DEFAULT_CLIENTS]
            } else {
                clients
            },
            rates,
            common_rate: self.common_rate,
            durabilities: self.durabilities,
            consistencies: self.consistencies,
            arrivals: self.arrivals,
            operations: self.operations,
            server_warmup: self.warmup.servers,
            restart: self.restart,
            order: Order::Blocks,
            memory_of_batches: None,
            slice: file.slice.as_ref().map(|slice| slice.value.0),
            precision: self.precision,
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
                warmup: WarmUp {
                    longest: self.warmup.warmup,
                    until_steady: self.warmup.until_rest,
                },
                limit: Limit {
                    operations: None,
                    duration,
                },
                reset: if is(&file.fresh, true) {
                    Reset::Fresh
                } else {
                    Reset::Reuse
                },
                ..TrialSpec::new(SystemSpec::default(), "", 0)
            },
            quick,
            levels: file.levels(),
            paper: file.paper.as_ref().map(|paper| planned::paper(&paper.value.0)),
        };
        let available = AvailableMemory::now().memory();
        study.order = self
            .order
            .unwrap_or_else(|| turns::usual_order(&study, available));
        study.memory_of_batches = turns::memory_of_batches(&study, available);
        check_slice(file, study.order).map_err(|mistake| vec![mistake])?;
        extent::check(&study, &file.name.span).map_err(|mistake| vec![mistake])?;
        if quick {
            return Ok(quick::look(study));
        }
        let planned = file.planned.as_ref().map(|planned| Planned::of(&planned.value.0));
        budget::applied(study, self.budget.as_ref(), planned).map_err(|mistake| vec![mistake])
    }
}

fn is(switch: &Option<Placed<Switch>>, default: bool) -> bool {
    switch.as_ref().map_or(default, |switch| switch.value.0)
}

/// Prices have to be usable, and of systems of the study: by their names, or by that of the baseline that they are levels of.
fn check_cost(file: &StudyFile, systems: &[System], mistakes: &mut Mistakes) {
    let Some(cost) = &file.cost else { return };
    let mut known: Vec<&str> = Vec::new();
    for system in systems
        .iter()
        .filter(|system| twin_original(&system.name).is_none())
    {
        for name in [Some(system.name.as_str()), system.base.as_deref()]
            .into_iter()
            .flatten()
        {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    mistakes.keep_all(cost.value.0.prices());
    for mistake in cost.value.0.of_unknown_systems(&known) {
        mistakes.add(mistake);
    }
}

/// A budget chooses trials and phases, so nothing else may; what it chose is in the file of a planned study.
fn check_budget(file: &StudyFile, budget: Option<&Placed<PhaseTime>>, mistakes: &mut Mistakes) {
    if let (Some(budget), None, false) = (budget, &file.planned, is(&file.quick, false)) {
        let has_duration = file.duration.is_some() && file.operations.is_empty();
        mistakes.keep(budget::check_fixed(&budget.span, file.trials.is_some(), false));
        mistakes.keep(budget::check_fixed(&budget.span, false, has_duration));
    }
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
        twin.name = twin_name(&twin.name);
        systems.push(twin);
    }
    Ok(systems)
}

/// The name of an A/A twin is taken.
fn check_twins(systems: &[Placed<System>]) -> Result<(), Mistake> {
    let twin = systems
        .iter()
        .find(|system| twin_original(&system.value.name).is_some());
    twin.map_or(Ok(()), |twin| {
        Err(Mistake::new(
            twin.span.clone(),
            format!("`{}` looks like the name of an A/A twin", twin.value.name),
            "choose another `name`; `aa = true` adds such a system",
        ))
    })
}

/// `restart`, where it was written, is about servers of the lab in a comparison.
fn check_restart(file: &StudyFile, systems: &[System], place: &Range<usize>) -> Result<(), Mistake> {
    let of_lab = systems
        .iter()
        .any(|system| system.target.scheme == address::SCHEME);
    if place.is_empty() || of_lab && kind::of(file) == values::Kind::Comparison {
        return Ok(());
    }
    Err(Mistake::new(
        place.clone(),
        "`restart` has no effect here: it applies to lab servers in a comparison",
        "omit it; searches keep their servers, and dbdyno does not restart servers that it did not start",
    ))
}

/// `order = "interleaved"`, where it was written, needs systems that can run at the same time.
fn check_order(file: &StudyFile, systems: &[System]) -> Result<(), Mistake> {
    let asked = file
        .order
        .as_ref()
        .filter(|order| order.value == Order::Interleaved);
    let Some(asked) = asked else { return Ok(()) };
    turns::refusal(systems).map_or(Ok(()), |why| {
        Err(Mistake::new(
            asked.span.clone(),
            format!("trials cannot be interleaved here: {why}"),
            "omit `order`, or write: order = \"blocks\"",
        ))
    })
}

/// `slice`, where it was written, is about interleaved trials.
fn check_slice(file: &StudyFile, order: Order) -> Result<(), Mistake> {
    let short = file.slice.as_ref().filter(|slice| slice.value.0 < SHORTEST_SLICE);
    if let Some(short) = short {
        return Err(Mistake::new(
            short.span.clone(),
            "`slice` is too short: the switches from system to system would take longer than the slices",
            "write e.g. slice = \"250ms\"; the shortest is 10 ms",
        ));
    }
    let unused = file.slice.as_ref().filter(|_| order == Order::Blocks);
    unused.map_or(Ok(()), |slice| {
        Err(Mistake::new(
            slice.span.clone(),
            "`slice` has no effect here: the trials of this study are measured one after the other",
            "omit it, or write: order = \"interleaved\"",
        ))
    })
}

/// Names go into paths and tables.
pub(super) fn check_name(name: &Placed<values::Text>) -> Result<(), Mistake> {
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
