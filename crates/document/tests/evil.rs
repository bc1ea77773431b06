//! No text, wherever it is, changes the structure of what is written.

mod common;

use common::everything;
use dbdyno_document::{Block, Document, Style, Text, figures, html, latex, markdown, terminal};
use dbdyno_vocabulary::visible;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// Text that breaks careless writers, and anything else.
fn text() -> impl Strategy<Value = String> {
    let fragments = prop::sample::select(vec![
        "<script>alert(1)</script>",
        "</style>",
        "\"",
        "'",
        "&amp;",
        "-->",
        "]]>",
        "|",
        "\\",
        "\\|",
        "`",
        "```",
        "**",
        "*",
        "_",
        "__",
        "[a](b)",
        "![a](b)",
        "<b>",
        "# ",
        "- ",
        "+ ",
        "1. ",
        "12) ",
        "> ",
        "---",
        "===",
        "~~~",
        "~~",
        "$x$",
        "$$",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "    ",
        "\u{1b}[2J",
        "\u{1b}]0;x\u{7}",
        "\u{202e}",
        "\u{85}",
        "\u{2028}",
        "\\end{table}",
        "\\input{x}",
        "\\\\",
        "%",
        "&",
        "#",
        "{",
        "}",
        "^",
        "~",
        "東",
        "é",
        "a",
        "1",
        ".",
        " ",
        ":",
        "=",
        "-",
        "[x] ",
        "</details>",
        "</summary>",
        "<!--",
        "[^1]",
        ":--",
        "[!NOTE]",
    ]);
    let any = prop_oneof![4 => fragments.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(any, 1..6)
        .prop_map(|parts| parts.concat())
        .prop_filter("something to see", |text| {
            text.chars().any(|character| !character.is_whitespace())
        })
}

/// The tags of a page with the names of their attributes.
fn tags(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let mut tag = String::new();
        let mut is_quoted = false;
        let mut length = 0;
        for character in after.chars() {
            length += character.len_utf8();
            match character {
                '"' => is_quoted = !is_quoted,
                '>' if !is_quoted => break,
                _ if is_quoted => {}
                _ => tag.push(character),
            }
        }
        rest = &after[length..];
        // What is in a script or a style is no markup.
        for raw in ["script", "style id="] {
            if tag == raw {
                let name = raw.split(' ').next().unwrap_or_default();
                rest = rest.find(&format!("</{name}>")).map_or("", |end| &rest[end..]);
            }
        }
        found.push(tag);
    }
    found
}

/// What a reader of Markdown takes for structure.
fn structure(text: &str) -> Vec<String> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    let mut parts = Vec::new();
    for event in Parser::new_ext(text, options) {
        let part = match event {
            Event::Text(_) | Event::SoftBreak => continue,
            Event::Start(Tag::Strong) => "<b>".to_owned(),
            Event::Start(Tag::Emphasis) => "<i>".to_owned(),
            Event::Start(tag) => format!("start {tag:?}"),
            Event::End(end) => match format!("{end:?}").as_str() {
                "Strong" => "</b>".to_owned(),
                "Emphasis" => "</i>".to_owned(),
                end => format!("end {end}"),
            },
            Event::InlineHtml(tag) => tag.to_string(),
            Event::Html(tag) => tags(&tag).join(" "),
            Event::Code(_) => "code".to_owned(),
            other => format!("{other:?}"),
        };
        parts.push(part);
    }
    parts
}

/// Commands that make structure in LaTeX, and the signs that do.
fn commands(text: &str) -> Vec<String> {
    const OF_WORDS: [&str; 7] = [
        "textbackslash",
        "textasciitilde",
        "textasciicircum",
        "textless",
        "textgreater",
        "textbar",
        "dots",
    ];
    let mut found = Vec::new();
    let mut characters = text.chars().peekable();
    let (mut depth, mut is_math) = (0_i32, false);
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let mut name = String::new();
                while let Some(letter) = characters.next_if(char::is_ascii_alphabetic) {
                    name.push(letter);
                }
                if name.is_empty() {
                    match characters.next() {
                        Some('\\') => found.push("\\\\".to_owned()),
                        // An escaped sign is a word.
                        _ => continue,
                    }
                } else if !is_math && !OF_WORDS.contains(&name.as_str()) && name != "texttt" {
                    found.push(name);
                }
            }
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                assert!(depth >= 0, "a brace closes what nothing opened");
            }
            '$' => is_math = !is_math,
            '&' | '%' => found.push(character.to_string()),
            '^' | '#' | '_' => panic!("{character} is bare in {text}"),
            _ => {}
        }
    }
    assert_eq!((depth, is_math), (0, false));
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_page_keeps_its_tags(word in text()) {
        let page = html(&everything(&word));
        prop_assert_eq!(tags(&page), tags(&html(&everything("word"))));
        prop_assert_eq!(visible::text(&page), page.as_str());
    }

    #[test]
    fn markdown_keeps_its_structure(word in text()) {
        let written = markdown(&everything(&word));
        let (found, wanted) = (structure(&written), structure(&markdown(&everything("word"))));
        let differs = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
        let near = differs.map(|at| &found[at.saturating_sub(5)..(at + 3).min(found.len())]);
        prop_assert!(found == wanted, "{:?}\n{}", near, written);
    }

    #[test]
    fn latex_keeps_its_commands(word in text()) {
        prop_assert_eq!(commands(&latex(&everything(&word))), commands(&latex(&everything("word"))));
    }

    #[test]
    fn a_terminal_is_dressed_and_not_driven(word in text(), color: bool, width in 40_usize..140) {
        let written = terminal(&everything(&word), Style { color, width });
        prop_assert_eq!(visible::dressed(&written), written.as_str());
        prop_assert!(color || !written.contains('\u{1b}'), "it is not plain");
    }

    #[test]
    fn no_line_is_longer_than_the_terminal(length in 1_usize..8, width in 60_usize..140) {
        // What cannot be broken is shorter than the narrowest line.
        let word = "w".repeat(length);
        for line in terminal(&everything(&word), Style::plain(width)).lines() {
            prop_assert!(line.chars().count() <= width, "{} > {width}: {line}", line.chars().count());
        }
    }
}

#[test]
fn a_target_that_runs_something_is_not_linked() {
    for target in [
        "javascript:alert(1)",
        "JAVASCRIPT:x",
        "data:text/html,<script>",
        "java\tscript:x",
        "x\" onclick=\"y",
    ] {
        let document = Document {
            body: vec![Block::paragraph(Text::new().link("here", target))],
            ..Document::default()
        };
        let page = html(&document);
        assert!(
            !page.contains("href=\"java") && !page.contains("href=\"data"),
            "{page}"
        );
        assert!(!page.contains("onclick=\""), "{page}");
        assert!(!markdown(&document).contains("](java"), "{}", markdown(&document));
    }
}

#[test]
fn figures_are_files_with_ids_of_their_own() {
    let files = figures(&everything("word"));
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["figures--throughput", "figures--throughput-again"]);
    assert!(
        files[0].svg.starts_with("<svg class=\"chart\""),
        "{}",
        files[0].svg
    );
    assert_eq!(files[0].csv, "system,value\na,1\n");
}
