//! One cell: its verdicts, its systems in one table, its figures, and every number behind them.

use dbdyno_document::{
    Block, Column, Figure, Media, Notice, Row, Section, Table, TableCell, Text, Tone, Verdict, named,
};
use dbdyno_vocabulary::ALL_OPERATIONS;

use super::{answer, cell_details, distribution, plots, tone, usage};
use crate::model::{
    Cell, CellSystem, Metric, MetricVerdict, PacingSummary, Rank, Summary, Tone as Statement,
};
use crate::number;
use crate::words::figures::{Medians, of_point};

/// The section of a cell; lines of what was used over time have at most about that many `stretches`.
pub fn section(cell: &Cell, stretches: usize) -> Section {
    let asked = Some(Text::from(&cell.asked)).filter(|asked| !asked.is_empty());
    let about = cell.description.iter().cloned().chain(asked);
    let mut body = vec![Block::about(Text::joined(about, "; "))];
    body.extend(cell.verdicts.iter().map(verdict));
    // Text has them above, each once with the cells that it concerns.
    let flags = cell.flags.iter().map(answer::notice);
    body.push(Block::Only(Media::PAGE, flags.collect()));
    let paced = cell
        .systems
        .iter()
        .filter_map(|system| Some((system, system.pacing.as_ref()?)));
    body.extend(paced.map(|(system, pacing)| pace(system, pacing)));
    body.push(Block::Only(
        Media::TERMINAL | Media::MARKDOWN,
        vec![Block::Table(systems(cell))],
    ));
    body.extend(figures(cell));
    let used = usage::part(cell, stretches);
    body.extend(used.map(|part| Block::Only(Media::PAGE, vec![part.into()])));
    body.extend(cell_details::blocks(cell));
    Section {
        is_subordinate: true,
        ..Section::new(&cell.id, cell.title.as_str(), body)
    }
}

fn verdict(verdict: &MetricVerdict) -> Block {
    let label = match verdict.tone {
        // Levels against their baseline have no leader, and are mostly slower.
        Statement::Shown if verdict.leader.is_none() => "different",
        Statement::Shown => "faster",
        Statement::Same => "equivalent",
        Statement::Bounded => "bounded",
        Statement::Undecided => "undecided",
        Statement::NotComparable => "not comparable",
        Statement::Plain => "",
    };
    // What the study did not ask for is no warning.
    let by_design = verdict.unranked.as_ref().is_some_and(|why| why.is_by_design());
    Block::Verdict(Verdict {
        tone: if by_design {
            Tone::Faint
        } else {
            tone(verdict.tone)
        },
        label: label.to_owned(),
        text: verdict.sentence.clone(),
        ..Verdict::default()
    })
}

/// Asked against achieved rate.
fn pace(system: &CellSystem, pacing: &PacingSummary) -> Block {
    let mut text = format!(
        ": requested {}, achieved {} ({}), sustained in {} of {}",
        number::rate(pacing.asked_rate),
        number::rate(pacing.achieved_rate),
        number::share(pacing.achieved_rate / pacing.asked_rate),
        pacing.sustained,
        number::plural(pacing.trials, "trial", "trials")
    );
    if let Some(lag) = pacing.lag_p99_ns {
        text.push_str(&format!(
            "; dbdyno's own scheduling lag was at most {} at p99",
            number::duration_ns(lag as f64)
        ));
    }
    let text = named(&system.name).plain(text + ".");
    if pacing.sustained == pacing.trials {
        return Block::Only(Media::PAGE | Media::MARKDOWN, vec![Block::note(text)]);
    }
    Block::Notice(Notice {
        tone: Tone::Warning,
        label: String::new(),
        text,
    })
}

