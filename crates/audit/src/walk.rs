//! All files below some directories. Links and other file systems are followed, because servers keep tables and logs behind them;
//! the walk reports what it could not enter.

use std::collections::HashSet;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Directories in directories are followed this deep.
const DEEPEST: usize = 32;

/// Files and directories that a walk came through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    /// One path for each volume on which files lie: the named directories, what links lead to, and where other file systems begin.
    pub roots: Vec<PathBuf>,
    /// The directories and links that could not be entered, with why.
    pub unentered: Vec<String>,
}

/// The real paths of the files and directories below some directories that fit.
#[must_use]
pub fn entries_below(places: &[PathBuf], fits: &dyn Fn(&Path, &Metadata) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(places, &mut |path, metadata| {
        if fits(path, metadata) {
            found.push(path.to_owned());
        }
    });
    found
}

/// Meets every file and every directory below some directories once, by its real path.
pub(crate) fn walk(places: &[PathBuf], meet: &mut dyn FnMut(&Path, &Metadata)) -> Walked {
    let mut walk = Walk {
        meet,
        named: Vec::new(),
        targets: Vec::new(),
        visited: HashSet::new(),
        roots: Vec::new(),
        unentered: Vec::new(),
    };
    for place in places {
        match place.canonicalize() {
            Ok(path) if is_of_the_kernel(&path) => walk.tell(place, &"it contains no files on disk"),
            Ok(path) => walk.named.push(path),
            Err(error) => walk.tell(place, &error),
        }
    }
    for path in walk.named.clone() {
        walk.start(&path);
    }
    while let Some(target) = walk.targets.pop() {
        walk.start(&target);
    }
    Walked {
        roots: walk.roots.into_iter().map(|(path, _)| path).collect(),
        unentered: walk.unentered,
    }
}

/// Whether a path belongs to a file system that the kernel makes up: statfs(2) lists their numbers. No server keeps data there, and
/// reading may wait for ever.
#[must_use]
pub fn is_of_the_kernel(place: &Path) -> bool {
    const PROC: i64 = 0x9fa0;
    const SYS: i64 = 0x6265_6572;
    const TERMINALS: i64 = 0x1cd1;
    const DEBUG: i64 = 0x6462_6720;
    const TRACE: i64 = 0x7472_6163;
    const CGROUPS: [i64; 2] = [0x0027_e0eb, 0x6367_7270];
    let made_up = [PROC, SYS, TERMINALS, DEBUG, TRACE, CGROUPS[0], CGROUPS[1]];
    let is_device = place.canonicalize().is_ok_and(|path| path.starts_with("/dev"));
    // The type of the field differs between machines.
    #[allow(
        clippy::unnecessary_cast,
        reason = "the field has other types on other machines"
    )]
    let kind = rustix::fs::statfs(place).map(|status| status.f_type as i64);
    is_device || kind.is_ok_and(|kind| made_up.contains(&kind))
}

/// Only real paths are visited; a link adds its target, so that no path leads in a circle.
struct Walk<'a> {
    meet: &'a mut dyn FnMut(&Path, &Metadata),
    named: Vec<PathBuf>,
    /// Where links lead, still to be visited.
    targets: Vec<PathBuf>,
    /// Directories, and the files to which a link led.
    visited: HashSet<PathBuf>,
    /// With their devices.
    roots: Vec<(PathBuf, u64)>,
    unentered: Vec<String>,
}

