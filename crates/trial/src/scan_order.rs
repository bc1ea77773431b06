//! The order in which a scan returns records.

use std::fmt;
use std::str::FromStr;

/// The order in which a scan returns records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanOrder {
    /// Ascending by stored key name, bytewise: what YCSB's workload E means.
    Key,
    /// Some other order (e.g. by token): workload E is marked as not comparable.
    Other,
    /// The database cannot scan.
    Unsupported,
}

impl ScanOrder {
    /// The name in files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Other => "other",
            Self::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for ScanOrder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for ScanOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Key, Self::Other, Self::Unsupported]
            .into_iter()
            .find(|order| order.name() == text)
            .ok_or_else(|| {
                format!("order of scans `{text}` is unknown; it is one of key, other, unsupported")
            })
    }
}