/// A row for each system: for text, which has no figures.
fn systems(cell: &Cell) -> Table {
    let loads = cell.systems.iter().any(|system| system.load.is_some());
    let in_markdown = |title: &str| Column::numbers(title).only(Media::MARKDOWN);
    let columns = [
        Some(Column::header("system")),
        Some(Column::numbers("throughput")),
        Some(Column::numbers("spread").only(Media::TERMINAL)),
        Some(in_markdown("95% interval")),
        Some(Column::words("trials").only(Media::MARKDOWN)),
        Some(Column::numbers("p50")),
        Some(Column::numbers("p99")),
        Some(in_markdown("merged p95")),
        Some(Column::numbers("merged p99.9").minor()),
        Some(Column::numbers("max").minor()),
        Some(Column::numbers("not found")),
        Some(Column::numbers("errors")),
        loads.then(|| Column::numbers("load").minor()),
        Some(Column::numbers("trials").only(Media::TERMINAL)),
    ];
    let rows = cell.systems.iter().map(|system| row(cell, system, loads));
    let caption = format!("Systems at {}", cell.title);
    Table::new(caption, columns.into_iter().flatten().collect(), rows.collect())
}

fn row(cell: &Cell, system: &CellSystem, loads: bool) -> Row {
    let all = system.operations.first();
    let median = |metric: Metric| {
        system.metric(metric).map_or("–".to_owned(), |summary| {
            system.text(metric, summary.estimate.median)
        })
    };
    let judged = |metric: Metric| TableCell::new(median(metric)).toned(place(cell, system, metric));
    let merged = |percentile: f64| {
        let mut points = all.into_iter().flat_map(|all| &all.percentiles);
        let point = points.find(|point| point.percentile == percentile);
        TableCell::new(point.map_or("–".to_owned(), of_point))
    };
    let max = all.map_or("–".to_owned(), |all| {
        number::latency(all.max_ns, all.max_at_least)
    });
    let errors: u64 = all.map_or(0, |all| all.errors.values().sum());
    let load = system
        .load
        .as_ref()
        .map_or("–".to_owned(), |load| loaded(system, load));
    let cells = [
        Some(TableCell::new(named(&system.name))),
        Some(judged(Metric::Throughput)),
        Some(TableCell::new(spread(system))),
        Some(TableCell::new(
            system
                .throughput
                .as_ref()
                .map_or("–".to_owned(), cell_details::interval),
        )),
        Some(TableCell::new(values(system))),
        Some(TableCell::new(median(Metric::LatencyP50))),
        Some(judged(Metric::LatencyP99)),
        Some(merged(95.0)),
        Some(merged(99.9)),
        Some(TableCell::new(max)),
        Some(cell_details::bad_if_any(system.not_found())),
        Some(cell_details::bad_if_any(errors)),
        loads.then(|| TableCell::new(load)),
        Some(TableCell::new(counted(system))),
    ];
    Row::new(cells.into_iter().flatten())
}

/// Green for a system that is shown ahead of all others, red for one behind the best, faint for one that is undecided.
fn place(cell: &Cell, system: &CellSystem, metric: Metric) -> Tone {
    match cell.rank(&system.name, metric) {
        Some(Rank::Best) => Tone::Good,
        Some(Rank::Behind) => Tone::Bad,
        Some(Rank::Open) => Tone::Faint,
        Some(Rank::Tied | Rank::Close | Rank::NotComparable) | None => Tone::Plain,
    }
}

/// Half the width of the interval relative to the median with a `±`, or, without one, the range of the trials when there
/// are too few of them for an interval.
fn spread(system: &CellSystem) -> String {
    let none = || "–".to_owned();
    let Some(summary) = system.throughput.as_ref().filter(|own| own.estimate.median > 0.0) else {
        return none();
    };
    let median = summary.estimate.median;
    if let Some(interval) = &summary.estimate.interval {
        let half = (interval.high - interval.low) / 2.0 / median;
        return format!("±{}", number::share(half));
    }
    if summary.values.len() < 2 {
        return none();
    }
    let values = summary.values.iter().map(|value| value.value);
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    number::share((high - low) / median)
}

/// The throughput of every trial, with a sign at what stands out.
fn values(system: &CellSystem) -> String {
    let Some(summary) = &system.throughput else {
        return "–".to_owned();
    };
    let value = |value: &crate::model::Value| {
        let sign = if value.outlier.is_some() { " (!)" } else { "" };
        format!("{}{sign}", number::rate(value.value))
    };
    summary.values.iter().map(value).collect::<Vec<_>>().join(", ")
}

/// The rate of the load phase, with the number of loads where trials shared one.
fn loaded(system: &CellSystem, load: &Summary) -> String {
    let rate = number::rate(load.estimate.median);
    match load.estimate.trials() {
        loads if loads < completed(system) => format!("{rate} ({})", number::plural(loads, "load", "loads")),
        _ => rate,
    }
}

