//! Who hears what the lab is doing.

/// Hears what the lab is doing, for people.
pub trait Progress {
    /// One line: what goes on now.
    fn say(&mut self, what: &str);
}

/// A listener that does not listen.
impl Progress for () {
    fn say(&mut self, _: &str) {}
}
