//! Puts the model together.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::audit::is_of;
use dbdyno_analysis::cells::CellContext;
use dbdyno_analysis::{
    cells, core_modes, effects, growth, noise, price, run_order, speed, starts, systems, timeline,
};
use dbdyno_record::plan::planned_name;
use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_trial::{FactorLevels, LevelPlace};
use dbdyno_vocabulary::natural::NaturalKey;

use super::cell::cell;
use super::more_trials::MoreTrials;
use super::{
    Cell, CoreModes, Effects, FindingGroup, FloorRange, GrowthOverSizes, MachineSpeed, Noise, Progress,
    REPORT_FORMAT, ReportModel, System, attempts, certainty, colors, cost, doubts, drift, environment,
    extension, findings, flags, machine_speed, paper, rising_load, summary, verdicts,
};
use crate::StudyResults;
use crate::trial_names::varying;

/// Trials of a study that can be drawn as a line each; with more the page would grow past a megabyte.
const MOST_LINES: usize = 240;

impl ReportModel {
    /// Computes everything a report says from what a study left behind. Never fails: a study without a single
    /// completed trial gives a report that says so.
    #[must_use]
    pub fn build(results: &StudyResults) -> Self {
        let trials = in_order(&results.trials);
        let order = results.asked.levels.clone().unwrap_or_default();
        let systems = colored(systems::systems(&trials, &order));
        let varying = varying_factors(&trials);
        let most_points = timeline::points_per_trial(trials.len());
        let mut grouped: BTreeMap<(NaturalKey, Vec<LevelPlace>), Group<'_>> = BTreeMap::new();
        let rising_load = rising_load::rising_load(results, &trials, &systems, &order);
        // At rising load every trial would be a cell of its own: it is among the steps instead.
        for trial in trials.iter().filter(|_| rising_load.is_none()) {
            let factors = trial.spec.cell_levels();
            let key = (NaturalKey::new(&trial.workload.name), order.places(&factors));
            grouped
                .entry(key)
                .or_insert_with(|| (factors, Vec::new()))
                .1
                .push(trial);
        }
        let core_modes = core_modes::core_modes(&trials).filter(|_| rising_load.is_none());
        let machine_speed = speed::machine_speed(&trials).filter(|_| rising_load.is_none());
        let between_tests =
            speed::between_tests(&trials, core_modes.as_ref()).filter(|_| rising_load.is_none());
        let mut cells: Vec<Cell> = Vec::new();
        let mut counted: Vec<Vec<&TrialRecord>> = Vec::new();
        for (mut factors, trials) in grouped.into_values() {
            factors.retain(|name, _| varying.contains(name));
            let context = CellContext {
                systems: &systems,
                speed: machine_speed.as_ref(),
                between_tests: between_tests.as_ref(),
                modes: core_modes.as_ref(),
                results,
                most_points,
                pooled: results.trials.len() > MOST_LINES,
                trials,
                factors,
            };
            let mut cell = cell(&context);
            let taken = cells
                .iter()
                .filter(|other| other.id == cell.id || other.id.starts_with(&format!("{}--", cell.id)));
            let number = taken.count();
            if number > 0 {
                cell.id = format!("{}--{}", cell.id, number + 1);
            }
            cells.push(cell);
            counted.push(cells::counted(&context.trials));
        }
        let found = verdicts::judge(&systems, &mut cells, &counted, results.across_promises);
        let core_modes = core_modes
            .as_ref()
            .map(|modes| CoreModes::new(modes.with_others(&cells, &counted)));
        let asked = common_asked(&mut cells);
        let mut flags = flags::of_study(&trials, &cells);
        flags.extend(attempts::flags(&trials));
        let noise = noise::noise(&cells, found);
        let effects = effects::effects(&systems, &cells, &trials, noise.as_ref(), &order);
        let noise = noise.map(|found| Noise::new(found, &systems));
        let between_tests = between_tests.as_ref().map(machine_speed::between_tests);
        let findings = all_findings(results, &trials, &cells, &systems, rising_load.is_some());
        let machine = results.environment.as_ref();
        let cost = cost::cost(results, &systems, &cells, &counted, rising_load.as_ref());
        let mut model = Self {
            cost,
            paper: paper::paper(results, &trials, &flags),
            format: REPORT_FORMAT,
            study: results.name.clone(),
            title: results.asked.title.clone().unwrap_or_default(),
            quick: results.asked.quick,
            summary: Vec::new(),
            basis: Vec::new(),
            limits: Vec::new(),
            progress: progress(results, &trials),
            flags,
            effects: effects.map(|found| Effects::new(found, noise.as_ref(), between_tests)),
            prices: price::prices(&systems, &cells, &counted),
            growth: GrowthOverSizes::new(growth::growth(&systems, &cells)),
            noise,
            machine_speed: machine_speed.map(MachineSpeed::new),
            core_modes,
            added_trials: extension::added_trials(&results.asked, &trials),
            run_order: run_order::run_order(&trials, &cells),
            systems,
            asked,
            cells,
            findings,
            foreign_audits: foreign_audits(results, &trials),
            audits: results.audits.clone(),
            failures: [&results.pilots[..], &trials[..]]
                .map(findings::failures)
                .concat(),
            machine: machine.map_or_else(String::new, environment::machine),
            environment: machine.map_or_else(Vec::new, environment::rows),
            floor: floor(&trials),
            started_at: started_at(&trials),
            study_text: results.study_text.clone(),
            rising_load,
        };
        model.summary = summary::summary(&model, &MoreTrials::of(&trials));
        model.basis = certainty::basis(&model);
        model.limits = certainty::limits(&model, &starts::started_once(&trials));
        model
    }
}

