//! What the checks of a run found, what that means for its numbers, and what to do.

use dbdyno_document::{Block, Finding, Media, Section, Tone};
use dbdyno_record::{Severity, TrialRecord, TrialStatus};

use crate::sections::marked::marked;
use crate::words::meaning::meaning;

/// The findings. A terminal has no room for their meaning, and a run that did not end has not passed every check.
pub fn blocks(trial: &TrialRecord) -> Vec<Block> {
    let findings = &trial.findings;
    let on_a_page: Vec<Block> = if findings.is_empty() {
        let passed = trial.status == TrialStatus::Completed;
        let none = passed.then(|| Block::paragraph("None: every check of the run passed."));
        none.into_iter().collect()
    } else {
        let explained = findings.iter().map(|found| {
            Block::Finding(Finding {
                body: vec![meaning(found).into()],
                ..finding(found)
            })
        });
        explained.collect()
    };
    let section = Section::new("findings", "Findings", on_a_page);
    let short = findings.iter().map(|found| Block::Finding(finding(found)));
    vec![
        Block::Only(Media::TERMINAL | Media::MARKDOWN, short.collect()),
        Block::Only(Media::PAGE, vec![section.into()]),
    ]
}

fn finding(finding: &dbdyno_record::Finding) -> Finding {
    Finding {
        tone: match finding.severity {
            Severity::Invalid => Tone::Bad,
            Severity::Warning => Tone::Warning,
            Severity::Note => Tone::Plain,
        },
        label: finding.severity.to_string(),
        title: marked(&finding.message()),
        remedy: (!finding.remedy().is_empty()).then(|| marked(&finding.remedy())),
        ..Finding::default()
    }
}
