//! One process at a time, for what is made once for the whole machine: accounts and settings.

use std::fs::File;

use rustix::fs::{FlockOperation, flock};

/// Waits until no other process of the lab changes the machine. None does as long as the file is open.
pub(crate) fn lock() -> Option<File> {
    // Any directory that all processes of root share; nothing else locks this one.
    let directory = File::open("/etc").ok()?;
    flock(&directory, FlockOperation::LockExclusive).ok()?;
    Some(directory)
}
