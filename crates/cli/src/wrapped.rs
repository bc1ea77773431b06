//! Text broken into lines between words, and never within `commands` or paths, which people copy.

use textwrap::{Options, WordSeparator, WordSplitter};

/// Stands for a space that must not break, until the lines are made.
const FIXED_SPACE: char = '\u{a0}';

/// Text in which no space between backticks breaks.
pub fn fixed(text: &str) -> String {
    let mut is_quoted = false;
    let letters = text.chars().map(|letter| {
        is_quoted ^= letter == '`';
        if is_quoted && letter == ' ' {
            FIXED_SPACE
        } else {
            letter
        }
    });
    letters.collect()
}

/// The lines that were made of [`fixed`] text, as people read them.
pub fn unfixed(text: &str) -> String {
    text.replace(FIXED_SPACE, " ")
}

/// Each line no longer than `width` where words allow; what follows in a new line is indented like its beginning.
pub fn lines(text: &str, width: usize) -> String {
    let all = text.split('\n').map(|line| {
        let indent: String = line.chars().take_while(|letter| *letter == ' ').collect();
        let options = Options::new(width)
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .subsequent_indent(&indent);
        textwrap::fill(&fixed(line), options)
    });
    unfixed(&all.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_not_within_commands() {
        let text = "Interrupted; to resume, run `dbdyno study run my.toml` again";
        assert_eq!(
            lines(text, 40),
            "Interrupted; to resume, run\n`dbdyno study run my.toml` again"
        );
        assert_eq!(lines("  one two\nthree", 6), "  one\n  two\nthree");
        assert_eq!(lines("results/a-b/c-d", 4), "results/a-b/c-d");
    }

    #[test]
    fn dress_takes_no_room() {
        let dressed = "\u{1b}[33mWarning:\u{1b}[0m one two";
        assert_eq!(lines(dressed, 16), dressed);
    }
}
