//! Two folders side by side as a document: the answer first, then what changed, what is undecided, and, folded, what did not change.

mod answer;
mod chart;
mod conditions;
mod tables;

use dbdyno_document::{Block, Document, Media, Render, Section, Style, Text, markdown, terminal};

use crate::compared::{ComparedCell, ComparedMetric, FolderComparison};
use crate::model::Word;
use crate::number;
use crate::series_colors;
use crate::test_name::{self, of_level};

/// The level of headings in Markdown, for the summary page of a pull request has headings of its own.
const NESTING: usize = 2;

/// A comparison of two folders that have names: the document that the command line and `dbdyno serve` show.
#[derive(Clone, Copy, Debug)]
pub struct NamedComparison<'a> {
    /// The comparison.
    pub comparison: &'a FolderComparison,
    /// How the first folder is called.
    pub before: &'a str,
    /// How the second folder is called.
    pub after: &'a str,
}

impl FolderComparison {
    /// The comparison with names for both sides, e.g. the paths of the folders. It renders as text, Markdown and a whole page.
    #[must_use]
    pub const fn named<'a>(&'a self, before: &'a str, after: &'a str) -> NamedComparison<'a> {
        NamedComparison {
            comparison: self,
            before,
            after,
        }
    }
}

impl Render for NamedComparison<'_> {
    /// As a page; text and Markdown have no title, for they stand below a command or in a larger document.
    fn document(&self) -> Document {
        let Self {
            comparison,
            before,
            after,
        } = *self;
        Document {
            kind: "comparison".to_owned(),
            name: format!("{before}-{after}"),
            title: format!("{after} compared with {before}"),
            about: comparison.about(),
            colors: comparison.colors(),
            body: comparison.body(&[before, after]),
            footer: "Made by dbdyno from the records of both folders. It loads nothing from elsewhere: keep it, mail it, commit it."
                .to_owned(),
            ..Document::default()
        }
    }

    fn text(&self, style: Style) -> String {
        terminal(&self.untitled(), style)
    }

    fn markdown(&self) -> String {
        markdown(&self.untitled())
    }
}

impl NamedComparison<'_> {
    fn untitled(&self) -> Document {
        Document {
            nesting: NESTING,
            body: self.comparison.body(&[self.before, self.after]),
            colors: self.comparison.colors(),
            ..Document::default()
        }
    }
}

impl Render for FolderComparison {
    fn document(&self) -> Document {
        Document {
            nesting: NESTING,
            body: self.body(&[]),
            colors: self.colors(),
            ..Document::default()
        }
    }
}

/// One metric of a test with the test.
#[derive(Clone, Copy)]
pub(super) struct Compared<'a> {
    cell: &'a ComparedCell,
    metric: &'a ComparedMetric,
}

impl FolderComparison {
    /// The tests that only one side has, as a sentence for each side.
    #[must_use]
    pub fn on_one_side(&self) -> Vec<Text> {
        answer::unmatched(self)
    }

    fn body(&self, names: &[&str]) -> Vec<Block> {
        let mut answer: Vec<Block> = answer::headlines(self, names);
        if self.identical {
            return vec![answer_section(answer)];
        }
        let (first, more) = chart::figures(self);
        if !first.is_empty() {
            answer.push(Block::Figures(first));
            answer.push(Block::Only(Media::PAGE, vec![chart::note(self)]));
        }
        if !more.is_empty() {
            let title = number::plural(more.len(), "more chart", "more charts");
            let charts = Block::Details(title.into(), vec![Block::Figures(more)]);
            answer.push(Block::Only(Media::PAGE, vec![charts]));
        }
        answer.extend(self.facts());
        let mut body = vec![
            answer_section(answer),
            Block::Only(Media::MARKDOWN, chart::of_characters(self).into_iter().collect()),
        ];
        body.extend(tables::sections(self));
        if self.judged() > 0 {
            body.push(Block::note(how_to_read(self.margin)));
        }
        body.extend(conditions::section(self).map(Block::from));
        body
    }

