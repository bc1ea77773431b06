//! Software that is missing and that packages of the system bring: what people are asked and told.

use crate::error::{LabError, LabErrorKind};

/// Missing software, and the Debian packages that bring it, system-wide.
#[derive(Clone, Copy, Debug)]
pub struct SystemPackages<'a> {
    /// The software, for people: `Redis`.
    pub software: &'a str,
    /// The names of the packages.
    pub names: &'a [&'a str],
    /// What to do without them, as an imperative: `put your own copy on PATH`.
    pub otherwise: &'a str,
}

impl SystemPackages<'_> {
    /// The question before they are installed.
    #[must_use]
    pub fn question(&self) -> String {
        format!(
            "{} is not installed. Install {} with apt-get, system-wide?",
            self.software,
            self.names.join(" and ")
        )
    }

    /// The command that installs them by hand.
    pub(crate) fn command(&self) -> String {
        format!("sudo apt-get install {}", self.names.join(" "))
    }

    /// The error when they are not installed: for lack of apt-get, of root, or of permission.
    pub(crate) fn not_installed(&self, has_apt_get: bool, is_root: bool) -> LabError {
        let Self {
            software, otherwise, ..
        } = self;
        let command = self.command();
        let (reason, help) = if !has_apt_get {
            (
                ", and this machine has no apt-get",
                format!("install {software} yourself, or {otherwise}"),
            )
        } else if !is_root {
            (
                ", and only root can install it",
                format!("run `{command}`, or {otherwise}; --install needs root"),
            )
        } else {
            (
                "",
                format!("pass --install or set DBDYNO_INSTALL=1, run `{command}` yourself, or {otherwise}"),
            )
        };
        LabError::new(
            LabErrorKind::Software,
            format!("{software} is not installed{reason}"),
        )
        .help(help)
    }
}