fn completed(system: &CellSystem) -> usize {
    let throughput = system.throughput.as_ref();
    throughput.map_or(0, |summary| summary.estimate.trials())
}

/// Completed trials, with those planned and the starts of servers where these are fewer.
fn counted(system: &CellSystem) -> String {
    let completed = completed(system);
    let trials = if completed == system.trials.len() {
        completed.to_string()
    } else {
        format!("{completed} of {}", system.trials.len())
    };
    let starts = system.throughput.as_ref().map(|summary| summary.estimate.n);
    match starts.filter(|starts| *starts < completed) {
        Some(starts) => format!("{trials} ({})", number::plural(starts, "start", "starts")),
        None => trials,
    }
}

fn figures(cell: &Cell) -> Vec<Block> {
    let strips = strips(cell);
    let mut blocks = vec![if strips.is_empty() {
        Block::Only(Media::PAGE, vec![Block::note("No completed trial yet.")])
    } else {
        Block::Figures(strips)
    }];
    let part = |title: &str, about: Option<String>, figures: Vec<Figure>| {
        let mut body: Vec<Block> = about.map(Block::note).into_iter().collect();
        body.push(Block::Figures(figures));
        Block::Only(Media::PAGE, vec![Section::new("", title, body).into()])
    };
    let curves = curves(cell);
    if !curves.is_empty() {
        blocks.push(part("Latency by percentile", Some(about_curves(cell)), curves));
    }
    let distributions = distribution::figures(cell);
    if !distributions.is_empty() {
        let about = distribution::about(&distributions);
        blocks.push(part("Distribution of latency", Some(about), distributions));
    }
    let lines = timelines(cell);
    if !lines.is_empty() {
        blocks.push(part("Over time", about_timelines(cell), lines));
    }
    blocks
}

fn strips(cell: &Cell) -> Vec<Figure> {
    let latency = if cell.open_loop {
        "p99 response time"
    } else {
        "p99 latency"
    };
    [
        (Metric::Throughput, "Throughput, operations per second".to_owned()),
        (Metric::LatencyP99, format!("{latency}, all operations")),
        (
            Metric::LoadThroughput,
            "Load phase, records per second".to_owned(),
        ),
    ]
    .into_iter()
    .filter_map(|(metric, title)| plots::trials(cell, metric, &title))
    .collect()
}

fn about_curves(cell: &Cell) -> String {
    let latency = if cell.open_loop {
        "Response time, counted from the intended start."
    } else {
        "Service time at full speed: each system at its own throughput."
    };
    let trials = if cell.pooled {
        "bands span the lowest to the highest trial"
    } else {
        "faint ones single trials"
    };
    format!(
        "{latency} Strong lines are histograms merged over trials, {trials}; lines end where fewer than ten operations lie beyond."
    )
}

fn curves(cell: &Cell) -> Vec<Figure> {
    let mut names: Vec<&str> = Vec::new();
    for operation in cell.systems.iter().flat_map(|system| &system.operations) {
        if !names.contains(&operation.name.as_str()) {
            names.push(&operation.name);
        }
    }
    // The kinds show more than their mixture, which the figure of p99 above has.
    if names.len() > 2 {
        names.retain(|name| *name != ALL_OPERATIONS);
    }
    let curves = names
        .into_iter()
        .filter_map(|name| plots::percentiles(cell, name));
    curves.collect()
}

fn about_timelines(cell: &Cell) -> Option<String> {
    let mut lines = cell.systems.iter().flat_map(|system| &system.timelines);
    if cell.pooled {
        Some("Lines are medians over trials; bands span the lowest to the highest trial.".to_owned())
    } else if lines.any(|line| !line.changes_s.is_empty()) {
        Some(
            "Rings mark where the level of a trial changed: what comes before the last one is warm-up that was measured, or the trial \
             never settled."
                .to_owned(),
        )
    } else {
        None
    }
}

fn timelines(cell: &Cell) -> Vec<Figure> {
    [
        (Metric::Throughput, "Operations per second"),
        (Metric::LatencyP99, "p99 latency of each interval"),
    ]
    .into_iter()
    .filter_map(|(metric, title)| plots::over_time(cell, metric, title))
    .collect()
}
