//! What the thesis of Shwaysh (2018) says of the same features.

use dbdyno_lint::PrintedCell;
use dbdyno_record::audit::Feature;

use super::AuditReport;

/// The column of the thesis' table 5.17 for a database, in the open-source edition. `None` where the thesis does not have it.
fn column(database: &str) -> Option<&'static str> {
    match database {
        "mongodb" => Some("mongodb_oss"),
        "cassandra" => Some("cassandra_oss"),
        _ => None,
    }
}

/// The cell of the thesis' table 5.17 for a feature, in the open-source edition.
pub fn thesis_cell(report: &AuditReport, feature: Feature) -> Option<String> {
    let column = column(&report.record.database)?;
    let paper = dbdyno_paper::find("shwaysh-2018").ok()??;
    let table = paper.tables.into_iter().find(|table| table.id == "5.17")?;
    let column = table.columns.iter().position(|name| name == column)?;
    let is_of = |row: &&Vec<PrintedCell>| row.first().is_some_and(|cell| cell.text() == Some(feature.id()));
    let row = table.rows.iter().find(is_of)?;
    row.get(column)
        .map(|cell| cell.text().unwrap_or_default().to_owned())
}
