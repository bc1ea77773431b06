//! Names that nobody else has, and what a machine calls itself.

use dbdyno_vocabulary::visible;

/// A name of 128 random bits.
///
/// # Panics
/// Without random numbers: then nothing on this machine is safe.
pub(crate) fn random_id() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the operating system gives random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text is such a name: it becomes part of subjects, where other signs have a meaning.
pub(crate) fn is_random_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What this machine calls itself.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The boot of this machine: the same for processes that share its loopback addresses, unless they are in other namespaces. Empty
/// where the kernel does not say.
pub(crate) fn boot() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    boot.trim().to_owned()
}

/// Whether a text can be a name in lists, on pages and in the middle of a line.
pub(crate) fn is_name(text: &str) -> bool {
    const LONGEST: usize = 64;
    let is_plain = visible::text(text) == text && !text.chars().any(char::is_control);
    is_plain && !text.is_empty() && text.trim() == text && text.chars().count() <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_into_a_line() {
        for name in ["a", "local-1", "zone a <b>", &"x".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        for other in ["", " ", " a", "a\nb", "a\u{1b}[2J", "a\u{202e}b", &"x".repeat(65)] {
            assert!(!is_name(other), "{other:?}");
        }
    }
}
