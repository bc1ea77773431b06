//! The page of a paper: its charts drawn from its own numbers, ours beside them, and each claim with its verdict then and now.

mod build;
mod part;
mod security;

use std::collections::BTreeMap;

use dbdyno_document::{
    Block, Column, Document, FigureFile, Render, Row, Section, Table, TableCell, figures, latex,
};
use dbdyno_paper::{ClaimVerdict, Paper};

use super::marked::marked;
use super::printed_and_now::judged;
use crate::AuditReport;
use crate::model::{self, ClaimRow, PaperReport};
use crate::number;
pub use build::NotOfThePaper;
use part::Part;

/// Everything that the page of a paper shows.
pub struct PaperPage {
    paper: Paper,
    /// The parts that are shown, in the order of the paper's file.
    parts: Vec<Part>,
    /// The claims on the printed numbers, and on audits where there are some.
    printed: Vec<ClaimRow>,
    audits: Vec<AuditReport>,
}

/// What runs say of a claim: the parts that judge it.
struct Now<'a> {
    rows: Vec<(&'a str, &'a ClaimRow)>,
    is_measured: bool,
}

impl PaperPage {
    /// Every figure of the page, in its order.
    #[must_use]
    pub fn figures(&self) -> Vec<FigureFile> {
        figures(&self.document())
    }

    /// As LaTeX for the next paper: tables, and the figures as files.
    #[must_use]
    pub fn latex(&self) -> String {
        latex(&self.document())
    }

