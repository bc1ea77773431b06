//! Findings as records keep them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::kind::{FindingKind, WordsOnly};
use super::{Finding, Severity};

/// Code, severity and words, which every version reads, and beside them the figures of the kind.
#[derive(Serialize, Deserialize)]
pub(super) struct OnDisk {
    code: String,
    severity: Severity,
    message: String,
    remedy: String,
    #[serde(flatten)]
    figures: Map<String, Value>,
}

impl From<Finding> for OnDisk {
    fn from(finding: Finding) -> Self {
        Self {
            code: finding.code().to_owned(),
            severity: finding.severity,
            message: finding.message(),
            remedy: finding.remedy().into_owned(),
            figures: finding.kind.figures(),
        }
    }
}

impl From<OnDisk> for Finding {
    fn from(read: OnDisk) -> Self {
        let kind = FindingKind::read(&read.code, read.figures).unwrap_or(FindingKind::WordsOnly(WordsOnly {
            code: read.code,
            message: read.message,
            remedy: read.remedy,
        }));
        Self {
            severity: read.severity,
            kind,
        }
    }
}
