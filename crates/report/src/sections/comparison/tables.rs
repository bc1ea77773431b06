//! The rows: what changed, what is undecided, and what did not change, which text says in one line for each workload.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_document::{Block, Column, Inline, Media, Row, Section, Table, TableCell, Text, Tone};
use dbdyno_record::CoreMode;
use dbdyno_stats::Interval;

use super::Compared;
use crate::compared::{ComparedMetric, FolderComparison};
use crate::model::Word;
use crate::number;
use crate::sections::folded::{self, Item};
use crate::words::change::{signed, undecided_alone};

/// With more undecided comparisons than these, there is one line for each workload.
const MOST_UNDECIDED: usize = 12;
/// So many metrics are named in a folded line; the others are counted.
const METRICS: usize = 3;

/// A section for each kind of verdict that there is.
pub fn sections(comparison: &FolderComparison) -> Vec<Block> {
    let mut changed = comparison.of_words(&[Word::Slower]);
    changed.extend(comparison.of_words(&[Word::Faster]));
    let open = comparison.of_words(&[Word::Undecided]);
    let same = comparison.of_words(&[Word::Equivalent, Word::Bounded]);
    let unranked: Vec<Compared<'_>> = comparison
        .all()
        .filter(|compared| compared.metric.found.word == Word::NotComparable)
        .collect();
    let mut sections = vec![section(
        "changed",
        "Changed",
        vec![Block::Table(table(comparison, &changed, "Changed"))],
    )];
    let mut body = undecided(comparison, &open);
    body.push(Block::bullets(withheld(&open)));
    sections.push(section("undecided", "Undecided", body));
    sections.push(section("unchanged", "Unchanged", unchanged(comparison, &same)));
    sections.push(section(
        "unranked",
        "Without a verdict",
        without(comparison, &unranked),
    ));
    let modes = modes(comparison);
    if !modes.is_empty() {
        sections.push(section("cores", "CPUs", vec![Block::bullets(modes)]));
    }
    sections
}

fn section(id: &str, title: &str, body: Vec<Block>) -> Block {
    Section::new(id, title, body).into()
}

