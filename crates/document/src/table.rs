//! Tables: typed columns, cells of running text, rows in groups.

use crate::{Mark, Media, Text, Tone};

/// Rows and columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows: the caption in LaTeX, and what a screen reader calls it on a page.
    pub caption: Text,
    /// How to read it; may be empty.
    pub remark: Text,
    /// The columns, as many as every row has cells.
    pub columns: Vec<Column>,
    /// Titles above several columns each, from the left, with how many they span; empty for none. An empty title is above
    /// columns without one.
    pub spans: Vec<(Text, usize)>,
    /// The rows.
    pub groups: Vec<RowGroup>,
    /// What a page lets the reader choose rows by; none for most tables.
    pub filters: Vec<Filter>,
    /// The name in LaTeX that other text refers to it by; may be empty.
    pub label: String,
    /// Whether a page gives its values more room: the overview of a report.
    pub is_overview: bool,
    /// Where a page sends the rows that the reader ticked; `None` for most tables.
    pub ticks: Option<Ticks>,
}

/// A form around a table, whose rows a reader ticks. It needs no script.
#[derive(Clone, Debug)]
pub struct Ticks {
    /// The address that it asks for.
    pub action: &'static str,
    /// The name of the parameter, once for each ticked row.
    pub name: &'static str,
    /// What its button says.
    pub button: &'static str,
    /// What the reader has to tick; may be empty.
    pub hint: Text,
}

/// A column.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its title.
    pub title: Text,
    /// To which side its cells go.
    pub align: Align,
    /// Whether its cells name their row.
    pub is_header: bool,
    /// Whether only a wide terminal has room for it.
    pub is_minor: bool,
    /// Whether its cells hold sentences.
    pub is_long: bool,
    /// Which formats show it.
    pub media: Media,
    /// How a page sorts by it at first; `None` if it does not.
    pub order: Option<Order>,
}

/// To which side the cells of a column go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// In which order a page sorts the rows of each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The smallest value first.
    Ascending,
    /// The largest value first.
    Descending,
}

