//! What an open page shows of a section, and the least that brings it up to date.

use std::collections::HashMap;

use dbdyno_document::{Block, Section, Table, row_html, section_html};
use serde_json::{Value, json};

/// A message to a page.
#[derive(Debug, PartialEq)]
pub(crate) enum Update {
    /// A section, whole.
    Section {
        /// Its id.
        id: String,
        /// The section.
        html: String,
    },
    /// Rows of a section's table that changed or are new.
    Rows {
        /// The id of the section.
        id: String,
        /// The rows, from the top.
        rows: Vec<RowUpdate>,
    },
}

/// A row that changed or is new.
#[derive(Debug, PartialEq)]
pub(crate) struct RowUpdate {
    /// Its id.
    id: String,
    /// The id of the row above; `None` for the first one.
    after: Option<String>,
    /// The row.
    html: String,
}

impl Update {
    /// The name of the event, as the page's script knows it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Section { .. } => "section",
            Self::Rows { .. } => "rows",
        }
    }

    /// The data of the event.
    pub fn data(&self) -> Value {
        match self {
            Self::Section { id, html } => json!({ "id": id, "html": html }),
            Self::Rows { id, rows } => {
                let rows: Vec<Value> = rows
                    .iter()
                    .map(|row| json!({ "id": row.id, "after": row.after, "html": row.html }))
                    .collect();
                json!({ "id": id, "rows": rows })
            }
        }
    }
}

/// A section as a page shows it. At most one of its tables has rows with ids.
#[derive(Debug, PartialEq)]
pub(crate) struct Shown {
    /// The section without these rows.
    frame: String,
    /// The rows: id and row.
    rows: Vec<(String, String)>,
}

impl Shown {
    /// A section as a page shows it.
    pub fn of(section: &Section) -> Self {
        let mut rows = Vec::new();
        for table in section.body.iter().filter_map(identified) {
            for row in table.groups.iter().flat_map(|group| &group.rows) {
                rows.push((row.id.clone(), row_html(table, row)));
            }
        }
        if rows.is_empty() {
            let frame = section_html(section);
            return Self { frame, rows };
        }
        let others = section.body.iter().filter(|block| identified(block).is_none());
        let frame = Section {
            id: section.id.clone(),
            title: section.title.clone(),
            body: others.cloned().collect(),
            ..*section
        };
        Self {
            frame: section_html(&frame),
            rows,
        }
    }

    /// What a page needs that shows `before` of `section`, of which this is made; `None` if it needs nothing.
    pub fn update(&self, before: Option<&Self>, section: &Section) -> Option<Update> {
        let id = section.id.clone();
        let Some(before) = before.filter(|before| self.grew_from(before)) else {
            let html = if self.rows.is_empty() {
                self.frame.clone()
            } else {
                section_html(section)
            };
            return Some(Update::Section { id, html });
        };
        let shown: HashMap<&str, &str> = before
            .rows
            .iter()
            .map(|(id, html)| (id.as_str(), html.as_str()))
            .collect();
        let rows: Vec<RowUpdate> = self
            .rows
            .iter()
            .enumerate()
            .filter(|(_, (id, html))| shown.get(id.as_str()) != Some(&html.as_str()))
            .map(|(place, (id, html))| RowUpdate {
                id: id.clone(),
                after: place.checked_sub(1).map(|above| self.rows[above].0.clone()),
                html: html.clone(),
            })
            .collect();
        (!rows.is_empty()).then_some(Update::Rows { id, rows })
    }

    /// Whether all that changed since `before` are rows, and none of those left or moved.
    fn grew_from(&self, before: &Self) -> bool {
        let mut now = self.rows.iter().map(|(id, _)| id);
        self.frame == before.frame
            && (!before.rows.is_empty() || self.rows.is_empty())
            && before.rows.iter().all(|(id, _)| now.any(|other| other == id))
    }
}

/// A table all of whose rows have ids.
fn identified(block: &Block) -> Option<&Table> {
    let Block::Table(table) = block else {
        return None;
    };
    let mut rows = table.groups.iter().flat_map(|group| &group.rows).peekable();
    (rows.peek().is_some() && rows.all(|row| !row.id.is_empty())).then_some(table)
}

#[cfg(test)]
mod tests {
    use dbdyno_document::{Column, Row};

    use super::*;

    fn section(rows: &[(&str, &str)]) -> Section {
        let rows = rows.iter().map(|(id, text)| Row::new([*text]).identified(*id));
        let table = Table::new("t", vec![Column::words("state")], rows.collect());
        Section::new("trials", "Trials", vec![Block::Table(table)])
    }

    /// What brings a page from the first to the second: ids of rows with those above, or `None` for the whole section.
    fn step(before: &[(&str, &str)], after: &[(&str, &str)]) -> Option<Vec<(String, Option<String>)>> {
        let (before, after) = (section(before), section(after));
        match Shown::of(&after).update(Some(&Shown::of(&before)), &after) {
            None => Some(Vec::new()),
            Some(Update::Section { id, html }) => {
                assert_eq!((id.as_str(), html), ("trials", section_html(&after)));
                None
            }
            Some(Update::Rows { id, rows }) => {
                assert_eq!(id, "trials");
                Some(rows.into_iter().map(|row| (row.id, row.after)).collect())
            }
        }
    }

    #[test]
    fn only_rows_that_changed_or_are_new_are_sent() {
        let row = |id: &str, after: Option<&str>| (id.to_owned(), after.map(str::to_owned));
        assert_eq!(
            step(&[("a", "1"), ("b", "1")], &[("a", "1"), ("b", "1")]),
            Some(vec![])
        );
        assert_eq!(
            step(
                &[("a", "1"), ("b", "1"), ("c", "1")],
                &[("a", "1"), ("b", "2"), ("c", "1")]
            ),
            Some(vec![row("b", Some("a"))])
        );
        assert_eq!(
            step(
                &[("a", "1"), ("b", "1")],
                &[("p", "1"), ("a", "1"), ("a~2", "1"), ("b", "1"), ("c", "1")]
            ),
            Some(vec![row("p", None), row("a~2", Some("a")), row("c", Some("b"))])
        );
    }

    #[test]
    fn rows_that_left_or_moved_and_a_first_row_need_the_whole_section() {
        assert_eq!(step(&[("a", "1"), ("b", "1")], &[("b", "1")]), None);
        assert_eq!(step(&[("a", "1"), ("b", "1")], &[("b", "1"), ("a", "1")]), None);
        assert_eq!(step(&[], &[("a", "1")]), None);
        let (old, mut new) = (section(&[("a", "1")]), section(&[("a", "1")]));
        new.body.push(Block::paragraph("more"));
        let update = Shown::of(&new).update(Some(&Shown::of(&old)), &new);
        assert!(matches!(update, Some(Update::Section { .. })), "{update:?}");
        assert_eq!(
            Shown::of(&new).update(None, &new),
            Some(Update::Section {
                id: "trials".to_owned(),
                html: section_html(&new),
            })
        );
    }
}
