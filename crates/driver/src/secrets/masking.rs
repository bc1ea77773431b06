//! Files with a mistake in them are shown: their secrets are not. Such a file may be no TOML at all, so it is read by its quotes and
//! its `=` alone.

use std::ops::Range;

use dbdyno_vocabulary::secret::{is_secret, resembles_secret};

use super::{HIDDEN, is_place, shown};

/// The text of a TOML file with every byte of a secret replaced by `*`: places in it stay where they are.
#[must_use]
pub fn masked(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for secret in secrets_of(text) {
        // Lines stay lines.
        bytes[secret]
            .iter_mut()
            .filter(|byte| **byte != b'\n')
            .for_each(|byte| *byte = b'*');
    }
    // Whole characters were replaced.
    String::from_utf8(bytes).unwrap_or_default()
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// What stands between quotes, or a word without any.
    Text(Range<usize>),
    Equals,
    /// A list begins.
    Open,
    Close,
    EndOfLine(usize),
}

fn secrets_of(text: &str) -> Vec<Range<usize>> {
    let parts = parts_of(text);
    let mut secrets = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let Part::Text(range) = part else { continue };
        secrets.extend(in_value(text, range));
        let name = &text[range.clone()];
        let values = values_of(&parts[index + 1..]);
        if let Some(value) = values.first()
            && !is_place(name, &text[(*value).clone()])
            && (shown(name, &text[(*value).clone()]) == HIDDEN || resembles_secret(name))
        {
            secrets.extend(values.iter().copied().cloned());
            // A value without quotes ends where its line does.
            let is_quoted = text[..value.start].ends_with(['"', '\'']);
            let end = parts[index..].iter().find_map(|part| match part {
                Part::EndOfLine(end) => Some(*end),
                _ => None,
            });
            if !is_quoted && let Some(end) = end.filter(|&end| end > value.start) {
                secrets.push(value.start..end);
            }
        }
    }
    secrets
}

/// The values of a name, which these parts follow: one, or all of a list. A list that nobody closes goes on to the end of the text.
fn values_of(parts: &[Part]) -> Vec<&Range<usize>> {
    match parts {
        [Part::Equals, Part::Open, list @ ..] => {
            let own = list.iter().take_while(|part| **part != Part::Close);
            let texts = own.filter_map(|part| match part {
                Part::Text(value) => Some(value),
                _ => None,
            });
            texts.collect()
        }
        [Part::Equals, Part::Text(value), ..] => vec![value],
        _ => Vec::new(),
    }
}

/// The password of a login in a value, and the values of parameters that are secrets.
fn in_value(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let value = &text[range.clone()];
    let mut secrets = Vec::new();
    if let Some(end) = value.rfind('@') {
        let login = match value.find("//") {
            Some(slashes) if slashes < end => Some(slashes + 2),
            _ => value.find(':').map(|scheme| scheme + 1),
        };
        let password = login
            .filter(|&login| login < end)
            .and_then(|login| Some(login + value[login..end].find(':')? + 1));
        secrets.extend(password.map(|password| range.start + password..range.start + end));
    }
    let mut from = match value.find('?') {
        Some(question) => question + 1,
        None => return secrets,
    };
    for parameter in value[from..].split('&') {
        if let Some((name, secret)) = parameter.split_once('=') {
            let start = range.start + from + name.len() + 1;
            if is_place(name, secret) {
                // Nothing of it is hidden.
            } else if is_secret(name) || resembles_secret(name) {
                // What follows a `&` may belong to it.
                secrets.push(start..range.end);
                break;
            } else if shown(name, secret) == HIDDEN {
                secrets.push(start..start + secret.len());
            }
        }
        from += parameter.len() + 1;
    }
    secrets
}

