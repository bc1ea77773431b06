//! Shared memory of servers that were killed: nobody uses it, and it stays until the machine restarts. PostgreSQL makes a few bytes of
//! System V's, by which a second server on the same files is noticed, and files in `/dev/shm`.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use dbdyno_machine::ProcessId;

use crate::account;

/// All segments of this machine, a line each (proc(5)).
const TABLE: &str = "/proc/sysvipc/shm";
/// POSIX's shared memory (shm_overview(7)).
const FILES: &str = "/dev/shm";

/// Removes what nobody uses and whose maker is gone: what one of these processes made, and what belongs to the lab's own account. Files
/// do not say who uses them, so those of the account go when nothing runs as it.
pub(crate) fn remove_left(makers: &[ProcessId]) {
    let account = account::user_of_lab();
    remove_segments(makers, account);
    // A server that begins later makes files of its own.
    let now = SystemTime::now();
    if let Some(account) = account
        && !has_process(account)
    {
        remove_files(Path::new(FILES), account, now);
    }
}

fn remove_segments(makers: &[ProcessId], account: Option<u32>) {
    let Ok(table) = std::fs::read_to_string(TABLE) else {
        return;
    };
    // One that ended and was not waited for uses nothing any more.
    let is_alive = |process: u32| ProcessId::of(process).is_some_and(ProcessId::is_alive);
    for segment in left(&table, makers, account, &is_alive) {
        let mut remove = Command::new("ipcrm");
        remove.args(["--shmem-id", &segment.to_string()]);
        // It fails if another process has removed the segment, which is as good.
        remove.stdout(Stdio::null()).stderr(Stdio::null()).status().ok();
    }
}

/// The numbers of such segments.
fn left(table: &str, makers: &[ProcessId], account: Option<u32>, is_alive: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let mut lines = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let Some(header) = lines.next() else {
        return Vec::new();
    };
    let segments = lines.filter_map(|line| {
        let field = |name: &str| -> Option<u32> {
            let column = header.iter().position(|column| *column == name)?;
            line.get(column)?.parse().ok()
        };
        let maker = field("cpid")?;
        let is_ours = makers.iter().any(|process| process.id == maker)
            || (account.is_some() && field("uid") == account);
        let is_left = is_ours && field("nattch")? == 0 && !is_alive(maker);
        is_left.then(|| field("shmid"))?
    });
    segments.collect()
}

/// Whether a process runs as that user; also where it cannot be seen.
fn has_process(user: u32) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return true;
    };
    processes.flatten().any(|process| {
        let is_process = process.file_name().to_string_lossy().parse::<u32>().is_ok();
        is_process && process.metadata().is_ok_and(|metadata| metadata.uid() == user)
    })
}

fn remove_files(directory: &Path, user: u32, before: SystemTime) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let is_left = entry.metadata().is_ok_and(|metadata| {
            let is_old = metadata.modified().is_ok_and(|changed| changed < before);
            metadata.is_file() && metadata.uid() == user && is_old
        });
        if is_left {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn files_of_that_user_alone_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("PostgreSQL.1");
        std::fs::write(&file, "").unwrap();
        std::fs::create_dir(place.path().join("directory")).unwrap();
        let own = rustix::process::geteuid().as_raw();
        assert!(has_process(own));
        let later = SystemTime::now() + Duration::from_secs(60);
        remove_files(place.path(), own + 1, later);
        remove_files(place.path(), own, later - Duration::from_secs(120));
        assert!(file.exists());
        remove_files(place.path(), own, later);
        assert!(!file.exists() && place.path().join("directory").exists());
    }

    #[test]
    fn only_what_nobody_uses_and_whose_maker_is_gone_is_left() {
        let table = "       key      shmid perms                  size  cpid  lpid nattch   uid   gid\n\
                     1125215          1   600                    56  3797  3797      0   999   995\n\
                     1205167          2   600                    56  1758  1758      1   999   995\n\
                     1203845          3   600                    56  1817  1817      0   999   995\n\
                     1203846          4   600                    56  4444  1817      0  1000   995\n\
                     1203847          5   600                    56  5555  1817      0  1000   995\n";
        let is_alive = |process| process == 1817;
        let maker = ProcessId {
            id: 4444,
            start_ticks: 1,
        };
        let found = |makers: &[ProcessId], account| left(table, makers, account, &is_alive);
        assert_eq!(found(&[], None), [0_u32; 0]);
        assert_eq!(found(&[], Some(999)), [1]);
        assert_eq!(found(&[maker], None), [4]);
        assert_eq!(found(&[maker], Some(999)), [1, 4]);
        assert_eq!(left("", &[maker], None, &is_alive), [0_u32; 0]);
    }
}
