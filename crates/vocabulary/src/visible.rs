//! Names and messages that others chose, as they are shown: with nothing in them that a reader does not see.
//!
//! A server, a study file or a log may hold control characters that rewrite a terminal, marks that turn the order of letters around
//! (Boucher and Anderson, "Trojan Source: Invisible Vulnerabilities", 2021), or a cell that a spreadsheet takes for a formula
//! (OWASP, "CSV Injection").

use std::borrow::Cow;
use std::fmt::Write;

/// Stands instead of a secret, in every text and record.
pub const HIDDEN: &str = "***";

/// The text with control characters and marks of direction written out, `\u001b`, as in JSON. Line feeds and tabs stay.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    written_out(text, |_| 0)
}

/// The text as [`text()`] gives it, for a terminal with colours: the sequences that dress text (`ESC [ ... m`) stay, too.
#[must_use]
pub fn dressed(text: &str) -> Cow<'_, str> {
    written_out(text, dress)
}

/// A cell of a table of comma-separated values: what is no number and begins like a formula gets an apostrophe, which spreadsheets take
/// for the mark of a text.
#[must_use]
pub fn cell(value: &str) -> Cow<'_, str> {
    let shown = text(value);
    let is_formula = shown.starts_with(['=', '+', '-', '@', '\t', '\n']) && shown.parse::<f64>().is_err();
    if is_formula {
        Cow::Owned(format!("'{shown}"))
    } else {
        shown
    }
}

/// `kept` says how many bytes at the beginning of a text stay whatever they are.
fn written_out(text: &str, kept: impl Fn(&str) -> usize) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let stays = kept(rest);
        let taken = stays.max(character.len_utf8());
        if stays == 0 && is_unseen(character) {
            write!(shown, "\\u{:04x}", u32::from(character)).expect("writing to memory does not fail");
        } else {
            shown.push_str(&rest[..taken]);
        }
        rest = &rest[taken..];
    }
    Cow::Owned(shown)
}

fn is_unseen(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Joiners are letters' own in Persian and in joined signs.
        '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{61c}'
        | '\u{feff}' => true,
        _ => character.is_control(),
    }
}

/// The length of a sequence at the beginning that dresses what follows; not one that hides it.
fn dress(text: &str) -> usize {
    const CONCEALED: u32 = 8;
    const MOST_CODES: usize = 20;
    let Some((codes, _)) = text.strip_prefix("\u{1b}[").and_then(|rest| rest.split_once('m')) else {
        return 0;
    };
    let numbers: Option<Vec<u32>> = match codes {
        "" => Some(Vec::new()),
        _ => codes.split(';').map(|code| code.parse().ok()).collect(),
    };
    let Some(numbers) = numbers.filter(|numbers| numbers.len() <= MOST_CODES) else {
        return 0;
    };
    let mut numbers = numbers.into_iter();
    while let Some(number) = numbers.next() {
        match number {
            CONCEALED => return 0,
            // What follows is the number of a colour, or its three parts.
            38 | 48 | 58 => {
                let skipped = if numbers.next() == Some(2) { 3 } else { 1 };
                numbers.by_ref().take(skipped).for_each(drop);
            }
            _ => {}
        }
    }
    codes.len() + "\u{1b}[m".len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_written_out() {
        assert_eq!(text("plain\n\ttext, µs\u{202f}≥"), "plain\n\ttext, µs\u{202f}≥");
        assert!(matches!(text("plain"), Cow::Borrowed(_)));
        assert_eq!(text("a\u{1b}[2Jb\r"), "a\\u001b[2Jb\\u000d");
        assert_eq!(text("safe\u{202e}gnp.exe"), "safe\\u202egnp.exe");
        assert_eq!(text("\u{7f}\u{85}\u{feff}"), "\\u007f\\u0085\\ufeff");
    }

    #[test]
    fn a_terminal_is_dressed_and_not_commanded() {
        assert_eq!(dressed("\u{1b}[1mbold\u{1b}[0m"), "\u{1b}[1mbold\u{1b}[0m");
        assert_eq!(dressed("\u{1b}[38;5;12mblue"), "\u{1b}[38;5;12mblue");
        assert_eq!(dressed("\u{1b}[2Jm"), "\\u001b[2Jm");
        assert_eq!(
            dressed("\u{1b}[38;5;8mgrey\u{1b}[m"),
            "\u{1b}[38;5;8mgrey\u{1b}[m"
        );
        for hiding in ["8", "08", "1;8", "38;5;1;8", "38;2;1;2;3;008"] {
            assert_eq!(
                dressed(&format!("\u{1b}[{hiding}m")),
                format!("\\u001b[{hiding}m")
            );
        }
        assert_eq!(dressed("\u{1b}]0;title\u{7}"), "\\u001b]0;title\\u0007");
    }

    #[test]
    fn a_formula_becomes_text_and_a_number_stays_one() {
        for formula in ["=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)"] {
            assert_eq!(cell(formula), format!("'{formula}"));
        }
        for value in ["-1.5", "+2", "1e9", "", "redb", "a=b"] {
            assert_eq!(cell(value), value);
        }
    }
}
