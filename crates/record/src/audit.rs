//! What a security audit saw of one system: observed levels with their evidence, and nothing that a catalogue says.
//!
//! The result model is that of the method (section 3.4): levels are decided by behaviour, "on" with its negative, and what
//! could not be seen is `unknown` with the reason, never a pass.

mod catalogue;
mod feature;
mod finding;
mod level;
mod redact;

use serde::{Deserialize, Serialize};

pub use catalogue::{Capability, Catalogue, Support};
pub use feature::Feature;
pub use finding::{AuditFinding, AuditSeverity, Evidence, Revocation, Scope};
pub use level::{ProtectionLevel, UnknownReason};
pub use redact::redacted;

/// Format of the JSON that an audit writes.
pub const AUDIT_FORMAT: &str = "dbdyno.audit/1";

/// How much of a system an audit could see. More access shows more; it changes no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Connections, without a login.
    Network,
    /// The login of an ordinary user.
    User,
    /// The login of an administrator.
    Administrator,
    /// The files of the servers: data, logs, configuration.
    Files,
}

impl Access {
    /// Every kind, the least first.
    pub const ALL: [Self; 4] = [Self::Network, Self::User, Self::Administrator, Self::Files];

    /// The word in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::User => "user",
            Self::Administrator => "administrator",
            Self::Files => "files",
        }
    }
}

/// The audit of one system. In files the catalogue of the product stands beside these fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// [`AUDIT_FORMAT`].
    pub format: String,
    /// The version of dbdyno that made it.
    pub dbdyno: String,
    /// The system's address, without its secrets.
    pub system: String,
    /// The database by the name of its folder, e.g. `postgres`.
    pub database: String,
    /// What the server calls itself; empty when it was not asked or did not say.
    pub product: String,
    /// Its version; empty as above.
    pub version: String,
    /// When the audit began, RFC 3339, UTC.
    pub audited_at: String,
    /// What the audit could use.
    pub access: Vec<Access>,
    /// From where it looked: `this host`, or a network namespace.
    pub from: Vec<String>,
    /// One finding for each feature, in the order of [`Feature::ALL`].
    pub findings: Vec<AuditFinding>,
    /// What the audit left behind or could not remove, with how to remove it; empty as a rule.
    pub left_behind: Vec<String>,
}

impl AuditRecord {
    /// Reads what `dbdyno audit --format json` wrote.
    ///
    /// # Errors
    /// When it is something else, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match value.get("format").and_then(serde_json::Value::as_str) {
            Some(AUDIT_FORMAT) => serde_json::from_value(value).map_err(|error| error.to_string()),
            Some(other) => Err(format!("its format is {other}, not {AUDIT_FORMAT}")),
            None => Err("it names no format".to_owned()),
        }
    }

    /// The finding about a feature.
    #[must_use]
    pub fn finding(&self, feature: Feature) -> Option<&AuditFinding> {
        self.findings.iter().find(|finding| finding.feature == feature)
    }

    /// The gravest severity of all findings; `None` when nothing needs mending.
    #[must_use]
    pub fn gravest(&self) -> Option<AuditSeverity> {
        self.findings.iter().filter_map(|finding| finding.severity).max()
    }

    /// How many findings have each level.
    #[must_use]
    pub fn count(&self, level: ProtectionLevel) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    }

    /// Whether something that was asked for is unknown.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        let reasons = self.findings.iter().filter_map(|finding| finding.why_not_known);
        reasons.into_iter().any(|why| why != UnknownReason::NotRequested)
    }

    /// Replaces every one of these texts, wherever it stands, by stars. Probes never write a secret down; servers may send
    /// one back.
    #[must_use]
    pub fn without(mut self, secrets: &[String]) -> Self {
        let clean = |text: &mut String| *text = redacted(text, secrets);
        // The address of the system hides its own secrets, and is what results are found by.
        for text in [&mut self.product, &mut self.version] {
            clean(text);
        }
        self.left_behind.iter_mut().for_each(clean);
        for finding in &mut self.findings {
            clean(&mut finding.summary);
            clean(&mut finding.fix);
            for evidence in &mut finding.evidence {
                clean(&mut evidence.sent);
                clean(&mut evidence.got);
            }
        }
        self
    }
}
