//! An audit of a system beside what was measured of it.

mod deployment;

use dbdyno_record::audit::{AuditRecord, Catalogue};
use serde::{Deserialize, Serialize};

pub use deployment::is_of;

/// An audit, with the product's catalogue beside it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuditReport {
    /// What was observed.
    #[serde(flatten)]
    pub record: AuditRecord,
    /// What the product could do.
    pub catalogue: Catalogue,
}

impl AuditReport {
    /// What the product is called, with its version where it said so.
    #[must_use]
    pub fn product(&self) -> String {
        match (self.record.product.as_str(), self.record.version.as_str()) {
            ("", _) => self.record.database.clone(),
            (product, version) => format!("{product} {version}").trim().to_owned(),
        }
    }
}
