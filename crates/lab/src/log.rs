//! Logs of servers. A server may run as another user and do in its directory as it likes, so a log is read only where it is a
//! plain file, and never through a link.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// The text of a server's log.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn read_log(log: &Path) -> io::Result<String> {
    // A pipe without a writer would be waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut file = File::from(rustix::fs::open(log, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The end of a log, for people, each line indented.
#[must_use]
pub fn last_lines(log: &Path, count: usize) -> String {
    let text = match read_log(log) {
        Ok(text) => text,
        Err(error) => return format!("  ({} cannot be read: {error})", log.display()),
    };
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return format!("  ({} is empty)", log.display());
    }
    lines[lines.len().saturating_sub(count)..]
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_shown_and_no_link_or_pipe_in_its_place() {
        let place = tempfile::tempdir().unwrap();
        let (log, link, pipe) = (
            place.path().join("log"),
            place.path().join("link"),
            place.path().join("pipe"),
        );
        std::fs::write(&log, b"one\ntwo \xff\nthree\n").unwrap();
        assert_eq!(last_lines(&log, 2), "  two \u{fffd}\n  three");
        std::os::unix::fs::symlink(&log, &link).unwrap();
        let mut make = std::process::Command::new("mkfifo");
        assert!(make.arg(&pipe).status().unwrap().success());
        for refused in [&link, &pipe] {
            read_log(refused).unwrap_err();
            assert!(last_lines(refused, 2).contains("cannot be read"));
        }
    }
}
