//! Where processes work and print.

use std::io;
use std::path::{Path, PathBuf};

use super::as_owner::as_owner;
use super::{ProcessId, all};

impl ProcessId {
    /// Whether its working directory or one of its outputs is inside this directory, as those of a server are that the lab started
    /// there. Also true if only a capability of root would show them.
    #[must_use]
    pub fn belongs_in(self, directory: &Path) -> bool {
        let process = Path::new("/proc").join(self.id.to_string());
        let Ok(directory) = directory.canonicalize() else {
            return false;
        };
        let places = ["cwd", "fd/1", "fd/2"].map(|link| destination(&process, link));
        let is_hidden = |place: &io::Result<PathBuf>| matches!(place, Err(error) if error.kind() == io::ErrorKind::PermissionDenied);
        places.iter().flatten().any(|place| place.starts_with(&directory)) || places.iter().all(is_hidden)
    }
}

/// The processes that print into files of this directory, as servers of an instance do from their start on, without those that
/// another of them started.
#[must_use]
pub fn processes_printing_into(directory: &Path) -> Vec<ProcessId> {
    let Ok(directory) = directory.canonicalize() else {
        return Vec::new();
    };
    let found: Vec<ProcessId> = all()
        .filter_map(|process| ProcessId::of(u32::try_from(process.pid()).ok()?))
        .filter(|process| {
            let process = Path::new("/proc").join(process.id.to_string());
            ["fd/1", "fd/2"]
                .iter()
                .any(|output| destination(&process, output).is_ok_and(|place| place.starts_with(&directory)))
        })
        .collect();
    let below: Vec<ProcessId> = found.iter().flat_map(|process| process.descendants()).collect();
    found
        .into_iter()
        .filter(|process| !below.contains(process))
        .collect()
}

fn destination(process: &Path, link: &str) -> io::Result<PathBuf> {
    as_owner(process, |process| std::fs::read_link(process.join(link)))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_prints_into_a_directory_is_found_there_and_its_child_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let output = File::create(directory.path().join("log")).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & wait"]).stdout(output);
        let mut child = command.spawn().unwrap();
        let process = ProcessId::of(child.id()).unwrap();
        let below = loop {
            let below = process.descendants();
            if !below.is_empty() {
                break below;
            }
            std::thread::yield_now();
        };
        assert!(process.belongs_in(directory.path()));
        assert!(!process.belongs_in(&directory.path().join("absent")));
        assert_eq!(processes_printing_into(directory.path()), [process]);
        for process in below {
            let number = rustix::process::Pid::from_raw(process.id as i32).unwrap();
            rustix::process::kill_process(number, rustix::process::Signal::KILL).unwrap();
        }
        child.wait().unwrap();
    }
}
