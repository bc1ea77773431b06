//! Words of a command that a reader copies into a shell: each is one word there, whatever it is made of.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use crate::visible;

/// The text as one word. What needs no quotes stands without; what nobody would see, such as a line feed, is written out
/// (`$'a\nb'`, which bash, zsh and POSIX.1-2024 know), so that the word stays on its line.
#[must_use]
pub fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:/@%+=,".contains(letter);
    // A shell may take `=` at the beginning of a word for something else.
    if !text.is_empty() && !text.starts_with('=') && text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else if visible::text(text) == text && !text.contains(['\n', '\t']) {
        Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
    } else {
        Cow::Owned(escaped(text.as_bytes()))
    }
}

/// A path as one word.
#[must_use]
pub fn path(path: &Path) -> String {
    match path.to_str() {
        Some(text) => word(text).into_owned(),
        None => escaped(path.as_os_str().as_encoded_bytes()),
    }
}

/// The bytes between `$'` and `'`, where each of them can be written out.
fn escaped(bytes: &[u8]) -> String {
    let mut word = "$'".to_owned();
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => word.extend(['\\', char::from(byte)]),
            b'\n' => word.push_str("\\n"),
            b'\t' => word.push_str("\\t"),
            b' '..=b'~' => word.push(char::from(byte)),
            // Three octal digits end the number, whatever follows.
            _ => write!(word, "\\{byte:03o}").expect("writing to memory does not fail"),
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_plain_word_stays_and_another_is_quoted() {
        for (given, seen) in [
            ("results/a-1_b.toml", "results/a-1_b.toml"),
            ("é日本.toml", "é日本.toml"),
            ("two words", "'two words'"),
            ("it's", r"'it'\''s'"),
            ("a&b", "'a&b'"),
            ("redb?durability=synced", "'redb?durability=synced'"),
            ("~", "'~'"),
            ("=ls", "'=ls'"),
            ("", "''"),
            ("a\nb'c\\", r"$'a\nb\'c\\'"),
            ("\u{1b}1", r"$'\0331'"),
        ] {
            assert_eq!(word(given), seen);
        }
    }

    #[test]
    fn a_shell_reads_the_word_that_was_given() {
        let texts = [
            "two words",
            "it's $HOME `id` \"x\" !1 \\",
            "\ta\nb",
            "*",
            "é\u{200b}",
            "#",
        ];
        let odd = OsStr::from_bytes(b"\xff 1'");
        for given in texts.map(OsStr::new).into_iter().chain([odd]) {
            let script = format!("printf %s {}", path(Path::new(given)));
            let ended = Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(OsStr::from_bytes(&ended.stdout), given, "{script}");
        }
    }
}
