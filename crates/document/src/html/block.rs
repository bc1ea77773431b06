//! Blocks in HTML.

use maud::{Markup, html};

use super::Page;
use super::inline::tone_class;
use crate::figure::file_name;
use crate::{
    Block, Figure, Finding, Item, List, ListStyle, Media, Notice, Paragraph, Role, Section, Tone, Verdict,
};

impl Page {
    pub(super) fn blocks(&mut self, blocks: &[Block]) -> Markup {
        let shown: Vec<&Block> = blocks
            .iter()
            .filter(|block| block.is_shown_in(Media::PAGE))
            .collect();
        // Verdicts that follow each other are one list.
        let parts: Vec<Markup> = shown
            .chunk_by(|a, b| sentence(a).is_some() && sentence(b).is_some())
            .map(|chunk| match sentence(chunk[0]) {
                Some(_) => self.verdicts(chunk),
                None => html! { @for block in chunk { (self.block(block)) } },
            })
            .collect();
        html! { @for part in parts { (part) } }
    }

    fn block(&mut self, block: &Block) -> Markup {
        match block {
            Block::Section(section) => self.section(section),
            Block::Beside(sections) => {
                let sections: Vec<Markup> = sections.iter().map(|section| self.subsection(section)).collect();
                html! { div class="beside" { @for section in sections { div { (section) } } } }
            }
            Block::Paragraph(shown) => self.paragraph(shown),
            Block::Verdict(verdict) => self.headline(verdict),
            Block::Notice(shown) => self.notice(shown),
            Block::Finding(finding) => self.finding(finding),
            Block::Table(table) => self.table(table),
            Block::List(list) => self.list(list),
            Block::Facts(facts) => html! {
                dl class="facts" {
                    @for (label, value) in facts { div { dt { (self.text(label)) } dd { (self.text(value)) } } }
                }
            },
            Block::Tiles(tiles) => html! {
                dl class="tiles" {
                    @for tile in tiles {
                        div class=[tone_class(tile.tone)] {
                            dt { (self.text(&tile.label)) }
                            dd {
                                (self.text(&tile.value))
                                @if !tile.detail.is_empty() { small { (self.text(&tile.detail)) } }
                            }
                        }
                    }
                }
            },
            Block::Figures(figures) => {
                let figures: Vec<Markup> = figures.iter().map(|figure| self.figure(figure)).collect();
                html! { div class="figures" { @for figure in figures { (figure) } } }
            }
            Block::Lanes(groups) => self.lanes(groups),
            Block::Details(summary, body) => {
                let body = self.blocks(body);
                html! { details { summary { (self.text(summary)) } (body) } }
            }
            Block::Code(_, code) => html! { pre { code { (code) } } },
            Block::Only(_, body) => self.blocks(body),
        }
    }

    fn section(&mut self, section: &Section) -> Markup {
        if !self.sections.is_empty() {
            return self.subsection(section);
        }
        self.sections.push(section.id.clone());
        let body = self.blocks(&section.body);
        self.sections.pop();
        html! {
            section id=[(!section.id.is_empty()).then_some(&section.id)] class=[section.is_answer.then_some("answer")] {
                h2 { (self.text(&section.title)) }
                (body)
            }
        }
    }

    /// A section within another one.
    fn subsection(&mut self, section: &Section) -> Markup {
        self.sections.push(section.id.clone());
        let body = self.blocks(&section.body);
        self.sections.pop();
        html! {
            h3 id=[(!section.id.is_empty()).then_some(&section.id)] { (self.text(&section.title)) }
            (body)
        }
    }

    fn finding(&mut self, finding: &Finding) -> Markup {
        let more = self.blocks(&finding.more);
        html! {
            div class=(format!("finding {}", finding.tone.name())) {
                p { span class="pill" { (finding.label) } " " (self.text(&finding.title)) }
                @for line in &finding.body { p { (self.text(line)) } }
                @if let Some(remedy) = &finding.remedy { p class="remedy" { (self.text(remedy)) } }
                @if let Some(place) = &finding.place { p class="where" { (self.text(place)) } }
                (more)
            }
        }
    }

    fn list(&mut self, list: &List) -> Markup {
        let items: Vec<Markup> = list
            .items
            .iter()
            .enumerate()
            .map(|(index, Item { text: words, body })| {
                let body = self.blocks(body);
                let id = (list.style == ListStyle::References).then(|| format!("reference-{}", index + 1));
                html! { li id=[id] { (self.text(words)) (body) } }
            })
            .collect();
        html! {
            @match list.style {
                ListStyle::Bullets => ul class="prose" { @for item in items { (item) } },
                ListStyle::Numbers | ListStyle::References => ol class="prose" { @for item in items { (item) } },
            }
        }
    }

    /// A figure with its caption.
    fn figure(&mut self, figure: &Figure) -> Markup {
        let taken: Vec<String> = self.figures.iter().map(|(id, _)| id.clone()).collect();
        let id = file_name(&self.sections, &figure.name, &taken);
        let written = figure.in_page(&id);
        self.figures.push((id, figure.clone()));
        written
    }

    fn paragraph(&self, paragraph: &Paragraph) -> Markup {
        let class = match paragraph.role {
            Role::Body => None,
            Role::About => Some("about"),
            Role::Note => Some("note"),
        };
        html! { p class=[class] { (self.text(&paragraph.text)) } }
    }

    fn headline(&self, verdict: &Verdict) -> Markup {
        html! { p class=(format!("headline {}", verdict.tone.name())) { (self.text(&verdict.text)) } }
    }

    fn verdicts(&self, blocks: &[&Block]) -> Markup {
        html! {
            ul class="verdicts" {
                @for verdict in blocks.iter().filter_map(|block| sentence(block)) {
                    li class=[tone_class(verdict.tone)] {
                        @if !verdict.label.is_empty() { span class="pill" { (verdict.label) } }
                        span { (self.text(&verdict.text)) }
                    }
                }
            }
        }
    }

    fn notice(&self, notice: &Notice) -> Markup {
        let class = match notice.tone {
            Tone::Bad => "flag bad",
            Tone::Plain | Tone::Faint => "flag plain",
            Tone::Good | Tone::Same | Tone::Warning => "flag",
        };
        html! {
            p class=(class) {
                @if !notice.label.is_empty() { strong { (notice.label) "." } " " }
                (self.text(&notice.text))
            }
        }
    }
}

/// A verdict that is not the document's answer.
fn sentence(block: &Block) -> Option<&Verdict> {
    match block {
        Block::Verdict(verdict) if !verdict.is_headline => Some(verdict),
        _ => None,
    }
}
