//! One need on the page of several: the answer, why, what would change it, what was not shown, and what was published.

use std::path::Path;

use dbdyno_document::{Block, Paragraph, Role, Section, Text};
use dbdyno_vocabulary::{shell, text};

use super::title;
use crate::advice::{Advice, RequirementRow, Statement};
use crate::answers::Answer;
use crate::sections::advice::{headline, tone};
use crate::sections::marked::marked;
use crate::sections::published_claims;

/// What links to the need lead to.
pub fn id(answer: &Answer) -> String {
    let letters = title(answer).chars().map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    format!("need-{}", letters.collect::<String>())
}

/// The need's section, answered from these results.
pub fn section(answer: &Answer, results: &[String]) -> Section {
    let advice = &answer.advice;
    let mut body = vec![
        Block::headline(tone(advice.word), Text::new().strong(headline(advice))),
        statements(&advice.why),
    ];
    let mut part = |heading: &str, block: Block| {
        body.push(Block::paragraph(Text::new().strong(heading)));
        body.push(block);
    };
    if !advice.sensitivity.is_empty() {
        part("What would change it", statements(&advice.sensitivity));
    }
    let not_shown = not_shown(advice);
    if !not_shown.is_empty() {
        part("What was not shown", Block::bullets(not_shown));
    }
    if !advice.cautions.is_empty() {
        part("Take care", statements(&advice.cautions));
    }
    if !advice.published.is_empty() {
        body.push(Block::Table(published_claims::table(&advice.published)));
    }
    body.push(Block::Paragraph(Paragraph {
        text: Text::new()
            .plain("The evidence, trial by trial: ")
            .code(command(answer, results)),
        role: Role::Note,
    }));
    Section::new(id(answer), title(answer), body)
}

/// The command that advises on this need alone, with the evidence of each sentence.
fn command(answer: &Answer, results: &[String]) -> String {
    let paths = std::iter::once(&answer.need).chain(results);
    let paths: Vec<String> = paths.map(|path| shell::path(Path::new(path))).collect();
    format!("dbdyno advise {}", paths.join(" "))
}

/// Statements without the numbers of their evidence, which belong to the advice on one need.
fn statements(statements: &[Statement]) -> Block {
    Block::bullets(statements.iter().map(|statement| marked(&statement.text)))
}

/// Requirements with the systems that are not shown to meet them, goals that could not be judged, and what was not measured of anybody.
fn not_shown(advice: &Advice) -> Vec<Text> {
    let of_requirement = |row: &RequirementRow| {
        let open = row.systems.iter().filter(|cell| cell.compliance == "not shown");
        let names: Vec<&str> = open.map(|cell| cell.system.as_str()).collect();
        (!names.is_empty()).then(|| text![&row.requirement, ": not shown for ", Text::names(names), "."])
    };
    let requirements = advice.requirements.iter().filter_map(of_requirement);
    let goals = advice.goals.iter().filter_map(|row| row.unjudged.as_ref());
    let goals = goals.map(|why| marked(&format!("{why}.")));
    // The last statement is on what these results measured of nobody.
    let beyond = advice
        .not_measured
        .last()
        .map(|statement| marked(&statement.text));
    requirements.chain(goals).chain(beyond).collect()
}