fn undecided(comparison: &FolderComparison, open: &[Compared<'_>]) -> Vec<Block> {
    if open.len() <= MOST_UNDECIDED {
        return vec![Block::Table(table(comparison, open, "Undecided"))];
    }
    in_short(comparison, open, "Undecided", "undecided")
}

fn unchanged(comparison: &FolderComparison, same: &[Compared<'_>]) -> Vec<Block> {
    if same.is_empty() {
        return Vec::new();
    }
    in_short(comparison, same, "Unchanged", "unchanged")
}

/// A line for each workload, and every row where it can be folded.
fn in_short(comparison: &FolderComparison, rows: &[Compared<'_>], caption: &str, word: &str) -> Vec<Block> {
    let whole = Block::Table(table(comparison, rows, caption));
    let title = match rows.len() {
        1 => format!("The {word} comparison"),
        all => format!("All {all} {word} comparisons"),
    };
    vec![
        Block::Table(folded(comparison, rows, caption)),
        Block::Only(
            Media::MARKDOWN | Media::PAGE,
            vec![Block::Details(title.into(), vec![whole])],
        ),
    ]
}

/// Metrics that rank nothing: a line for each reason, and all of them where there is room.
fn without(comparison: &FolderComparison, unranked: &[Compared<'_>]) -> Vec<Block> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for metric in unranked.iter().map(|compared| compared.metric) {
        reasons
            .entry(&metric.found.reason)
            .or_default()
            .push(&metric.metric);
    }
    let lines: Vec<String> = reasons
        .into_iter()
        .map(|(reason, metrics)| format!("{}: {reason}", of_metrics(&metrics)))
        .collect();
    let title = number::plural(
        unranked.len(),
        "metric without a verdict",
        "metrics without a verdict",
    );
    let table = Block::Table(table(comparison, unranked, "Without a verdict"));
    let rows = (!unranked.is_empty()).then(|| Block::Details(title.into(), vec![table]));
    vec![
        Block::bullets(lines),
        Block::Only(Media::MARKDOWN | Media::PAGE, rows.into_iter().collect()),
    ]
}

/// Why no verdict rests on values: one sentence for each reason, whatever systems it is of. The answer names tests with the same trials.
fn withheld(open: &[Compared<'_>]) -> Vec<String> {
    let mut reasons: BTreeMap<(String, String), Withheld<'_>> = BTreeMap::new();
    for metric in open.iter().map(|compared| compared.metric) {
        let Some(Text(parts)) = &metric.why_withheld else {
            continue;
        };
        let words = |parts: &[Inline]| parts.iter().map(Inline::flat).collect::<String>();
        let place = parts.iter().position(|part| matches!(part, Inline::Name(_)));
        let (before, name, after) = match place {
            Some(place) => (&parts[..place], parts.get(place), &parts[place + 1..]),
            None => (parts.as_slice(), None, &[][..]),
        };
        let own = reasons.entry((words(before), words(after))).or_default();
        own.systems.extend(name.map(Inline::flat));
        own.metrics.push(&metric.metric);
    }
    let sentence = |((before, after), own): ((String, String), Withheld<'_>)| {
        let systems: Vec<String> = own.systems.into_iter().collect();
        let systems = match systems.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            several => format!("each of {}", number::list(several)),
        };
        format!(
            "{}: undecided: {before}{systems}{after}",
            of_metrics(&own.metrics)
        )
    };
    reasons.into_iter().map(sentence).collect()
}

/// What one reason is of.
#[derive(Default)]
struct Withheld<'a> {
    systems: BTreeSet<String>,
    metrics: Vec<&'a str>,
}

/// The first few metrics and how many others there are, each once.
fn of_metrics(metrics: &[&str]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for metric in metrics {
        if !once.contains(metric) {
            once.push(metric);
        }
    }
    let more = once.len().saturating_sub(METRICS);
    let named = &once[..once.len() - more];
    if more > 0 {
        format!("{} and {more} more", named.join(", "))
    } else {
        number::list(named)
    }
}

/// A row for each comparison; a test is named in the first of its rows.
fn table(comparison: &FolderComparison, rows: &[Compared<'_>], caption: &str) -> Table {
    let mut columns = vec![
        Column::header("test"),
        Column::words("metric"),
        Column::numbers("before"),
        Column::numbers("after"),
        Column::numbers("change"),
    ];
    let is_open = rows.iter().any(|row| row.metric.undecided().is_some());
    if is_open {
        columns.push(Column::words("why"));
        columns.push(Column::numbers("trials needed").minor());
    } else {
        columns.push(Column::words("verdict"));
    }
    let shared = comparison.shared();
    let mut last = None;
    let rows = in_tests(rows).into_iter().map(|row| {
        let name = match last.replace(&row.cell.cell) == Some(&row.cell.cell) {
            true => Text::new(),
            false => row.cell.test.text(&shared),
        };
        self::row(name, row.metric, is_open)
    });
    Table::new(caption, columns, rows.collect())
}

/// The rows of a test one after the other, in the order of its metrics; tests stay in their order.
fn in_tests<'a>(rows: &[Compared<'a>]) -> Vec<Compared<'a>> {
    let mut places: Vec<(usize, usize, Compared<'a>)> = Vec::new();
    for row in rows {
        let test = rows.iter().position(|other| other.cell.cell == row.cell.cell);
        let mut metrics = row.cell.metrics.iter();
        let metric = metrics.position(|other| other.metric == row.metric.metric);
        places.push((test.unwrap_or_default(), metric.unwrap_or_default(), *row));
    }
    places.sort_by_key(|(test, metric, _)| (*test, *metric));
    places.into_iter().map(|(.., row)| row).collect()
}

fn row(name: Text, metric: &ComparedMetric, is_open: bool) -> Row {
    let [before, after, _] = metric.figures();
    let changed = signed(metric.found.ratio, metric.found.interval.map(Interval::ends));
    let tone = tone(metric.found.word);
    let why = metric.undecided().map(undecided_alone);
    let mut cells = vec![
        TableCell::new(name),
        TableCell::new(&metric.metric),
        TableCell::new(before),
        TableCell::new(after),
        TableCell::new(changed).toned(tone),
        TableCell::new(why.unwrap_or_else(|| metric.found.word.name())).toned(tone),
    ];
    if is_open {
        let needed = metric.trials_needed.map(|trials| format!("about {trials}"));
        cells.push(TableCell::new(needed.unwrap_or_else(|| "–".to_owned())));
    }
    Row::new(cells)
}

const fn tone(verdict: Word) -> Tone {
    match verdict {
        Word::Faster => Tone::Good,
        Word::Slower => Tone::Bad,
        Word::Equivalent | Word::Bounded => Tone::Same,
        Word::Undecided => Tone::Faint,
        Word::NotComparable => Tone::Warning,
    }
}

/// A line for each workload, in the order of the folders.
fn folded(comparison: &FolderComparison, rows: &[Compared<'_>], caption: &str) -> Table {
    let is_row = |one: &Compared<'_>| {
        let mut rows = rows.iter();
        rows.any(|row| row.cell.cell == one.cell.cell && row.metric.metric == one.metric.metric)
    };
    let items = comparison.all().filter(is_row).map(|row| Item {
        test: &row.cell.test,
        ratio: Some(row.metric.found.ratio),
    });
    let items: Vec<Item<'_>> = items.collect();
    folded::table(caption, "comparisons", &items, &comparison.shared())
}

/// In which modes of the CPUs throughputs were compared, where these stood otherwise before than after.
fn modes(comparison: &FolderComparison) -> Vec<String> {
    let mut shares: BTreeMap<CoreMode, Vec<(f64, f64)>> = BTreeMap::new();
    for shared in comparison.all().filter_map(|compared| compared.metric.mode) {
        let own = shares.entry(shared.mode).or_default();
        own.push((shared.before, shared.after));
    }
    let span = |shares: Vec<f64>| {
        let low = shares.iter().copied().fold(1.0, f64::min);
        let high = shares.iter().copied().fold(0.0, f64::max);
        let (low, high) = (number::whole_share(low), number::whole_share(high));
        if low == high {
            low
        } else {
            format!("{low} to {high}")
        }
    };
    let sentence = |(mode, shares): (CoreMode, Vec<(f64, f64)>)| {
        let (before, after) = shares.into_iter().unzip();
        format!(
            "throughput: compared only in slices in which the CPUs {} ({} of them before, {} after)",
            mode.in_words(),
            span(before),
            span(after)
        )
    };
    shares.into_iter().map(sentence).collect()
}
