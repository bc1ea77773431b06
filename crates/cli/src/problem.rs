//! What goes wrong for a person: one clear error with its remedy and an exit code, or all mistakes of one input. Everything else is
//! a bug.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use dbdyno_files::Mistake;
use dbdyno_report::number;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, SourceSpan,
};
use textwrap::{WordSeparator, WordSplitter};

use crate::exit_code::ExitCode;
use crate::wrapped::{fixed, unfixed};

/// More mistakes of one input than these are counted: a screen has no room for them.
const MOST_SHOWN: usize = 10;

/// How every error begins.
const ERROR: &str = "Error:";

/// An expected failure: of the command line, of a file, of a system.
#[derive(Debug)]
pub struct Problem {
    /// How the process ends.
    pub exit: ExitCode,
    /// Boxed, so that results which are nearly always good stay small.
    words: Box<Words>,
    /// Further mistakes in the same file.
    others: Vec<Words>,
    /// How many more there are.
    more: usize,
}

/// The message.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
struct Words {
    message: String,
    #[help]
    help: Option<String>,
    #[source_code]
    text: Option<NamedSource<String>>,
    #[label("here")]
    span: Option<SourceSpan>,
    #[source]
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Problem {
    /// A failure with its exit code.
    pub fn new(exit: ExitCode, message: impl Into<String>) -> Self {
        Self {
            exit,
            words: Box::new(Words {
                message: message.into(),
                help: None,
                text: None,
                span: None,
                cause: None,
            }),
            others: Vec::new(),
            more: 0,
        }
    }

    /// All that is wrong in a file, of which there is at least one thing.
    pub fn in_file(name: &str, text: &str, mistakes: Vec<Mistake>) -> Self {
        let mut problems = mistakes.into_iter().map(|mistake| {
            Self::usage(mistake.message)
                .help(mistake.help)
                .at(name, text, mistake.span)
        });
        let first = problems.next();
        let first = first.unwrap_or_else(|| Self::usage(format!("{name} cannot be used")));
        first.and(problems)
    }

    /// Adds further problems of this input. A help that helps with several is shown once.
    #[must_use]
    pub fn and(mut self, others: impl Iterator<Item = Self>) -> Self {
        let mut helps: BTreeSet<String> = self.words.help.iter().cloned().collect();
        for other in others {
            let mut words = *other.words;
            words.help = words.help.filter(|help| helps.insert(help.clone()));
            if self.others.len() + 1 < MOST_SHOWN {
                self.others.push(words);
            } else {
                self.more += 1;
            }
        }
        self
    }

    /// A wrong command line or input file.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// A file that cannot be read or written.
    pub fn files(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Files, message)
    }

    /// Adds how to mend it; an empty text is no help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.words.help = Some(help.into()).filter(|help| !help.is_empty());
        self
    }

    /// Adds its cause.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.words.cause = Some(cause.into());
        self
    }

    /// Points at its place in a text.
    #[must_use]
    pub fn at(mut self, name: &str, text: &str, span: Range<usize>) -> Self {
        self.words.text = Some(NamedSource::new(name, mask_passwords(text)));
        self.words.span = Some(span.into());
        self
    }

    /// What went wrong, without its remedy.
    pub fn message(&self) -> &str {
        &self.words.message
    }

    /// For the terminal.
    pub fn render(&self, color: bool, width: usize) -> String {
        let theme = if color {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            // The first line begins with more than miette knows of.
            .with_width(width.saturating_sub(ERROR.len() - 1))
            .with_break_words(false)
            .with_word_separator(WordSeparator::AsciiSpace)
            .with_word_splitter(WordSplitter::NoHyphenation)
            .with_context_lines(1);
        let all = std::iter::once(&*self.words).chain(&self.others);
        let rendered: Vec<String> = all.map(|words| words.render(&handler)).collect();
        let mut text = rendered.join("\n");
        if self.more > 0 {
            let more = number::plural(self.more, "more mistake was found", "more mistakes were found");
            text.push_str(&format!("\n{more}.\n"));
        }
        text
    }
}

impl Words {
    fn render(&self, handler: &GraphicalReportHandler) -> String {
        let mut rendered = String::new();
        let shown = Shown {
            words: self,
            message: fixed(&self.message),
            help: self.help.as_deref().map(fixed),
        };
        match handler.render_report(&mut rendered, &shown) {
            Ok(()) => format!(
                "{ERROR}{}\n",
                unfixed(rendered.trim_start_matches('\n'))
                    .trim_end()
                    .replacen("  ", " ", 1)
            ),
            Err(_) => format!("{ERROR} {}\n", self.message),
        }
    }
}

/// A message whose `commands` stay on one line.
#[derive(Debug)]
struct Shown<'a> {
    words: &'a Words,
    message: String,
    help: Option<String>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.words)
    }
}

impl Diagnostic for Shown<'_> {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.words.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.words.labels()
    }
}

/// Stars instead of the passwords in addresses (`scheme://user:password@host`), as many bytes as there were, so that
/// places in the text stay where they are.
fn mask_passwords(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + "://".len());
        masked.push_str(before);
        let end = after
            .find(|character: char| character.is_whitespace() || "/'\"".contains(character))
            .unwrap_or(after.len());
        let authority = &after[..end];
        match (authority.find(':'), authority.rfind('@')) {
            (Some(colon), Some(at)) if colon < at => {
                masked.push_str(&authority[..=colon]);
                masked.extend(std::iter::repeat_n('*', at - colon - 1));
                masked.push_str(&authority[at..]);
            }
            _ => masked.push_str(authority),
        }
        rest = &after[end..];
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked_and_places_stay() {
        let text = "a = 'postgres://me:hünter2@db:5432/x' # http://plain.example:80/y\nb = 1";
        let masked = mask_passwords(text);
        assert_eq!(masked.len(), text.len());
        assert_eq!(
            masked,
            "a = 'postgres://me:********@db:5432/x' # http://plain.example:80/y\nb = 1"
        );
    }

    #[test]
    fn a_mistake_is_shown_at_its_place() {
        let problem = Problem::usage("unknown key `trails`")
            .help("did you mean `trials`?")
            .at("s.toml", "name = 1\ntrails = 3\n", 9..15);
        insta::assert_snapshot!(problem.render(false, 80));
    }

    #[test]
    fn mistakes_beyond_the_tenth_are_counted() {
        let text = "a\n".repeat(12);
        let mistake =
            |line: usize| Mistake::new(2 * line..2 * line + 1, format!("mistake {line}"), "the help");
        let shown = |mistakes: usize| {
            Problem::in_file("s.toml", &text, (0..mistakes).map(mistake).collect()).render(false, 80)
        };
        let twelve = shown(12);
        assert_eq!(twelve.matches("Error:").count(), MOST_SHOWN, "{twelve}");
        assert_eq!(twelve.matches("the help").count(), 1, "{twelve}");
        assert!(twelve.ends_with("\n2 more mistakes were found.\n"), "{twelve}");
        assert!(shown(10).contains("mistake 9") && !shown(10).contains("more mistake"));
    }
}
