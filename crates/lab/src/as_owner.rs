//! Looking at a process of another user.
//!
//! Root reads the files, outputs and counters of other users' processes by the capability `CAP_SYS_PTRACE`, which
//! containers usually take away. A process's own user needs no capability.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

/// What `look` finds in the directory of a process in `/proc`. Where root is refused, it looks again as the process's user.
///
/// # Errors
/// Those of `look`.
pub(crate) fn as_owner<T: Send>(
    process: &Path,
    look: impl Fn(&Path) -> io::Result<T> + Sync,
) -> io::Result<T> {
    let seen = look(process);
    let is_refused = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    if !seen.as_ref().is_err_and(is_refused) || !rustix::process::geteuid().is_root() {
        return seen;
    }
    let owner = std::fs::metadata(process)?;
    let (user, group) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
    // On Linux a thread has a user of its own; this one ends with its question.
    let looked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            set_thread_groups(&[])?;
            set_thread_res_gid(group, group, group)?;
            set_thread_res_uid(user, user, user)?;
            look(process)
        });
        asked.join()
    });
    looked.unwrap_or(seen)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

    use super::*;
    use crate::account::tests::shared;

    #[test]
    fn root_without_the_capability_sees_the_processes_of_other_users() {
        let Some(account) = shared() else { return };
        let mut command = Command::new("sleep");
        account.run(command.arg("600").stdout(Stdio::null()), Path::new("/"));
        let mut child = command.spawn().unwrap();
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
