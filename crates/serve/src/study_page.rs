//! The page of one study: what runs now, and every trial.

use std::collections::BTreeSet;
use std::time::Duration;

use dbdyno_document::{
    Block, Column, Document, Notice, Row, Section, Table, TableCell, Text, Tone, live_html,
};
use dbdyno_record::plan::planned_name;
use dbdyno_record::{PlannedTrial, TrialStatus};
use dbdyno_vocabulary::number;

use crate::places;
use crate::timeline;
use crate::watched::{Current, EndedTrial, Watched};

/// Replaces sections as they change.
const SCRIPT: &str = include_str!("live.js");

/// The whole page.
pub(crate) fn page(name: &str, watched: &Watched) -> String {
    let report = format!("{}/report", places::address(name));
    let document = Document {
        kind: "live".to_owned(),
        name: name.to_owned(),
        title: name.to_owned(),
        about: Text::new()
            .link("report of what there is so far", report)
            .plain(" · ")
            .link("all studies", "/"),
        body: sections(watched).into_iter().map(Block::from).collect(),
        ..Document::default()
    };
    live_html(&document, SCRIPT)
}

/// The sections, each of which the page replaces when it changes.
pub(crate) fn sections(watched: &Watched) -> Vec<Section> {
    vec![now(watched), trials(watched)]
}

fn now(watched: &Watched) -> Section {
    let mut body = Vec::new();
    let (done, planned) = (watched.done(), watched.planned().len());
    match watched.current() {
        Some(current) => {
            body.push(Block::Facts(facts(current, watched.is_paused(), done, planned)));
            let figures = timeline::figures(current);
            if !figures.is_empty() {
                body.push(Block::Figures(figures));
            }
        }
        None => body.push(Block::paragraph(idle(watched, done, planned))),
    }
    Section {
        is_answer: true,
        ..Section::new("now", "Now", body)
    }
}

fn idle(watched: &Watched, done: usize, planned: usize) -> Text {
    let trials = format!("{done} of {planned} planned trials are done");
    if watched.is_paused() {
        Text::from(format!("Paused between two trials; {trials}."))
    } else if watched.is_running() {
        Text::from(format!("Between two trials; {trials}."))
    } else if done == planned && planned > 0 {
        Text::from(format!("The study is over: {trials}."))
    } else {
        Text::from(format!("Nothing runs; {trials}. To continue: "))
            .code("dbdyno study run")
            .plain(".")
    }
}

fn facts(current: &Current, is_paused: bool, done: usize, planned: usize) -> Vec<(Text, Text)> {
    let trial = &current.trial;
    let fact = |label: &str, value: String| (Text::from(label), Text::from(value));
    let mut facts = vec![
        fact(
            "trial",
            format!("{} of {}: {}", trial.number, trial.total, trial.trial),
        ),
        fact("system", trial.system.clone()),
        fact("workload", trial.workload.clone()),
        fact("done", format!("{done} of {planned} planned trials")),
        fact(
            "time left at its start",
            time_left(trial.remaining_s, trial.repeats_s),
        ),
    ];
    let phase = match (current.preparing.is_empty(), current.phase_expected_s) {
        (false, _) => current.preparing.clone(),
        (true, Some(expected_s)) => format!("{}, {} in all", current.phase, seconds(expected_s)),
        (true, None) => current.phase.clone(),
    };
    if !phase.is_empty() {
        facts.push(fact("phase", phase));
    }
    if is_paused {
        facts.push(fact("then", "pause, as asked".to_owned()));
    }
    if let Some(last) = current.seconds.last() {
        facts.push(fact("throughput", number::rate(last.rate)));
        if let (Some(p50_us), Some(p99_us)) = (last.p50_us, last.p99_us) {
            let both = format!(
                "p50 {}, p99 {}",
                number::duration_ns(p50_us * 1e3),
                number::duration_ns(p99_us * 1e3)
            );
            facts.push(fact("latency", both));
        }
        let errors: u64 = current.seconds.iter().map(|row| row.errors).sum();
        facts.push(fact("errors", number::count(errors)));
    }
    facts
}

