//! The figures of a run: over time, the distribution of its latencies, and what client and servers used.

use dbdyno_document::{Block, Figure, Section};
use dbdyno_record::{Environment, TrialStatus};
use dbdyno_vocabulary::ALL_OPERATIONS;

use crate::ReportModel;
use crate::model::{Cell, Metric, environment, foreign_audits};
use crate::sections::audit::beside_speed;
use crate::sections::study::{distribution, plots, usage};
use crate::single_run::SingleRun;

/// Stretches of time of a line that shows what was used.
const STRETCHES: usize = 60;

/// The sections that need more than the record.
#[derive(Default)]
pub struct PageParts {
    /// Throughput and latency over time, and the distribution of latencies.
    pub figures: Vec<Section>,
    /// What client and servers used.
    pub usage: Option<Section>,
    /// The machine.
    pub machine: Option<Section>,
    /// Audits of the measured system.
    pub security: Option<Section>,
}

impl PageParts {
    /// Of a run with its series.
    pub fn of(run: &SingleRun<'_>) -> Self {
        let results = run.results();
        let machine = results.environment.as_ref().map(machine);
        let foreign = foreign_audits(results, &results.trials);
        let security = beside_speed(&results.audits, &foreign);
        let Some(cell) = cell(run) else {
            return Self {
                machine,
                security,
                ..Self::default()
            };
        };
        Self {
            figures: figures(&cell),
            usage: usage::part(&cell, STRETCHES).map(|part| Section {
                id: "usage".to_owned(),
                ..part
            }),
            machine,
            security,
        }
    }
}

fn figures(cell: &Cell) -> Vec<Section> {
    let mut over_time: Vec<Figure> = [
        (Metric::Throughput, "Throughput, operations per second"),
        (Metric::LatencyP99, "p99 latency of each interval"),
    ]
    .into_iter()
    .filter_map(|(metric, title)| plots::over_time(cell, metric, title))
    .collect();
    let (maps, mut distributions): (Vec<_>, Vec<_>) = distribution::figures(cell)
        .into_iter()
        .partition(distribution::is_over_time);
    let about = (!distributions.is_empty()).then(|| distribution::about(&distributions));
    over_time.extend(maps);
    distributions.extend(curves(cell));
    let sections = [
        section("over-time", "Over time", None, over_time),
        section("distribution", "Latency distribution", about, distributions),
    ];
    sections.into_iter().flatten().collect()
}

fn machine(environment: &Environment) -> Section {
    let rows = environment::rows(environment).into_iter();
    let facts = rows.map(|(label, value)| (label.into(), value.into()));
    Section::new("machine", "Machine", vec![Block::Facts(facts.collect())])
}

/// The run as the cell of a study. A run that ended early has figures of what it measured until then.
fn cell(run: &SingleRun<'_>) -> Option<Cell> {
    let mut results = run.results().clone();
    for trial in results.trials.iter_mut().filter(|trial| trial.measure.is_some()) {
        trial.status = TrialStatus::Completed;
    }
    ReportModel::build(&results).cells.into_iter().next()
}

fn section(id: &str, title: &str, about: Option<String>, figures: Vec<Figure>) -> Option<Section> {
    if figures.is_empty() {
        return None;
    }
    let note = about.map(Block::note);
    let body = std::iter::once(Block::Figures(figures)).chain(note).collect();
    Some(Section::new(id, title, body))
}

/// Latency by percentile, of each kind of operation.
fn curves(cell: &Cell) -> Vec<Figure> {
    let operations = cell.systems.iter().flat_map(|system| &system.operations);
    let kinds = operations.filter(|operation| operation.name != ALL_OPERATIONS);
    kinds
        .filter_map(|operation| plots::percentiles(cell, &operation.name))
        .collect()
}