/// The systems, each with its colour.
fn colored(mut systems: Vec<System>) -> Vec<System> {
    colors::assign(&mut systems);
    systems
}

/// What is to be said of the trials, of the study as a whole, and of its files.
fn all_findings(
    results: &StudyResults,
    trials: &[TrialRecord],
    cells: &[Cell],
    systems: &[System],
    at_rising_load: bool,
) -> Vec<FindingGroup> {
    let mut findings = findings::findings(trials, at_rising_load);
    findings.extend(drift::finding(cells));
    findings.extend(attempts::findings(trials));
    findings.extend(doubts::findings(results, systems));
    findings::with_lint(findings, results, systems)
}

/// The audited systems that no trial is of.
pub(crate) fn foreign_audits(results: &StudyResults, trials: &[TrialRecord]) -> Vec<String> {
    results
        .audits
        .iter()
        .filter(|audit| !trials.iter().any(|trial| is_of(&audit.record, &trial.system)))
        .map(|audit| audit.record.system.clone())
        .collect()
}

/// When the first trial began.
fn started_at(trials: &[TrialRecord]) -> String {
    let starts = trials.iter().map(|trial| &trial.started_at);
    starts.min().cloned().unwrap_or_default()
}

/// The trials in order of execution. A result folder's are already, and a thousand trials are not copied for nothing.
fn in_order(trials: &[TrialRecord]) -> Cow<'_, [TrialRecord]> {
    let place = |trial: &TrialRecord| (trial.position, trial.trial.clone());
    if trials.is_sorted_by_key(place) {
        return Cow::Borrowed(trials);
    }
    let mut sorted = trials.to_vec();
    sorted.sort_by_cached_key(place);
    Cow::Owned(sorted)
}

/// The levels of a cell's factors, and its trials.
type Group<'a> = (FactorLevels, Vec<&'a TrialRecord>);

/// The factors besides system and workload that take more than one level.
fn varying_factors(trials: &[TrialRecord]) -> BTreeSet<String> {
    let levels: Vec<FactorLevels> = trials.iter().map(|trial| trial.spec.cell_levels()).collect();
    varying(&levels)
}

/// Takes out of the cells what all of them say alike.
fn common_asked(cells: &mut [Cell]) -> String {
    let Some(first) = cells.first().map(|cell| cell.asked.clone()) else {
        return String::new();
    };
    if cells.len() < 2 || cells.iter().any(|cell| cell.asked != first) {
        return String::new();
    }
    for cell in cells {
        cell.asked.clear();
    }
    first
}

fn progress(results: &StudyResults, trials: &[TrialRecord]) -> Progress {
    let count =
        |wanted: fn(&TrialStatus) -> bool| trials.iter().filter(|trial| wanted(&trial.status)).count();
    // A disturbed trial is not one of the plan's any more: its repetition is, when there is one.
    let counted = || {
        trials
            .iter()
            .filter(|trial| trial.status != TrialStatus::Disturbed)
    };
    let torn = trials.iter().filter(|trial| trial.is_torn()).count();
    let there: BTreeSet<&str> = counted().map(|trial| planned_name(&trial.trial)).collect();
    Progress {
        planned: results.planned.len().max(there.len()),
        disturbed: trials.len() - counted().count() - torn,
        torn,
        completed: count(|status| matches!(status, TrialStatus::Completed)),
        interrupted: count(|status| matches!(status, TrialStatus::Interrupted)),
        failed: count(|status| matches!(status, TrialStatus::Failed { .. })),
        missing: results
            .planned
            .iter()
            .filter(|name| !there.contains(name.as_str()))
            .cloned()
            .collect(),
    }
}

fn floor(trials: &[TrialRecord]) -> Option<FloorRange> {
    let floors: Vec<_> = trials
        .iter()
        .map(|trial| &trial.floor)
        .filter(|floor| floor.operation_ns > 0.0)
        .collect();
    let range = |of: fn(&dbdyno_record::Floor) -> f64| {
        floors
            .iter()
            .map(|floor| of(floor))
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                (low.min(value), high.max(value))
            })
    };
    (!floors.is_empty()).then(|| FloorRange {
        operation_ns: range(|floor| floor.operation_ns),
        clock_ns: range(|floor| floor.clock_ns),
        latency_p99_ns: floors
            .iter()
            .map(|floor| floor.latency_p99_ns)
            .max()
            .unwrap_or_default(),
    })
}
