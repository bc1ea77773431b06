//! What went wrong, and what the checks of every trial found.

use dbdyno_document::{Block, Finding, Media, Section, Text, Tone, named};
use dbdyno_record::Severity;

use crate::model::{Failure, FindingGroup, ReportModel};
use crate::number;
use crate::sections::marked::marked;

/// The section; nothing when nothing went wrong or was found.
pub fn section(model: &ReportModel) -> Option<Section> {
    let mut body: Vec<Block> = model.failures.iter().map(failed).collect();
    body.extend(model.findings.iter().map(finding));
    body.extend(not_yet_run(&model.progress.missing));
    (!body.is_empty()).then(|| Section::new("findings", "Findings", body))
}

fn failed(failure: &Failure) -> Block {
    let what = marked(&format!(" on workload {}: {}", failure.workload, failure.reason));
    Block::Finding(Finding {
        tone: Tone::Bad,
        label: "failed".to_owned(),
        title: named(&failure.system).text(what),
        place: Some(Text::new().code(&failure.trial)),
        ..Finding::default()
    })
}

fn finding(group: &FindingGroup) -> Block {
    let tone = match group.severity {
        Severity::Invalid => Tone::Bad,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Plain,
    };
    // One message says no more than the title.
    let messages = std::iter::once(&group.message).chain(&group.other_messages);
    let messages = messages.filter(|_| !group.other_messages.is_empty());
    let more = Block::bullets(messages.map(|message| marked(message)));
    let more = Block::Details("In single trials".into(), vec![more]);
    let place = Text::new()
        .code(&group.code)
        .plain(": ")
        .plain(number::plural(group.trials, "trial", "trials"))
        .plain(" of ")
        .text(Text::names(&group.systems))
        .plain(match group.workloads.len() {
            0 => "",
            1 => "; workload ",
            _ => "; workloads ",
        })
        .plain(number::list(&group.workloads));
    let finding = Block::Finding(Finding {
        tone,
        label: group.severity.to_string(),
        title: marked(&group.title),
        remedy: (!group.remedy.is_empty()).then(|| marked(&group.remedy)),
        place: Some(place),
        more: vec![Block::Only(Media::PAGE, vec![more])],
        ..Finding::default()
    });
    if tone == Tone::Plain {
        // A terminal shows what needs attention.
        Block::Only(Media::PAGE | Media::MARKDOWN, vec![finding])
    } else {
        finding
    }
}

fn not_yet_run(missing: &[String]) -> Option<Block> {
    let which = Block::bullets(missing.iter().map(|trial| Text::new().code(trial)));
    let planned = number::plural(missing.len(), "planned trial has", "planned trials have");
    let finding = Block::Finding(Finding {
        label: "not yet run".to_owned(),
        title: format!("{planned} no record.").into(),
        more: vec![Block::Details("Which".into(), vec![which])],
        ..Finding::default()
    });
    (!missing.is_empty()).then(|| Block::Only(Media::PAGE, vec![finding]))
}