fn parts_of(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        match sign {
            '"' | '\'' => {
                let (range, next) = quoted(text, at, sign);
                parts.push(Part::Text(range));
                at = next;
            }
            '=' => {
                parts.push(Part::Equals);
                at += 1;
            }
            '[' | ']' => {
                parts.push(if sign == '[' { Part::Open } else { Part::Close });
                at += 1;
            }
            '\n' => {
                parts.push(Part::EndOfLine(at));
                at += 1;
            }
            _ if is_between(sign) => at += sign.len_utf8(),
            _ => {
                let ends = |sign: char| is_between(sign) || "\"'=\n".contains(sign);
                let end = text[at..].find(ends).map_or(text.len(), |end| at + end);
                parts.push(Part::Text(at..end));
                at = end;
            }
        }
    }
    parts.push(Part::EndOfLine(text.len()));
    parts
}

fn is_between(sign: char) -> bool {
    sign == ' ' || sign == '\t' || sign == '\r' || "[]{},#".contains(sign)
}

/// What stands between the quotes that open here, and what follows them. A string that is never closed ends with its line; one of
/// several lines, with the text.
fn quoted(text: &str, at: usize, quote: char) -> (Range<usize>, usize) {
    let triple = quote.to_string().repeat(3);
    let (mark, is_long) = if text[at..].starts_with(&triple) {
        (triple.as_str(), true)
    } else {
        (&triple[..1], false)
    };
    let start = at + mark.len();
    let mut end = start;
    while let Some(sign) = text[end..].chars().next() {
        if text[end..].starts_with(mark) {
            return (start..end, end + mark.len());
        }
        if sign == '\n' && !is_long {
            break;
        }
        end += sign.len_utf8();
        // A quote behind a backslash closes nothing.
        if sign == '\\' && quote == '"' {
            end += text[end..].chars().next().map_or(0, char::len_utf8);
        }
    }
    (start..end, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_become_asterisks_and_everything_stays_where_it_is() {
        for (given, seen) in [
            (
                "systems = [\"redis://me:hunter2@h\", \"redb\"]\n",
                "systems = [\"redis://me:*******@h\", \"redb\"]\n",
            ),
            (
                "systems = [\"redis://me:hunter2@h\nx = 1",
                "systems = [\"redis://me:*******@h\nx = 1",
            ),
            (
                "systems = [\"redis://me:hun'ter 2@h\"]",
                "systems = [\"redis://me:*********@h\"]",
            ),
            ("address = 'redis:/u:S@h'", "address = 'redis:/u:*@h'"),
            ("password = \"hün ter\"\nx = 1", "password = \"********\"\nx = 1"),
            ("password = \"hun\\\"ter\"", "password = \"********\""),
            ("password = \"\"\"hunter2\"\"\"", "password = \"\"\"*******\"\"\""),
            (
                "password = \"\"\"\nhunter2\"\"\"",
                "password = \"\"\"\n*******\"\"\"",
            ),
            ("password = hunter2 two # why", "password = *****************"),
            ("\"p.pwd\" = 'hunter2' # why", "\"p.pwd\" = '*******' # why"),
            ("\"p.x\" = 'hunter2'", "\"p.x\" = '*******'"),
            (
                "address = \"lab:redis?x=1&password=hunter 2&more\"",
                "address = \"lab:redis?x=1&password=*************\"",
            ),
            ("password_env = \"DB_PW\"", "password_env = \"DB_PW\""),
            (
                "address = 'redis://h?password_env=DB_PW&x=1'",
                "address = 'redis://h?password_env=DB_PW&x=1'",
            ),
            (
                "options = { pasword = \"hunter2\", cache = \"1G\" }",
                "options = { pasword = \"*******\", cache = \"1G\" }",
            ),
            (
                "vary = { password = [\"hunter2\", 'b'], x = \"y\" }",
                "vary = { password = [\"*******\", '*'], x = \"y\" }",
            ),
            (
                "password = [\n  \"a\",\n  \"b\"",
                "password = [\n  \"*\",\n  \"*\"",
            ),
            ("trials = 5\nname = \"a@b\"", "trials = 5\nname = \"a@b\""),
            ("\"", "\""),
        ] {
            assert_eq!(masked(given), seen);
            assert_eq!(masked(given).len(), given.len());
        }
    }
}
