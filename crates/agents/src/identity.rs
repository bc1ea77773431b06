//! Names that nobody else has, and what a machine calls itself.

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
