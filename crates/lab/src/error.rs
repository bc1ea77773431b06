//! What can go wrong between a request and a running server.

/// The kind of an error of the lab; it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabErrorKind {
    /// The request names something that does not exist.
    Request,
    /// The software is not there and could not be fetched.
    Software,
    /// This machine has not enough memory, ports or rights.
    Machine,
    /// A server did not start, or ended.
    Server,
    /// A server ended because another program was listening on its port.
    PortTaken,
    /// A file or directory of the lab.
    Files,
    /// Somebody asked to stop.
    Interrupted,
}

/// One clear sentence, and what mends it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct LabError {
    /// Its kind.
    pub kind: LabErrorKind,
    /// What failed, where and why.
    pub message: String,
    /// How to mend it; may be empty.
    pub help: String,
}

impl LabError {
    /// An error of this kind.
    pub fn new(kind: LabErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: String::new(),
        }
    }

    /// Adds advice on how to mend it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// A file operation that failed.
    pub fn files(what: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::new(
            LabErrorKind::Files,
            format!("cannot {what} {}: {error}", path.display()),
        )
    }
}
