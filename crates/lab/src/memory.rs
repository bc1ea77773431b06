//! Whether the machine has the memory that servers are about to take. An over-commit stopped one of the studies that
//! dbdyno repeats.

use crate::error::{LabError, LabErrorKind};

/// Memory that is left to the rest of the machine: the load generator, the page cache's bare minimum.
const SPARE_BYTES: u64 = 256 << 20;

/// Refuses servers that would not fit.
pub(crate) fn check(wanted_bytes: u64, available_bytes: Option<u64>) -> Result<(), LabError> {
    match available_bytes {
        Some(available) if wanted_bytes + SPARE_BYTES > available => Err(LabError::new(
            LabErrorKind::Machine,
            format!(
                "the servers need {} MiB, but only {} MiB are available",
                wanted_bytes >> 20,
                available >> 20
            ),
        )
        .help("use fewer nodes, shards or replicas, or a smaller heap or cache, or stop other processes")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_before_it_starts() {
        let error = check(3 << 30, Some(2 << 30)).unwrap_err();
        assert!(error.message.contains("3072 MiB, but only 2048 MiB"), "{error}");
        check(1 << 30, Some(2 << 30)).unwrap();
        check(1 << 40, None).unwrap();
    }
}
