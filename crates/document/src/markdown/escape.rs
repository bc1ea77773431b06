//! Words from names and messages, kept from being read as markup.

use dbdyno_vocabulary::visible;

/// Words on one line in which nothing is markup; [`line`] does the rest for those at the start of a line.
pub(super) fn words(text: &str) -> String {
    let text = one_line(text);
    let characters: Vec<char> = text.chars().collect();
    let mut escaped = String::with_capacity(text.len() + 8);
    for (index, character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| characters.get(before));
        let after = characters.get(index + 1);
        let is_markup = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '&' | '|' | '~' | '$' => true,
            // In front of a link it would make an image of it.
            '!' => after.is_none(),
            // Within a word it starts no emphasis.
            '_' => !(is_letter(before) && is_letter(after)),
            ':' | '.' => starts_address(&characters[..=index]),
            _ => false,
        };
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(*character);
    }
    escaped
}

/// Whether a reader of GitHub's dialect makes a link of these characters and what follows. A server's words are no link of ours.
fn starts_address(characters: &[char]) -> bool {
    const STARTS: [&str; 6] = ["http:", "https:", "ftp:", "mailto:", "xmpp:", "www."];
    STARTS.iter().any(|start| {
        let ending = characters.iter().rev().map(char::to_ascii_lowercase);
        ending.take(start.len()).eq(start.chars().rev())
    })
}

/// A line of escaped words that starts no heading, list or rule.
pub(super) fn line(written: &str) -> String {
    let written = written.trim_start();
    let digits = written.bytes().take_while(u8::is_ascii_digit).count();
    match written[digits..].chars().next() {
        Some('.' | ')') if digits > 0 && starts_item(&written[digits + 1..]) => {
            format!("{}\\{}", &written[..digits], &written[digits..])
        }
        Some('#' | '+' | '-' | '=' | ':' | '>') if digits == 0 => format!("\\{written}"),
        _ => written.to_owned(),
    }
}

/// Whether a number with a dot before this is read as that of an item.
fn starts_item(after: &str) -> bool {
    after.chars().next().is_none_or(char::is_whitespace)
}

/// Something that a machine reads, between as many backticks as it needs.
pub(super) fn code(text: &str, is_in_table: bool) -> String {
    let text = one_line(text);
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let text = if is_in_table {
        text.replace('|', "\\|")
    } else {
        text
    };
    let needs_air = text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let air = if needs_air { " " } else { "" };
    format!("{fence}{air}{text}{air}{fence}")
}

/// The address of a link.
pub(super) fn address(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'/' | b'#' | b'?' | b':' | b'=' => {
                escaped.push(char::from(byte));
            }
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// The longest run of a character.
pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let runs = text.split(|character| character != wanted).map(str::len);
    runs.max().unwrap_or(0)
}

/// Words on one line, with nothing that a reader does not see.
pub(super) fn one_line(text: &str) -> String {
    visible::text(text).replace(['\n', '\t'], " ")
}

fn is_letter(character: Option<&char>) -> bool {
    character.is_some_and(|character| character.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_markup_is_escaped() {
        assert_eq!(
            words("journal_mode=WAL, a_ *b* <c> #4"),
            "journal_mode=WAL, a\\_ \\*b\\* \\<c> #4"
        );
        assert_eq!(line("12. first"), "12\\. first");
        assert_eq!(line("1.5 times"), "1.5 times");
        assert_eq!(line("  - a"), "\\- a");
        assert_eq!(line("a - b"), "a - b");
        assert_eq!(words("two\nlines | b"), "two lines \\| b");
    }

    #[test]
    fn a_servers_words_are_no_link() {
        for (said, written) in [
            ("see http://a.example/b", "see http\\://a.example/b"),
            ("see HTTPS://a.example", "see HTTPS\\://a.example"),
            ("(www.a.example)", "(www\\.a.example)"),
            ("mailto:a", "mailto\\:a"),
            ("redis://127.0.0.1:6379", "redis://127.0.0.1:6379"),
            ("a: b", "a: b"),
        ] {
            assert_eq!(words(said), written);
        }
    }

    #[test]
    fn code_is_fenced_by_more_backticks_than_it_has() {
        assert_eq!(code("a|b", true), "`a\\|b`");
        assert_eq!(code("a`b", false), "``a`b``");
        assert_eq!(code("`", false), "`` ` ``");
    }

    #[test]
    fn addresses_end_where_they_should() {
        assert_eq!(address("a b(c)/d.json"), "a%20b%28c%29/d.json");
    }
}