    /// Versions and shared levels, for the line below the title of a page.
    fn about(&self) -> Text {
        Text::from(self.fact_lines().join(" · "))
    }

    fn facts(&self) -> Vec<Block> {
        let lines = self.fact_lines().into_iter();
        let shown = lines.map(|line| Block::about(format!("{line}.")));
        vec![Block::Only(
            Media::TERMINAL | Media::MARKDOWN | Media::LATEX,
            shown.collect(),
        )]
    }

    fn fact_lines(&self) -> Vec<String> {
        let versions = self.versions.iter();
        let versions = versions.map(|(system, version)| format!("{system} {version}"));
        let shared = self.shared();
        let levels: Vec<String> = shared.iter().map(of_level).collect();
        let tests = if self.cells.len() == 1 {
            "The test"
        } else {
            "All tests"
        };
        let levels = (!levels.is_empty()).then(|| format!("{tests}: {}", levels.join(", ")));
        let remarks = self.remarks.iter().map(ToString::to_string);
        let trials = self.other_trials().into_iter();
        versions.chain(levels).chain(remarks).chain(trials).collect()
    }

    /// How many trials the sides have of a test, where that is not the same.
    fn other_trials(&self) -> Option<String> {
        let compared = || self.cells.iter().filter(|cell| !cell.metrics.is_empty());
        compared().find(|cell| cell.trials.0 != cell.trials.1)?;
        let span = |count: fn(&ComparedCell) -> usize| {
            let counts = || compared().map(count);
            match (counts().min(), counts().max()) {
                (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
                (_, most) => most.unwrap_or_default().to_string(),
            }
        };
        Some(format!(
            "Trials of a test: {} before, {} after",
            span(|cell| cell.trials.0),
            span(|cell| cell.trials.1)
        ))
    }

    /// The levels of factors that all tests share: said once, and not in every row.
    fn shared(&self) -> Vec<(String, String)> {
        let tests: Vec<_> = self.cells.iter().map(|cell| &cell.test).collect();
        test_name::shared(&tests)
    }

    fn colors(&self) -> std::collections::BTreeMap<String, usize> {
        series_colors::of_tests(self.cells.iter().map(|cell| &cell.test))
    }

    fn all(&self) -> impl Iterator<Item = Compared<'_>> {
        let of_cell = |cell| move |metric| Compared { cell, metric };
        self.cells
            .iter()
            .flat_map(move |cell: &ComparedCell| cell.metrics.iter().map(of_cell(cell)))
    }

    /// The comparisons with one of these verdicts, the largest change first.
    fn of_words(&self, words: &[Word]) -> Vec<Compared<'_>> {
        let mut found: Vec<Compared<'_>> = self
            .all()
            .filter(|compared| words.contains(&compared.metric.found.word))
            .collect();
        let size = |compared: &Compared<'_>| {
            let ratio = compared.metric.found.ratio;
            if ratio > 0.0 { ratio.ln().abs() } else { 0.0 }
        };
        found.sort_by(|one, other| size(other).total_cmp(&size(one)));
        found
    }

    /// Comparisons that may rank something.
    fn judged(&self) -> usize {
        self.all()
            .filter(|compared| compared.metric.found.word != Word::NotComparable)
            .count()
    }
}

/// A ratio and a share are not the same: half as fast is 50% lower, twice as fast 100% higher.
fn how_to_read(margin: f64) -> String {
    let lower = number::share(margin / (1.0 + margin));
    format!(
        "Before and after are medians. A change is the middle of the ratios of trials after to trials before, with its 95% interval; \
         it matters from {} up or {lower} down.",
        number::share(margin)
    )
}

fn answer_section(body: Vec<Block>) -> Block {
    Block::Section(Section {
        is_answer: true,
        ..Section::new("answer", "Answer", body)
    })
}
