//! Logs of servers. A server may run as another user and do in its directory as it likes, so a log is read only where it is a
//! plain file, and never through a link.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// The most that is read of a log: its end. A server may write more than the memory holds, and go on while it is read.
const MOST_BYTES: u64 = 16 << 20;
/// People see no more of a line than these letters.
const LONGEST_LINE: usize = 1000;

/// The text of a server's log, or the end of a long one.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn read_log(log: &Path) -> io::Result<String> {
    // A pipe without a writer would be waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut file = File::from(rustix::fs::open(log, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(MOST_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The end of a log, for people, each line indented.
#[must_use]
pub fn last_lines(log: &Path, count: usize) -> String {
    excerpt(log, count, 0)
}

/// The end of a log as [`last_lines`] shows it, after the last lines above it that report an error. A server that gives up
/// often says why first, and then describes for pages how it stops.
pub(crate) fn reason_and_last_lines(log: &Path, count: usize) -> String {
    excerpt(log, count, ERRORS_SHOWN)
}

const ERRORS_SHOWN: usize = 8;

/// Whether a server reports that its port is taken. Java, MongoDB, PostgreSQL and Redis all print the system's own words.
pub(crate) fn reports_a_taken_port(log: &Path) -> bool {
    read_log(log).is_ok_and(|text| text.contains("Address already in use"))
}

fn excerpt(log: &Path, count: usize, errors: usize) -> String {
    let text = match read_log(log) {
        Ok(text) => text,
        Err(error) => return format!("  ({} cannot be read: {error})", log.display()),
    };
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return format!("  ({} is empty)", log.display());
    }
    let (above, end) = lines.split_at(lines.len().saturating_sub(count));
    let reported: Vec<&str> = above
        .iter()
        .copied()
        .filter(|line| reports_an_error(line))
        .collect();
    reported[reported.len().saturating_sub(errors)..]
        .iter()
        .chain(end)
        .map(|line| format!("  {}", shown(line)))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line without what would steer a terminal, and without the rest of a long one.
fn shown(line: &str) -> String {
    let mut letters = line
        .chars()
        .filter(|letter| *letter == '\t' || !letter.is_control());
    let mut shown: String = letters.by_ref().take(LONGEST_LINE).collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Levels of the servers' logs, and what Java and MongoDB print without one.
fn reports_an_error(line: &str) -> bool {
    [
        "ERROR",
        "FATAL",
        "PANIC",
        "Exception",
        "Caused by:",
        "\"s\":\"E\"",
        "\"s\":\"F\"",
    ]
    .iter()
    .any(|word| line.contains(word))
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

    #[test]
    fn a_log_without_end_is_shown_in_part() {
        let place = tempfile::tempdir().unwrap();
        let log = place.path().join("log");
        let mut file = File::create(&log).unwrap();
        file.set_len(4 * MOST_BYTES).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        std::io::Write::write_all(&mut file, b"\x1b[2Jthe end\n").unwrap();
        assert_eq!(read_log(&log).unwrap().len() as u64, MOST_BYTES);
        assert_eq!(last_lines(&log, 1), "  [2Jthe end");
        std::fs::write(&log, "x".repeat(2 * LONGEST_LINE)).unwrap();
        assert_eq!(last_lines(&log, 1), format!("  {}…", "x".repeat(LONGEST_LINE)));
    }

    #[test]
    fn the_reason_is_shown_above_the_end_that_hides_it() {
        let place = tempfile::tempdir().unwrap();
        let log = place.path().join("log");
        let stopping = "INFO  flushing\n".repeat(30);
        std::fs::write(
            &log,
            format!("INFO  starting\nERROR the port is taken\n{stopping}"),
        )
        .unwrap();
        let shown = reason_and_last_lines(&log, 3);
        assert_eq!(
            shown,
            "  ERROR the port is taken\n  INFO  flushing\n  INFO  flushing\n  INFO  flushing"
        );
        assert_eq!(last_lines(&log, 1), "  INFO  flushing");
        std::fs::write(&log, "ERROR a\nERROR b\n").unwrap();
        assert_eq!(
            reason_and_last_lines(&log, 2),
            "  ERROR a\n  ERROR b",
            "no line twice"
        );
    }
}
