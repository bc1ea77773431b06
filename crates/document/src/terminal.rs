//! A document on a terminal. Colors where the caller allows them; no line is longer than the width if its words allow.

mod table;
mod words;

use crate::{
    Block, Document, Finding, Inline, List, ListStyle, Media, Notice, Paragraph, Role, Section, Style, Text,
    Tone, Verdict,
};
use words::{Dress, wrapped};

pub use words::wrap;

/// The document as text; ends with a line feed.
#[must_use]
pub fn terminal(document: &Document, style: Style) -> String {
    let mut writer = Writer {
        style,
        lines: Vec::new(),
    };
    if !document.title.is_empty() {
        writer.text(&Text::new().strong(&document.title), Dress::Plain, "", "");
    }
    writer.text(&document.about, Dress::Toned(Tone::Faint), "", "");
    writer.blocks(&document.body);
    while writer.lines.last().is_some_and(String::is_empty) {
        writer.lines.pop();
    }
    writer.lines.push(String::new());
    writer.lines.join("\n")
}

struct Writer {
    style: Style,
    lines: Vec<String>,
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) {
        let mut before: Option<&Block> = None;
        for block in shown_blocks(blocks) {
            if before.is_some_and(|before| is_apart(before) || is_apart(block) && !is_about(before)) {
                self.gap();
            }
            self.block(block);
            before = Some(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Section(section) => self.section(section),
            Block::Beside(sections) => {
                let shown =
                    |section: &&Section| Block::Section((*section).clone()).is_shown_in(Media::TERMINAL);
                sections
                    .iter()
                    .filter(shown)
                    .for_each(|section| self.section(section));
            }
            Block::Paragraph(paragraph) => self.paragraph(paragraph),
            Block::Verdict(verdict) => self.verdict(verdict),
            Block::Notice(notice) => self.notice(notice),
            Block::Finding(finding) => self.finding(finding),
            Block::Table(table) => self.table(table),
            Block::List(list) => self.list(list),
            Block::Facts(facts) => {
                for (label, value) in facts {
                    let line = label.clone().plain(": ").text(value.clone());
                    self.text(&line, Dress::Plain, "", "  ");
                }
            }
            Block::Tiles(tiles) => tiles
                .iter()
                .for_each(|tile| self.text(&tile.line(), Dress::Plain, "", "  ")),
            Block::Code(_, text) => {
                for line in text.lines() {
                    self.lines.push(format!("  {}", words::visible(line)));
                }
            }
            Block::Only(..) | Block::Figures(_) | Block::Lanes(_) | Block::Details(..) => {}
        }
    }

    fn section(&mut self, section: &Section) {
        // The answer stands right below the title.
        if !section.is_answer {
            self.gap();
            self.text(&section.title, Dress::Bold, "", "");
        }
        self.blocks(&section.body);
    }

    fn paragraph(&mut self, paragraph: &Paragraph) {
        let dress = match paragraph.role {
            Role::Body => Dress::Plain,
            Role::About | Role::Note => Dress::Toned(Tone::Faint),
        };
        self.text(&paragraph.text, dress, "", "");
    }

    fn verdict(&mut self, verdict: &Verdict) {
        let dress = match verdict.tone {
            Tone::Plain if verdict.is_headline => Dress::Bold,
            tone => Dress::Toned(tone),
        };
        let (first, next) = if verdict.is_headline {
            ("", "")
        } else {
            ("  ", "    ")
        };
        self.text(&verdict.text, dress, first, next);
    }

    fn notice(&mut self, notice: &Notice) {
        let text = if notice.label.is_empty() {
            notice.text.clone()
        } else {
            Text::from(format!("{}: ", notice.label)).text(notice.text.clone())
        };
        self.text(&text, Dress::Toned(notice.tone), "", "  ");
    }

    fn finding(&mut self, finding: &Finding) {
        let title = Text::new()
            .toned(finding.tone, &finding.label)
            .plain(": ")
            .text(finding.title.clone());
        self.text(&title, Dress::Plain, "", "  ");
        for line in &finding.body {
            self.text(line, Dress::Plain, "  ", "  ");
        }
        if let Some(remedy) = &finding.remedy {
            self.text(
                &Text::from("→ ").text(remedy.clone()),
                Dress::Toned(finding.tone),
                "  ",
                "    ",
            );
        }
        if let Some(place) = &finding.place {
            self.text(place, Dress::Toned(Tone::Faint), "  ", "    ");
        }
    }

    fn list(&mut self, list: &List) {
        for (index, item) in list.items.iter().enumerate() {
            let (mark, dress) = match list.style {
                ListStyle::Bullets => ("- ".to_owned(), Dress::Plain),
                ListStyle::Numbers => (format!("{}. ", index + 1), Dress::Plain),
                ListStyle::References => (format!("[{}] ", index + 1), Dress::Toned(Tone::Faint)),
            };
            let next = " ".repeat(mark.len());
            self.text(&item.text, dress, &mark, &next);
            let mut inner = Self {
                style: Style {
                    width: self.style.width.saturating_sub(next.len()),
                    ..self.style
                },
                lines: Vec::new(),
            };
            inner.blocks(&item.body);
            self.lines.extend(inner.lines.into_iter().map(|line| {
                if line.is_empty() {
                    line
                } else {
                    format!("{next}{line}")
                }
            }));
        }
    }

    /// Running text in lines that begin with `first`, then `next`.
    fn text(&mut self, text: &Text, dress: Dress, first: &str, next: &str) {
        self.lines.extend(wrapped(text, dress, self.style, first, next));
    }

    /// An empty line, unless there is one or nothing is above.
    fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }
}

/// Whether empty lines set a block apart: a table, a section, a finding of several paragraphs.
fn is_apart(block: &Block) -> bool {
    match block {
        Block::Table(_) | Block::Section(_) => true,
        Block::Finding(finding) => !finding.body.is_empty(),
        _ => false,
    }
}

/// What a terminal shows of blocks. What suits some formats only stands between its neighbors like everything else.
fn shown_blocks(blocks: &[Block]) -> Vec<&Block> {
    let shown = blocks.iter().filter(|block| block.is_shown_in(Media::TERMINAL));
    shown
        .flat_map(|block| match block {
            Block::Only(_, body) => shown_blocks(body),
            block => vec![block],
        })
        .collect()
}

/// Whether a block leads to the table below it, so that nothing parts them.
fn is_about(block: &Block) -> bool {
    matches!(
        block,
        Block::Paragraph(Paragraph {
            role: Role::About,
            ..
        })
    )
}

/// Names of a series that a terminal shows; the others are counted.
const SERIES: usize = 3;

/// The words of a part as a terminal shows them.
fn shown(part: &Inline) -> String {
    match part {
        Inline::Series(parts) => {
            let named: Vec<String> = parts.iter().take(SERIES).map(Inline::flat).collect();
            match parts.len().saturating_sub(SERIES) {
                0 => named.join(", "),
                others => format!("{} and {others} more", named.join(", ")),
            }
        }
        part => part.flat(),
    }
}
