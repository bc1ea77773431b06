//! What the linter finds in printed results, as a document: the findings, what no rule looked at, and how many there are.

use dbdyno_document::{Block, Document, Finding, Render, Section, Text, Tone};
use dbdyno_lint::Certainty;

use crate::number;

/// Places of one finding that are listed before the rest is only counted.
const PLACES: usize = 8;

/// What the linter found in some results.
#[derive(Clone, Debug, Default)]
pub struct LintResults {
    /// The findings, the gravest first.
    pub findings: Vec<dbdyno_lint::Finding>,
    /// What no rule looked at: each path with a sentence for each thing.
    pub not_checked: Vec<(String, Vec<String>)>,
    /// What was checked, e.g. `a.csv, 3 lines checked`.
    pub checked: String,
}

impl Render for LintResults {
    fn document(&self) -> Document {
        let not_checked = self.not_checked.iter().filter(|(_, what)| !what.is_empty());
        let not_checked = not_checked.map(|(path, what)| {
            let title = format!("Not checked: {path}");
            Section::new("", title, vec![Block::bullets(what)]).into()
        });
        let mut body: Vec<Block> = self.findings.iter().map(finding).collect();
        body.extend(not_checked);
        body.push(summary(format!("{}: {}", self.checked, counted(&self.findings))));
        Document {
            kind: "lint".to_owned(),
            body,
            ..Document::default()
        }
    }
}

/// The last line: how it ended.
pub(super) fn summary(text: String) -> Block {
    Block::headline(Tone::Plain, text)
}

/// One finding with its arithmetic.
pub(super) fn finding(finding: &dbdyno_lint::Finding) -> Block {
    let mut body = vec![
        finding.arithmetic.as_str().into(),
        finding.explanation.as_str().into(),
    ];
    body.extend(other_places(finding).map(Text::from));
    Block::Finding(Finding {
        tone: match finding.certainty {
            Certainty::Certain => Tone::Bad,
            Certainty::Likely => Tone::Warning,
            Certainty::Notice => Tone::Faint,
        },
        label: finding.certainty.name().to_owned(),
        title: Text::new()
            .strong(finding.rule.name())
            .plain(format!(", {}", finding.place)),
        body,
        ..Finding::default()
    })
}

fn other_places(finding: &dbdyno_lint::Finding) -> Option<String> {
    let others: Vec<&str> = finding.also.iter().map(|case| case.place.name.as_str()).collect();
    (!others.is_empty()).then(|| format!("also in: {}", first_of(&others, PLACES)))
}

/// The first of some clauses, and how many more there are.
pub(super) fn first_of<T: AsRef<str>>(clauses: &[T], most: usize) -> String {
    let shown: Vec<&str> = clauses.iter().take(most).map(AsRef::as_ref).collect();
    match clauses.len().saturating_sub(most) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

/// How many findings there are of each certainty.
pub(super) fn counted(findings: &[dbdyno_lint::Finding]) -> String {
    let of = |certainty| {
        findings
            .iter()
            .filter(|finding| finding.certainty == certainty)
            .count()
    };
    format!(
        "{} certain, {} likely, {}",
        of(Certainty::Certain),
        of(Certainty::Likely),
        number::plural(of(Certainty::Notice), "notice", "notices")
    )
}
