//! The numbers behind a cell's figures, closed until asked for.

use dbdyno_document::{Block, Column, Inline, Media, Row, Table, TableCell, Text, Tone, named};
use dbdyno_record::TrialState;

use crate::model::{
    Cell, CellSystem, ClientSummary, Comparison, Metric, OperationSummary, Summary, TABLE_PERCENTILES,
    TrialRow, Word, sentences,
};
use crate::number;
use crate::words::figures::{Medians, of_point};
use crate::words::generators;
use crate::words::names::Named;

/// The tables of a cell. Text has those that need no figure beside them.
pub fn blocks(cell: &Cell) -> Vec<Block> {
    let details = |title: &str, table: Table| Block::Details(title.into(), vec![Block::Table(table)]);
    let mut blocks = vec![details("Latencies and counts by operation", operations(cell))];
    let mut on_a_page = Vec::new();
    let title = if cell.pooled {
        "Trials that stand out"
    } else {
        "Every trial"
    };
    on_a_page.push(details(title, trials(cell)));
    if !cell.comparisons.is_empty() {
        on_a_page.push(details("Every comparison", comparisons(cell)));
    }
    if cell.systems.iter().any(|system| system.client.is_some()) {
        on_a_page.push(details("Load phase and cost of the client", cost(cell)));
    }
    for system in cell.systems.iter().filter(|system| !system.generators.is_empty()) {
        let title = format!("Load generators of {}", system.name);
        on_a_page.push(details(&title, generators::table(&title, &system.generators)));
    }
    if !cell.skew.is_empty() {
        on_a_page.push(Block::note(format!("Realised skew: {}.", cell.skew)));
    }
    blocks.push(Block::Only(Media::PAGE, on_a_page));
    blocks
}

/// A count, red unless it is zero.
pub fn bad_if_any(count: u64) -> TableCell {
    let tone = if count > 0 { Tone::Bad } else { Tone::Plain };
    TableCell::new(number::count(count)).toned(tone)
}

/// The ends of an estimate's interval.
pub fn interval(summary: &Summary) -> String {
    summary
        .estimate
        .interval
        .as_ref()
        .map_or("–".to_owned(), |interval| {
            format!(
                "{} to {}",
                number::rate(interval.low),
                number::rate(interval.high)
            )
        })
}

/// Which columns a table of operations needs.
#[derive(Clone, Copy)]
struct Shown {
    too_early: bool,
    wrong_values: bool,
}

fn operations(cell: &Cell) -> Table {
    let rows = by_operation(cell);
    let shown = Shown {
        too_early: rows.iter().any(|(_, operation)| operation.too_early > 0),
        wrong_values: rows
            .iter()
            .any(|(_, operation)| operation.verification_failures > 0),
    };
    // Text shows one p50 and one p99, those that verdicts are about; a page has the merged ones of its figures.
    let percentiles = TABLE_PERCENTILES.map(|percentile| {
        let column = Column::numbers(format!("merged {}", number::percentile(percentile)));
        if [50.0, 99.0].contains(&percentile) {
            column.only(Media::PAGE)
        } else {
            column
        }
    });
    let mut columns = vec![Column::header("operation"), Column::words("system")];
    columns.extend(["p50", "p99"].map(|title| Column::numbers(title).only(Media::MARKDOWN)));
    columns.extend(percentiles);
    columns.extend(["max", "mean", "ok", "not found"].map(Column::numbers));
    columns.extend(shown.too_early.then(|| Column::numbers("too early")));
    columns.push(Column::words("errors"));
    columns.extend(shown.wrong_values.then(|| Column::numbers("wrong values")));
    let rows = rows.into_iter().flat_map(|(system, operation)| {
        let service =
            (!operation.service_percentiles.is_empty()).then(|| service_row(system, operation, shown));
        std::iter::once(operation_row(system, operation, shown)).chain(service)
    });
    Table::new("Latencies by operation", columns, rows.collect()).remark(
        "Merged percentiles cover the operations of all completed trials together; verdicts, and p99 elsewhere in this report, are medians \
         over trials. – means that fewer than ten operations lie beyond; >= marks a lower bound: operations without an answer waited this \
         long.",
    )
}

