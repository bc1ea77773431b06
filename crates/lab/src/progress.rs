//! Who hears what the lab is doing, and permits it.

use crate::packages::SystemPackages;

/// Hears what the lab is doing, for people, and answers for them.
pub trait Progress {
    /// One line: what goes on now.
    fn say(&mut self, what: &str);

    /// Whether the lab may install these packages, system-wide. By default it may not.
    fn may_install(&mut self, _: &SystemPackages<'_>) -> bool {
        false
    }

    /// Whether somebody asked to stop: then the lab begins nothing further.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A listener that does not listen, and permits nothing.
impl Progress for () {
    fn say(&mut self, _: &str) {}
}
