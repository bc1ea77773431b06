//! The names of A/A twins: the second copy of a system that a study measures to check the noise.

/// What stands behind the name of the system that is measured twice.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twin_leads_back_to_its_original() {
        assert_eq!(twin_original(&twin_name("redb")), Some("redb"));
        assert_eq!(twin_original("redb (A/B)"), None);
    }
}
