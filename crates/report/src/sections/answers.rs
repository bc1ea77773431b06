//! Answers to several needs as one document: the answers in a table, each with its reasons, and why published studies disagree.

mod disagreement;
mod need;

use dbdyno_document::{Block, Column, Document, Render, Row, Section, Table, TableCell, Text};

use super::advice::{headline, tone};
use crate::advice::Advice;
use crate::answers::{Answer, Answers};
use crate::number;

impl Render for Answers {
    fn document(&self) -> Document {
        let mut body: Vec<Block> = vec![overview(self).into()];
        body.extend(
            self.answers
                .iter()
                .map(|answer| need::section(answer, &self.results).into()),
        );
        body.extend(disagreement::section(self).map(Block::from));
        body.push(scope(self).into());
        Document {
            kind: "answers".to_owned(),
            title: "Which database is right for this work?".to_owned(),
            about: about(self),
            body,
            footer: "Made by dbdyno from the records of the results named above.".to_owned(),
            has_contents: true,
            ..Document::default()
        }
    }
}

fn about(answers: &Answers) -> Text {
    format!(
        "{} answered from {}",
        number::plural(answers.answers.len(), "need", "needs"),
        number::list(&answers.results)
    )
    .into()
}

/// One line for each need.
fn overview(answers: &Answers) -> Section {
    let columns = vec![
        Column::header("need"),
        Column::words("answer"),
        Column::numbers("how sure"),
        Column::words("ahead of the next"),
    ];
    let rows = answers.answers.iter().map(|answer| {
        let advice = &answer.advice;
        let need = Text::new().anchor(title(answer), need::id(answer));
        Row::new([
            TableCell::new(need),
            TableCell {
                tone: tone(advice.word),
                ..TableCell::new(headline(advice))
            },
            TableCell::new(how_sure(advice)),
            TableCell::new(ahead(advice)),
        ])
    });
    let table = Table::new("Answers", columns, rows.collect()).remark(
        "How sure: the share of simulations in which the first system is best, with the measured values and the weights varied within \
         their uncertainty. In brackets: the 95% interval of its advantage.",
    );
    Section {
        is_answer: true,
        ..Section::new("answers", "Answers", vec![Block::Table(table)])
    }
}

/// The title of a need, or its file.
pub(super) fn title(answer: &Answer) -> &str {
    match answer.advice.title.as_str() {
        "" => &answer.need,
        title => title,
    }
}

fn how_sure(advice: &Advice) -> String {
    let first = advice.ranking.first();
    first.map_or_else(|| "–".to_owned(), |first| number::share(first.probability_first))
}

fn ahead(advice: &Advice) -> String {
    let next = advice.ranking.get(1);
    next.and_then(|next| Some((next, next.behind?))).map_or_else(
        || "–".to_owned(),
        |(next, (ratio, low, high))| {
            format!(
                "{}: {} ({} to {})",
                next.system,
                number::ratio(ratio),
                number::ratio_digits(low),
                number::ratio_digits(high)
            )
        },
    )
}

/// What all answers hold for, each line once.
fn scope(answers: &Answers) -> Section {
    let mut facts: Vec<(Text, Text)> = Vec::new();
    for (label, value) in answers.answers.iter().flat_map(|answer| &answer.advice.scope) {
        let fact = (label.into(), value.into());
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    Section::new("scope", "What it holds for", vec![Block::Facts(facts)])
}
