//! The answer of a history: how many series changed, which, by how much, and since when.

use std::collections::BTreeMap;

use dbdyno_analysis::Undecided;
use dbdyno_document::{Block, Text, Tone};
use dbdyno_vocabulary::text;

use super::Names;
use crate::conditions::{Difference, joined};
use crate::history::{History, Series};
use crate::history_state::{Moved, State};
use crate::number;
use crate::words::change::{change, undecided};

/// So many are named; the others are counted.
const NAMED: usize = 3;

/// `20 points, v0 to v19`.
pub fn extent(history: &History) -> String {
    let longest = history.series.iter().max_by_key(|series| series.points.len());
    let points = longest.map_or(&[][..], |series| &series.points);
    let series = number::plural(history.series.len(), "series", "series");
    match points {
        [] => series,
        [only] => format!("{series}, 1 point: {}", only.label),
        [first, .., last] => format!(
            "{series} over {} points, {} to {}",
            points.len(),
            first.label,
            last.label
        ),
    }
}

/// The answer, a headline for each kind of it.
pub fn headlines(history: &History, states: &[(&Series, State)], names: &Names) -> Vec<Block> {
    let mut sentences: Vec<(Tone, Text)> = Vec::new();
    sentences.extend(count(states).map(|sentence| (Tone::Same, sentence)));
    for (label, tone, is_worse) in [("Slower", Tone::Bad, true), ("Faster", Tone::Good, false)] {
        let moved = states.iter().filter_map(|(series, state)| match state {
            State::Moved(moved) if moved.is_worse == is_worse => Some((*series, moved)),
            _ => None,
        });
        let moved: Vec<(&Series, &Moved)> = moved.collect();
        let label = Text::new().toned(tone, label);
        sentences.extend(listed(label, &moved, names).map(|sentence| (tone, sentence)));
    }
    sentences.extend(lost(history, names).map(|sentence| (Tone::Bad, sentence)));
    sentences.extend(open(states).map(|sentence| (Tone::Faint, sentence)));
    sentences.extend(alone(states).map(|sentence| (Tone::Faint, sentence)));
    sentences.extend(
        conditions(history)
            .into_iter()
            .map(|sentence| (Tone::Warning, sentence)),
    );
    sentences.extend(copies(history).map(|sentence| (Tone::Warning, sentence)));
    let headline = |(tone, text): (Tone, Text)| Block::headline(tone, text);
    sentences.into_iter().map(headline).collect()
}

fn count(states: &[(&Series, State)]) -> Option<Text> {
    let count = |wanted: fn(&State) -> bool| states.iter().filter(|(_, state)| wanted(state)).count();
    let moved = count(|state| matches!(state, State::Moved(_)));
    let open = count(|state| matches!(state, State::Undecided(_)));
    let same = count(|state| matches!(state, State::Unchanged));
    let all = moved + open + same;
    let series = number::plural(all, "series", "series");
    let sentence = match (moved, same) {
        (0, 0) => return None,
        (0, _) if open == 0 => format!("Nothing changed in {series}."),
        (0, _) => format!(
            "No change is shown: {} unchanged, {open} undecided.",
            number::plural(same, "series is", "series are")
        ),
        (_, 0) => format!("{moved} of {series} changed."),
        _ => format!("Nothing changed in {same} of {series}."),
    };
    Some(sentence.into())
}

/// `Slower: C: read only, full speed, fjall: throughput 12% lower since v14; ...`.
fn listed(label: Text, moved: &[(&Series, &Moved)], names: &Names) -> Option<Text> {
    let named = moved.iter().take(NAMED).map(|(series, moved)| {
        let words = change(moved.ratio, moved.interval);
        text![
            names.test(series),
            format!(": {} {words} since {}", series.metric, moved.since)
        ]
    });
    let more = moved.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    (!moved.is_empty()).then(|| text![label, ": ", Text::joined(named, "; "), more, "."])
}

/// Last points that no longer keep their rate, or whose trials are no longer sound.
fn lost(history: &History, names: &Names) -> Option<Text> {
    let lost: Vec<&Series> = history
        .series
        .iter()
        .filter(|series| {
            series
                .last
                .as_ref()
                .is_some_and(|last| last.rate_lost || last.answers_lost)
        })
        .collect();
    let mut tests: Vec<Text> = Vec::new();
    for test in lost.iter().map(|series| names.test(series)) {
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
    let more = tests.len().saturating_sub(NAMED);
    tests.truncate(NAMED);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    let label = "New failures, invalid trials or a rate no longer kept at the last point: ";
    (!tests.is_empty()).then(|| text![label, Text::joined(tests, "; "), more, "."])
}

fn open(states: &[(&Series, State)]) -> Option<Text> {
    let mut kinds: BTreeMap<Undecided, usize> = BTreeMap::new();
    for (_, state) in states {
        if let State::Undecided(why) = state {
            *kinds.entry(*why).or_default() += 1;
        }
    }
    let parts: Vec<String> = kinds
        .iter()
        .map(|(why, count)| format!("{count} {}", undecided(*why)))
        .collect();
    (!parts.is_empty()).then(|| format!("The last point is undecided: {}.", parts.join(", ")).into())
}

fn alone(states: &[(&Series, State)]) -> Option<Text> {
    let alone = states.iter().filter(|(_, state)| *state == State::Alone).count();
    (alone > 0).then(|| {
        let series = number::plural(alone, "series has", "series have");
        format!("{series} no earlier point under the conditions of the last one.").into()
    })
}

/// `Left out because an earlier point has the same trials: v2 (v1), v3 (v1).`
fn copies(history: &History) -> Option<Text> {
    let copies = &history.copies;
    let named = copies.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|copy| format!("{} ({})", copy.label, copy.of))
        .collect();
    let more = match copies.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    (!copies.is_empty())
        .then(|| format!("Left out because an earlier point has the same trials: {named}{more}.").into())
}

/// Where other conditions begin, each once, with how many series have them.
fn conditions(history: &History) -> Vec<Text> {
    let mut kinds: Vec<(&str, &[Difference], usize)> = Vec::new();
    for point in history.series.iter().flat_map(|series| &series.points) {
        if point.differences.is_empty() {
            continue;
        }
        let is_known = |(label, differences, _): &&mut (&str, &[Difference], usize)| {
            *label == point.label && **differences == *point.differences
        };
        match kinds.iter_mut().find(is_known) {
            Some((.., count)) => *count += 1,
            None => kinds.push((&point.label, &point.differences, 1)),
        }
    }
    let sentence = |(label, differences, count): (&str, &[Difference], usize)| {
        let more = differences.len().saturating_sub(NAMED);
        let named = joined(&differences[..differences.len() - more]);
        let more = if more > 0 {
            format!(" and {more} more conditions")
        } else {
            String::new()
        };
        let series = if count == history.series.len() {
            "all series".to_owned()
        } else {
            format!("{count} series")
        };
        format!("Not compared with earlier points from {label} on, {series}: {named}{more}.").into()
    };
    kinds.into_iter().map(sentence).collect()
}