/// Rows that belong together; sorting and ranking stay within them.
#[derive(Clone, Debug, Default)]
pub struct RowGroup {
    /// What they share; may be empty.
    pub title: Text,
    /// More about that; may be empty.
    pub about: Text,
    /// The rows.
    pub rows: Vec<Row>,
    /// Values of filters that all its rows have: key and value.
    pub keys: Vec<(&'static str, String)>,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its cells, one for each column.
    pub cells: Vec<TableCell>,
    /// Whether it is not evidence by itself.
    pub is_faint: bool,
    /// A remark on it; may be empty. A page shows it below the first cell, text below the table.
    pub note: Text,
    /// Its own values of filters: key and value.
    pub keys: Vec<(&'static str, String)>,
    /// What a script replaces it by; unique in the document, empty for most rows.
    pub id: String,
    /// What a ticked row sends, in a table with [`Ticks`]; `None` if it cannot be ticked.
    pub tick: Option<String>,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct TableCell {
    /// What it says.
    pub text: Text,
    /// How that is colored.
    pub tone: Tone,
    /// More about it, in quieter letters or in brackets; may be empty.
    pub detail: Text,
    /// A sign beside the text.
    pub mark: Option<Mark>,
    /// What a page sorts by; `None` if it is not known.
    pub value: Option<f64>,
    /// The index of the color behind it on a page.
    pub highlight: Option<usize>,
    /// A share from 0 to 1 as a bar below the text, and the index of its color. Pages only: the text has the value.
    pub bar: Option<(f64, usize)>,
    /// Why it says that. Pages only: a row of text has no room for it.
    pub explanation: Option<Explanation>,
}

/// Why a cell says what it says.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// Always shown.
    Open(Text),
    /// Shown on request, a line each.
    Folded(Vec<Text>),
}

/// A choice that hides the rows of a table without the chosen value.
#[derive(Clone, Debug)]
pub struct Filter {
    /// What the reader reads.
    pub label: &'static str,
    /// The key in [`Row::keys`] or [`RowGroup::keys`]: small letters.
    pub key: &'static str,
}

impl Table {
    /// A table of rows that belong together.
    #[must_use]
    pub fn new(caption: impl Into<Text>, columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Self {
            caption: caption.into(),
            columns,
            groups: vec![RowGroup {
                rows,
                ..RowGroup::default()
            }],
            ..Self::default()
        }
    }

    /// Adds a remark on how to read it.
    #[must_use]
    pub fn remark(mut self, remark: impl Into<Text>) -> Self {
        self.remark = remark.into();
        self
    }

    /// The indices of the columns that a format shows.
    pub(crate) fn shown(&self, medium: Media, is_wide: bool) -> Vec<usize> {
        let is_shown = |column: &Column| column.media.contains(medium) && (is_wide || !column.is_minor);
        (0..self.columns.len())
            .filter(|index| is_shown(&self.columns[*index]))
            .collect()
    }

    /// The title of a column with that of its span in front, for formats that cannot span.
    pub(crate) fn full_title(&self, index: usize) -> String {
        let mut end = 0;
        let span = self.spans.iter().find(|(_, columns)| {
            end += columns;
            index < end
        });
        let title = self.columns[index].title.flat();
        match span {
            Some((span, _)) if !span.is_empty() => format!("{}, {title}", span.flat()),
            _ => title,
        }
    }
}

impl Column {
    /// A column of words.
    #[must_use]
    pub fn words(title: impl Into<Text>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// A column of numbers.
    #[must_use]
    pub fn numbers(title: impl Into<Text>) -> Self {
        Self {
            title: title.into(),
            align: Align::Right,
            ..Self::default()
        }
    }

    /// A column whose cells name their row.
    #[must_use]
    pub fn header(title: impl Into<Text>) -> Self {
        Self {
            title: title.into(),
            is_header: true,
            ..Self::default()
        }
    }

    /// Leaves the column out where there is little room.
    #[must_use]
    pub const fn minor(mut self) -> Self {
        self.is_minor = true;
        self
    }

    /// Says that its cells hold sentences.
    #[must_use]
    pub const fn long(mut self) -> Self {
        self.is_long = true;
        self
    }

    /// Shows the column in some formats only.
    #[must_use]
    pub const fn only(mut self, media: Media) -> Self {
        self.media = media;
        self
    }

    /// Lets a page sort by the column.
    #[must_use]
    pub const fn sorted(mut self, order: Order) -> Self {
        self.order = Some(order);
        self
    }
}

impl Row {
    /// A row of cells.
    #[must_use]
    pub fn new<T: Into<TableCell>>(cells: impl IntoIterator<Item = T>) -> Self {
        Self {
            cells: cells.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Shows the row as one that is no evidence by itself.
    #[must_use]
    pub const fn faint(mut self, is_faint: bool) -> Self {
        self.is_faint = is_faint;
        self
    }

    /// Gives the row a name by which a script replaces it.
    #[must_use]
    pub fn identified(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }
}

impl TableCell {
    /// A cell that says this.
    #[must_use]
    pub fn new(text: impl Into<Text>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Gives the cell a tone.
    #[must_use]
    pub const fn toned(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Adds a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Text>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Adds a sign.
    #[must_use]
    pub fn marked(mut self, mark: Option<Mark>) -> Self {
        self.mark = mark;
        self
    }

    /// Adds the value by which a page sorts.
    #[must_use]
    pub const fn valued(mut self, value: f64) -> Self {
        self.value = Some(value);
        self
    }

    /// Adds the reason, which a page always shows.
    #[must_use]
    pub fn explained(mut self, why: impl Into<Text>) -> Self {
        self.explanation = Some(Explanation::Open(why.into()));
        self
    }

    /// Text, detail and sign in a row, for formats whose cells are one line.
    pub(crate) fn line(&self) -> Text {
        let mut line = self.text.clone();
        if !self.detail.is_empty() {
            line = line.plain(" (").text(self.detail.clone()).plain(")");
        }
        match &self.mark {
            Some(mark) if !mark.sign.is_empty() => line.plain(" ").with(crate::Inline::Mark(mark.clone())),
            _ => line,
        }
    }
}

impl<T: Into<Text>> From<T> for TableCell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}
