//! The points of a series in a table, and many series in one.

use std::collections::BTreeMap;

use dbdyno_document::{Block, Column, Media, Row, Section, Table, TableCell, Tone};
use dbdyno_stats::Interval;
use dbdyno_vocabulary::text;

use super::Names;
use crate::history::{Point, Series};
use crate::history_state::State;
use crate::model::Word;
use crate::number;
use crate::words::change::{change, signed};

/// So many points of a series are on a terminal.
const NEWEST: usize = 20;

/// Every point of a series, and what bears on it.
pub fn points(series: &Series, names: &Names) -> Section {
    let title = text![names.test(series), format!(": {}", series.metric)];
    let columns = vec![
        Column::header("point"),
        Column::words("version"),
        Column::numbers("trials"),
        Column::numbers("median"),
        Column::numbers("95% interval"),
        Column::words("change"),
    ];
    let rows: Vec<Row> = series.points.iter().map(|point| row(series, point)).collect();
    let earlier = rows.len().saturating_sub(NEWEST);
    let counted = number::plural(earlier, "earlier point", "earlier points");
    let note = (earlier > 0).then(|| Block::note(format!("{counted}, shown by the other formats.")));
    let newest = Table::new(title.clone(), columns.clone(), rows[earlier..].to_vec());
    let folded = number::plural(rows.len(), "point", "points");
    let whole = Block::Table(Table::new(title.clone(), columns, rows));
    let mut short = vec![Block::Table(newest)];
    short.extend(note);
    // A page has a drawing of the points.
    let folded = Block::Details(folded.into(), vec![whole.clone()]);
    let body = vec![
        Block::Only(Media::TERMINAL, short),
        Block::Only(Media::MARKDOWN | Media::LATEX, vec![whole]),
        Block::Only(Media::PAGE, vec![folded]),
        Block::bullets(remarks(series)),
    ];
    Section::new("", title, body)
}

fn row(series: &Series, point: &Point) -> Row {
    let interval = point.interval.map_or_else(
        || "–".to_owned(),
        |(low, high)| format!("{} to {}", series.unit.format(low), series.unit.format(high)),
    );
    let changed = match point.change {
        Some(found) => {
            let (word, tone) = if found.slower {
                ("slower", Tone::Bad)
            } else {
                ("faster", Tone::Good)
            };
            TableCell::new(format!(
                "{word}: {} than the level before",
                change(found.ratio, None)
            ))
            .toned(tone)
        }
        None if !point.differences.is_empty() => TableCell::new("other conditions").toned(Tone::Warning),
        None => TableCell::default(),
    };
    Row::new([
        TableCell::new(&point.label),
        TableCell::new(&point.version),
        TableCell::new(point.trials.to_string()),
        TableCell::new(number::bounded(series.unit.format(point.median), point.at_least)),
        TableCell::new(interval),
        changed,
    ])
}

fn remarks(series: &Series) -> Vec<String> {
    let unreliable = series.points.iter().filter_map(|point| {
        let why = point.unreliable.as_ref()?;
        Some(format!("{} belongs to no level: {why}", point.label))
    });
    let last = series.points.last().zip(series.last.as_ref());
    let last = last.map(|(point, last)| {
        let found = &last.found;
        let figures = match last.undecided() {
            None if found.word != Word::NotComparable => {
                signed(found.ratio, found.interval.map(Interval::ends))
            }
            Some(_) if !last.withheld => {
                let change = change(found.ratio, found.interval.map(Interval::ends));
                format!("{change}: {}", found.why)
            }
            _ => found.reason.clone(),
        };
        format!(
            "{} compared with the level before: {}, {figures}",
            point.label,
            found.word.name()
        )
    });
    unreliable.chain(last).collect()
}

/// Why series have no verdict: one sentence for each reason, with how many it is of.
pub fn reasons(series: &[&Series]) -> Vec<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for last in series.iter().filter_map(|series| series.last.as_ref()) {
        if last.found.word == Word::NotComparable || last.withheld {
            *reasons.entry(&last.found.why).or_default() += 1;
        }
    }
    let alone = series.iter().filter(|series| series.state() == State::Alone);
    let alone = alone.count();
    if alone > 0 {
        reasons.insert("no earlier point under the conditions of the last one", alone);
    }
    let sentence =
        |(why, count): (&str, usize)| format!("{}: {why}", number::plural(count, "series", "series"));
    reasons.into_iter().map(sentence).collect()
}
