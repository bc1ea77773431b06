//! Reading the catalogue that comes with the probes of a database.

use dbdyno_record::audit::Catalogue;

use crate::auditor::Auditor;

/// The capabilities of a product, as its file states them.
///
/// # Panics
/// When the file, which is part of the program, is no catalogue; a test reads every one.
#[must_use]
pub fn catalogue(auditor: &dyn Auditor) -> Catalogue {
    toml::from_str(auditor.catalogue()).expect("a catalogue that is part of the program is well-formed")
}
