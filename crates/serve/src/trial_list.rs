//! Every trial of a study as a table.

use dbdyno_document::{Block, Column, Notice, Order, Row, Section, Table, TableCell, Text, Tone, named};
use dbdyno_record::TrialStatus;
use dbdyno_record::plan::planned_name;
use dbdyno_vocabulary::number;

use crate::rows::{TrialProgress, TrialRow, trial_rows};
use crate::watched::Watched;

/// The section: a row for each trial, which a page replaces by itself.
pub(crate) fn section(watched: &Watched) -> Section {
    let columns = vec![
        Column::header("trial"),
        Column::words("system"),
        Column::words("test"),
        Column::words("state"),
        // Said here, as rows arrive one by one: at first, no trial has any of these numbers.
        Column::numbers("throughput").sorted(Order::Descending),
        Column::numbers("p99").sorted(Order::Ascending),
        Column::numbers("errors").sorted(Order::Descending),
    ];
    let rows: Vec<Row> = trial_rows(watched)
        .iter()
        .map(|trial| row(trial).identified(format!("trial-{}", trial.trial)))
        .collect();
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

fn row(row: &TrialRow<'_>) -> Row {
    let ended = match row.progress {
        TrialProgress::Ended(ended) => ended,
        TrialProgress::Running => return row_without_result(row, running(row.trial)),
        TrialProgress::ToCome => return row_without_result(row, TableCell::new("to come")).faint(true),
    };
    let state = match &ended.status {
        TrialStatus::Completed => TableCell::new("completed"),
        TrialStatus::Failed { reason, .. } => TableCell {
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
    let errors = number::count(ended.errors);
    row_with(row, state, [throughput, p99, errors].map(TableCell::new))
}

/// The state of the trial that runs: of another attempt at one, that it is repeated.
fn running(trial: &str) -> TableCell {
    if planned_name(trial) == trial {
        TableCell::new("running").toned(Tone::Good)
    } else {
        TableCell::new("repeated").detail("running").toned(Tone::Good)
    }
}

fn row_without_result(row: &TrialRow<'_>, state: TableCell) -> Row {
    row_with(row, state, Default::default())
}

fn row_with(row: &TrialRow<'_>, state: TableCell, results: [TableCell; 3]) -> Row {
    let names = [Text::from(row.place()), named(row.system), row.test().into()].map(TableCell::new);
    let cells = names.into_iter().chain([state]);
    Row::new(cells.chain(results))
}
