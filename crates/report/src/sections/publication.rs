//! Published studies as documents: the list of them, the set-up of one, and its numbers and claims checked.

use dbdyno_document::{Block, Document, Finding, Section, Style, Text, Tone, terminal};
use dbdyno_paper::predicate::PrintedVerdict;
use dbdyno_paper::{ClaimVerdict, Judged, Limit, Paper, System, Table, Workload, named, plain};

use super::lint;
use super::marked::marked;
use crate::number;

/// Reasons of a verdict that are listed before the rest is only counted.
const REASONS: usize = 3;

/// All papers for people at a terminal; ends with a line feed.
#[must_use]
pub fn list(papers: &[Paper], style: Style) -> String {
    let mut body: Vec<Block> = papers.iter().map(entry).collect();
    body.push(Block::note(
        "`dbdyno paper show ID` describes a study; `dbdyno paper lint ID` checks its numbers.",
    ));
    let document = Document {
        kind: "papers".to_owned(),
        body,
        ..Document::default()
    };
    terminal(&document, style)
}

fn entry(paper: &Paper) -> Block {
    let counts = [
        number::plural(paper.systems.len(), "system", "systems"),
        number::plural(paper.workloads.len(), "workload", "workloads"),
        number::plural(paper.tables.len(), "table", "tables"),
        number::plural(paper.claims.len(), "claim", "claims"),
    ];
    let body = vec![
        Block::paragraph(authors(paper)),
        Block::paragraph(counts.join(", ")),
    ];
    let title = format!("{}: {}", paper.head.id, paper.head.title);
    Section::new(&paper.head.id, title, body).into()
}

fn authors(paper: &Paper) -> String {
    format!("{} ({})", paper.head.authors.join(", "), plain(&paper.head.year))
}

/// The set-up of a paper and what it claims, for people at a terminal; ends with a line feed.
#[must_use]
pub fn description(paper: &Paper, style: Style) -> String {
    let sections = [
        ("Systems", paper.systems.iter().map(system).collect()),
        ("Workloads", paper.workloads.iter().map(workload).collect()),
        ("Machines", named(&paper.hardware)),
        ("Protocol", named(&paper.protocol)),
        ("Tables", paper.tables.iter().map(table).collect()),
        (
            "Claims",
            paper
                .claims
                .iter()
                .map(|claim| (claim.id.clone(), claim.text.clone()))
                .collect(),
        ),
        ("Limits", paper.limits.iter().map(limit).collect()),
        (
            "Assumptions needed to repeat it",
            paper
                .assumptions
                .iter()
                .map(|assumption| {
                    let words = format!("{} ({})", plain(&assumption.value), assumption.reason);
                    (assumption.field.replace('_', " "), words)
                })
                .collect(),
        ),
    ];
    let document = Document {
        kind: "paper".to_owned(),
        title: paper.head.title.clone(),
        about: authors(paper).into(),
        body: sections
            .into_iter()
            .map(|(title, entries)| section(title, entries))
            .collect(),
        ..Document::default()
    };
    terminal(&document, style)
}

fn section(title: &str, entries: Vec<(String, String)>) -> Block {
    let facts = entries
        .into_iter()
        .map(|(name, words)| (Text::new().strong(name), words.into()));
    Section::new("", title, vec![Block::Facts(facts.collect())]).into()
}

fn system(system: &System) -> (String, String) {
    (system.id.clone(), format!("{} {}", system.db, system.version))
}

fn workload(workload: &Workload) -> (String, String) {
    let shares = workload
        .mix
        .iter()
        .map(|(kind, share)| format!("{} {kind}", number::whole_share(*share)));
    (workload.id.clone(), shares.collect::<Vec<_>>().join(", "))
}

fn table(table: &Table) -> (String, String) {
    let about: Vec<&str> = [&table.system, &table.workload, &table.metric]
        .into_iter()
        .filter_map(|about| about.as_deref())
        .collect();
    let mut words = number::plural(table.rows.len(), "row", "rows");
    if !about.is_empty() {
        words.push_str(&format!(": {}", about.join(", ")));
    }
    if table.approx {
        words.push_str(", read from a figure or from text");
    }
    (table.name(), words)
}

fn limit(limit: &Limit) -> (String, String) {
    let by = if limit.author {
        "the author's own"
    } else {
        "found by dbdyno"
    };
    (by.to_owned(), limit.text.clone())
}

/// What is found in a paper's numbers, and its claims judged on them, for people at a terminal; ends with a line feed.
#[must_use]
pub fn checked(paper: &Paper, findings: &[dbdyno_lint::Finding], claims: &[Judged], style: Style) -> String {
    let mut body: Vec<Block> = findings.iter().map(lint::finding).collect();
    let judged = claims.iter().map(claim).collect();
    body.push(Section::new("", "Claims, judged on the printed tables", judged).into());
    let count = |wanted| claims.iter().filter(|claim| claim.word() == wanted).count();
    body.push(lint::summary(format!(
        "{}: {}; of {}, {} hold and {} fail on the printed tables",
        paper.head.id,
        lint::counted(findings),
        number::plural(claims.len(), "claim", "claims"),
        count(ClaimVerdict::Holds),
        count(ClaimVerdict::Fails),
    )));
    let document = Document {
        kind: "paper".to_owned(),
        body,
        ..Document::default()
    };
    terminal(&document, style)
}

fn claim(claim: &Judged) -> Block {
    let word = claim.word();
    let tone = match word {
        ClaimVerdict::Holds | ClaimVerdict::HoldsWhereTested => Tone::Good,
        ClaimVerdict::Fails => Tone::Bad,
        ClaimVerdict::Undecided | ClaimVerdict::NotComparable => Tone::Warning,
        ClaimVerdict::Close
        | ClaimVerdict::NotJudged
        | ClaimVerdict::NotPrinted
        | ClaimVerdict::NotTested => Tone::Faint,
    };
    let verb = match &claim.verdict {
        Some(PrintedVerdict::Fails { .. }) => "against it: ",
        Some(PrintedVerdict::Ambiguous { .. }) => "printed twice: ",
        _ => "",
    };
    let mut body = vec![claim.text.as_str().into()];
    if !claim.reasons().is_empty() {
        let reasons = lint::first_of(claim.reasons(), REASONS);
        body.push(format!("{verb}{reasons}").into());
    }
    if !claim.doubted.is_empty() {
        body.push(format!("depends on a doubtful number: {}", claim.doubted.join("; ")).into());
    }
    body.extend(claim.untested.as_deref().map(marked));
    Block::Finding(Finding {
        tone,
        label: word.to_string(),
        title: Text::new().strong(&claim.id),
        body,
        ..Finding::default()
    })
}
