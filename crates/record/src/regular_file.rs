//! Files of a result folder can come from [anywhere](dbdyno_owned::foreign): only regular files are read, and only as far as they
//! can be ours.

pub(crate) use dbdyno_owned::foreign::{open, open_with, read, read_text};

/// The most that is read of a record, a plan, a history or a list of sums, bytes. Records have tens of thousands.
pub(crate) const LARGEST_DOCUMENT_BYTES: u64 = 64 << 20;
/// The most that is read of what a trial logs as it goes, bytes. That is about 2,000 a second.
pub(crate) const LARGEST_LOG_BYTES: u64 = 512 << 20;