impl Walk<'_> {
    fn tell(&mut self, path: &Path, why: &dyn std::fmt::Display) {
        self.unentered.push(format!("{}: {why}", path.display()));
    }

    /// Visits a named directory or file, or the target of a link.
    fn start(&mut self, path: &Path) {
        let Some(metadata) = self.metadata(path) else {
            return;
        };
        let is_met = |path: &Path| self.visited.contains(path);
        if is_met(path) || (metadata.is_file() && path.parent().is_some_and(is_met)) {
            return;
        }
        // The file system may encrypt one directory and not another, so that the device alone does not tell.
        let device = metadata.dev();
        let is_below = |(root, known): &(PathBuf, u64)| *known == device && path.starts_with(root);
        if !self.roots.iter().any(is_below) {
            self.roots.push((path.to_owned(), device));
        }
        self.visit(path, &metadata, 0);
        if metadata.is_file() {
            self.visited.insert(path.to_owned());
        }
    }

    /// A path's own metadata. A server removes files while it runs: what is gone is not told.
    fn metadata(&mut self, path: &Path) -> Option<Metadata> {
        match path.symlink_metadata() {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                self.tell(path, &error);
                None
            }
        }
    }

    fn visit(&mut self, path: &Path, metadata: &Metadata, depth: usize) {
        if metadata.is_symlink() {
            self.follow(path);
        } else if metadata.is_dir() && depth > DEEPEST {
            self.tell(path, &"too many directories in directories");
        } else if metadata.is_dir() {
            if self.visited.insert(path.to_owned()) {
                (self.meet)(path, metadata);
                self.enter(path, metadata.dev(), depth);
            }
        } else if metadata.is_file() && !self.visited.contains(path) {
            (self.meet)(path, metadata);
        }
    }

    fn enter(&mut self, directory: &Path, device: u64, depth: usize) {
        let entries = match directory.read_dir() {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => return self.tell(directory, &error),
        };
        for entry in entries {
            let path = match entry {
                Ok(entry) => entry.path(),
                Err(error) => {
                    self.tell(directory, &error);
                    continue;
                }
            };
            let Some(metadata) = self.metadata(&path) else {
                continue;
            };
            if metadata.dev() == device || self.is_to_be_crossed_into(&path, metadata.dev()) {
                self.visit(&path, &metadata, depth + 1);
            }
        }
    }

    /// Whether what begins here, on another device than its directory, is to be visited. Every such device is remembered once.
    fn is_to_be_crossed_into(&mut self, path: &Path, device: u64) -> bool {
        if self.roots.iter().any(|(_, known)| *known == device) {
            return true;
        }
        let has_files = !is_of_the_kernel(path);
        if has_files {
            self.roots.push((path.to_owned(), device));
        }
        has_files
    }

    /// Adds what a link leads to. Devices, pipes and files that the kernel makes up hold nothing of a server's.
    fn follow(&mut self, link: &Path) {
        let target = link
            .canonicalize()
            .and_then(|target| Ok((target.metadata()?, target)));
        match target {
            Ok((metadata, target)) => {
                if !(metadata.is_file() || metadata.is_dir()) || is_of_the_kernel(&target) {
                    return;
                }
                // From there, the search would go through the whole machine.
                let is_above = |place: &PathBuf| *place != target && place.starts_with(&target);
                if self.named.iter().any(is_above) {
                    self.tell(link, &"the link leads to a directory above");
                } else {
                    self.targets.push(target);
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if link.symlink_metadata().is_ok() {
                    self.tell(link, &"the link leads to nothing");
                }
            }
            Err(error) => self.tell(link, &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    /// The names of the files that a walk meets, sorted, and what it came through.
    fn names(place: &Path) -> (Vec<String>, Walked) {
        let mut names = Vec::new();
        let walked = walk(&[place.to_owned()], &mut |path, metadata| {
            if metadata.is_file() {
                names.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        });
        names.sort();
        (names, walked)
    }

    #[test]
    fn links_are_followed_once_and_loops_end() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (place, elsewhere) = (place.path(), elsewhere.path().canonicalize().unwrap());
        std::fs::create_dir(place.join("inner")).unwrap();
        std::fs::create_dir(elsewhere.join("logs")).unwrap();
        for file in [
            place.join("inner/a"),
            elsewhere.join("logs/b"),
            elsewhere.join("c"),
        ] {
            std::fs::write(file, "x").unwrap();
        }
        for (name, target) in [
            ("logs", elsewhere.join("logs")),
            ("again", elsewhere.join("logs")),
            ("one", elsewhere.join("c")),
            ("two", elsewhere.join("c")),
            ("inner/self", place.to_owned()),
            ("inner/here", place.join("inner/a")),
        ] {
            symlink(target, place.join(name)).unwrap();
        }
        symlink(place, elsewhere.join("logs/back")).unwrap();
        let (names, walked) = names(place);
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(walked.unentered, [] as [String; 0]);
        // A volume may encrypt one of them and not another.
        let mut roots = walked.roots;
        roots.sort();
        let mut expected = [
            place.canonicalize().unwrap(),
            elsewhere.join("logs"),
            elsewhere.join("c"),
        ];
        expected.sort();
        assert_eq!(roots, expected);
    }

    #[test]
    fn what_is_not_entered_is_told() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let deep: PathBuf = std::iter::repeat_n("d", DEEPEST + 2).collect();
        std::fs::create_dir_all(place.join(deep)).unwrap();
        for (name, target) in [("gone", "/no/such/file"), ("up", "/"), ("circle", "circle")] {
            symlink(target, place.join(name)).unwrap();
        }
        let (_, walked) = names(place);
        assert_eq!(walked.unentered.len(), 4, "{walked:?}");
        // Nothing of a server's is there.
        let silent = tempfile::tempdir().unwrap();
        for (name, target) in [("zero", "/dev/zero"), ("proc", "/proc"), ("mtab", "/proc/mounts")] {
            symlink(target, silent.path().join(name)).unwrap();
        }
        assert_eq!(names(silent.path()).1.unentered, [] as [String; 0]);
    }

    /// A file system of its own; without root there is none.
    struct Mounted(PathBuf);

    impl Mounted {
        fn at(point: &Path) -> Option<Self> {
            let mut mount = Command::new("mount");
            mount.args(["-t", "tmpfs", "-o", "size=1m", "none"]).arg(point);
            let is_mounted = mount.output().is_ok_and(|output| output.status.success());
            is_mounted.then(|| Self(point.to_owned()))
        }
    }

    impl Drop for Mounted {
        fn drop(&mut self) {
            Command::new("umount").arg(&self.0).output().ok();
        }
    }

    #[test]
    fn other_file_systems_below_are_entered_and_remembered() {
        let place = tempfile::tempdir().unwrap();
        let point = place.path().canonicalize().unwrap().join("data");
        std::fs::create_dir(&point).unwrap();
        let Some(mounted) = Mounted::at(&point) else {
            return;
        };
        std::fs::create_dir(point.join("inner")).unwrap();
        std::fs::write(point.join("inner/table"), "x").unwrap();
        let (names, walked) = names(place.path());
        drop(mounted);
        assert_eq!(names, ["table"]);
        assert_eq!(walked.roots, [place.path().canonicalize().unwrap(), point]);
    }
}
