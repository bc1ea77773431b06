//! Looking at a process of another user.
//!
//! Root reads the files, outputs and counters of other users' processes by the capability `CAP_SYS_PTRACE`, which
//! containers usually take away. A process's own user needs no capability.

use std::io;
#[cfg(target_os = "linux")]
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::tables::ProcError;

/// What `look` finds in the directory of a process in `/proc`. Where root is refused, it looks again as the process's user.
///
/// # Errors
/// Those of `look`.
pub(super) fn as_owner<T: Send>(
    process: &Path,
    look: impl Fn(&Path) -> io::Result<T> + Sync,
) -> io::Result<T> {
    let seen = look(process);
    let is_refused = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    if !seen.as_ref().is_err_and(is_refused) || !rustix::process::geteuid().is_root() {
        return seen;
    }
    look_as_owner(process, look).unwrap_or(seen)
}

/// Looks as the user of the process; `None` if that cannot be tried.
#[cfg(target_os = "linux")]
fn look_as_owner<T: Send>(
    process: &Path,
    look: impl Fn(&Path) -> io::Result<T> + Sync,
) -> Option<io::Result<T>> {
    use rustix::process::{Gid, Uid};
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

    let owner = match std::fs::metadata(process) {
        Ok(owner) => owner,
        Err(error) => return Some(Err(error)),
    };
    let (user, group) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
    // On Linux a thread has a user of its own; this one ends with its question.
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            set_thread_groups(&[])?;
            set_thread_res_gid(group, group, group)?;
            set_thread_res_uid(user, user, user)?;
            look(process)
        });
        asked.join().ok()
    })
}

/// Other systems have no directories of processes to look at.
#[cfg(not(target_os = "linux"))]
fn look_as_owner<T>(_: &Path, _: impl Fn(&Path) -> io::Result<T>) -> Option<io::Result<T>> {
    None
}

/// Turns an error of a table into one of the operating system, which distinguishes a refusal from a missing process.
pub(super) fn io_error(error: ProcError) -> io::Error {
    match error {
        ProcError::PermissionDenied(_) => io::ErrorKind::PermissionDenied.into(),
        ProcError::NotFound(_) => io::ErrorKind::NotFound.into(),
        ProcError::Io(error, _) => error,
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

    use super::*;

    /// The user that every Linux machine has for what needs no rights.
    const NOBODY: u32 = 65_534;

    #[test]
    fn root_without_the_capability_sees_the_processes_of_other_users() {
        let mut command = Command::new("sleep");
        command.arg("600").stdout(Stdio::null()).uid(NOBODY).gid(NOBODY);
        // Only root can start it, and not in a user namespace that has no such user.
        let Ok(mut child) = command.spawn() else { return };
        let process = Path::new("/proc").join(child.id().to_string());
        let output = |process: &Path| std::fs::read_link(process.join("fd/1"));
        let (directly, as_its_user) = std::thread::scope(|scope| {
            let contained = scope.spawn(|| {
                let mut sets = capabilities(None).unwrap();
                sets.effective.remove(CapabilitySet::SYS_PTRACE);
                set_capabilities(None, sets).unwrap();
                (output(&process), as_owner(&process, output))
            });
            contained.join().unwrap()
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(directly.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(as_its_user.unwrap(), Path::new("/dev/null"));
    }
}
