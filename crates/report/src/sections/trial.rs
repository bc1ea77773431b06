//! One run as a document: on a terminal a few lines and one table, on a page its main numbers, its figures and its settings.

mod findings;
mod page;
mod settings;
mod tiles;

use dbdyno_analysis::cells::slug;
use dbdyno_analysis::generators::GeneratorUse;
use dbdyno_document::{
    Block, Document, FigureFile, Media, Notice, Render, Section, Style, Text, Tone, figures, terminal,
};
use dbdyno_record::{LoadRecord, MeasureRecord, TrialRecord, TrialStatus};

use self::page::PageParts;
use crate::model::kind;
use crate::model::single_parts as parts;
use crate::single_run::SingleRun;
use crate::words::generators;
use crate::{number, server_cost};

/// The trial for people at a terminal; ends with a line feed.
#[must_use]
pub fn table(trial: &TrialRecord, style: Style) -> String {
    terminal(&document(trial, PageParts::default()), style)
}

/// Product, version and workload: `Redis 7.0.15, workload A: update heavy`, and the rate where one was asked for.
#[must_use]
pub fn title(trial: &TrialRecord) -> String {
    let system = &trial.system;
    let product = format!("{} {}", system.product, system.version);
    let product = Some(product.trim()).filter(|product| !product.is_empty());
    let product = product.unwrap_or(&system.name);
    let rate = trial
        .spec
        .pace
        .map(|pace| format!(", at {}", number::rate(pace.rate)));
    let workload = kind::name(&trial.workload);
    format!("{product}, workload {workload}{}", rate.unwrap_or_default())
}

impl SingleRun<'_> {
    /// Every figure of the page, in its order.
    #[must_use]
    pub fn figures(&self) -> Vec<FigureFile> {
        figures(&self.document())
    }
}

impl Render for SingleRun<'_> {
    fn document(&self) -> Document {
        document(self.trial(), PageParts::of(self))
    }
}

/// The document; `page` are the figures and facts that only pages have room for.
fn document(trial: &TrialRecord, page: PageParts) -> Document {
    let mut result: Vec<Block> = status(&trial.status).into_iter().collect();
    let on_a_page = unusable(trial).into_iter().chain([tiles::block(trial)]);
    result.push(Block::Only(Media::PAGE, on_a_page.collect()));
    result.push(lines(trial.load.iter().map(load)));
    result.push(lines(trial.measure.iter().map(throughput)));
    result.extend(trial.measure.as_ref().and_then(pacing));
    let answer = Section {
        is_answer: true,
        // A page of many studies links to the workload of each of its rows.
        ..Section::new(
            slug(&format!("Workload {}", trial.workload.name)),
            "Result",
            result,
        )
    };
    let mut body: Vec<Block> = vec![answer.into()];
    body.push(on_pages(page.figures));
    if let Some(measure) = &trial.measure {
        let mut blocks = vec![Block::Table(tiles::operations(measure))];
        blocks.extend(remarks(measure));
        body.push(lines(blocks.clone()));
        body.push(on_pages([Section::new(
            "operations",
            "Percentiles by operation",
            blocks,
        )]));
    }
    let generators = GeneratorUse::of(&[trial]);
    if !generators.is_empty() {
        let table = generators::table("Load generators", &generators);
        body.push(Section::new("generators", "Load generators", vec![Block::Table(table)]).into());
    }
    body.push(on_pages(page.usage));
    body.push(lines(context(trial).into_iter().map(Block::note)));
    body.extend(findings::blocks(trial));
    body.extend(page.security.map(Block::from));
    body.push(on_pages([settings::of_run(trial)]));
    body.push(on_pages(page.machine));
    Document {
        kind: "run".to_owned(),
        name: trial.study.clone(),
        title: title(trial),
        about: about(trial),
        body,
        footer: "Made by dbdyno from the record of the run. It loads nothing from elsewhere: keep it, mail it, commit it."
            .to_owned(),
        has_contents: true,
        ..Document::default()
    }
}

/// Sections that only a page shows.
fn on_pages(sections: impl IntoIterator<Item = Section>) -> Block {
    Block::Only(Media::PAGE, sections.into_iter().map(Block::from).collect())
}

/// Blocks for text, where a page shows a tile, a section or a figure.
fn lines(blocks: impl IntoIterator<Item = Block>) -> Block {
    Block::Only(Media::TERMINAL | Media::MARKDOWN, blocks.into_iter().collect())
}

/// The work, the guarantees and the topology of several servers, in a line.
fn about(trial: &TrialRecord) -> Text {
    let mut parts = parts::workload(&trial.workload);
    parts.push(parts::asked(&[trial]).into());
    let system = &trial.system;
    if !system.durability.is_absent() {
        parts.push(format!("durability {}", system.durability).into());
    }
    if !system.consistency.is_absent() {
        parts.push(format!("consistency {}", system.consistency).into());
    }
    // One server or a store in the process says nothing by it.
    if system.node_count().is_some_and(|nodes| nodes > 1) {
        parts.push(system.topology.clone().into());
    }
    Text::joined(parts, "; ").exact().into()
}

/// Why the figures are not those of a whole run.
fn status(status: &TrialStatus) -> Option<Block> {
    match status {
        TrialStatus::Completed | TrialStatus::Disturbed => None,
        TrialStatus::Interrupted => Some(notice(
            Tone::Warning,
            "Interrupted: figures up to that point.".to_owned(),
        )),
        TrialStatus::Failed { reason, .. } => Some(notice(Tone::Bad, format!("Failed: {reason}"))),
    }
}

