//! The tables that Linux shows in `/proc`, read by `procfs`. Other systems have none: there all of them are absent, and what
//! would be read from it is unknown.

#[cfg(not(target_os = "linux"))]
mod absent;

#[cfg(not(target_os = "linux"))]
pub(crate) use absent::*;
#[cfg(target_os = "linux")]
pub(crate) use procfs::*;
