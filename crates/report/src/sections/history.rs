//! A history as a document: the answer first, then the series that changed, and, folded, all others.

mod answer;
mod chart;
mod tables;

use std::collections::BTreeMap;

use dbdyno_document::{Block, Document, Media, Render, Section, Style, Text, markdown, terminal};
use dbdyno_vocabulary::text;

use crate::history::{History, Series};
use crate::history_state::State;
use crate::number;
use crate::sections::folded::{self, Item};
use crate::series_colors;
use crate::test_name;

/// The level of a series' heading, for the summary page of a pull request has headings of its own.
const NESTING: usize = 2;
/// With no more series than these, text shows every point of each.
const FEW: usize = 3;
/// So many drawings stand beside the answer; the others are below.
const DRAWN: usize = 12;

/// A history that has a name: the document that the command line shows.
#[derive(Clone, Copy, Debug)]
pub struct NamedHistory<'a> {
    /// The history.
    pub history: &'a History,
    /// How its file is called.
    pub name: &'a str,
}

impl History {
    /// The history with a name, e.g. the path of its file. It renders as text, Markdown and a whole page.
    #[must_use]
    pub const fn named<'a>(&'a self, name: &'a str) -> NamedHistory<'a> {
        NamedHistory { history: self, name }
    }
}

impl Render for NamedHistory<'_> {
    /// As a page; text and Markdown have no title, for they stand below a command or in a larger document.
    fn document(&self) -> Document {
        Document {
            kind: "history".to_owned(),
            name: self.name.to_owned(),
            title: format!("History {}", self.name),
            about: answer::extent(self.history).into(),
            footer: "Made by dbdyno from the lines of the history. It loads nothing from elsewhere: keep it, mail it, commit it."
                .to_owned(),
            ..self.history.document()
        }
    }

    fn text(&self, style: Style) -> String {
        terminal(&self.history.document(), style)
    }

    fn markdown(&self) -> String {
        markdown(&self.history.document())
    }
}

impl Render for History {
    fn document(&self) -> Document {
        Document {
            body: body(self),
            colors: series_colors::of_tests(self.series.iter().map(|series| &series.test)),
            nesting: NESTING,
            ..Document::default()
        }
    }
}

/// How all parts of the document name series.
pub(super) struct Names {
    /// The levels of factors that all tests share.
    shared: Vec<(String, String)>,
    /// Whether there are several studies.
    has_studies: bool,
    /// The colors of the systems.
    colors: BTreeMap<String, usize>,
}

impl Names {
    fn of(history: &History) -> Self {
        let tests: Vec<_> = history.series.iter().map(|series| &series.test).collect();
        let mut studies: Vec<&str> = history
            .series
            .iter()
            .map(|series| series.study.as_str())
            .collect();
        studies.dedup();
        Self {
            shared: test_name::shared(&tests),
            has_studies: studies.len() > 1,
            colors: series_colors::of_tests(tests),
        }
    }

    /// `nightly: C: read only, full speed, fjall`, the study where there are several.
    fn test(&self, series: &Series) -> Text {
        let test = series.test.text(&self.shared);
        if self.has_studies {
            text![format!("{}: ", series.study), test]
        } else {
            test
        }
    }
}

fn body(history: &History) -> Vec<Block> {
    let names = Names::of(history);
    let states = history.states();
    let of = |wanted: fn(&State) -> bool| -> Vec<&Series> {
        let own = states.iter().filter(|(_, state)| wanted(state));
        own.map(|(series, _)| *series).collect()
    };
    let moved = of(|state| matches!(state, State::Moved(_)));
    let open = of(|state| matches!(state, State::Undecided(_)));
    let same = of(|state| matches!(state, State::Unchanged));
    let others = of(|state| matches!(state, State::Alone | State::Unranked));
    let mut answer = answer::headlines(history, &states, &names);
    let (first, more) = moved.split_at(moved.len().min(DRAWN));
    answer.push(Block::Figures(chart::figures(first, &names)));
    let note = (!moved.is_empty()).then(chart::note);
    answer.push(Block::Only(Media::PAGE, note.into_iter().collect()));
    let answer = Section {
        is_answer: true,
        ..Section::new("answer", "Answer", answer)
    };
    let is_short = history.series.len() <= FEW;
    let mut changed: Vec<Block> = moved
        .iter()
        .map(|series| tables::points(series, &names).into())
        .collect();
    changed.insert(0, Block::Figures(chart::figures(more, &names)));
    let kinds = [
        ("undecided", "Undecided", &open),
        ("unchanged", "Unchanged", &same),
        ("unranked", "Without a verdict", &others),
    ];
    let mut body = vec![answer.into(), Section::new("changed", "Changed", changed).into()];
    body.extend(
        kinds
            .map(|(id, title, series)| Block::from(Section::new(id, title, group(series, &names, is_short)))),
    );
    let hint = Text::from("Every point: ")
        .code("--only TEXT")
        .plain(" shows a few series, ")
        .code("--output history.html")
        .plain(" writes a page with a chart of each.");
    let is_folded = !is_short && moved.len() < history.series.len();
    let hint = is_folded.then(|| Block::about(hint));
    body.push(Block::Only(Media::TERMINAL, hint.into_iter().collect()));
    body
}

/// Series that did not change: a line for each workload, and all of them where a page opens them.
fn group(series: &[&Series], names: &Names, is_short: bool) -> Vec<Block> {
    let points = || -> Vec<Block> {
        series
            .iter()
            .map(|own| tables::points(own, names).into())
            .collect()
    };
    if series.is_empty() || is_short {
        let mut shown = points();
        shown.insert(0, Block::Figures(chart::figures(series, names)));
        return shown;
    }
    let title = format!(
        "Charts and points of {}",
        number::plural(series.len(), "series", "series")
    );
    let mut whole = vec![Block::Figures(chart::figures(series, names))];
    whole.extend(points());
    let items: Vec<Item<'_>> = series
        .iter()
        .map(|series| Item {
            test: &series.test,
            ratio: series.last.as_ref().map(|last| last.found.ratio),
        })
        .collect();
    // Where nothing is judged, a change says nothing.
    let is_judged = series
        .iter()
        .any(|series| !matches!(series.state(), State::Alone | State::Unranked));
    let lines = is_judged.then(|| Block::Table(folded::table("Series", "series", &items, &names.shared)));
    let mut shown: Vec<Block> = lines.into_iter().collect();
    shown.extend([
        Block::bullets(tables::reasons(series)),
        Block::Only(Media::LATEX, points()),
        Block::Only(
            Media::PAGE | Media::MARKDOWN,
            vec![Block::Details(title.into(), whole)],
        ),
    ]);
    shown
}
