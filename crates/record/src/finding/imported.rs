//! Findings about results that another tool measured.

use std::borrow::Cow;

use dbdyno_vocabulary::{Statement, number};
use serde::{Deserialize, Serialize};

use super::Facts;

/// The result was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Imported {
    /// The tool that wrote the log.
    pub tool: String,
    /// The file, as it was named.
    pub source: String,
    /// Remarks on the log.
    pub remarks: Vec<String>,
    /// Facts that neither the log nor whoever imported it states.
    pub not_stated: Vec<String>,
}

impl Facts for Imported {
    const CODE: &'static str = "imported";

    fn statement(&self) -> Statement {
        let remarks: String = self.remarks.iter().map(|remark| format!("; {remark}")).collect();
        Statement::new(format!("imported from a log of {}", self.tool))
            .detail(format!(", {}", self.source))
            .detail(remarks)
            .words("; not stated: ")
            .name(self.not_stated.join(", "))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "state what you know when you import it: --clients, --records, --durability, --consistency".into()
    }
}

/// Figures of an imported result contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FiguresDisagree {
    /// How.
    pub disagreement: String,
}

impl Facts for FiguresDisagree {
    const CODE: &'static str = "figures-disagree";

    fn statement(&self) -> Statement {
        Statement::new(self.disagreement.as_str())
    }

    fn remedy(&self) -> Cow<'static, str> {
        "take the log as the tool wrote it: one of these figures is of another run, or was changed".into()
    }
}

/// A rate was asked for, and latencies count from the actual send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoordinatedOmission {
    /// The rate, operations per second.
    pub asked_per_second: f64,
    /// The kinds of operations whose latencies do.
    pub operations: Vec<String>,
}

impl Facts for CoordinatedOmission {
    const CODE: &'static str = "coordinated-omission";

    fn statement(&self) -> Statement {
        Statement::default()
            .asked(self.asked_per_second, number::quantity(self.asked_per_second))
            .words(" operations a second were asked for, and latencies of ")
            .name(self.operations.join(", "))
            .words(
                " count from the actual send: time that operations waited for a busy client is in none of them",
            )
    }

    fn remedy(&self) -> Cow<'static, str> {
        "measure again with measurement.interval=both in YCSB, or with dbdyno, where a rate's latencies count from the intended start".into()
    }
}
