//! A document as Markdown in GitHub's dialect: for an issue, a README or a pull request.

mod escape;

use dbdyno_vocabulary::visible;

use crate::html::allowed;
use crate::{
    Align, Block, Document, Finding, Inline, List, ListStyle, Media, Notice, Section, Table, Target, Text,
};

/// The document as Markdown; ends with a line feed.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let mut writer = Writer {
        level: document.nesting + 1,
        text: String::new(),
        is_after_item: false,
    };
    if !document.title.is_empty() {
        writer.heading(&Text::from(document.title.as_str()));
        writer.level += 1;
    }
    if !document.about.is_empty() {
        writer.paragraph(&line(&document.about));
    }
    writer.blocks(&document.body);
    writer.text.trim_end().to_owned() + "\n"
}

struct Writer {
    /// The level of the next heading.
    level: usize,
    text: String,
    /// Whether the next item belongs to the list that is above it.
    is_after_item: bool,
}

/// Headings have no deeper level.
const DEEPEST: usize = 6;

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks.iter().filter(|block| block.is_shown_in(Media::MARKDOWN)) {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Section(section) => self.section(section),
            Block::Beside(sections) => {
                let sections = sections.iter().cloned().map(Block::Section);
                self.blocks(&sections.collect::<Vec<_>>());
            }
            Block::Paragraph(paragraph) => self.paragraph(&line(&paragraph.text)),
            Block::Verdict(verdict) if verdict.is_headline => {
                self.paragraph(&strong(&inline(&without_strong(&verdict.text), false)));
            }
            Block::Verdict(verdict) => self.item("- ", &line(&verdict.text)),
            Block::Notice(notice) => self.notice(notice),
            Block::Finding(finding) => self.finding(finding),
            Block::Table(table) => self.table(table),
            Block::List(list) => self.list(list),
            Block::Facts(facts) => {
                for (label, value) in facts {
                    self.item("- ", &line(&label.clone().plain(": ").text(value.clone())));
                }
            }
            Block::Tiles(tiles) => tiles.iter().for_each(|tile| self.item("- ", &line(&tile.line()))),
            Block::Details(summary, body) => {
                // Nothing but HTML is read in a line that starts with a tag.
                let summary =
                    maud::html! { details { summary { (escape::one_line(&summary.flat())) } } }.into_string();
                self.paragraph(summary.trim_end_matches("</details>"));
                self.blocks(body);
                self.paragraph("</details>");
            }
            Block::Code(language, code) => self.code(language, code),
            Block::Only(_, body) => self.blocks(body),
            Block::Figures(_) | Block::Lanes(_) => {}
        }
    }

    fn section(&mut self, section: &Section) {
        // The answer stands right below the title.
        if section.is_answer {
            return self.blocks(&section.body);
        }
        self.heading(&section.title);
        self.level += 1;
        self.blocks(&section.body);
        self.level -= 1;
    }

    fn heading(&mut self, title: &Text) {
        let title = inline(title, false);
        self.paragraph(&format!("{} {title}", "#".repeat(self.level.min(DEEPEST))));
    }

    fn notice(&mut self, notice: &Notice) {
        let text = if notice.label.is_empty() {
            line(&notice.text)
        } else {
            let label = format!("{}:", escape::words(&notice.label));
            format!("{} {}", strong(&label), inline(&notice.text, false))
        };
        self.paragraph(&format!("> {text}"));
    }

    fn finding(&mut self, finding: &Finding) {
        let label = strong(&escape::words(&finding.label));
        let mut text = format!("{label} {}", inline(&finding.title, false));
        for line in &finding.body {
            text.push_str(&format!("; {}", inline(line, false)));
        }
        if let Some(remedy) = &finding.remedy {
            text.push_str(&format!(" → {}", inline(remedy, false)));
        }
        if let Some(place) = &finding.place {
            text.push_str(&format!(" ({})", inline(place, false)));
        }
        self.item("- ", &text);
        self.nested("  ", &finding.more);
    }

    fn list(&mut self, list: &List) {
        for (index, item) in list.items.iter().enumerate() {
            let text = line(&item.text);
            let mark = match list.style {
                ListStyle::Bullets | ListStyle::References => "- ".to_owned(),
                ListStyle::Numbers => format!("{}. ", index + 1),
            };
            if list.style == ListStyle::References {
                let text = inline(&item.text, false);
                self.item(&mark, &format!("\\[{}\\] {text}", index + 1));
            } else {
                self.item(&mark, &text);
            }
            self.nested(&" ".repeat(mark.len()), &item.body);
        }
    }

    /// Blocks that belong to an item.
    fn nested(&mut self, indent: &str, blocks: &[Block]) {
        let mut inner = Self {
            level: self.level,
            text: String::new(),
            is_after_item: false,
        };
        inner.blocks(blocks);
        if inner.text.is_empty() {
            return;
        }
        self.gap();
        for line in inner.text.trim_end().lines() {
            let line = if line.is_empty() {
                String::new()
            } else {
                format!("{indent}{line}")
            };
            self.text.push_str(&format!("{line}\n"));
        }
        self.gap();
        self.is_after_item = true;
    }

    fn table(&mut self, table: &Table) {
        let columns = table.shown(Media::MARKDOWN, true);
        let header: Vec<String> = columns
            .iter()
            .map(|index| escape::words(&table.full_title(*index)))
            .collect();
        let rule: String = columns
            .iter()
            .map(|index| match table.columns[*index].align {
                Align::Left => " --- |",
                Align::Right => " ---: |",
            })
            .collect();
        for group in table.groups.iter().filter(|group| !group.rows.is_empty()) {
            if !group.title.is_empty() {
                self.heading(&group.title);
            }
            if !group.about.is_empty() {
                self.paragraph(&line(&group.about));
            }
            self.gap();
            self.text
                .push_str(&format!("| {} |\n|{rule}\n", header.join(" | ")));
            for row in &group.rows {
                let cells = columns.iter().map(|index| {
                    let line = row
                        .cells
                        .get(*index)
                        .map(crate::TableCell::line)
                        .unwrap_or_default();
                    inline(&line, true)
                });
                self.text
                    .push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
            }
            self.gap();
            for row in group.rows.iter().filter(|row| !row.note.is_empty()) {
                let name = row
                    .cells
                    .first()
                    .map(|cell| cell.text.clone())
                    .unwrap_or_default();
                let note = name.plain(": ").text(row.note.clone());
                self.item("- ", &line(&note));
            }
        }
        if !table.remark.is_empty() {
            self.paragraph(&line(&table.remark));
        }
    }

    fn code(&mut self, language: &str, code: &str) {
        let fence = "`".repeat((escape::longest_run(code, '`') + 1).max(3));
        self.gap();
        self.text.push_str(&format!("{fence}{language}\n"));
        for line in code.lines() {
            self.text.push_str(&visible::text(line));
            self.text.push('\n');
        }
        self.text.push_str(&format!("{fence}\n"));
    }

    /// A paragraph, with empty lines around.
    fn paragraph(&mut self, text: &str) {
        self.gap();
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    /// An item of a list, directly below the item before.
    fn item(&mut self, mark: &str, text: &str) {
        if !self.is_after_item {
            self.gap();
        }
        self.text.push_str(&format!("{mark}{text}\n"));
        self.is_after_item = true;
    }

    /// An empty line, unless there is one or nothing is above.
    fn gap(&mut self) {
        self.is_after_item = false;
        if self.text.is_empty() || self.text.ends_with("\n\n") {
            return;
        }
        self.text
            .push_str(if self.text.ends_with('\n') { "\n" } else { "\n\n" });
    }
}

