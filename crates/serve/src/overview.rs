//! The first page: every study and run of the results folder, the newest first, of which two can be compared.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use dbdyno_document::{
    Block, Column, Document, Order, Row, Section, Table, TableCell, Text, Ticks, Tone, live_html,
};

use crate::listed::{Listed, State};
use crate::places;

/// Asks for the page again and again. What is ticked stays ticked.
const SCRIPT: &str = concat!(include_str!("replace.js"), include_str!("overview.js"));

/// A study or run, as it is shown in the list.
pub(crate) enum Entry {
    /// It can be read.
    Readable(Box<Listed>),
    /// It cannot, and why.
    Unreadable(String),
}

impl Entry {
    /// The newest first. One that has just begun is the newest; what cannot be read has no date.
    fn order(&self) -> (u8, Reverse<&str>) {
        match self {
            Self::Readable(listed) if listed.started_at.is_empty() && listed.state == State::Running => {
                (0, Reverse(""))
            }
            Self::Readable(listed) => (1, Reverse(&listed.started_at)),
            Self::Unreadable(_) => (2, Reverse("")),
        }
    }
}

/// The page.
pub(crate) fn page(root: &str, entries: &BTreeMap<String, Entry>) -> String {
    live_html(&document(root, entries), SCRIPT)
}

fn document(root: &str, entries: &BTreeMap<String, Entry>) -> Document {
    let mut names: Vec<(&String, &Entry)> = entries.iter().collect();
    names.sort_by_key(|(name, entry)| (entry.order(), (*name).clone()));
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
        Block::Table(table(rows))
    };
    Document {
        kind: "live".to_owned(),
        title: "Studies and runs".to_owned(),
        about: Text::from(root),
        body: vec![Section::new("studies", "Results", vec![body]).into()],
        ..Document::default()
    }
}

fn table(rows: Vec<Row>) -> Table {
    let columns = vec![
        Column::header("results"),
        Column::words("started (UTC)").sorted(Order::Descending),
        Column::words("systems"),
        Column::numbers("throughput").sorted(Order::Descending),
        Column::numbers("p99").sorted(Order::Ascending),
        Column::words("state"),
        Column::words("pages"),
    ];
    let can_be_compared = rows.iter().filter(|row| row.tick.is_some()).count() > 1;
    Table {
        ticks: can_be_compared.then(|| Ticks {
            action: "/compare",
            name: "results",
            button: "Compare",
            hint: "Tick two results. The older one is the baseline.".into(),
        }),
        ..Table::new("Results, the newest first", columns, rows)
    }
}

fn row(name: &str, entry: &Entry) -> Row {
    let listed = match entry {
        Entry::Readable(listed) => listed,
        Entry::Unreadable(reason) => return unreadable(name, reason),
    };
    let trials = places::address(name);
    let report = format!("{trials}/report");
    let has_report = listed.has_report && listed.state != State::Running;
    let first = if has_report { &report } else { &trials };
    let mut title = TableCell::new(Text::new().link(&listed.title, first.clone()));
    if listed.title != name {
        title = title.detail(name);
    }
    let mut pages = Text::new();
    if listed.has_report {
        pages = pages.link("report", report).plain("\u{a0}·\u{a0}");
    }
    Row {
        tick: listed.is_comparable.then(|| name.to_owned()),
        ..Row::new([
            title,
            TableCell::new(listed.date()),
            TableCell::new(Text::names(&listed.systems)),
            listed.throughput(),
            listed.p99(),
            listed.state(),
            TableCell::new(pages.link("trials", trials)),
        ])
    }
}

fn unreadable(name: &str, reason: &str) -> Row {
    let state = TableCell::new(format!("cannot be read: {reason}")).toned(Tone::Bad);
    let empty = TableCell::default;
    Row::new([
        TableCell::new(Text::new().link(name, places::address(name))),
        empty(),
        empty(),
        empty(),
        empty(),
        state,
        empty(),
    ])
}

#[cfg(test)]
#[path = "overview_tests.rs"]
mod tests;
