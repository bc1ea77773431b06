//! Whom servers run as, and what is left of them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use dbdyno_lab::Lab;

/// Every process of these servers runs as the user who owns its data, who is not root, and nobody else can enter its directory.
/// Stops the servers and checks that none is left.
pub fn assert_unprivileged(lab: Lab) {
    let own = owner(Path::new("/proc/self"));
    let mut processes = Vec::new();
    for server in lab.servers() {
        let directory = server.directory.metadata().unwrap();
        assert_eq!(directory.mode() & 0o777, 0o700, "{}", server.directory.display());
        let user = directory.uid();
        assert!(if own == 0 { user != 0 } else { user == own }, "user {user}");
        let family = family(server.process.id);
        for process in &family {
            assert_eq!(owner(process), user, "{} of {}", process.display(), server.name);
        }
        processes.extend(family);
    }
    assert!(processes.len() >= lab.servers().len());
    drop(lab);
    for process in processes {
        let left = std::fs::read_link(process.join("exe"));
        assert!(left.is_err(), "{left:?} is left");
    }
}

/// The directories in `/proc` of a process and of those that it started.
fn family(id: u32) -> Vec<PathBuf> {
    let mut found = vec![Path::new("/proc").join(id.to_string())];
    let threads = std::fs::read_dir(found[0].join("task")).unwrap();
    for thread in threads.flatten() {
        let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace() {
            found.extend(family(child.parse().unwrap()));
        }
    }
    found
}

fn owner(process: &Path) -> u32 {
    process.metadata().unwrap().uid()
}
