//! System names in running text, in their colors.

use dbdyno_document::{Inline, Text};

use crate::model::ReportModel;
use crate::sections::marked;

/// The systems' names with their colors, longest first so that `redb-again` is not taken for `redb`.
pub struct Names(Vec<(String, usize)>);

impl Names {
    /// The names of a model.
    pub fn new(model: &ReportModel) -> Self {
        let mut names: Vec<(String, usize)> = model
            .systems
            .iter()
            .map(|system| (system.name.clone(), system.color))
            .collect();
        names.sort_by_key(|(name, _)| (std::cmp::Reverse(name.len()), name.clone()));
        names.retain(|(name, _)| !name.is_empty());
        Self(names)
    }

    /// The text with every system's name marked, and with what stands between backticks set as code.
    pub fn mark(&self, text: &str) -> Text {
        let parts = marked::parts(text).into_iter().flat_map(|part| match part {
            Inline::Plain(words) => self.parts(&words),
            part => vec![part],
        });
        Text(parts.collect())
    }

    /// One name in its color.
    pub fn one(&self, name: &str) -> Text {
        let known = self.0.iter().find(|(known, _)| known == name);
        match known {
            Some((name, color)) => Inline::Name(name.clone(), *color).into(),
            None => Text::new().strong(name),
        }
    }

    fn parts(&self, text: &str) -> Vec<Inline> {
        let mut parts = Vec::new();
        let mut plain_from = 0;
        let mut at = 0;
        while at < text.len() {
            let free_before = text[..at]
                .chars()
                .next_back()
                .is_none_or(|before| !is_word(before));
            let found = self.0.iter().find(|(name, _)| {
                free_before
                    && text[at..].starts_with(name.as_str())
                    && text[at + name.len()..]
                        .chars()
                        .next()
                        .is_none_or(|after| !is_word(after))
            });
            if let Some((name, color)) = found {
                if plain_from < at {
                    parts.push(Inline::Plain(text[plain_from..at].to_owned()));
                }
                parts.push(Inline::Name(name.clone(), *color));
                at += name.len();
                plain_from = at;
            } else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        if plain_from < text.len() {
            parts.push(Inline::Plain(text[plain_from..].to_owned()));
        }
        parts
    }
}

/// Whether a character goes on with a name.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '-' || character == '_'
}

#[cfg(test)]
mod tests {
    use dbdyno_document::Inline;

    use super::Names;

    #[test]
    fn the_longest_whole_name_is_marked() {
        let names = Names(vec![("redb-again".to_owned(), 1), ("redb".to_owned(), 0)]);
        let plain = |words: &str| Inline::Plain(words.to_owned());
        let name = |words: &str, color| Inline::Name(words.to_owned(), color);
        assert_eq!(
            names.parts("µ redb, redb-again and redbx"),
            [
                plain("µ "),
                name("redb", 0),
                plain(", "),
                name("redb-again", 1),
                plain(" and redbx")
            ]
        );
    }
}
