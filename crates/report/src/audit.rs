//! A security audit for people and for programs: the document's data, JSON, and SARIF.

mod gate;
mod sarif;
mod thesis;

use dbdyno_record::audit::AUDIT_FORMAT;

use crate::indented;

pub use dbdyno_analysis::audit::AuditReport;
pub use gate::{Gate, MUST_BE_KNOWN};
pub(crate) use thesis::thesis_cell;

/// The version of the JSON of several audits; that of one is [`dbdyno_record::audit::AUDIT_FORMAT`].
pub const AUDITS_FORMAT: &str = "dbdyno.audits/1";

/// One or more audits, for people and for programs.
#[derive(Clone, Debug)]
pub struct AuditReports(pub Vec<AuditReport>);

impl AuditReports {
    /// Reads what `dbdyno audit --format json` wrote, of one system or of several.
    ///
    /// # Errors
    /// When it is something else, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let all = match value.get("audits").and_then(serde_json::Value::as_array) {
            Some(audits) if value["format"] == AUDITS_FORMAT => audits.clone(),
            _ => vec![value],
        };
        let read = all.into_iter().map(|one| match one["format"].as_str() {
            Some(AUDIT_FORMAT) => serde_json::from_value(one).map_err(|error| error.to_string()),
            Some(other) => Err(format!("its format is {other}, not {AUDIT_FORMAT}")),
            None => Err("it names no format".to_owned()),
        });
        read.collect::<Result<_, _>>().map(Self)
    }

    /// For programs, indented, with a final line feed: the record of one audit with its catalogue, or a list of such.
    #[must_use]
    pub fn json(&self) -> String {
        match self.0.as_slice() {
            [one] => indented::json(one),
            all => indented::json(&serde_json::json!({ "format": AUDITS_FORMAT, "audits": all })),
        }
    }

    /// For code scanning: SARIF 2.1.0, a run for each audit, indented, with a final line feed.
    #[must_use]
    pub fn sarif(&self) -> String {
        indented::json(&sarif::log(self.0.iter().map(|report| &report.record)))
    }
}
