//! The software of lab systems: there before a command measures anything, and installed system-wide only with permission.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

use dbdyno_driver::Target;
use dbdyno_engine::Stop;
use dbdyno_lab::{LabError, LabErrorKind, LabHome, Progress, SystemPackages};
use dbdyno_study::address;

use crate::arguments::InstallArguments;
use crate::terminal::Terminal;

/// Permits installations where nobody passes flags, as in CI.
const VARIABLE: &str = "DBDYNO_INSTALL";

/// Whether packages may be installed system-wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    /// By `--install` or the variable.
    Granted,
    /// The user at the terminal decides.
    Asked,
    /// There is nobody to ask.
    Denied,
}

impl Permission {
    fn decide(flag: bool, variable: Option<&OsStr>, is_interactive: bool) -> Self {
        // Whoever writes `false` does not want it.
        let is_set = variable.is_some_and(|value| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            !["", "0", "false", "no", "off"].contains(&value.as_str())
        });
        if flag || is_set {
            Self::Granted
        } else if is_interactive {
            Self::Asked
        } else {
            Self::Denied
        }
    }
}

/// Shows what the lab does, and answers whether it may install packages.
pub struct LabProgress<'a> {
    terminal: Terminal,
    permission: Permission,
    stop: &'a Stop,
}

impl<'a> LabProgress<'a> {
    /// Decides: flag, else variable, else whoever sits at the terminal.
    pub fn new(terminal: Terminal, arguments: InstallArguments, stop: &'a Stop) -> Self {
        let is_interactive = io::stdin().is_terminal() && io::stderr().is_terminal();
        let variable = std::env::var_os(VARIABLE);
        Self {
            terminal,
            permission: Permission::decide(arguments.install, variable.as_deref(), is_interactive),
            stop,
        }
    }

    /// Makes the software of all these systems available, before the first one starts: a question in the middle of a
    /// study would wait for hours, and an installation would disturb its trials.
    ///
    /// # Errors
    /// When the software of a system cannot be had, or the stop was requested.
    pub fn prepare<'b>(&mut self, systems: impl IntoIterator<Item = &'b Target>) -> Result<(), LabError> {
        for target in systems {
            let Some(system) = address::read(target) else {
                continue;
            };
            let system = system?;
            let home = LabHome::of_user()?;
            let prepared = dbdyno_lab::prepare(system.recipe, &system.request, &home, self);
            // Ctrl-C reaches what installs and fetches, too: their failure is not the reason then.
            if self.stop.is_requested() {
                return Err(LabError::new(
                    LabErrorKind::Interrupted,
                    format!("stopped before {} was started", system.request),
                ));
            }
            prepared?;
        }
        Ok(())
    }
}

impl Progress for LabProgress<'_> {
    fn say(&mut self, what: &str) {
        self.terminal.note(what);
    }

    fn may_install(&mut self, missing: &SystemPackages<'_>) -> bool {
        match self.permission {
            Permission::Granted => true,
            Permission::Asked => self.terminal.ask(&missing.question(), self.stop),
            Permission::Denied => false,
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_permitted_unasked() {
        for (flag, variable, is_interactive, expected) in [
            (false, None, false, Permission::Denied),
            (false, Some(""), false, Permission::Denied),
            (false, Some("0"), false, Permission::Denied),
            (false, Some("False"), false, Permission::Denied),
            (false, Some("no"), true, Permission::Asked),
            (false, Some("off"), false, Permission::Denied),
            (false, None, true, Permission::Asked),
            (false, Some("0"), true, Permission::Asked),
            (false, Some("1"), false, Permission::Granted),
            (false, Some("1"), true, Permission::Granted),
            (true, None, false, Permission::Granted),
            (true, Some("0"), true, Permission::Granted),
        ] {
            let decided = Permission::decide(flag, variable.map(OsStr::new), is_interactive);
            assert_eq!(decided, expected, "{flag} {variable:?} {is_interactive}");
        }
    }
}
