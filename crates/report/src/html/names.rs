//! System names in running text, in their colours.

use dbdyno_chart::color_class;
use maud::{Markup, html};

use crate::model::ReportModel;

/// The systems' names with their colours, longest first so that `redb-again` is not taken for `redb`.
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

    /// The text with every system's name marked.
    pub fn mark(&self, text: &str) -> Markup {
        html! {
            @for (part, color) in self.parts(text) {
                @match color {
                    Some(color) => { b class=(format!("sys {}", color_class(color))) { (part) } }
                    None => { (part) }
                }
            }
        }
    }

    /// One name with its colour.
    pub fn one(&self, name: &str) -> Markup {
        let color = self
            .0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, color)| *color);
        html! {
            @match color {
                Some(color) => { b class=(format!("sys {}", color_class(color))) { (name) } }
                None => { b { (name) } }
            }
        }
    }

    fn parts<'a>(&self, text: &'a str) -> Vec<(&'a str, Option<usize>)> {
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
                    parts.push((&text[plain_from..at], None));
                }
                parts.push((&text[at..at + name.len()], Some(*color)));
                at += name.len();
                plain_from = at;
            } else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        if plain_from < text.len() {
            parts.push((&text[plain_from..], None));
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
    use super::Names;

    #[test]
    fn the_longest_whole_name_is_marked() {
        let names = Names(vec![("redb-again".to_owned(), 1), ("redb".to_owned(), 0)]);
        let parts = names.parts("µ redb, redb-again and redbx");
        assert_eq!(
            parts,
            [
                ("µ ", None),
                ("redb", Some(0)),
                (", ", None),
                ("redb-again", Some(1)),
                (" and redbx", None)
            ]
        );
    }
}
