//! One name, one meaning: words that the glossary has retired stand neither in names nor in what people read.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

/// A retired word, and the term to write instead.
#[derive(Debug, PartialEq, Eq)]
pub struct Retired {
    word: String,
    instead: String,
}

/// The line of ARCHITECTURE.md after which the table of retired words stands.
const TABLE: &str = "| retired | write |";

/// Reads the table of retired words.
pub fn retired(architecture: &str) -> Vec<Retired> {
    let rows = architecture.lines().skip_while(|line| *line != TABLE).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let (words, instead) = (cells.next()?, cells.next()?);
            Some(words.split(", ").map(|word| Retired {
                word: word.trim_matches('`').to_owned(),
                instead: instead.to_owned(),
            }))
        })
        .flatten()
        .collect()
}

/// The retired words in names and texts of a Rust file, one finding for each.
pub fn in_rust(path: &Path, text: &str, retired: &[Retired]) -> Vec<String> {
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return vec![format!("{}: it is no Rust", path.display())];
    };
    let mut words = Vec::new();
    collect(tokens, &mut words);
    findings(path, &words, retired)
}

/// The retired words in a page.
pub fn in_page(path: &Path, text: &str, retired: &[Retired]) -> Vec<String> {
    let mut words = Vec::new();
    add_words(text, &mut words);
    findings(path, &words, retired)
}

fn findings(path: &Path, words: &[String], retired: &[Retired]) -> Vec<String> {
    retired
        .iter()
        .filter(|retired| words.contains(&retired.word))
        .map(|Retired { word, instead }| {
            format!(
                "{}: `{word}` is retired; write {instead} (ARCHITECTURE.md, Terms)",
                path.display()
            )
        })
        .collect()
}

/// Names and literals; comments of a documentation are literals to the compiler, too.
fn collect(tokens: TokenStream, words: &mut Vec<String>) {
    let mut before = None;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                // `rename` keeps what is written to files as it was.
                if before.as_deref() != Some("serde") {
                    collect(group.stream(), words);
                }
                before = None;
            }
            TokenTree::Ident(name) => {
                let name = name.to_string();
                add_words(&name, words);
                before = Some(name);
            }
            TokenTree::Literal(literal) => add_words(&literal.to_string(), words),
            TokenTree::Punct(_) => {}
        }
    }
}

/// The words of a text or a name, in lower case: `LaunchContext` and `launch_context` have two.
fn add_words(text: &str, words: &mut Vec<String>) {
    let mut word = String::new();
    for letter in text.chars().chain([' ']) {
        if !word.is_empty() && (!letter.is_alphabetic() || letter.is_uppercase()) {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "x\n\n| retired | write |\n| --- | --- |\n| `wish`, `wishes` | request |\n| ground | launch context |\n\n| other | x |\n";

    #[test]
    fn the_table_is_read_to_its_end() {
        let words: Vec<String> = retired(PAGE).into_iter().map(|retired| retired.word).collect();
        assert_eq!(words, ["wish", "wishes", "ground"]);
        let ours = std::fs::read_to_string(crate::process::root().join("ARCHITECTURE.md")).unwrap();
        assert!(retired(&ours).len() > 5);
    }

    #[test]
    fn retired_words_are_found_in_names_and_texts_and_nowhere_else() {
        let retired = retired(PAGE);
        let found = |text: &str| in_rust(Path::new("a.rs"), text, &retired);
        for text in [
            "struct ServerWish;",
            "fn a() { let my_wish = 1; }",
            "fn a() { show(\"no wish\") }",
            "/// The wish.\nfn a() {}",
            "fn a() { format!(\"{}\", wish) }",
        ] {
            let found = found(text);
            assert!(
                found.len() == 1 && found[0].contains("write request"),
                "{text}: {found:?}"
            );
        }
        for text in [
            "fn background() {}",
            "// An old word: wish.\nfn a() {}",
            "struct A { #[serde(rename = \"wish\")] request: String }",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(
            in_page(Path::new("a.md"), "It needs solid ground.", &retired).len(),
            1
        );
        assert_eq!(
            in_page(Path::new("a.md"), "In the background.", &retired).len(),
            0
        );
    }
}
