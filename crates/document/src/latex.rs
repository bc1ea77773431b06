//! A document as LaTeX, to be `\input` into a paper. Tables need `booktabs`, and `graphicx` where they are wider than the
//! text.

mod escape;

use crate::{
    Align, Block, Document, Figure, Finding, Inline, List, ListStyle, Media, Notice, Role, RowGroup, Section,
    Table, Target, Text,
};
pub use escape::escape;

/// The document as LaTeX; ends with a line feed.
#[must_use]
pub fn latex(document: &Document) -> String {
    let mut writer = Writer {
        depth: 0,
        sections: Vec::new(),
        figures: Vec::new(),
        text: String::from(
            "% Made by dbdyno; \\input this file. Tables need \\usepackage{booktabs}, and \\usepackage{graphicx} where they\n\
             % are wider than the text.\n",
        ),
    };
    if !document.title.is_empty() {
        writer.heading(&Text::from(document.title.as_str()));
        writer.depth += 1;
    }
    if !document.about.is_empty() {
        writer.paragraph(&inline(&document.about));
    }
    writer.blocks(&document.body);
    writer.text
}

struct Writer {
    depth: usize,
    /// The ids of the sections around.
    sections: Vec<String>,
    /// The names of the figures so far, which are those of their files.
    figures: Vec<String>,
    text: String,
}

