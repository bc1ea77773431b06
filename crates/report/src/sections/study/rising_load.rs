//! Systems at rising load: the answers, the figures, and every step behind them.

use dbdyno_document::{Block, Column, Media, Row, Section, Table, TableCell, Text, Verdict, named};

use super::{answer, cell_details, plots, tone};
use crate::model::{
    Interval, Metric, ReportModel, RisingLoad, RisingLoadCell, RisingLoadComparison, RisingLoadKind,
    RisingLoadStep, RisingLoadSystem, Word,
};
use crate::number;
use crate::words::figures::latency_of_step;
use crate::words::load::FULL_SPEED;
use crate::words::names::Named;

/// A section for each cell; none for studies of another kind.
pub fn sections(model: &ReportModel) -> Vec<Section> {
    let studies = model.rising_load.iter();
    let cells = studies.flat_map(|rising_load| rising_load.cells.iter().map(move |cell| (rising_load, cell)));
    cells
        .map(|(rising_load, cell)| section(rising_load, cell))
        .collect()
}

fn section(rising_load: &RisingLoad, cell: &RisingLoadCell) -> Section {
    let steps = steps(rising_load, cell);
    let mut page = vec![Block::about(about(rising_load))];
    page.extend(cell.systems.iter().map(verdict));
    page.extend(cell.flags.iter().map(answer::notice));
    page.extend(figures(rising_load, cell));
    if !cell.comparisons.is_empty() {
        let table = Block::Table(comparisons(cell));
        page.push(Section::new("", "Against each other", vec![table]).into());
    }
    let mut details = vec![Block::Table(steps.clone())];
    details.extend(cell.systems.iter().filter_map(ceiling));
    page.push(Block::Details("Every step".into(), details));
    let body = vec![
        Block::Only(Media::PAGE, page),
        // The answers stand at the top of a text. A search that failed in its pilot has no step to show.
        Block::Only(Media::TERMINAL | Media::MARKDOWN, vec![Block::Table(steps)]),
    ];
    Section {
        is_subordinate: true,
        ..Section::new(&cell.id, cell.title.as_str(), body)
    }
}

fn about(rising_load: &RisingLoad) -> Text {
    let trials = rising_load.trials as usize;
    if rising_load.objective.is_empty() {
        let times = number::plural(trials, "time", "times");
        return format!("Latency at rising load; each step is measured {times}.").into();
    }
    let trials = number::plural(trials, "trial", "trials");
    Text::from("Objective: ")
        .code(&rising_load.objective)
        .plain(format!("; confirmed by {trials} at a rate."))
}

fn verdict(system: &RisingLoadSystem) -> Block {
    let label = system
        .capacity
        .as_ref()
        .map_or("knee", |capacity| capacity.word.name());
    Block::Verdict(Verdict {
        tone: tone(system.tone),
        label: label.to_owned(),
        text: named(&system.name).plain(": ").plain(&system.sentence),
        ..Verdict::default()
    })
}

fn figures(rising_load: &RisingLoad, cell: &RisingLoadCell) -> Vec<Block> {
    let figures: Vec<_> = [
        (
            Metric::LatencyP99,
            rising_load.objective_latency_ns,
            "p99 latency against throughput",
        ),
        (Metric::LatencyP50, None, "Median latency against throughput"),
    ]
    .into_iter()
    .filter_map(|(metric, objective, title)| plots::against_throughput(cell, metric, objective, title))
    .collect();
    if figures.is_empty() {
        return Vec::new();
    }
    let mut note = "Each point is the median of its trials, with a 95% interval where there are at least six; a hollow point did not reach \
                    its rate."
        .to_owned();
    let line = if rising_load.kind == RisingLoadKind::Capacity {
        "the highest rate that was shown to keep the objective"
    } else {
        "the knee: the greatest throughput for its p99 latency"
    };
    if cell.systems.iter().any(|system| plots::marked(system).is_some()) {
        note.push_str(&format!(" The dashed vertical line is {line}."));
    }
    vec![Block::Figures(figures), Block::note(note)]
}

fn comparisons(cell: &RisingLoadCell) -> Table {
    let columns = vec![
        Column::words("system"),
        Column::words("is"),
        Column::words("than"),
        Column::words("ratio (95% interval)"),
        Column::words("because").long(),
    ];
    let row = |comparison: &RisingLoadComparison| {
        let interval = comparison.interval.map(Interval::ends);
        let ratio = comparison.ratio.map_or("–".to_owned(), |ratio| {
            number::times(ratio, interval, number::Quantity::Level)
        });
        Row::new([
            TableCell::new(named(&comparison.a)),
            TableCell::new(cell_details::word(word(comparison.word), comparison.word)),
            TableCell::new(named(&comparison.b)),
            TableCell::new(ratio),
            TableCell::new(&comparison.reason),
        ])
    };
    let rows = cell.comparisons.iter().map(row);
    Table::new("Systems against each other", columns, rows.collect())
}

fn word(word: Word) -> &'static str {
    match word {
        Word::Faster => "higher",
        Word::Slower => "lower",
        Word::Equivalent | Word::Bounded | Word::Undecided | Word::NotComparable => word.name(),
    }
}

fn steps(rising_load: &RisingLoad, cell: &RisingLoadCell) -> Table {
    let has_objective = !rising_load.objective.is_empty();
    let kept = if has_objective { "kept" } else { "rate held" };
    let columns = [
        Some(Column::header("system")),
        Some(Column::numbers("asked")),
        Some(Column::numbers("clients")),
        Some(Column::numbers("achieved")),
        Some(Column::numbers("p50")),
        Some(Column::numbers("p99")),
        has_objective.then(|| Column::words("objective").only(Media::PAGE)),
        Some(Column::numbers(kept)),
        Some(Column::words("for")),
    ];
    let rows = cell.systems.iter().flat_map(|system| {
        let steps = system.steps.iter();
        steps.map(|step| row(system, step, has_objective))
    });
    Table::new(
        "Every step",
        columns.into_iter().flatten().collect(),
        rows.collect(),
    )
}

fn row(system: &RisingLoadSystem, step: &RisingLoadStep, has_objective: bool) -> Row {
    let latency = |metric| TableCell::new(latency_of_step(step, metric).unwrap_or_else(|| "–".to_owned()));
    let mut kept = plots::kept_of_trials(step);
    if step.client_bound > 0 {
        kept.push_str(&format!(" ({} by the client)", step.client_bound));
    }
    let cells = [
        Some(TableCell::new(named(&system.name))),
        Some(TableCell::new(
            step.rate.map_or(FULL_SPEED.to_owned(), number::rate),
        )),
        Some(TableCell::new(step.clients.to_string())),
        Some(TableCell::new(number::rate(step.throughput.estimate.median))),
        Some(latency(Metric::LatencyP50)),
        Some(latency(Metric::LatencyP99)),
        has_objective.then(|| TableCell::new(step.objective.join(", "))),
        Some(TableCell::new(kept)),
        Some(TableCell::new(&step.purpose)),
    ];
    Row::new(cells.into_iter().flatten())
}

fn ceiling(system: &RisingLoadSystem) -> Option<Block> {
    let reached = format!(
        " reached {} at full speed in its pilot.",
        number::rate(system.ceiling?)
    );
    Some(Block::note(named(&system.name).plain(reached)))
}
