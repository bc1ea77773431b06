//! The first page: every study and run of the results folder, the running ones first.

use std::collections::BTreeMap;

use dbdyno_document::{Block, Column, Document, Row, Section, Table, TableCell, Text, Tone, live_html};
use dbdyno_record::TrialStatus;

use crate::places;
use crate::watched::Watched;

/// Asks for the page again and again, and lets the reader choose two results.
const SCRIPT: &str = concat!(include_str!("replace.js"), include_str!("overview.js"));

/// A study, as it is shown in the list.
pub(crate) enum Entry {
    /// It can be read.
    Study {
        /// Planned trials that are done.
        done: usize,
        /// Planned trials.
        planned: usize,
        /// Whether it runs.
        is_running: bool,
        /// Whether it has a trial to compare.
        is_comparable: bool,
    },
    /// It cannot, and why.
    Unreadable(String),
}

impl Entry {
    /// Of a study.
    pub fn of(watched: &Watched) -> Self {
        Self::Study {
            done: watched.done(),
            planned: watched.planned().len(),
            is_running: watched.is_running(),
            is_comparable: watched
                .ended()
                .values()
                .any(|ended| ended.status == TrialStatus::Completed),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Study { is_running: true, .. } => 0,
            Self::Study { done, planned, .. } if done < planned => 1,
            Self::Study { .. } => 2,
            Self::Unreadable(_) => 3,
        }
    }
}

/// The page.
pub(crate) fn page(root: &str, entries: &BTreeMap<String, Entry>) -> String {
    let mut names: Vec<(&String, &Entry)> = entries.iter().collect();
    names.sort_by_key(|(name, entry)| (entry.rank(), (*name).clone()));
    let rows: Vec<Row> = names.into_iter().map(|(name, entry)| row(name, entry)).collect();
    let body = if rows.is_empty() {
        Block::paragraph(
            Text::from(format!("{root} holds no results yet. Start with "))
                .code("dbdyno run")
                .plain(" or ")
                .code("dbdyno study run")
                .plain("."),
        )
    } else {
        let columns = vec![
            Column::header("results"),
            Column::words("state"),
            Column::numbers("trials done"),
            Column::words("report"),
        ];
        Block::Table(Table::new("Results, the running ones first", columns, rows))
    };
    let document = Document {
        kind: "live".to_owned(),
        title: "Studies and runs".to_owned(),
        about: Text::from(root),
        body: vec![Section::new("studies", "Results", vec![body]).into()],
        ..Document::default()
    };
    live_html(&document, SCRIPT)
}

fn row(name: &str, entry: &Entry) -> Row {
    let address = places::address(name);
    let study = TableCell::new(Text::new().link(name, address.clone()));
    match entry {
        Entry::Study {
            done,
            planned,
            is_running,
            is_comparable,
        } => {
            let state = if *is_running {
                TableCell {
                    tone: Tone::Good,
                    ..TableCell::new("running")
                }
            } else if done < planned {
                TableCell::new("interrupted")
            } else {
                TableCell::new("over")
            };
            let keys = is_comparable.then(|| ("results", name.to_owned()));
            Row {
                keys: keys.into_iter().collect(),
                ..Row::new([
                    study,
                    state,
                    TableCell::new(format!("{done} of {planned}")),
                    TableCell::new(Text::new().link("report", format!("{address}/report"))),
                ])
            }
        }
        Entry::Unreadable(reason) => Row::new([
            TableCell::new(name),
            TableCell {
                tone: Tone::Bad,
                ..TableCell::new(reason.as_str())
            },
            TableCell::new(""),
            TableCell::new(""),
        ]),
    }
}
