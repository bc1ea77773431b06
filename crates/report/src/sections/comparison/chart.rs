//! The ratios with their intervals around no change: a drawing for each metric on a page, characters elsewhere.

use std::collections::BTreeMap;

use dbdyno_chart::changes::{self, Changes, Lane};
use dbdyno_document::{Block, Figure, named};
use dbdyno_stats::Interval;

use super::Compared;
use crate::compared::FolderComparison;
use crate::model::Word;
use crate::number;
use crate::sample::Unit;
use crate::sections::study::plots::figure;
use crate::text_chart::{self, Line};
use crate::words::change::signed;

/// More lines than these are no chart to look at; the table has all of them.
const MOST_LINES: usize = 24;
/// So many metrics are drawn at once; a page opens the others on request.
const FIRST: usize = 3;

/// Comparisons that may rank something: changes first, then undecided ones.
fn judged(comparison: &FolderComparison) -> Vec<Compared<'_>> {
    let kinds = [
        &[Word::Slower][..],
        &[Word::Faster],
        &[Word::Undecided],
        &[Word::Equivalent, Word::Bounded],
    ];
    kinds
        .into_iter()
        .flat_map(|kind| comparison.of_words(kind))
        .collect()
}

/// A drawing for each metric: those to see first, and the others.
pub fn figures(comparison: &FolderComparison) -> (Vec<Figure>, Vec<Figure>) {
    let colors = comparison.colors();
    let judged = judged(comparison);
    let mut metrics: Vec<&str> = Vec::new();
    for row in comparison.all() {
        if !metrics.contains(&row.metric.metric.as_str()) {
            metrics.push(&row.metric.metric);
        }
    }
    let has_changed = |metric: &str| {
        let mut own = judged.iter().filter(|row| row.metric.metric == metric);
        own.any(|row| row.metric.found.word.is_difference())
    };
    metrics.sort_by_key(|metric| !has_changed(metric));
    let drawn = metrics
        .iter()
        .filter_map(|metric| of_metric(comparison, metric, &judged, &colors));
    let mut first: Vec<Figure> = drawn.collect();
    let more = first.split_off(first.len().min(FIRST));
    (first, more)
}

fn of_metric(
    comparison: &FolderComparison,
    metric: &str,
    judged: &[Compared<'_>],
    colors: &BTreeMap<String, usize>,
) -> Option<Figure> {
    let own: Vec<&Compared<'_>> = judged.iter().filter(|row| row.metric.metric == metric).collect();
    let better = match own.first()?.metric.unit {
        Unit::Rate => "right is faster",
        Unit::Nanoseconds => "left is faster",
    };
    let title = format!("{metric} ({better})");
    let shared = comparison.shared();
    let mut tests: Vec<(String, Vec<(String, &Compared<'_>)>)> = Vec::new();
    for row in own.iter().take(MOST_LINES) {
        let title = row.cell.test.work_and_load(&shared);
        let lane = (named(&row.cell.test.system).flat(), *row);
        match tests.iter_mut().find(|(known, _)| *known == title) {
            Some((_, lanes)) => lanes.push(lane),
            None => tests.push((title, vec![lane])),
        }
    }
    let rows: Vec<changes::Row<'_>> = tests
        .iter()
        .map(|(title, lanes)| changes::Row {
            title,
            lanes: lanes
                .iter()
                .map(|(system, row)| lane(system, row, colors))
                .collect(),
        })
        .collect();
    let about = Changes {
        name: &dbdyno_analysis::cells::slug(metric),
        title: &title,
        value: "after_by_before",
        margin: comparison.margin,
    };
    changes::changes(&rows, &about).map(figure)
}

fn lane<'a>(system: &'a str, row: &Compared<'a>, colors: &BTreeMap<String, usize>) -> Lane<'a> {
    let found = &row.metric.found;
    Lane {
        system,
        color: colors.get(&row.cell.test.system).copied().unwrap_or_default(),
        ratio: found.ratio,
        interval: found.interval.map(Interval::ends),
        change: signed(found.ratio, found.interval.map(Interval::ends)),
        verdict: found.word.name(),
        undecided: found.word == Word::Undecided,
    }
}

/// How to read the drawings.
pub fn note(comparison: &FolderComparison) -> Block {
    Block::note(format!(
        "A dot shows after relative to before, the line its 95% interval; an arrow means that it goes on. A difference within the shaded margin of {} does not matter. A hollow \
         dot is undecided.",
        number::share(comparison.margin)
    ))
}

/// For where a log or a pull request shows text alone.
pub fn of_characters(comparison: &FolderComparison) -> Option<Block> {
    let shared = comparison.shared();
    let line = |row: Compared<'_>| {
        let metric = row.metric;
        let interval = metric.found.interval.map(Interval::ends);
        Line {
            label: format!("{}: {}", row.cell.test.text(&shared), metric.metric),
            point: metric.found.ratio,
            interval,
            figures: format!(
                "{}: {}",
                signed(metric.found.ratio, interval),
                metric.found.word.name()
            ),
        }
    };
    let mut lines: Vec<Line> = judged(comparison).into_iter().map(line).collect();
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    let mut text = text_chart::ratios(&lines, comparison.margin);
    if more > 0 {
        text.push_str(&format!("{more} more in the tables\n"));
    }
    let caption = "After relative to before (●) with its 95% interval (├─┤). Between the dotted lines (┊), a difference does not \
                   matter.\nMore throughput is better; less latency is better.";
    (!lines.is_empty()).then(|| Block::Code("text", format!("{caption}\n\n{text}")))
}
