//! Why an input is refused, before its place in a file or on a command line is known.

/// A refusal of a study, and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// How to mend it; may be empty.
    pub help: String,
}

impl Refusal {
    /// A refusal with its remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
        }
    }
}