/// By operation, then by system: what is compared stands one below the other.
fn by_operation(cell: &Cell) -> Vec<(&CellSystem, &OperationSummary)> {
    let mut names: Vec<&str> = Vec::new();
    for operation in cell.systems.iter().flat_map(|system| &system.operations) {
        if !names.contains(&operation.name.as_str()) {
            names.push(&operation.name);
        }
    }
    let of = |system: &'_ CellSystem, name: &str| system.operations.iter().position(|own| own.name == name);
    let rows = names.into_iter().flat_map(|name| {
        let systems = cell.systems.iter();
        systems.filter_map(move |system| Some((system, &system.operations[of(system, name)?])))
    });
    rows.collect()
}

fn operation_row(system: &CellSystem, operation: &OperationSummary, shown: Shown) -> Row {
    let median = |metric: Metric, summary: Option<&Summary>| {
        let text = summary.map_or("–".to_owned(), |summary| {
            operation.text(metric, summary.estimate.median)
        });
        TableCell::new(text)
    };
    let mut cells = vec![
        TableCell::new(&operation.name),
        TableCell::new(named(&system.name)),
        median(Metric::LatencyP50, operation.p50.as_ref()),
        median(Metric::LatencyP99, operation.p99.as_ref()),
    ];
    cells.extend(
        operation
            .percentiles
            .iter()
            .map(|point| TableCell::new(of_point(point))),
    );
    cells.push(TableCell::new(number::latency(
        operation.max_ns,
        operation.max_at_least,
    )));
    cells.push(TableCell::new(
        operation.mean_ns.map_or("–".to_owned(), number::duration_ns),
    ));
    cells.push(TableCell::new(number::count(operation.ok)));
    cells.push(bad_if_any(operation.not_found));
    cells.extend(
        shown
            .too_early
            .then(|| TableCell::new(number::count(operation.too_early))),
    );
    cells.push(TableCell::new(errors(operation)));
    cells.extend(
        shown
            .wrong_values
            .then(|| bad_if_any(operation.verification_failures)),
    );
    Row::new(cells)
}

/// The service time of operations whose latency is response time.
fn service_row(system: &CellSystem, operation: &OperationSummary, shown: Shown) -> Row {
    let mut cells = vec![
        TableCell::new(format!("{} (service time)", operation.name)),
        TableCell::new(named(&system.name)),
        TableCell::default(),
        TableCell::default(),
    ];
    cells.extend(
        operation
            .service_percentiles
            .iter()
            .map(|point| TableCell::new(of_point(point))),
    );
    // Counts are those of the row above.
    let counts = 5 + usize::from(shown.too_early) + usize::from(shown.wrong_values);
    cells.extend(std::iter::repeat_n(TableCell::default(), counts));
    Row::new(cells).faint(true)
}

fn errors(operation: &OperationSummary) -> Text {
    if operation.errors.is_empty() {
        return "none".into();
    }
    let class = |(class, count): (&String, &u64)| {
        Inline::Toned(Tone::Bad, format!("{class} {}", number::count(*count)))
    };
    Inline::Series(operation.errors.iter().map(class).collect()).into()
}

fn trials(cell: &Cell) -> Table {
    // Thousands of rows are read by nobody: then only what needs looking at is shown.
    let is_shown =
        |trial: &&TrialRow| !cell.pooled || trial.outlier.is_some() || trial.status != TrialState::Completed;
    let columns = vec![
        Column::words("system"),
        Column::numbers("block"),
        Column::words("status"),
        Column::numbers("throughput"),
        Column::numbers("p50"),
        Column::numbers("p99"),
        Column::numbers("ok"),
        Column::numbers("not found"),
        Column::numbers("errors"),
        Column::words("remark"),
        Column::words("trial"),
    ];
    let rows = cell.systems.iter().flat_map(|system| {
        let trials = system.trials.iter().filter(is_shown);
        trials.map(|trial| trial_row(system, trial))
    });
    let remark = if cell.pooled {
        "Only trials that stand out or did not complete; outliers stay in the medians. Every trial is in results.csv, and in the data of the \
         figures above."
    } else {
        "In block order. Outliers are marked but remain in the medians."
    };
    Table::new("Every trial", columns, rows.collect()).remark(remark)
}