/// That the numbers of a whole run cannot be used, and why. A run that failed says so itself.
fn unusable(trial: &TrialRecord) -> Option<Block> {
    if matches!(trial.status, TrialStatus::Failed { .. }) {
        return None;
    }
    let reasons: Vec<String> = trial
        .invalid_because()
        .into_iter()
        .map(|reason| reason.message.into_owned())
        .collect();
    (!reasons.is_empty()).then(|| {
        notice(
            Tone::Bad,
            format!("Do not use these numbers: {}.", reasons.join("; ")),
        )
    })
}

fn notice(tone: Tone, text: String) -> Block {
    Block::Notice(Notice {
        tone,
        text: text.into(),
        ..Notice::default()
    })
}

fn load(load: &LoadRecord) -> Block {
    let mut text = format!(
        "Loaded {} records in {}: {}",
        number::count(load.inserts.ok),
        number::duration_ns(load.duration_ns as f64),
        number::rate(load.throughput_per_second().unwrap_or_default())
    );
    if load.inserts.error_count() > 0 {
        text.push_str(&format!(", {} failed", number::count(load.inserts.error_count())));
    }
    Block::paragraph(text)
}

fn throughput(measure: &MeasureRecord) -> Block {
    let rate = measure.throughput_per_second().unwrap_or_default();
    let operations = measure.operations.values();
    let drained: u64 = operations.map(|operation| operation.drained).sum();
    let mut counted = format!(" ({}", tiles::counted(measure));
    if drained > 0 {
        counted.push_str(&format!("; {} more after the deadline", number::count(drained)));
    }
    if let Some(tail) = measure.tail.filter(|tail| tail.operations > 0) {
        counted.push_str(&format!(
            "; not measured: {} sent after the first load generator had finished",
            number::count(tail.operations)
        ));
    }
    counted.push(')');
    Block::paragraph(
        Text::from("Throughput ")
            .strong(number::rate(rate))
            .plain(counted),
    )
}

fn pacing(measure: &MeasureRecord) -> Option<Block> {
    let pacing = measure.pacing.as_ref()?;
    let achieved = format!(
        "requested {}, achieved {} ({})",
        number::rate(pacing.asked_rate),
        number::rate(pacing.achieved_rate),
        number::share(pacing.achieved_rate / pacing.asked_rate)
    );
    Some(if pacing.sustained {
        lines([Block::paragraph(achieved)])
    } else {
        let text = format!(
            "RATE NOT SUSTAINED: {achieved}, with a backlog of {} operations at the end",
            number::count(pacing.backlog)
        );
        notice(Tone::Bad, text)
    })
}

/// What the counts of the table do not say.
fn remarks(measure: &MeasureRecord) -> Vec<Block> {
    let operations = measure.operations.values();
    let early: u64 = operations.map(|operation| operation.too_early).sum();
    let mut blocks = Vec::new();
    if early > 0 {
        blocks.push(Block::paragraph(format!(
            "too early: {} operations requested a record whose insert had not been acknowledged yet",
            number::count(early)
        )));
    }
    let samples = measure.error_samples.iter();
    blocks.extend(samples.map(|sample| notice(Tone::Bad, format!("error: {sample}"))));
    blocks
}

/// What client, server and tool took.
fn context(trial: &TrialRecord) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(measure) = &trial.measure {
        let each = measure.cpu_ns_per_operation(measure.client.cpu_seconds);
        lines.push(format!(
            "{} CPU: {}{} of all CPUs; peak memory {}",
            if trial.system.node_count() == Some(0) {
                "Client and database"
            } else {
                "Client"
            },
            each.map_or_else(String::new, |each| format!(
                "{} per operation, ",
                number::duration_ns(each)
            )),
            number::share(measure.client.cpu_share),
            number::bytes(measure.client.peak_memory_bytes as f64)
        ));
    }
    lines.extend(server_cost::line(trial));
    let at_rest = trial.system.at_rest.as_ref();
    lines.extend(at_rest.map(|at_rest| format!("Encryption at rest: {at_rest}")));
    let limits = trial.system.resources.as_ref().map(ToString::to_string);
    lines.extend(
        limits
            .filter(|limits| !limits.is_empty())
            .map(|limits| format!("Limits: {limits}")),
    );
    lines.extend(overhead(trial).map(|overhead| format!("Overhead of dbdyno: {overhead}")));
    let skew = parts::skew(&[trial]);
    if !skew.is_empty() {
        lines.push(format!("Skew: {skew}"));
    }
    lines
}

/// What dbdyno itself takes for an operation; `None` where that was not measured.
fn overhead(trial: &TrialRecord) -> Option<String> {
    let floor = &trial.floor;
    let measure = trial.measure.as_ref();
    let spent = measure.and_then(|measure| measure.cpu_ns_per_operation(measure.client.cpu_seconds));
    // Elapsed time of a few milliseconds, and CPU time of the whole phase: a part may seem to exceed the whole.
    let doubt = match spent.filter(|spent| floor.operation_ns > *spent) {
        Some(spent) => format!(
            " (more than the {} of CPU time that an operation took in the trial, so the machine was slower at that moment)",
            number::duration_ns(spent)
        ),
        None => String::new(),
    };
    (floor.operation_ns > 0.0).then(|| {
        format!(
            "{} per operation, timed without a database before the trial{doubt}; a latency includes {} of it (p99)",
            number::duration_ns(floor.operation_ns),
            number::duration_ns(floor.latency_p99_ns as f64)
        )
    })
}
