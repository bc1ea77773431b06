//! A document as one HTML file: nothing is loaded from anywhere, nothing needs the script, and the same document gives the
//! same bytes.

mod block;
mod drawing;
mod inline;
mod lanes;
mod sort;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dbdyno_vocabulary::visible;
use maud::{DOCTYPE, Markup, PreEscaped, html as markup};
use sha2::{Digest, Sha256};

use crate::{Block, Document, Figure, FigureFile, Media, Row, Section, Table};

pub(crate) use inline::allowed;

const STYLE: &str = include_str!("html/style.css");
/// The script of pages with figures, filters or tables to sort. They are complete without it. Each part builds on those before it.
const SCRIPT: &str = concat!(
    include_str!("html/script.js"),
    include_str!("html/save.js"),
    include_str!("html/axis.js"),
    include_str!("html/series.js"),
    include_str!("html/table.js"),
    "page.begin();\n"
);

/// The document as one page.
#[must_use]
pub fn html(document: &Document) -> String {
    written(document, None)
}

/// The document as a page that changes while it is open: `script` follows the page's own, and may ask the server that the
/// page came from.
#[must_use]
pub fn live_html(document: &Document, script: &str) -> String {
    written(document, Some(script))
}

/// A section as it stands in a page, for [`live_html`]'s script to replace it.
#[must_use]
pub fn section_html(section: &Section) -> String {
    let written = Page::default().blocks(&[Block::Section(section.clone())]);
    visible::text(&written.into_string()).into_owned()
}

/// A row of a table as it stands in a page, for [`live_html`]'s script to replace it.
#[must_use]
pub fn row_html(table: &Table, row: &Row) -> String {
    visible::text(&Page::default().row_alone(table, row).into_string()).into_owned()
}

fn written(document: &Document, live: Option<&str>) -> String {
    let mut page = Page {
        colors: document.colors.clone(),
        ..Page::default()
    };
    let main = page.blocks(&document.body);
    let own = (live.is_some() || page.needs_script || !page.figures.is_empty()).then(script);
    let script = own.map(|own| own + live.unwrap_or_default());
    let first = sections(&document.body)
        .into_iter()
        .find(|section| !section.id.is_empty());
    let written = markup! {
        (DOCTYPE)
        html lang="en" {
            (head(document, script.as_deref(), live.is_some()))
            body {
                @if let Some(first) = first {
                    a class="skip" href=(format!("#{}", first.id)) { "Skip to the content" }
                }
                (page.header(document, script.is_some()))
                div class=(if document.has_contents { "page" } else { "page single" }) {
                    @if document.has_contents { (contents(document)) }
                    main { (main) }
                }
                @if !document.footer.is_empty() { footer { (document.footer) } }
                @if let Some(script) = script {
                    div id="tip" role="status" hidden {}
                    script { (PreEscaped(script)) }
                }
            }
        }
    };
    visible::text(&written.into_string()).into_owned()
}

/// Every figure of the page, in its order.
#[must_use]
pub fn figures(document: &Document) -> Vec<FigureFile> {
    let mut page = Page::default();
    page.blocks(&document.body);
    page.figures
        .into_iter()
        .map(|(id, figure)| figure.into_file(id))
        .collect()
}

/// What has been written so far.
#[derive(Default)]
struct Page {
    /// The colors of systems.
    colors: BTreeMap<String, usize>,
    /// The ids of the sections around.
    sections: Vec<String>,
    /// The figures with their ids.
    figures: Vec<(String, Figure)>,
    /// The ids of cells.
    cells: BTreeSet<String>,
    /// Whether a table can be filtered or sorted.
    needs_script: bool,
}

impl Page {
    fn header(&self, document: &Document, has_script: bool) -> Markup {
        markup! {
            header class="top" {
                div {
                    p class="brand" {
                        "dbdyno" span { (document.kind) @if !document.name.is_empty() { " · " (document.name) } }
                    }
                    h1 { (document.title) }
                    @if !document.about.is_empty() { p class="meta" { (self.text(&document.about)) } }
                }
                @if has_script {
                    button type="button" id="theme" hidden aria-label="Switch between light and dark" { "Light / dark" }
                }
            }
        }
    }
}

/// The script without comments and indentation, which a page does not need. No line of it goes on within a text.
fn script() -> String {
    let lines = SCRIPT.lines().map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    code.flat_map(|line| [line, "\n"]).collect()
}

fn head(document: &Document, script: Option<&str>, is_live: bool) -> Markup {
    let asks = if is_live { "; connect-src 'self'" } else { "" };
    let policy = format!("{}{asks}", policy(script));
    let name = if document.name.is_empty() {
        &document.title
    } else {
        &document.name
    };
    let title = if document.kind.is_empty() {
        name.clone()
    } else {
        format!("{name} · dbdyno {}", document.kind)
    };
    markup! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="color-scheme" content="light dark";
            meta name="generator" content="dbdyno";
            title { (title) }
            style id="style" { (PreEscaped(STYLE)) }
        }
    }
}

/// What a page may do, whatever a name or a message may hold: run this script and no other, and load nothing.
pub fn policy(script: Option<&str>) -> String {
    let script = script.map_or_else(String::new, |script| {
        let hash = STANDARD.encode(Sha256::digest(script));
        format!("; script-src 'sha256-{hash}'; img-src data: blob:")
    });
    format!("default-src 'none'; style-src 'unsafe-inline'{script}")
}

fn contents(document: &Document) -> Markup {
    markup! {
        nav class="contents" aria-label="Contents" {
            ol {
                @for section in sections(&document.body) {
                    @if !section.id.is_empty() {
                        li class=[section.is_subordinate.then_some("sub")] {
                            a href=(format!("#{}", section.id)) { (section.title.flat()) }
                        }
                    }
                }
            }
        }
    }
}

/// The outermost sections that a page shows.
fn sections(blocks: &[Block]) -> Vec<&Section> {
    let mut found = Vec::new();
    for block in blocks.iter().filter(|block| block.is_shown_in(Media::PAGE)) {
        match block {
            Block::Section(section) => found.push(section),
            Block::Only(_, body) => found.extend(sections(body)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn the_script_is_small_and_names_nothing_outside() {
        let script = script();
        assert!(script.len() < 19_500, "{} bytes", script.len());
        for forbidden in ["innerHTML", "eval(", "import", "\n//", "</"] {
            assert!(!script.contains(forbidden), "{forbidden}");
        }
        assert!(script.ends_with("page.begin();\n"));
    }
}
