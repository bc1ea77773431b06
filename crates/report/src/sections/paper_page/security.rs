//! What a paper's table says of security features, and what audits observed.

use dbdyno_document::{Block, Column, Row, Section, Table, TableCell, Text, named};
use dbdyno_lint::PrintedCell;
use dbdyno_paper::{Paper, Table as Printed};
use dbdyno_record::audit::Feature;

use crate::AuditReport;

/// The section, for a paper with a table of features; `None` without one.
pub fn section(paper: &Paper, audits: &[AuditReport]) -> Option<Section> {
    let printed = paper.tables.iter().find(|table| table.observed.is_some())?;
    let about = if audits.is_empty() {
        "No audit is given: `dbdyno audit SYSTEM --format json` observes these features on a running system."
    } else {
        "The table states what documents promise; an audit decides by what a running server did."
    };
    let mut columns = vec![Column::header("Feature")];
    columns.extend(printed.columns.iter().skip(1).map(|name| {
        let title = format!("printed: {}", name.replace('_', " "));
        Column::words(title).long()
    }));
    columns.extend(
        audits
            .iter()
            .map(|audit| Column::words(Text::from("observed: ").text(named(&audit.record.system)))),
    );
    let table = Table::new(
        format!("Security features, {}", printed.name()),
        columns,
        printed.rows.iter().map(|row| line(row, audits)).collect(),
    );
    let body = vec![
        Block::note(super::marked(about)),
        Block::Table(table),
        Block::note(reason(printed)),
    ];
    Some(Section::new("security", "Security features", body))
}

fn reason(printed: &Printed) -> String {
    let stated = if printed.observed == Some(true) {
        "observed"
    } else {
        "not observed"
    };
    format!("The features of {} were {stated} by the paper.", printed.name())
}

fn line(row: &[PrintedCell], audits: &[AuditReport]) -> Row {
    let id = row.first().map(ToString::to_string).unwrap_or_default();
    let feature = Feature::ALL.into_iter().find(|feature| feature.id() == id);
    let title = feature.map_or_else(|| id.replace('_', " "), |feature| feature.title().to_owned());
    let mut cells = vec![TableCell::new(title)];
    cells.extend(row.iter().skip(1).map(|cell| TableCell::new(cell.to_string())));
    cells.extend(audits.iter().map(|audit| {
        let finding = audit
            .record
            .findings
            .iter()
            .find(|finding| Some(finding.feature) == feature);
        TableCell::new(finding.map_or_else(|| "–".to_owned(), |finding| finding.level.name().to_owned()))
    }));
    Row::new(cells)
}
