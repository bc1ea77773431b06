//! WHAT others measured: logs of YCSB and go-ycsb, read into ordinary records. Text goes in and data comes out; nothing is read
//! or written here.
//!
//! A log states percentiles, not histograms, so its records hold [`dbdyno_record::Stated`] figures. What it does not state is
//! not known, and nothing is added: durability, consistency, records and clients are [`Declared`] by the person who imports it, or
//! stay unknown.

mod asked;
mod go_ycsb;
mod json;
mod kinds;
mod log;
mod record;
mod section;
mod ycsb;

pub use asked::Asked;
pub use log::{ImportError, Log, Phase, Tool};
pub use record::{DRIVER, Declared, record};

/// Reads the log of one run, of whichever tool it is.
///
/// # Errors
/// When it is empty, of another tool, cut off, or of more than one run.
pub fn read(text: &str) -> Result<Log, ImportError> {
    if text.trim().is_empty() {
        return Err(ImportError::Empty);
    }
    let text = json::as_text(text)?;
    if go_ycsb::is_log(&text) {
        return go_ycsb::read(&text);
    }
    if ycsb::is_log(&text) {
        return ycsb::read(&text);
    }
    Err(ImportError::Foreign)
}