/// Words that stand out between spaces.
fn strong(written: &str) -> String {
    format!("**{}**", written.trim())
}

/// Words that stand out as a whole.
fn without_strong(text: &Text) -> Text {
    let plain = |part: &Inline| match part {
        Inline::Strong(words) | Inline::Emphasis(words) => Inline::Plain(words.clone()),
        part => part.clone(),
    };
    Text(text.0.iter().map(plain).collect())
}

/// Running text at the start of a line.
fn line(text: &Text) -> String {
    escape::line(&inline(text, false))
}

/// Running text after something else.
fn inline(text: &Text, is_in_table: bool) -> String {
    let mut written = String::new();
    for (index, part) in text.0.iter().enumerate() {
        let after = text.0.get(index + 1);
        match part {
            Inline::Strong(words) => emphasize(&mut written, words, after, ("**", "b")),
            Inline::Emphasis(words) => emphasize(&mut written, words, after, ("*", "i")),
            part => written.push_str(&inline_part(part, is_in_table)),
        }
    }
    written
}

/// Adds words between marks; between tags where marks would not be read as marks.
fn emphasize(written: &mut String, words: &str, after: Option<&Inline>, (mark, tag): (&str, &str)) {
    let escaped = escape::words(words);
    let is_space = |edge: Option<char>| edge.is_none_or(char::is_whitespace);
    let is_letter = |edge: Option<char>| edge.is_some_and(char::is_alphanumeric);
    let is_emphasis = |part: &Inline| matches!(part, Inline::Strong(_) | Inline::Emphasis(_));
    let next = after.and_then(|part| part.flat().chars().next());
    let (first, last) = (escaped.chars().next(), escaped.chars().next_back());
    let opens = !is_space(first) && (is_space(written.chars().next_back()) || is_letter(first));
    let closes = !is_space(last) && (is_space(next) || is_letter(last));
    if opens && closes && !written.ends_with('*') && !after.is_some_and(is_emphasis) {
        written.push_str(&format!("{mark}{escaped}{mark}"));
    } else {
        written.push_str(&format!("<{tag}>{escaped}</{tag}>"));
    }
}

fn inline_part(part: &Inline, is_in_table: bool) -> String {
    match part {
        Inline::Plain(text) | Inline::Toned(_, text) | Inline::Strong(text) | Inline::Emphasis(text) => {
            escape::words(text)
        }
        Inline::Code(text) => escape::code(text, is_in_table),
        Inline::Link(text, target) => {
            let address = match target {
                Target::Anchor(id) => Some(format!("#{id}")),
                Target::Address(address) => allowed(address),
            };
            let text = escape::words(text);
            address.map_or_else(
                || text.clone(),
                |address| format!("[{text}]({})", escape::address(&address)),
            )
        }
        Inline::Name(_) | Inline::Bar(_) | Inline::Value { .. } | Inline::Mark(_) | Inline::References(_) => {
            escape::words(&part.flat())
        }
        Inline::Series(parts) => {
            let parts = parts.iter().map(|part| inline_part(part, is_in_table));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}
