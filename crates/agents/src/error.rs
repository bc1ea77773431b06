//! Why agents are not to be had.

use std::fmt;

/// Why agents are not to be had, with what mends it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AgentsError {
    /// What kind of failure it is.
    pub kind: AgentsErrorKind,
    /// What is wrong.
    pub message: String,
    /// What to do about it; empty where nothing can be said.
    pub help: String,
}

/// What kind of failure it is: exit codes depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentsErrorKind {
    /// What was asked for makes no sense.
    Request,
    /// The NATS server refuses, or fails.
    Server,
    /// The NATS server cannot be reached: it may not be there yet.
    Unreachable,
    /// Too few agents are there.
    Agents,
    /// A stop was requested.
    Interrupted,
}

impl AgentsError {
    pub(crate) fn new(kind: AgentsErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: String::new(),
        }
    }

    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new(AgentsErrorKind::Request, message)
    }

    pub(crate) fn server(message: impl Into<String>) -> Self {
        Self::new(AgentsErrorKind::Server, message)
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: help.into(),
            ..self
        }
    }
}

/// The text of an error with its causes.
pub(crate) fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let more = source.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = source.source();
    }
    text
}

/// The server refused a message, or could not take it.
pub(crate) fn not_sent(what: impl fmt::Display, error: &dyn std::error::Error) -> AgentsError {
    AgentsError::server(format!("NATS: {what}: {}", whole(error)))
}
