//! Differences in work, guarantees or machine: each of them once, with the tests that it is of.

use std::collections::BTreeMap;

use dbdyno_document::{Block, Media, Section, Text};
use dbdyno_vocabulary::text;

use crate::compared::{ComparedCell, FolderComparison};
use crate::conditions::{Difference, joined};
use crate::number;

/// So many differences are in a sentence; a page lists the others.
const NAMED: usize = 3;

/// Differences with the tests that have exactly these, the most tests first.
fn grouped(comparison: &FolderComparison) -> Vec<(&[Difference], Vec<&ComparedCell>)> {
    let mut groups: BTreeMap<&[Difference], Vec<&ComparedCell>> = BTreeMap::new();
    for cell in comparison
        .cells
        .iter()
        .filter(|cell| !cell.differences.is_empty())
    {
        groups.entry(&cell.differences).or_default().push(cell);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
    groups
}

/// The differences that all tests share, and how many tests have others.
pub fn sentences(comparison: &FolderComparison) -> Vec<Text> {
    let groups = grouped(comparison);
    let Some((first, _)) = groups.first() else {
        return Vec::new();
    };
    let different: usize = groups.iter().map(|(_, cells)| cells.len()).sum();
    let common: Vec<Difference> = first
        .iter()
        .filter(|difference| groups.iter().all(|(own, _)| own.contains(difference)))
        .cloned()
        .collect();
    let shared = comparison.shared();
    let tests = match (different, groups.first()) {
        (1, Some((_, cells))) => cells[0].test.text(&shared),
        _ if different == comparison.cells.len() => "all tests".into(),
        _ => number::plural(different, "test", "tests").into(),
    };
    let label = if comparison.refused() > 0 {
        "Not compared"
    } else {
        "Compared anyway"
    };
    let mut sentences = Vec::new();
    if !common.is_empty() {
        let common = format!(": {}.", first_of(&common));
        sentences.push(text![format!("{label}, "), tests, common]);
    }
    for (differences, cells) in groups.iter().take(NAMED) {
        let own: Vec<Difference> = differences
            .iter()
            .filter(|difference| !common.contains(difference))
            .cloned()
            .collect();
        if own.is_empty() {
            continue;
        }
        let tests = match cells.as_slice() {
            [one] => one.test.text(&shared),
            [first, others @ ..] => text![first.test.text(&shared), format!(" and {} more", others.len())],
            [] => Text::new(),
        };
        sentences.push(text![
            format!("{label}, "),
            tests,
            format!(": {}.", first_of(&own))
        ]);
    }
    sentences
}

fn first_of(differences: &[Difference]) -> String {
    let more = differences.len().saturating_sub(NAMED);
    let named = joined(&differences[..differences.len() - more]);
    if more > 0 {
        format!("{named} and {more} more conditions")
    } else {
        named
    }
}

/// Every difference, for where the sentences left some out.
pub fn section(comparison: &FolderComparison) -> Option<Section> {
    let groups = grouped(comparison);
    let is_cut = groups.len() > NAMED || groups.iter().any(|(own, _)| own.len() > NAMED);
    let shared = comparison.shared();
    let items = groups.iter().map(|(differences, cells)| {
        let tests = cells.iter().map(|cell| cell.test.text(&shared));
        text![Text::joined(tests, "; "), format!(": {}", joined(differences))]
    });
    let list = Block::Details("Every difference".into(), vec![Block::bullets(items)]);
    let body = vec![Block::Only(Media::PAGE | Media::MARKDOWN, vec![list])];
    is_cut.then(|| Section::new("conditions", "Other conditions", body))
}
