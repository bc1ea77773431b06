//! The tree: a document of sections, and what sections are made of.

use std::collections::BTreeMap;

use crate::{Figure, LaneGroup, Media, Table, Text, Tone};

/// Everything that one output shows.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What kind of document it is, e.g. `advice`: the line above a page's title.
    pub kind: String,
    /// The short name that files saved from a page begin with; empty if the title is it.
    pub name: String,
    /// Its title; may be empty.
    pub title: String,
    /// What it covers, in a line below the title; may be empty.
    pub about: Text,
    /// The sections, or blocks without one.
    pub body: Vec<Block>,
    /// The color of each system that texts name, by its index.
    pub colors: BTreeMap<String, usize>,
    /// The last line of a page; may be empty.
    pub footer: String,
    /// Whether a page lists its sections beside them.
    pub has_contents: bool,
    /// The level of the title in Markdown is one more than this: for text that is added to a larger document.
    pub nesting: usize,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// A heading and what belongs to it.
    Section(Section),
    /// Sections of equal rank, side by side where there is room.
    Beside(Vec<Section>),
    /// Running text.
    Paragraph(Paragraph),
    /// What was found out.
    Verdict(Verdict),
    /// What the reader must know to read the rest correctly.
    Notice(Notice),
    /// Something that a check found.
    Finding(Finding),
    /// Rows and columns.
    Table(Table),
    /// Items of equal rank.
    List(List),
    /// Labels with their values.
    Facts(Vec<(Text, Text)>),
    /// The main numbers, side by side where there is room.
    Tiles(Vec<Tile>),
    /// Drawings, side by side where there is room. Pages and LaTeX only: the tables have the numbers.
    Figures(Vec<Figure>),
    /// Systems in one quantity, a line each, group by group. Pages only: the tables have the numbers.
    Lanes(Vec<LaneGroup>),
    /// What a page opens on request. A terminal leaves it out.
    Details(Text, Vec<Block>),
    /// Lines that a machine reads, in that language.
    Code(&'static str, String),
    /// Blocks for some formats only.
    Only(Media, Vec<Block>),
}

/// A heading and what belongs to it. A section in which a format shows nothing is left out there.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// What links lead to; unique in the document, empty for none.
    pub id: String,
    /// The heading.
    pub title: Text,
    /// Whether it is the document's answer, which a page sets apart and text puts right below the title.
    pub is_answer: bool,
    /// Whether the list of contents shows it one step in.
    pub is_subordinate: bool,
    /// Its content.
    pub body: Vec<Block>,
}

/// Running text.
#[derive(Clone, Debug, Default)]
pub struct Paragraph {
    /// The words.
    pub text: Text,
    /// What they are for.
    pub role: Role,
}

/// What a paragraph is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It belongs to the content.
    #[default]
    Body,
    /// It introduces the section.
    About,
    /// It says how to read the content.
    Note,
}

/// What was found out.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// How it ended.
    pub tone: Tone,
    /// How it ended, in a word, which a page sets apart; may be empty.
    pub label: String,
    /// The sentence.
    pub text: Text,
    /// Whether it is the document's answer.
    pub is_headline: bool,
}

/// What the reader must know to read the rest correctly.
#[derive(Clone, Debug, Default)]
pub struct Notice {
    /// [`Tone::Bad`] if it forbids a comparison.
    pub tone: Tone,
    /// In two words, e.g. `Take care`; may be empty.
    pub label: String,
    /// The sentence.
    pub text: Text,
}

/// Something that a check found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// How grave it is.
    pub tone: Tone,
    /// How grave it is, in a word.
    pub label: String,
    /// What it is.
    pub title: Text,
    /// More about it, a sentence or a line each.
    pub body: Vec<Text>,
    /// What to do about it.
    pub remedy: Option<Text>,
    /// Where it was found.
    pub place: Option<Text>,
    /// What a page opens on request.
    pub more: Vec<Block>,
}

/// One of the main numbers.
#[derive(Clone, Debug, Default)]
pub struct Tile {
    /// What it is, in a word or two.
    pub label: Text,
    /// The number with its unit.
    pub value: Text,
    /// More about it; may be empty.
    pub detail: Text,
    /// How the number is colored.
    pub tone: Tone,
}

