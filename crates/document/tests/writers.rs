//! What each writer makes of a document with every node.

mod common;

use common::everything;
use dbdyno_document::{Block, Document, Section, Style, Verdict, html, latex, markdown, terminal};

#[test]
fn a_terminal() {
    insta::assert_snapshot!("terminal", terminal(&everything("word"), Style::plain(100)));
}

#[test]
fn a_terminal_with_colors() {
    let style = Style {
        color: true,
        width: 110,
    };
    insta::assert_snapshot!(
        "terminal_with_colors",
        terminal(&everything("word"), style).replace('\u{1b}', "␛")
    );
}

#[test]
fn a_markdown_file() {
    insta::assert_snapshot!("markdown", markdown(&everything("word")));
}

#[test]
fn a_latex_file() {
    insta::assert_snapshot!("latex", latex(&everything("word")));
}

#[test]
fn a_page() {
    let page = html(&everything("word"));
    let (_, body) = page.split_once("<body>").unwrap();
    let (body, _) = body.split_once("<script>").unwrap();
    // The data of figures is packed by a library whose bytes may change.
    let body: String = body
        .replace("><", ">\n<")
        .lines()
        .map(|line| match line.split_once("data-points=\"") {
            Some((before, _)) => format!("{before}data-points=\"…\">\n"),
            None => format!("{line}\n"),
        })
        .collect();
    insta::assert_snapshot!("page", body);
}

#[test]
fn only_a_page_with_figures_or_filters_has_a_script() {
    let document = Document {
        title: "Advice".to_owned(),
        body: vec![Section::new("answer", "Answer", vec![Block::Verdict(Verdict::default())]).into()],
        ..Document::default()
    };
    let page = html(&document);
    assert!(!page.contains("<script"), "{page}");
    assert!(
        page.contains("default-src 'none'; style-src 'unsafe-inline'\""),
        "{page}"
    );
    assert!(html(&everything("word")).contains("script-src 'sha256-"));
}

#[test]
fn a_section_without_content_is_left_out() {
    let document = Document {
        title: "Report".to_owned(),
        has_contents: true,
        body: vec![
            Section::new("empty", "Nothing here", vec![Block::bullets(Vec::<&str>::new())]).into(),
            Section::new(
                "page",
                "For pages",
                vec![Block::Details("more".into(), vec![Block::paragraph("x")])],
            )
            .into(),
        ],
        ..Document::default()
    };
    assert_eq!(terminal(&document, Style::plain(80)), "Report\n");
    assert!(!html(&document).contains("Nothing here"));
    assert!(html(&document).contains("For pages"));
}