/// Headings from the outermost on.
const HEADINGS: [&str; 4] = ["section", "subsection", "subsubsection", "paragraph"];

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks.iter().filter(|block| block.is_shown_in(Media::LATEX)) {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Section(section) => self.section(section),
            Block::Beside(sections) => sections.iter().for_each(|section| self.section(section)),
            Block::Paragraph(paragraph) => match paragraph.role {
                Role::Body | Role::About => self.paragraph(&inline(&paragraph.text)),
                Role::Note => self.paragraph(&format!("{{\\small {}}}", inline(&paragraph.text))),
            },
            Block::Verdict(verdict) if verdict.is_headline => {
                self.paragraph(&format!("\\textbf{{{}}}", inline(&verdict.text)));
            }
            Block::Verdict(verdict) => self.paragraph(&inline(&verdict.text)),
            Block::Notice(notice) => self.notice(notice),
            Block::Finding(finding) => self.finding(finding),
            Block::Table(table) => table.groups.iter().for_each(|group| self.table(table, group)),
            Block::List(list) => self.list(list),
            Block::Facts(facts) => {
                self.text.push_str("\n\\begin{description}\n");
                for (label, value) in facts {
                    self.text
                        .push_str(&format!("  \\item[{{{}}}] {}\n", inline(label), inline(value)));
                }
                self.text.push_str("\\end{description}\n");
            }
            Block::Tiles(tiles) => tiles
                .iter()
                .for_each(|tile| self.paragraph(&inline(&tile.line()))),
            Block::Details(summary, body) => {
                self.paragraph(&inline(summary));
                self.blocks(body);
            }
            Block::Code(_, code) => self.code(code),
            Block::Only(_, body) => self.blocks(body),
            Block::Figures(figures) => self.figures(figures),
            Block::Lanes(_) => {}
        }
    }

    fn section(&mut self, section: &Section) {
        // The answer stands right below the title.
        if !section.is_answer {
            self.heading(&section.title);
        }
        self.depth += 1;
        self.sections.push(section.id.clone());
        self.blocks(&section.body);
        self.sections.pop();
        self.depth -= 1;
    }

    /// A float for each two figures, by the names of their files.
    fn figures(&mut self, figures: &[Figure]) {
        if self.figures.is_empty() && !figures.is_empty() {
            self.text.push_str(
                "\n% Figures are the SVG files that --figures DIR writes, as PDF; they need \\usepackage{graphicx} and \\graphicspath{{DIR/}}:\n\
                 %   for f in DIR/*.svg; do rsvg-convert -f pdf -o \"${f%.svg}.pdf\" \"$f\"; done\n",
            );
        }
        for pair in figures.chunks(2) {
            let width = if pair.len() == 2 { "0.49" } else { "0.6" };
            let files: Vec<String> = pair
                .iter()
                .map(|figure| {
                    let name = crate::figure::file_name(&self.sections, &figure.name, &self.figures);
                    self.figures.push(name.clone());
                    format!("  \\includegraphics[width={width}\\linewidth]{{{name}}}")
                })
                .collect();
            let captions: Vec<String> = pair.iter().map(|figure| escape(&figure.title)).collect();
            self.text.push_str(&format!(
                "\n\\begin{{figure}}\n  \\centering\n{}\n  \\caption{{{}.}}\n\\end{{figure}}\n",
                files.join("\\hfill\n"),
                captions.join(". ")
            ));
        }
    }

    fn heading(&mut self, title: &Text) {
        let command = HEADINGS[self.depth.min(HEADINGS.len() - 1)];
        self.paragraph(&format!("\\{command}{{{}}}", inline(title)));
    }

    fn paragraph(&mut self, text: &str) {
        self.text.push_str(&format!("\n{text}\n"));
    }

    fn notice(&mut self, notice: &Notice) {
        let label = if notice.label.is_empty() {
            String::new()
        } else {
            format!("\\textbf{{{}.}} ", escape(&notice.label))
        };
        self.paragraph(&format!("{label}{}", inline(&notice.text)));
    }

    fn finding(&mut self, finding: &Finding) {
        let mut text = format!(
            "\\textbf{{{}}} {}",
            escape(&finding.label),
            inline(&finding.title)
        );
        let lines = finding.body.iter().chain(&finding.remedy).chain(&finding.place);
        for line in lines {
            text.push_str(&format!("\\\\\n{}", inline(line)));
        }
        self.paragraph(&text);
        self.blocks(&finding.more);
    }

    fn list(&mut self, list: &List) {
        let environment = match list.style {
            ListStyle::Bullets => "itemize",
            ListStyle::Numbers | ListStyle::References => "enumerate",
        };
        self.text.push_str(&format!("\n\\begin{{{environment}}}\n"));
        for item in &list.items {
            self.text
                .push_str(&format!("  \\item {{}}{}\n", inline(&item.text)));
            self.blocks(&item.body);
        }
        self.text.push_str(&format!("\\end{{{environment}}}\n"));
    }

    /// A float for each group of rows.
    fn table(&mut self, table: &Table, group: &RowGroup) {
        if group.rows.is_empty() {
            return;
        }
        let columns = table.shown(Media::LATEX, true);
        let alignment: String = columns
            .iter()
            .map(|index| match table.columns[*index].align {
                Align::Left => 'l',
                Align::Right => 'r',
            })
            .collect();
        let caption = [&table.caption, &group.title, &group.about, &table.remark];
        let caption: Vec<String> = caption
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(inline)
            .collect();
        self.text.push_str(&format!(
            "\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n",
            caption.join(" ")
        ));
        if !table.label.is_empty() {
            self.text
                .push_str(&format!("  \\label{{tab:{}}}\n", escape::label(&table.label)));
        }
        self.text.push_str(&format!(
            "  \\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n  \\begin{{tabular}}{{{alignment}}}\n    \
             \\toprule\n"
        ));
        self.spans(table);
        let titles = columns.iter().map(|index| inline(&table.columns[*index].title));
        self.row(titles.collect());
        self.text.push_str("    \\midrule\n");
        for row in &group.rows {
            let cells = columns.iter().map(|index| {
                let line = row.cells.get(*index).map(crate::TableCell::line);
                line.as_ref().map_or_else(String::new, inline)
            });
            self.row(cells.collect());
        }
        self.text
            .push_str("    \\bottomrule\n  \\end{tabular}}\n\\end{table}\n");
    }

    /// Titles above several columns, each with a rule below.
    fn spans(&mut self, table: &Table) {
        if table.spans.is_empty() {
            return;
        }
        let (mut cells, mut rules, mut first) = (Vec::new(), Vec::new(), 1);
        for (title, columns) in &table.spans {
            if title.is_empty() {
                cells.extend(std::iter::repeat_n(String::new(), *columns));
            } else {
                cells.push(format!("\\multicolumn{{{columns}}}{{c}}{{{}}}", inline(title)));
                rules.push(format!("\\cmidrule(lr){{{first}-{}}}", first + columns - 1));
            }
            first += columns;
        }
        self.row(cells);
        self.text.push_str(&format!("    {}\n", rules.join(" ")));
    }

    fn row(&mut self, mut cells: Vec<String>) {
        // In front of a bracket, which a row above would take for its own, and of nothing at all.
        if let Some(first) = cells
            .first_mut()
            .filter(|first| first.starts_with('[') || first.is_empty())
        {
            first.insert_str(0, "{}");
        }
        self.text.push_str(&format!("    {} \\\\\n", cells.join(" & ")));
    }

    fn code(&mut self, code: &str) {
        let lines: Vec<String> = code
            .lines()
            .map(|line| format!("\\texttt{{{}}}", escape(line).replace(' ', "~")))
            .collect();
        self.paragraph(&format!(
            "{{\\raggedright\\small {}\\par}}",
            lines.join("\\\\{}\n")
        ));
    }
}

fn inline(text: &Text) -> String {
    text.0.iter().map(inline_part).collect()
}

fn inline_part(part: &Inline) -> String {
    match part {
        Inline::Plain(words) | Inline::Toned(_, words) => escape(words),
        Inline::Strong(words) => format!("\\textbf{{{}}}", escape(words)),
        Inline::Emphasis(words) => format!("\\emph{{{}}}", escape(words)),
        Inline::Code(words) => format!("\\texttt{{{}}}", escape(words)),
        // A printed address would need a package; the words do without.
        Inline::Link(words, Target::Anchor(_) | Target::Address(_)) => escape(words),
        Inline::Name(_) | Inline::Bar(_) | Inline::Value { .. } | Inline::Mark(_) | Inline::References(_) => {
            escape(&part.flat())
        }
        Inline::Series(parts) => parts.iter().map(inline_part).collect::<Vec<_>>().join(", "),
    }
}
