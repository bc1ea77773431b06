//! What to read first: the verdict, what it must not be taken for, and how sure it is.

use dbdyno_document::{Block, Media, Notice, Section, Text, Tone};
use dbdyno_record::Severity;

use super::{lanes, price, tone};
use crate::model::{Flag, ReportModel};
use crate::number;

/// The answer of the whole study.
pub fn section(model: &ReportModel) -> Section {
    let mut body: Vec<Block> = model
        .summary
        .iter()
        .map(|answer| Block::headline(tone(answer.tone), &answer.text))
        .collect();
    body.extend(price::figures(model).or_else(|| lanes::block(model)));
    body.extend(model.flags.iter().map(notice));
    body.push(Block::Only(Media::TERMINAL, beside_the_answer(model)));
    body.push(Block::Only(
        Media::PAGE | Media::MARKDOWN,
        vec![Block::Beside(certainty(model))],
    ));
    body.extend(grave_findings(model));
    if !model.asked.is_empty() {
        let asked = Block::about(format!("Every workload: {}.", model.asked));
        body.push(Block::Only(Media::TERMINAL | Media::MARKDOWN, vec![asked]));
    }
    Section {
        is_answer: true,
        ..Section::new("verdict", "Verdict", body)
    }
}

/// What makes a comparison unfair or numbers doubtful.
pub fn notice(flag: &Flag) -> Block {
    let (tone, label) = if flag.refuses {
        (Tone::Bad, "Not comparable")
    } else {
        (Tone::Warning, "Take care")
    };
    Block::Notice(Notice {
        tone,
        label: label.to_owned(),
        text: flag.text.clone(),
    })
}

/// Noise, speed of the machine, added trials: a terminal has no room for all that the verdict rests on.
fn beside_the_answer(model: &ReportModel) -> Vec<Block> {
    let noise = stated(model).cloned();
    let speed = model
        .machine_speed
        .iter()
        .map(|speed| Text::from(&speed.sentence));
    let modes = model.core_modes.iter().map(|modes| modes.sentence.clone());
    let added = model.added_trials.iter().map(Text::from);
    noise
        .chain(speed)
        .chain(modes)
        .chain(added)
        .map(Block::paragraph)
        .collect()
}

/// The noise in words, where there is something to say.
fn stated(model: &ReportModel) -> impl Iterator<Item = &Text> {
    let sentences = model.noise.iter().map(|noise| &noise.sentence);
    sentences.filter(|sentence| !sentence.is_empty())
}

/// How sure the verdict is, beside what it does not show.
fn certainty(model: &ReportModel) -> Vec<Section> {
    let labelled = |label: &str, sentence: Text| Text::new().strong(label).plain(" ").text(sentence);
    let noise = stated(model);
    let speed = model.machine_speed.iter();
    let modes = model.core_modes.iter();
    let added = model.added_trials.iter();
    let basis = model
        .basis
        .iter()
        .cloned()
        .chain(noise.map(|noise| labelled("Noise.", noise.clone())))
        .chain(speed.map(|speed| labelled("Speed of the machine.", Text::from(&speed.sentence))))
        .chain(modes.map(|modes| labelled("Cores of the machine.", modes.sentence.clone())))
        .chain(added.map(|added| labelled("Added trials.", Text::from(added))));
    let part = |title: &str, sentences: Vec<Text>| {
        (!sentences.is_empty()).then(|| Section::new("", title, vec![Block::bullets(sentences)]))
    };
    [
        part("How sure", basis.collect()),
        part("This does not show", model.limits.clone()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A hint at the findings, which a page lists far below.
fn grave_findings(model: &ReportModel) -> Option<Block> {
    let count = |severity: Severity| {
        let groups = model.findings.iter();
        groups.filter(|group| group.severity == severity).count()
    };
    let kinds = [
        (
            Severity::Invalid,
            "kind of invalid result",
            "kinds of invalid results",
        ),
        (Severity::Warning, "kind of warning", "kinds of warnings"),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|(severity, ..)| count(*severity) > 0)
        .map(|(severity, one, many)| number::plural(count(severity), one, many))
        .collect();
    let text = Text::from(format!("{} among the trials. ", number::list(&parts)))
        .anchor("See what and why.", "findings");
    let notice = Block::Notice(Notice {
        tone: Tone::Warning,
        label: "Findings".to_owned(),
        text,
    });
    (!parts.is_empty()).then(|| Block::Only(Media::PAGE, vec![notice]))
}
