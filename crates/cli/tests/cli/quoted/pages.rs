//! The pages of the book, and the blocks of code in them.

use std::path::{Path, PathBuf};

use super::root;

/// What stands on the line before a block of output, and on the one before a text that is none.
const OUTPUT_OF: &str = "<!-- output of: ";
const NO_OUTPUT: &str = "<!-- no output -->";

/// Languages of what people write: commands, files, grammars.
const WRITTEN: [&str; 6] = ["sh", "toml", "yaml", "properties", "python", "ebnf"];

/// A file of the checkout, and what is in it.
pub(super) struct Page {
    path: PathBuf,
    text: String,
}

/// A block between two fences, and the place of the first one.
pub(super) struct Block {
    page: PathBuf,
    number: usize,
    pub(super) holds: Holds,
    pub(super) lines: Vec<String>,
}

/// What the fence and the line before it say about a block.
pub(super) enum Holds {
    OutputOf(String),
    Written,
    Unsaid(&'static str),
}

impl Block {
    /// Where it begins, for a message.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.page.display(), self.number)
    }
}

/// The files that people read, but for the decisions, which tell what was measured when they were made.
pub(super) fn all() -> Vec<Page> {
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(PathBuf::from)
        .to_vec();
    let entries = |folder: &str| {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name())
    };
    let in_book = entries("docs").map(|name| Path::new("docs").join(name));
    pages.extend(in_book.filter(|page| page.extension().is_some_and(|kind| kind == "md")));
    let of_databases = entries("databases").map(|name| Path::new("databases").join(name).join("README.md"));
    pages.extend(of_databases.filter(|page| root().join(page).exists()));
    pages
        .into_iter()
        .map(|path| Page {
            text: std::fs::read_to_string(root().join(&path)).unwrap(),
            path,
        })
        .collect()
}

fn holds(language: &str, before: &str) -> Holds {
    let command = before
        .strip_prefix(OUTPUT_OF)
        .and_then(|rest| rest.strip_suffix(" -->"));
    match (language, command) {
        ("console", Some(command)) => Holds::OutputOf(command.to_owned()),
        ("console", None) => {
            Holds::Unsaid("`<!-- output of: COMMAND -->` belongs on the line before a quotation")
        }
        (_, Some(_)) => Holds::Unsaid("output is quoted in a block ```console"),
        ("text", None) if before == NO_OUTPUT => Holds::Written,
        (language, None) if WRITTEN.contains(&language) => Holds::Written,
        _ => Holds::Unsaid(
            "output is ```console below `<!-- output of: COMMAND -->`; other text is ```text below `<!-- no output -->`",
        ),
    }
}

impl Page {
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut lines = self.text.lines().enumerate();
        let mut before = "";
        let mut found = Vec::new();
        while let Some((index, line)) = lines.next() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                let inner = lines
                    .by_ref()
                    .take_while(|(_, line)| !line.trim_start().starts_with("```"));
                found.push(Block {
                    page: self.path.clone(),
                    number: index + 1,
                    holds: holds(language, before.trim_start()),
                    lines: inner.map(|(_, line)| line.to_owned()).collect(),
                });
            }
            before = line;
        }
        found
    }

    /// What the page does not say about its blocks.
    pub(super) fn complaints(&self) -> Vec<String> {
        let blocks = self.blocks();
        let unsaid = blocks.iter().filter_map(|block| match block.holds {
            Holds::Unsaid(what) => Some(format!("{}: {what}", block.place())),
            Holds::OutputOf(_) | Holds::Written => None,
        });
        unsaid.chain(self.hidden(&blocks)).collect()
    }

    /// Marks without a block, and blocks without a fence: a quotation would stand there unseen.
    fn hidden(&self, blocks: &[Block]) -> Vec<String> {
        let lines: Vec<&str> = self.text.lines().collect();
        let is_in_block = |index: usize| {
            let mut spans = blocks
                .iter()
                .map(|block| block.number - 1..=block.number + block.lines.len());
            spans.any(|span| span.contains(&index))
        };
        let mut complaints = Vec::new();
        for (index, line) in lines.iter().enumerate().filter(|(index, _)| !is_in_block(*index)) {
            let place = format!("{}:{}", self.path.display(), index + 1);
            let next = lines.get(index + 1).map_or("", |line| line.trim_start());
            let is_mark = line.trim_start().starts_with(OUTPUT_OF) || line.trim() == NO_OUTPUT;
            if is_mark && !next.starts_with("```") {
                complaints.push(format!("{place}: no block begins on the next line"));
            }
            let follows_blank = index > 0 && lines[index - 1].is_empty();
            if line.starts_with("~~~") || line.starts_with("    ") && follows_blank {
                complaints.push(format!(
                    "{place}: a block begins with ```, and a word for what it holds"
                ));
            }
        }
        complaints
    }
}

#[test]
fn a_quotation_without_a_mark_is_noticed() {
    let complaints = |text: &str| {
        let page = Page {
            path: "page.md".into(),
            text: text.to_owned(),
        };
        page.complaints().len()
    };
    for said in [
        "<!-- output of: lint x -->\n```console\n$ dbdyno lint x\n```\n",
        "<!-- no output -->\n```text\na = b + c\n```\n",
        "- one\n  ```sh\n\n    dbdyno run redb\n  ```\n",
    ] {
        assert_eq!(complaints(said), 0, "{said}");
    }
    for unsaid in [
        "```console\nprinted\n```\n",
        "```text\nprinted\n```\n",
        "```\nprinted\n```\n",
        "<!-- output of: lint x -->\n```text\nprinted\n```\n",
        "<!-- output of: lint x -->\n\nprinted\n",
        "It prints\n\n    printed\n",
        "~~~\nprinted\n~~~\n",
    ] {
        assert!(complaints(unsaid) > 0, "{unsaid}");
    }
}
