//! Which implementation of a cipher the kernel uses, and whether the processor helps it.

use crate::tables::{CryptoBlock, Type, crypto};

/// An implementation of a cipher in the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCipher {
    /// The name of its driver, e.g. `xts-aes-aesni` or `xts(ecb(aes-generic))`.
    pub driver: String,
    /// Whether it uses instructions of the processor for AES; `None` where its name does not show it.
    pub uses_aes_instructions: Option<bool>,
}

/// The implementation that the kernel uses for a cipher's name (`xts(aes)`): of those in `/proc/crypto`, the one with the
/// highest priority. `None` if there is none: a cipher that the kernel composes of others is listed from its first use on.
#[must_use]
pub fn kernel_cipher(name: &str) -> Option<KernelCipher> {
    let table = crypto().ok()?;
    best(table.crypto_blocks.get(name)?)
}

fn best(candidates: &[CryptoBlock]) -> Option<KernelCipher> {
    let usable = |block: &&CryptoBlock| !block.internal && matches!(block.crypto_type, Type::Skcipher(_));
    let best = candidates
        .iter()
        .filter(usable)
        .max_by_key(|block| block.priority)?;
    Some(KernelCipher {
        driver: best.driver.clone(),
        uses_aes_instructions: uses_aes_instructions(&best.driver),
    })
}

/// What the names of the kernel's drivers tell (arch/*/crypto and crypto/ in its source).
fn uses_aes_instructions(driver: &str) -> Option<bool> {
    const WITH: [&str; 6] = ["aesni", "vaes", "-ce", "-s390", "p8_aes", "zvkned"];
    const WITHOUT: [&str; 4] = ["aes-generic", "aes-fixed-time", "neonbs", "aes-arm"];
    let has = |parts: &[&str]| parts.iter().any(|part| driver.contains(part));
    if has(&WITH) {
        Some(true)
    } else if has(&WITHOUT) {
        Some(false)
    } else {
        None
    }
}

/// Whether the processor has instructions for AES; `None` for kinds of processors of which it is not known.
#[must_use]
pub fn processor_has_aes() -> Option<bool> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let known = Some(std::arch::is_x86_feature_detected!("aes"));
    #[cfg(target_arch = "aarch64")]
    let known = Some(std::arch::is_aarch64_feature_detected!("aes"));
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    let known = None;
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{CryptoTable, FromBufRead};

    /// Two parts of `/proc/crypto`, the second of which is for the kernel's own use.
    fn table(driver: &str, priority: u32) -> String {
        let block = |driver: &str, priority: u32, internal: &str| {
            format!(
                "name         : xts(aes)\ndriver       : {driver}\nmodule       : kernel\npriority     : {priority}\n\
                 refcnt       : 2\nselftest     : passed\ninternal     : {internal}\ntype         : skcipher\n\
                 async        : no\nblocksize    : 16\nmin keysize  : 32\nmax keysize  : 64\nivsize       : 16\n\
                 chunksize    : 16\nwalksize     : 16\n\n"
            )
        };
        [
            block("xts(ecb(aes-generic))", 100, "no"),
            block(driver, priority, "no"),
            block("hidden", 900, "yes"),
        ]
        .concat()
    }

    #[test]
    fn the_implementation_with_the_highest_priority_is_found() {
        for (driver, priority, expected, with) in [
            ("xts-aes-aesni", 401, "xts-aes-aesni", Some(true)),
            ("xts-aes-vaes-avx512", 800, "xts-aes-vaes-avx512", Some(true)),
            ("xts-aes-ce", 300, "xts-aes-ce", Some(true)),
            ("xts-aes-neonbs", 250, "xts-aes-neonbs", Some(false)),
            (
                "xts(ecb(aes-fixed-time))",
                101,
                "xts(ecb(aes-fixed-time))",
                Some(false),
            ),
            ("xts(ecb(aes-lib))", 101, "xts(ecb(aes-lib))", None),
            ("slower", 50, "xts(ecb(aes-generic))", Some(false)),
        ] {
            let text = table(driver, priority);
            let table = CryptoTable::from_buf_read(text.as_bytes()).unwrap();
            let best = best(&table.crypto_blocks["xts(aes)"]).unwrap();
            assert_eq!(
                (best.driver.as_str(), best.uses_aes_instructions),
                (expected, with)
            );
        }
        assert_eq!(kernel_cipher("no such cipher"), None);
    }

    #[test]
    fn this_kernels_list_is_understood() {
        if std::path::Path::new("/proc/crypto").exists() {
            crypto().unwrap();
        }
    }
}
