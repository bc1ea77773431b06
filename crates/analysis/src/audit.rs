//! An audit of a system beside what was measured of it.

mod deployment;

use dbdyno_paper::PrintedCell;
use dbdyno_record::audit::{AuditRecord, Catalogue, Feature};
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

/// The columns of the thesis' table 5.17 for a database: the open-source edition first. `None` where the thesis does not
/// have it.
fn thesis_columns(database: &str) -> Option<[&'static str; 2]> {
    match database {
        "mongodb" => Some(["mongodb_oss", "mongodb_enterprise"]),
        "cassandra" => Some(["cassandra_oss", "cassandra_enterprise"]),
        _ => None,
    }
}

fn text_of(cell: &PrintedCell) -> &str {
    match cell {
        PrintedCell::Text(text) => text,
        PrintedCell::Number(_) | PrintedCell::Printed(_) => "",
    }
}

impl AuditReport {
    /// The cell of the thesis' table 5.17 for a feature, in the open-source edition.
    #[must_use]
    pub fn thesis_cell(&self, feature: Feature) -> Option<String> {
        let [column, _] = thesis_columns(&self.record.database)?;
        let paper = dbdyno_paper::find("shwaysh-2018").ok()??;
        let table = paper.tables.into_iter().find(|table| table.id == "5.17")?;
        let column = table.columns.iter().position(|name| name == column)?;
        let is_of = |row: &&Vec<PrintedCell>| row.first().is_some_and(|cell| text_of(cell) == feature.id());
        let row = table.rows.iter().find(is_of)?;
        row.get(column).map(|cell| text_of(cell).to_owned())
    }

    /// What the product is called, with its version where it said so.
    #[must_use]
    pub fn product(&self) -> String {
        match (self.record.product.as_str(), self.record.version.as_str()) {
            ("", _) => self.record.database.clone(),
            (product, version) => format!("{product} {version}").trim().to_owned(),
        }
    }
}
