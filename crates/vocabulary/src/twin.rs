//! The names of twins: the second copy of a system that a study measures to check the noise.

use std::borrow::Cow;

/// What stands behind the name of the system that is measured twice: in files, and for programs.
const ENDING: &str = " (A/A)";

/// The name of the second copy of a system.
#[must_use]
pub fn twin_name(original: &str) -> String {
    format!("{original}{ENDING}")
}

/// The name of the system that one of this name is the second copy of; `None` if it is not the name of a copy.
#[must_use]
pub fn twin_original(name: &str) -> Option<&str> {
    name.strip_suffix(ENDING)
}

/// A system's name for people: `repeat of redb` for the second copy of `redb`.
#[must_use]
pub fn shown_name(name: &str) -> Cow<'_, str> {
    twin_original(name).map_or(Cow::Borrowed(name), |original| {
        Cow::Owned(format!("repeat of {original}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twin_leads_back_to_its_original() {
        assert_eq!(twin_original(&twin_name("redb")), Some("redb"));
        assert_eq!(twin_original("redb (A/B)"), None);
    }

    #[test]
    fn people_read_that_a_twin_is_a_repeat() {
        assert_eq!(shown_name(&twin_name("redb")), "repeat of redb");
        assert_eq!(shown_name("redb"), "redb");
    }
}
