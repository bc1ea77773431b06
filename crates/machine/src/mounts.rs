//! Mounted file systems.

use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The points below a directory (or at it) where file systems are mounted, the innermost first.
#[must_use]
pub fn mounts_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(directory) = directory.canonicalize() else {
        return Vec::new();
    };
    let text = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    points_below(&text, &directory)
}

/// The fifth word of each line is the point (proc_pid_mountinfo(5)); later mounts lie on earlier ones.
fn points_below(mountinfo: &[u8], directory: &Path) -> Vec<PathBuf> {
    let points = mountinfo
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.split(|byte| *byte == b' ').nth(4))
        .map(|point| PathBuf::from(std::ffi::OsString::from_vec(unescaped(point))));
    let mut below: Vec<PathBuf> = points.filter(|point| point.starts_with(directory)).collect();
    below.reverse();
    below
}

/// Blanks and the like are written as a backslash and three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let octal = (*first == b'\\')
            .then(|| after.get(..3))
            .flatten()
            .and_then(|digits| str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match octal {
            Some(byte) => {
                plain.push(byte);
                rest = &after[3..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_is_found_with_the_innermost_first() {
        let text = b"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                     30 22 7:0 / /lab/my\\040instance rw - ext4 /dev/loop0 rw\n\
                     31 30 7:1 / /lab/my\\040instance/a\\134b rw - ext4 /dev/loop1 rw\n\
                     32 22 7:2 / /lab/my\\040instance2 rw - ext4 /dev/loop2 rw\n";
        let found = points_below(text, Path::new("/lab/my instance"));
        assert_eq!(
            found,
            [Path::new("/lab/my instance/a\\b"), Path::new("/lab/my instance")]
        );
        assert_eq!(points_below(text, Path::new("/srv")), [] as [PathBuf; 0]);
    }

    #[test]
    fn the_root_is_mounted_and_an_ordinary_directory_is_not() {
        assert!(mounts_below(Path::new("/")).contains(&PathBuf::from("/")));
        let place = tempfile::tempdir().unwrap();
        assert_eq!(mounts_below(place.path()), [] as [PathBuf; 0]);
    }
}