fn trial_row(system: &CellSystem, trial: &TrialRow) -> Row {
    let failed = trial.status == TrialState::Failed;
    let latency = |ns, metric| TableCell::new(number::latency(ns, trial.at_least.contains(&metric)));
    let remark = trial
        .outlier
        .as_ref()
        .map(|reason| format!("stands out: {reason}"));
    Row::new([
        TableCell::new(named(&system.name)),
        // People count blocks from one, as the plan does.
        TableCell::new((trial.block + 1).to_string()),
        TableCell::new(trial.status.to_string()).toned(if failed { Tone::Bad } else { Tone::Plain }),
        TableCell::new(trial.throughput.map_or("–".to_owned(), number::rate)),
        latency(trial.p50_ns, Metric::LatencyP50),
        latency(trial.p99_ns, Metric::LatencyP99),
        TableCell::new(number::count(trial.ok)),
        TableCell::new(number::count(trial.not_found)),
        TableCell::new(number::count(trial.errors)),
        TableCell::new(remark.unwrap_or_default()).toned(Tone::Warning),
        TableCell::new(Text::new().code(&trial.trial)),
    ])
    .faint(trial.status != TrialState::Completed)
}

fn comparisons(cell: &Cell) -> Table {
    let columns = vec![
        Column::words("metric"),
        Column::words("system"),
        Column::words("ratio (95% interval)"),
        Column::words("verdict"),
        Column::numbers("p"),
        Column::numbers("p corrected"),
        Column::words("why").long(),
    ];
    let row = |comparison: &Comparison| {
        Row::new([
            TableCell::new(comparison.metric.name()),
            TableCell::new(named(&comparison.a)),
            TableCell::new(sentences::times(comparison)),
            TableCell::new(word(comparison.word.name(), comparison.word)),
            TableCell::new(p_value(comparison.p_value)),
            TableCell::new(p_value(comparison.p_adjusted)),
            TableCell::new(&comparison.reason),
        ])
    };
    Table::new("Every comparison", columns, cell.comparisons.iter().map(row).collect()).remark(
        "The first system relative to the second. p is of the single comparison; the corrected one (Holm) accounts for all comparisons of \
         that metric in the study.",
    )
}

/// A verdict's word, in the color of what it means: a difference that was shown, whichever way it goes, is good to know.
pub fn word(name: &str, word: Word) -> Text {
    let tone = match word {
        Word::Faster | Word::Slower => Tone::Good,
        Word::Equivalent | Word::Bounded => Tone::Same,
        Word::Undecided | Word::NotComparable => Tone::Faint,
    };
    Text::new().toned(tone, name)
}

fn p_value(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value < 0.001 => "< 0.001".to_owned(),
        Some(value) => format!("{value:.3}"),
    }
}

fn cost(cell: &Cell) -> Table {
    let numbers = [
        "load",
        "load, interval",
        "share of CPUs",
        "CPU per operation",
        "peak memory",
    ];
    let columns = std::iter::once(Column::header("system")).chain(numbers.map(Column::numbers));
    let rows = cell.systems.iter().map(cost_row);
    Table::new("Load phase and client", columns.collect(), rows.collect())
        .remark("For an embedded database the client's process is the database's too.")
}

fn cost_row(system: &CellSystem) -> Row {
    let client = |of: fn(&ClientSummary) -> String| system.client.as_ref().map_or("–".to_owned(), of);
    let load = |of: fn(&Summary) -> String| system.load.as_ref().map_or("–".to_owned(), of);
    Row::new([
        TableCell::new(named(&system.name)),
        TableCell::new(load(|load| number::rate(load.estimate.median))),
        TableCell::new(load(interval)),
        TableCell::new(client(|client| number::share(client.cpu_share))),
        TableCell::new(client(|client| number::duration_ns(client.cpu_per_operation_ns))),
        TableCell::new(client(|client| number::bytes(client.peak_memory_bytes as f64))),
    ])
}
