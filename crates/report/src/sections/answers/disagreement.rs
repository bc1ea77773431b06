//! Why published studies of one question disagree: what each of them measured, and in what those that contradict each other differ.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_document::{Block, Column, Row, Section, Table, TableCell, Text};

use super::title;
use crate::advice::Published;
use crate::answers::{Answer, Answers, PublishedStudy, Setup};
use crate::number;
use crate::sections::marked::marked;

/// The section; `None` where the needs name no published claim.
pub fn section(answers: &Answers) -> Option<Section> {
    if answers.studies.is_empty() {
        return None;
    }
    let mut body = vec![Block::Table(setups(answers))];
    let conflicts: Vec<Text> = answers
        .answers
        .iter()
        .filter_map(|answer| conflict(answer, &answers.studies))
        .collect();
    if !conflicts.is_empty() {
        body.push(Block::bullets(conflicts));
    }
    body.extend(
        answers
            .studies
            .iter()
            .filter(|study| !study.limits.is_empty())
            .map(limits),
    );
    Some(Section::new(
        "disagreement",
        "Why the published studies disagree",
        body,
    ))
}

fn setups(answers: &Answers) -> Table {
    let labels = answers.setup.protocol.iter();
    let columns = [Column::header("study"), Column::words("databases")]
        .into_iter()
        .chain(labels.map(|(label, _)| Column::words(*label)))
        .chain([
            Column::numbers("contradictions"),
            Column::words("its claims on its own numbers"),
        ]);
    let rows = answers.studies.iter().map(|study| {
        let last = [
            study.contradictions.to_string(),
            format!(
                "{} hold and {} fail of {}",
                study.holding, study.failing, study.judged
            ),
        ];
        row(&study.id, &study.setup, last)
    });
    let own = row("these results", &answers.setup, ["–".to_owned(), "–".to_owned()]);
    Table::new(
        "What they measured",
        columns.collect(),
        rows.chain([own]).collect(),
    )
    .remark(marked(
        "Contradictions: findings of `dbdyno paper lint` in the printed numbers that are certain.",
    ))
}

fn row(study: &str, setup: &Setup, last: [String; 2]) -> Row {
    let first = [study.to_owned(), databases(setup)];
    let protocol = setup.protocol.iter().map(|(_, value)| value.clone());
    let cells = first.into_iter().chain(protocol).chain(last);
    Row::new(cells.map(TableCell::new))
}

fn databases(setup: &Setup) -> String {
    let all = setup.versions.iter();
    let each = all.map(|(database, versions)| {
        format!(
            "{database} {}",
            number::list(&versions.iter().collect::<Vec<_>>())
        )
    });
    each.collect::<Vec<_>>().join("; ")
}

/// In what the studies differ whose claims of one need speak for different databases.
fn conflict(answer: &Answer, studies: &[PublishedStudy]) -> Option<Text> {
    let mut sides: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for Published { paper, favours, .. } in &answer.advice.published {
        sides.entry(number::list(favours)).or_default().insert(paper);
    }
    if sides.len() < 2 {
        return None;
    }
    let side = |(favours, papers): (&String, &BTreeSet<&str>)| {
        let papers: Vec<&&str> = papers.iter().collect();
        let verb = number::agreeing(&papers.len(), "speaks", "speak");
        format!("{} {verb} for {favours}", number::list(&papers))
    };
    let stated: Vec<String> = sides.iter().map(side).collect();
    let involved: BTreeSet<&str> = sides.values().flatten().copied().collect();
    let differing = differing(
        studies
            .iter()
            .filter(|study| involved.contains(study.id.as_str()))
            .collect(),
    );
    let differing = if differing.is_empty() {
        "Their set-ups do not differ in what they state.".to_owned()
    } else {
        format!("They differ in {}.", number::list(&differing))
    };
    Some(
        Text::new()
            .strong(format!("{}:", title(answer)))
            .plain(format!(" {}. {differing}", stated.join("; "))),
    )
}

/// What these studies state differently; the table above has the values.
fn differing(studies: Vec<&PublishedStudy>) -> Vec<String> {
    let mut facts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for study in &studies {
        for (database, versions) in &study.setup.versions {
            let versions = versions.iter().cloned().collect::<Vec<_>>().join(" and ");
            facts
                .entry(format!("the version of {database}"))
                .or_default()
                .insert(versions);
        }
        for (label, value) in &study.setup.protocol {
            facts
                .entry((*label).to_owned())
                .or_default()
                .insert(value.clone());
        }
    }
    let differing = facts.into_iter().filter(|(_, values)| values.len() > 1);
    differing.map(|(label, _)| label).collect()
}

fn limits(study: &PublishedStudy) -> Block {
    let items = study.limits.iter().map(|(text, by_author)| {
        let by = if *by_author { " (the authors say so)" } else { "" };
        format!("{text}{by}")
    });
    Block::Details(
        format!("What {} cannot say", study.id).into(),
        vec![Block::bullets(items)],
    )
}