fn time_left(remaining_s: f64, repeats_s: f64) -> String {
    let (least, most) = (seconds(remaining_s), seconds(remaining_s + repeats_s));
    if least == most {
        least
    } else {
        format!("{least} to {most}")
    }
}

fn seconds(seconds: f64) -> String {
    let duration = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
    match duration.as_secs() {
        0..=119 => format!("{} s", duration.as_secs()),
        whole @ 120..=7199 => format!("{} min", (whole + 30) / 60),
        whole => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

fn trials(watched: &Watched) -> Section {
    let columns = vec![
        Column::header("trial"),
        Column::words("system"),
        Column::words("workload"),
        Column::words("state"),
        Column::numbers("throughput"),
        Column::numbers("p99"),
        Column::numbers("errors"),
    ];
    let mut rows = Vec::new();
    // Pilots are in no plan, and come first.
    let planned: BTreeSet<&str> = watched
        .planned()
        .iter()
        .map(|planned| planned.trial.as_str())
        .collect();
    let ended = watched.ended().iter();
    let pilots = ended.filter(|(name, _)| !planned.contains(planned_name(name)));
    rows.extend(pilots.map(|(name, ended)| ended_row(name, ended)));
    for planned in watched.planned() {
        let attempts: Vec<Row> = attempts(watched, &planned.trial);
        if attempts.is_empty() {
            rows.push(row_to_come(watched, planned));
        }
        rows.extend(attempts);
    }
    let mut body = Vec::new();
    if rows.is_empty() {
        body.push(Block::paragraph("No trial is planned yet."));
    } else {
        body.push(Block::Table(Table::new(
            "Trials in the order of execution",
            columns,
            rows,
        )));
    }
    if watched
        .ended()
        .values()
        .any(|ended| ended.status == TrialStatus::Disturbed)
    {
        body.push(Block::Notice(Notice {
            tone: Tone::Plain,
            label: String::new(),
            text: Text::from(
                "A disturbed trial ran while the machine did something else; it is kept, and repeated.",
            ),
        }));
    }
    Section::new("trials", "Trials", body)
}

/// The attempts at a planned trial, in their order.
fn attempts(watched: &Watched, planned: &str) -> Vec<Row> {
    let from = watched.ended().range(planned.to_owned()..);
    from.take_while(|(name, _)| name.starts_with(planned))
        .filter(|(name, _)| planned_name(name) == planned)
        .map(|(name, ended)| ended_row(name, ended))
        .collect()
}

fn ended_row(name: &str, ended: &EndedTrial) -> Row {
    let state = match &ended.status {
        TrialStatus::Completed => TableCell::new("completed"),
        TrialStatus::Failed { reason } => TableCell {
            tone: Tone::Bad,
            ..TableCell::new(format!("failed: {reason}"))
        },
        other => TableCell {
            tone: Tone::Warning,
            ..TableCell::new(other.state().to_string())
        },
    };
    let throughput = ended.throughput.map_or_else(String::new, number::rate);
    let p99 = ended.p99.map_or_else(String::new, |(latency_ns, is_bound)| {
        number::latency(Some(latency_ns), is_bound)
    });
    Row::new([
        TableCell::new(name),
        TableCell::new(ended.system.as_str()),
        TableCell::new(ended.workload.as_str()),
        state,
        TableCell::new(throughput),
        TableCell::new(p99),
        TableCell::new(number::count(ended.errors)),
    ])
}

fn row_to_come(watched: &Watched, planned: &PlannedTrial) -> Row {
    let runs = watched
        .current()
        .is_some_and(|current| planned_name(&current.trial.trial) == planned.trial);
    let factor = |name: &str| planned.factors.get(name).cloned().unwrap_or_default();
    let state = if runs { "running" } else { "to come" };
    Row::new([
        planned.trial.clone(),
        factor("system"),
        factor("workload"),
        state.to_owned(),
        String::new(),
        String::new(),
        String::new(),
    ])
    .faint(!runs)
}
