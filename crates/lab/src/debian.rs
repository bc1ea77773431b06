//! Installing Debian packages, system-wide: only with permission.

use std::process::Command;

use crate::error::LabError;
use crate::packages::SystemPackages;
use crate::progress::Progress;
use crate::source::{on_path, tool};

/// Installs missing software with apt-get, if `progress` permits it.
///
/// # Errors
/// Without apt-get, root or permission, or when apt-get fails: with the ways to get the software.
pub fn debian_package(missing: &SystemPackages<'_>, progress: &mut dyn Progress) -> Result<(), LabError> {
    let has_apt_get = on_path("apt-get", &[]).is_some();
    let is_root = rustix::process::getuid().is_root();
    check(missing, has_apt_get, is_root, progress)?;
    progress.say(&format!("installing {} with apt-get", missing.names.join(" ")));
    // Another installation may be under way: its end is waited for.
    let mut arguments = vec![
        "-o",
        "DPkg::Lock::Timeout=300",
        "install",
        "--yes",
        "--no-install-recommends",
    ];
    arguments.extend(missing.names);
    let by_hand = format!("install it: {}", missing.command());
    let install = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        tool(&mut command, &by_hand)
    };
    with_fresh_lists(&arguments, &*progress, install)
}

/// Installs. The lists of packages may be missing or old; only then is a first try wasted. Ctrl-C reaches apt-get, too: what it ended
/// is not tried again.
fn with_fresh_lists(
    arguments: &[&str],
    progress: &dyn Progress,
    mut run: impl FnMut(&[&str]) -> Result<(), LabError>,
) -> Result<(), LabError> {
    run(arguments).or_else(|error| {
        if progress.is_stopped() {
            return Err(error);
        }
        run(&["update"])?;
        if progress.is_stopped() {
            return Err(error);
        }
        run(arguments)
    })
}

/// Nobody is asked for a permission that would not help.
fn check(
    missing: &SystemPackages<'_>,
    has_apt_get: bool,
    is_root: bool,
    progress: &mut dyn Progress,
) -> Result<(), LabError> {
    if has_apt_get && is_root && progress.may_install(missing) {
        Ok(())
    } else {
        Err(missing.not_installed(has_apt_get, is_root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LabErrorKind;

    const MISSING: SystemPackages<'static> = SystemPackages {
        software: "Thing",
        names: &["dbdyno-no-such-package", "dbdyno-no-such-tools"],
        otherwise: "name its directory with home=DIR",
    };

    /// Answers, and counts the questions.
    struct Answer {
        permits: bool,
        asked: Vec<String>,
    }

    impl Progress for Answer {
        fn say(&mut self, _: &str) {}

        fn may_install(&mut self, missing: &SystemPackages<'_>) -> bool {
            self.asked.push(missing.question());
            self.permits
        }
    }

    fn checked(has_apt_get: bool, is_root: bool, permits: bool) -> (Result<(), LabError>, Vec<String>) {
        let mut answer = Answer {
            permits,
            asked: Vec::new(),
        };
        let checked = check(&MISSING, has_apt_get, is_root, &mut answer);
        (checked, answer.asked)
    }

    #[test]
    fn without_permission_nothing_is_installed_and_three_ways_are_named() {
        let (refused, asked) = checked(true, true, false);
        assert_eq!(
            asked,
            [
                "Thing is not installed. Install dbdyno-no-such-package and dbdyno-no-such-tools with apt-get, \
                 system-wide?"
            ]
        );
        let error = refused.unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Software);
        assert_eq!(error.message, "Thing is not installed");
        for way in [
            "--install",
            "DBDYNO_INSTALL=1",
            "`sudo apt-get install dbdyno-no-such-package dbdyno-no-such-tools`",
            "home=DIR",
        ] {
            assert!(error.help.contains(way), "{way}: {}", error.help);
        }
        assert!(checked(true, true, true).0.is_ok(), "with permission");
    }

    #[test]
    fn nobody_is_asked_where_permission_would_not_help() {
        for (has_apt_get, is_root, message, help) in [
            (true, false, "only root can install it", "--install needs root"),
            (true, false, "Thing is not installed", "`sudo apt-get install"),
            (false, true, "no apt-get", "install Thing yourself"),
            (false, false, "no apt-get", "home=DIR"),
        ] {
            let (refused, asked) = checked(has_apt_get, is_root, true);
            let error = refused.unwrap_err();
            assert!(error.message.contains(message), "{error}");
            assert!(error.help.contains(help), "{}", error.help);
            assert_eq!(asked, [] as [String; 0]);
        }
    }

    /// Says after so many runs that somebody asked to stop.
    struct StoppedAfter<'a>(usize, &'a std::cell::Cell<usize>);

    impl Progress for StoppedAfter<'_> {
        fn say(&mut self, _: &str) {}

        fn is_stopped(&self) -> bool {
            self.1.get() >= self.0
        }
    }

    /// The first words of what is run where the first try fails and a stop is asked for after so many runs.
    fn run_until(stopped_after: usize) -> (Vec<String>, bool) {
        let (count, mut begun) = (std::cell::Cell::new(0), Vec::new());
        let installed = with_fresh_lists(
            &["install", "thing"],
            &StoppedAfter(stopped_after, &count),
            |arguments| {
                begun.push(arguments[0].to_owned());
                count.set(begun.len());
                match begun.len() {
                    1 => Err(LabError::new(LabErrorKind::Software, "no such package")),
                    _ => Ok(()),
                }
            },
        );
        (begun, installed.is_ok())
    }

    #[test]
    fn old_lists_are_renewed_once_and_nothing_begins_after_a_stop() {
        let (begun, installed) = run_until(usize::MAX);
        assert_eq!(begun, ["install", "update", "install"]);
        assert!(installed);
        let (begun, installed) = run_until(1);
        assert_eq!(begun, ["install"]);
        assert!(!installed);
        let (begun, installed) = run_until(2);
        assert_eq!(begun, ["install", "update"]);
        assert!(!installed);
    }

    #[test]
    fn a_listener_that_does_not_listen_permits_nothing() {
        let error = debian_package(&MISSING, &mut ()).unwrap_err();
        assert!(error.message.starts_with("Thing is not installed"), "{error}");
    }
}
