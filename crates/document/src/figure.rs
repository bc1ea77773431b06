//! A drawing with its data.

use maud::Markup;

use crate::Text;

/// A drawing with its data.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name among the figures of its section: small letters, digits and dashes.
    pub name: String,
    /// What it shows, with its unit.
    pub title: String,
    /// What it shows, in a sentence with the main values.
    pub description: String,
    /// Width of the coordinate system.
    pub width: f64,
    /// Height of the coordinate system.
    pub height: f64,
    /// The content of the `<svg>`, escaped by whoever drew it. Colors and fonts come from classes of the style sheet.
    pub content: Markup,
    /// Exactly what is drawn, as comma-separated values; units are in the names of the columns.
    pub data: String,
}

/// The name of a figure's files, which is its id in the page: that of the innermost section with one goes before its own. `taken` are
/// those before it.
pub(crate) fn file_name(sections: &[String], name: &str, taken: &[String]) -> String {
    let section = sections.iter().rev().find(|id| !id.is_empty());
    let mut id = section.map_or_else(|| name.to_owned(), |section| format!("{section}--{name}"));
    while taken.contains(&id) {
        id.push_str("-again");
    }
    id
}

/// Systems that share an axis, a line each.
#[derive(Clone, Debug)]
pub struct LaneGroup {
    /// What was measured.
    pub title: Text,
    /// The quantity, and which end of the axis is better.
    pub about: Text,
    /// The systems.
    pub lanes: Vec<Lane>,
    /// The axis as an `<svg>`, as wide as each track.
    pub axis: Markup,
}

/// One system: its name, a drawing as wide as there is room, and its value.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Its name.
    pub name: Text,
    /// The drawing as an `<svg>` without a width of its own, escaped by whoever drew it.
    pub track: Markup,
    /// The value with its unit.
    pub value: String,
    /// From where to where it may lie; may be empty.
    pub interval: String,
    /// Whether it was shown to be the best.
    pub is_best: bool,
}

/// A figure of a page as files of its own.
#[derive(Clone, Debug)]
pub struct FigureFile {
    /// Its id in the page, which makes a good file name.
    pub name: String,
    /// Exactly what is drawn, as comma-separated values.
    pub csv: String,
    /// The drawing alone, on white.
    pub svg: String,
}
