//! What goes wrong for a person: one clear error with its remedy and an exit code. Everything else is a bug.

use std::ops::Range;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, NamedSource, SourceSpan};

use crate::exit_code::ExitCode;

/// An expected failure: of the command line, of a file, of a system.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct Problem {
    /// How the process ends.
    pub exit: ExitCode,
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
            message: message.into(),
            help: None,
            text: None,
            span: None,
            cause: None,
        }
    }

    /// A wrong command line or input file.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// A file that cannot be read or written.
    pub fn files(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Files, message)
    }

    /// The same with what mends it; an empty text is no help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into()).filter(|help| !help.is_empty());
        self
    }

    /// The same with what caused it.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The same, pointing at a place in a text.
    #[must_use]
    pub fn at(mut self, name: &str, text: &str, span: Range<usize>) -> Self {
        self.text = Some(NamedSource::new(name, text.to_owned()));
        self.span = Some(span.into());
        self
    }

    /// For the terminal.
    pub fn render(&self, color: bool, width: usize) -> String {
        let theme = if color {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let mut rendered = String::new();
        let outcome = GraphicalReportHandler::new_themed(theme)
            .with_width(width)
            .with_context_lines(0)
            .render_report(&mut rendered, self);
        match outcome {
            Ok(()) => format!(
                "Error:{}\n",
                rendered.trim_start_matches('\n').replacen("  ", " ", 1)
            ),
            Err(_) => format!("Error: {}\n", self.message),
        }
    }
}
