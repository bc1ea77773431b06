//! Backticks in words that others wrote, and in those of an advice.

use dbdyno_document::Text;

/// A sentence in which backticks enclose what a machine reads, as a sentence in which that stands out instead. A backtick without
/// another one after it is an ordinary character.
pub fn marked(text: &str) -> Text {
    let (mut marked, mut rest) = (Text::new(), text);
    while let Some((before, code, after)) = first_code(rest) {
        marked = marked.plain(before).code(code);
        rest = after;
    }
    marked.plain(rest)
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
        let expected = Text::new()
            .plain("write ")
            .code("aa = true")
            .plain(", then ")
            .code("run");
        assert_eq!(marked("write `aa = true`, then `run`"), expected);
        assert_eq!(marked("a`b"), "a`b".into());
        assert_eq!(marked(""), Text::new());
    }
}
