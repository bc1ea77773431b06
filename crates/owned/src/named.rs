//! Files that a person names, on a command line or in a study. They are mostly regular files, and at times the end of a pipe:
//! `password_file=<(pass show db)`, `zcat old.log.gz | dbdyno import mongodb=/dev/stdin`. A pipe is read, too, up to the same
//! limit, and waited for, but not for ever.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::time::Duration;

use crate::foreign;

/// How long a pipe is waited for.
#[derive(Clone, Copy)]
struct Patience {
    /// Until its other end is opened.
    opening: Duration,
    /// Until the next bytes come, e.g. while a password manager asks its user.
    silence: Duration,
}

/// Together less than the minute that a database has for its first answer, so that it is said of the pipe that nothing came.
const PATIENCE: Patience = Patience {
    opening: Duration::from_secs(10),
    silence: Duration::from_secs(45),
};

/// What is taken from a pipe at a time, which holds as much.
const PIECE_BYTES: usize = 64 << 10;

/// What is in a file that has at most this many bytes.
///
/// # Errors
/// When it cannot be opened or read, is larger, or is a pipe that stays silent.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    match fs::metadata(path) {
        Ok(found) if !foreign::is_regular(&found) => read_pipe(path, most_bytes, PATIENCE),
        _ => foreign::read(path, most_bytes),
    }
}

/// Reads a file of text, as [`read`] reads bytes.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    foreign::text(read(path, most_bytes)?)
}

/// What comes out of a pipe or a device until its end.
fn read_pipe(path: &Path, most_bytes: u64, patience: Patience) -> io::Result<Vec<u8>> {
    let (sender, pieces) = mpsc::sync_channel(1);
    let path = path.to_owned();
    // No deadline ends the opening of a pipe, or reading from it: a thread that still waits at one ends with the process.
    std::thread::Builder::new()
        .name("pipe".to_owned())
        .spawn(move || send(&path, &sender))?;
    let mut bytes: Vec<u8> = Vec::new();
    let mut is_open = false;
    loop {
        let (limit, missing) = if is_open {
            (patience.silence, "nothing came out of it")
        } else {
            (patience.opening, "nobody opened it for writing")
        };
        match pieces.recv_timeout(limit) {
            Ok(piece) => bytes.extend(piece?),
            Err(RecvTimeoutError::Disconnected) => return Ok(bytes),
            Err(RecvTimeoutError::Timeout) => {
                let why = format!(
                    "it is not a regular file, and {missing} within {} s",
                    limit.as_secs()
                );
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
        }
        if bytes.len() as u64 > most_bytes {
            return Err(foreign::too_large(most_bytes));
        }
        is_open = true;
    }
}

/// Sends what comes out of it, piece by piece.
fn send(path: &Path, pieces: &SyncSender<io::Result<Vec<u8>>>) {
    let sent = File::open(path).and_then(|file| send_all(file, pieces));
    if let Err(error) = sent {
        // Whoever asked may have given up.
        pieces.send(Err(error)).ok();
    }
}

/// An empty piece says that it is open. Ends, too, when nobody takes the pieces any more.
fn send_all(mut file: File, pieces: &SyncSender<io::Result<Vec<u8>>>) -> io::Result<()> {
    let mut piece = Vec::new();
    while pieces.send(Ok(piece)).is_ok() {
        piece = vec![0; PIECE_BYTES];
        let length = loop {
            match file.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        if length == 0 {
            break;
        }
        piece.truncate(length);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    fn pipe(place: &tempfile::TempDir) -> PathBuf {
        let path = place.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    #[test]
    fn a_file_of_the_largest_size_is_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("notes");
        fs::write(&path, "1234").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "1234");
        assert_eq!(read(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(
            read_text(&path, 4).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        let directory = read(place.path(), 1 << 20).unwrap_err();
        assert_eq!(directory.kind(), io::ErrorKind::IsADirectory);
        let missing = read(&place.path().join("missing"), 4).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_comes_out_of_a_pipe_is_read_to_its_end_or_to_the_limit() {
        let place = tempfile::tempdir().unwrap();
        let path = pipe(&place);
        let writing = |text: String| {
            let path = path.clone();
            std::thread::spawn(move || fs::write(path, text))
        };
        let secret = writing("secret\n".to_owned());
        assert_eq!(read_text(&path, 7).unwrap(), "secret\n");
        secret.join().unwrap().unwrap();
        let long = "x".repeat(3 * PIECE_BYTES);
        let writer = writing(long.clone());
        assert_eq!(read_text(&path, long.len() as u64).unwrap(), long);
        writer.join().unwrap().unwrap();
        let endless = read(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
        assert!(endless.to_string().contains("larger than 1 MiB"), "{endless}");
    }

    #[test]
    fn a_pipe_out_of_which_nothing_comes_is_given_up() {
        let place = tempfile::tempdir().unwrap();
        let path = pipe(&place);
        let briefly = Duration::from_millis(50);
        let given_up = |patience: Patience| {
            let error = read_pipe(&path, 100, patience).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
            error.to_string()
        };
        let nobody = given_up(Patience {
            opening: briefly,
            ..PATIENCE
        });
        assert!(nobody.contains("nobody opened it for writing"), "{nobody}");
        // One who writes nothing.
        let _writer = File::options().read(true).write(true).open(&path).unwrap();
        let silent = given_up(Patience {
            silence: briefly,
            ..PATIENCE
        });
        assert!(silent.contains("nothing came out of it"), "{silent}");
    }
}
