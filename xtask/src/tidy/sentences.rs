//! Who finds what records mean writes no sentences: the texts of its code are names and keys, of one word each.

use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The folders whose code writes no sentences.
const SILENT: [&str; 1] = ["crates/analysis/src"];

/// The sentences in a Rust file outside its tests, one finding for each; none in files that may write some.
pub fn in_rust(path: &Path, text: &str) -> Vec<String> {
    // A text that is no Rust is a finding of the check of words.
    let (true, Ok(tokens)) = (SILENT.iter().any(|folder| path.starts_with(folder)), text.parse()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    collect(tokens, &mut found);
    let finding = |text: String| {
        let path = path.display();
        format!("{path}: {text}: give out a value, and let crates/report put it into words")
    };
    found.into_iter().map(finding).collect()
}

/// Literals of several words, except in attributes (documentation, names of files, reasons), in tests and in what `expect` says.
fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut before = String::new();
    let mut is_test = false;
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let inner =
                    |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '!');
                tokens.next_if(inner);
                let bracket = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
                if let Some(TokenTree::Group(attribute)) = tokens.next_if(bracket) {
                    is_test |= attribute.stream().to_string().replace(' ', "") == "cfg(test)";
                }
            }
            TokenTree::Group(group) => {
                if !is_test && before != "expect" {
                    collect(group.stream(), found);
                }
                // An item ends with its braces.
                is_test &= group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Punct(sign) => is_test &= sign.as_char() != ';',
            TokenTree::Literal(literal) if !is_test && has_words(&literal.to_string()) => {
                found.push(literal.to_string());
            }
            TokenTree::Literal(_) | TokenTree::Ident(_) => {}
        }
        before = token.to_string();
    }
}

/// Whether two words stand beside each other in a text.
fn has_words(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters
        .windows(3)
        .any(|three| matches!(three, [before, ' ', after] if before.is_alphabetic() && after.is_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_found_in_code_and_nowhere_else() {
        let found = |path: &str, text: &str| in_rust(Path::new(path), text);
        let own = "crates/analysis/src/a.rs";
        for text in [
            "fn a() -> String { format!(\"{} is slower\", 1) }",
            "const A: &str = \"closed loop\";",
            "#[cfg(test)]\nuse a::b;\nconst A: &str = \"closed loop\";",
            "#[cfg(test)]\nmod tests { fn a() { b(\"a b\"); } }\nfn c() { b(\"c d\") }",
        ] {
            assert_eq!(found(own, text).len(), 1, "{text}");
            assert_eq!(found("crates/report/src/a.rs", text), Vec::<String>::new());
        }
        for text in [
            "//! A file.\n/// A function.\nfn a() { /* a b */ b(\"name\", \"{} {}\", \"a-b\") }",
            "enum A { #[serde(rename = \"not measurable here\")] B }",
            "#[expect(clippy::a, reason = \"it is short\")]\nfn a() {}",
            "fn a() { b.expect(\"it was checked\") }",
            "#[cfg(test)]\nmod tests { fn a() { b(\"a b\"); } }",
        ] {
            assert_eq!(found(own, text), Vec::<String>::new(), "{text}");
        }
    }
}