    /// The judgements of the parts that test a claim; without any, one that says why not.
    fn now(&self, claim: &str) -> Now<'_> {
        let of_parts = self.parts.iter().filter_map(|part| {
            let report = part.report.as_ref()?;
            Some((part.rerun.part.as_str(), report))
        });
        let is_for_it = |report: &PaperReport| report.asked.iter().any(|asked| asked == claim);
        // A run that was made for a claim is judged in place of those that were made for all claims.
        let has_own = of_parts.clone().any(|(_, report)| is_for_it(report));
        let all: Vec<(&str, &ClaimRow)> = of_parts
            .filter(|(_, report)| !has_own || is_for_it(report))
            .flat_map(|(part, report)| {
                let own = report.claims.iter().filter(|row| row.id == claim);
                own.map(move |row| (part, row))
            })
            .collect();
        let audited = self
            .printed
            .iter()
            .filter(|row| row.id == claim && row.is_tested());
        let mut tested: Vec<(&str, &ClaimRow)> =
            all.iter().copied().filter(|(_, row)| row.is_tested()).collect();
        if tested.is_empty() && !self.audits.is_empty() {
            tested.extend(audited.map(|row| ("audit", row)));
        }
        Now {
            is_measured: !all.is_empty() || !tested.is_empty(),
            rows: if tested.is_empty() {
                all.into_iter().take(1).collect()
            } else {
                tested
            },
        }
    }

    /// A claim's line: its words, on the paper's own numbers, and now.
    fn row(&self, claim: &ClaimRow) -> Row {
        let now = self.now(&claim.id);
        let cell = match now.rows.as_slice() {
            _ if !now.is_measured => TableCell::new("–"),
            [] => TableCell::new("–"),
            [(_, only)] => judged(only.measured, &only.measured_evidence),
            several => {
                let verdicts: Vec<String> = several
                    .iter()
                    .map(|(part, row)| format!("{} ({})", row.measured, place(part, &row.assuming)))
                    .collect();
                let evidence: Vec<String> = several
                    .iter()
                    .flat_map(|(part, row)| {
                        let place = place(part, &row.assuming);
                        row.measured_evidence
                            .iter()
                            .map(move |line| format!("{place}: {line}"))
                    })
                    .collect();
                let first = several[0].1.measured;
                let is_alike = several.iter().all(|(_, row)| row.measured == first);
                let text = if is_alike {
                    first.to_string()
                } else {
                    verdicts.join(", ")
                };
                let verdict = judged(first, &evidence);
                TableCell {
                    text: text.into(),
                    tone: if is_alike {
                        verdict.tone
                    } else {
                        TableCell::default().tone
                    },
                    ..verdict
                }
            }
        };
        Row::new([
            TableCell::new(&claim.id),
            TableCell::new(&claim.text),
            judged(claim.printed, &claim.printed_evidence),
            cell,
        ])
    }

    /// Claims as a table; nothing without any.
    fn claims(&self, caption: &str, claims: &[&ClaimRow]) -> Option<Block> {
        let columns = vec![
            Column::header("Claim"),
            Column::words("The paper's words").long(),
            Column::words("On the printed numbers"),
            Column::words("Measured again"),
        ];
        let rows: Vec<Row> = claims.iter().map(|claim| self.row(claim)).collect();
        (!rows.is_empty()).then(|| Block::Table(Table::new(caption.to_owned(), columns, rows)))
    }

    /// How many claims hold and fail, then and now.
    fn summary(&self) -> Vec<Block> {
        let testable: Vec<&ClaimRow> = self.printed.iter().filter(|row| row.untested.is_none()).collect();
        let count = |verdicts: &[ClaimVerdict], wanted: ClaimVerdict| {
            verdicts.iter().filter(|verdict| **verdict == wanted).count()
        };
        let counted = |verdicts: &[ClaimVerdict]| {
            let decided = [
                (ClaimVerdict::Holds, "holds", "hold"),
                (
                    ClaimVerdict::HoldsWhereTested,
                    "holds where tested",
                    "hold where tested",
                ),
                (ClaimVerdict::Fails, "fails", "fail"),
                (ClaimVerdict::Close, "is close", "are close"),
            ];
            let untested = count(verdicts, ClaimVerdict::NotTested);
            let mut open = verdicts.len() - untested;
            let mut parts = Vec::new();
            for (wanted, one, several) in decided {
                let count = count(verdicts, wanted);
                open -= count;
                if count > 0 || matches!(wanted, ClaimVerdict::Holds | ClaimVerdict::Fails) {
                    parts.push(format!("{count} {}", number::agreeing(&count, one, several)));
                }
            }
            parts.push(format!(
                "{open} {}",
                number::agreeing(&open, "remains open", "remain open")
            ));
            if untested > 0 {
                parts.push(format!(
                    "{untested} {} tested by no run",
                    number::agreeing(&untested, "is", "are")
                ));
            }
            number::list(&parts)
        };
        let printed: Vec<ClaimVerdict> = testable.iter().map(|row| row.printed).collect();
        let then = format!(
            "{} can be tested. On the printed numbers {}.",
            number::plural(testable.len(), "claim", "claims"),
            counted(&printed)
        );
        let mut blocks = vec![Block::paragraph(then)];
        if self.parts.iter().any(|part| part.report.is_some()) {
            let now: Vec<ClaimVerdict> = testable
                .iter()
                .filter_map(|row| {
                    let now = self.now(&row.id);
                    now.rows.first().map(|(_, row)| row.measured)
                })
                .collect();
            blocks.push(Block::paragraph(format!("Measured again, {}.", counted(&now))));
        } else {
            let how = format!(
                "Not measured again yet: run `dbdyno paper run {}`, then give its result folder to this command.",
                self.paper.head.id
            );
            blocks.push(Block::note(marked(&how)));
        }
        blocks
    }

    /// Claims that no figure of the page is about, and those that nothing can test.
    fn others(&self, shown: &[String]) -> Option<Section> {
        let rest: Vec<&ClaimRow> = self
            .printed
            .iter()
            .filter(|row| !shown.contains(&row.id) && row.untested.is_none())
            .collect();
        let mut body: Vec<Block> = self
            .claims("Claims about other quantities", &rest)
            .into_iter()
            .collect();
        let untested = self.printed.iter().filter_map(|row| {
            let why = row.untested.as_ref()?;
            Some(Row::new([
                TableCell::new(&row.id),
                TableCell::new(&row.text),
                TableCell::new(marked(why)),
            ]))
        });
        let untested: Vec<Row> = untested.collect();
        if !untested.is_empty() {
            let columns = vec![
                Column::header("Claim"),
                Column::words("The paper's words").long(),
                Column::words("Why nothing tests it").long(),
            ];
            body.push(Block::Table(Table::new(
                "Claims that nothing can test",
                columns,
                untested,
            )));
        }
        (!body.is_empty()).then(|| Section::new("others", "Other claims", body))
    }
}

/// A part, and what was assumed there.
fn place(part: &str, assuming: &str) -> String {
    if assuming.is_empty() {
        part.to_owned()
    } else {
        format!("{part}, {assuming}")
    }
}

impl Render for PaperPage {
    fn document(&self) -> Document {
        let mut body: Vec<Block> = vec![
            Section {
                is_answer: true,
                ..Section::new("summary", "In short", self.summary())
            }
            .into(),
        ];
        let mut shown: Vec<String> = Vec::new();
        for part in &self.parts {
            let (section, of_part) = part.section(self, &shown);
            shown.extend(of_part);
            body.extend(section.map(Block::from));
        }
        body.extend(self.others(&shown).map(Block::from));
        body.extend(security::section(&self.paper, &self.audits).map(Block::from));
        Document {
            kind: "paper".to_owned(),
            name: self.paper.head.id.clone(),
            title: self.paper.head.title.clone(),
            about: model::citation(&self.paper).into(),
            body,
            colors: self.colors(),
            footer: "Made by dbdyno from the paper's printed numbers and from result folders. It loads nothing from elsewhere."
                .to_owned(),
            has_contents: true,
            ..Document::default()
        }
    }
}

impl PaperPage {
    /// The colour of each system of the paper.
    fn colors(&self) -> BTreeMap<String, usize> {
        let mut colors = BTreeMap::new();
        for part in &self.parts {
            colors.extend(part.colors.clone());
        }
        colors
    }
}
