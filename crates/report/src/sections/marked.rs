//! Sentences of the models as running text.

use dbdyno_document::{Inline, Text};

/// A sentence in which backticks enclose what a machine reads, as a sentence in which that stands out instead.
pub fn marked(text: &str) -> Text {
    Text(parts(text))
}

/// The parts of such a sentence. A backtick without another one after it is an ordinary character.
pub fn parts(text: &str) -> Vec<Inline> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, code, after)) = first_code(rest) {
        if !before.is_empty() {
            parts.push(Inline::Plain(before.to_owned()));
        }
        parts.push(Inline::Code(code.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Inline::Plain(rest.to_owned()));
    }
    parts
}

/// The text before the first pair of backticks, between them, and after them.
fn first_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_out_and_a_single_backtick_stays() {
        let plain = |words: &str| Inline::Plain(words.to_owned());
        let code = |words: &str| Inline::Code(words.to_owned());
        assert_eq!(
            parts("write `aa = true`, then `run`"),
            [plain("write "), code("aa = true"), plain(", then "), code("run")]
        );
        assert_eq!(parts("a`b"), [plain("a`b")]);
        assert_eq!(parts(""), []);
    }
}