/// Items of equal rank.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// How items are marked.
    pub style: ListStyle,
    /// The items.
    pub items: Vec<Item>,
}

/// How the items of a list are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListStyle {
    /// With a dash or a dot.
    #[default]
    Bullets,
    /// With numbers, in the order that counts.
    Numbers,
    /// With the numbers that [`Inline::References`](crate::Inline::References) lead to.
    References,
}

/// An item of a list.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// Its words.
    pub text: Text,
    /// What belongs to it.
    pub body: Vec<Block>,
}

impl Block {
    /// A paragraph of the content.
    #[must_use]
    pub fn paragraph(text: impl Into<Text>) -> Self {
        Self::with_role(Role::Body, text)
    }

    /// The document's answer.
    #[must_use]
    pub fn headline(tone: Tone, text: impl Into<Text>) -> Self {
        Self::Verdict(Verdict {
            tone,
            text: text.into(),
            is_headline: true,
            ..Verdict::default()
        })
    }

    /// A paragraph that introduces its section.
    #[must_use]
    pub fn about(text: impl Into<Text>) -> Self {
        Self::with_role(Role::About, text)
    }

    /// A paragraph about how to read the content.
    #[must_use]
    pub fn note(text: impl Into<Text>) -> Self {
        Self::with_role(Role::Note, text)
    }

    fn with_role(role: Role, text: impl Into<Text>) -> Self {
        let text = text.into();
        Self::Paragraph(Paragraph { text, role })
    }

    /// A list with bullets.
    #[must_use]
    pub fn bullets<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::list(ListStyle::Bullets, items)
    }

    /// A list whose items have no content besides their words.
    #[must_use]
    pub fn list<T: Into<Text>>(style: ListStyle, items: impl IntoIterator<Item = T>) -> Self {
        let item = |text: T| Item {
            text: text.into(),
            body: Vec::new(),
        };
        Self::List(List {
            style,
            items: items.into_iter().map(item).collect(),
        })
    }

    /// Whether a format shows anything of it.
    #[must_use]
    pub fn is_shown_in(&self, medium: Media) -> bool {
        let any = |blocks: &[Self]| blocks.iter().any(|block| block.is_shown_in(medium));
        match self {
            Self::Section(section) => any(&section.body),
            Self::Beside(sections) => sections.iter().any(|section| any(&section.body)),
            Self::Paragraph(paragraph) => !paragraph.text.is_empty(),
            Self::Verdict(_) | Self::Notice(_) | Self::Finding(_) => true,
            Self::Table(table) => table.groups.iter().any(|group| !group.rows.is_empty()),
            Self::List(list) => !list.items.is_empty(),
            Self::Facts(facts) => !facts.is_empty(),
            Self::Tiles(tiles) => !tiles.is_empty(),
            Self::Figures(figures) => {
                (medium == Media::PAGE || medium == Media::LATEX) && !figures.is_empty()
            }
            Self::Lanes(groups) => medium == Media::PAGE && !groups.is_empty(),
            Self::Details(_, body) => medium != Media::TERMINAL && any(body),
            Self::Code(_, text) => !text.is_empty(),
            Self::Only(media, body) => media.contains(medium) && any(body),
        }
    }
}

impl Tile {
    /// A number and what it is.
    #[must_use]
    pub fn new(label: impl Into<Text>, value: impl Into<Text>) -> Self {
        Self {
            label: label.into(),
            value: value.into(),
            ..Self::default()
        }
    }

    /// Adds more about the number.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Text>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Colors the number.
    #[must_use]
    pub fn toned(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// `Throughput: 34.6k/s (103,734 in 3 s)`, for formats that write one line below the other.
    pub(crate) fn line(&self) -> Text {
        let line = self.label.clone().plain(": ").text(self.value.clone());
        if self.detail.is_empty() {
            line
        } else {
            line.plain(" (").text(self.detail.clone()).plain(")")
        }
    }
}

impl Section {
    /// A section with a title, that links lead to.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<Text>, body: Vec<Block>) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            body,
            ..Self::default()
        }
    }
}

impl From<Section> for Block {
    fn from(section: Section) -> Self {
        Self::Section(section)
    }
}
