//! One feature of one system, as observed, with the evidence.

use serde::{Deserialize, Serialize};

use super::{Feature, ProtectionLevel, UnknownReason};

/// How much a finding matters to whoever runs the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditSeverity {
    /// Worth hardening; nobody gets in by it alone.
    Low,
    /// It weakens a protection that others rely on.
    Medium,
    /// Whoever reaches the server can read or change what they should not.
    High,
    /// Whoever reaches the server owns it.
    Critical,
}

impl AuditSeverity {
    /// Every severity, the least first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// Whose protection it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The database's own.
    #[default]
    Engine,
    /// That of the volume below it.
    Volume,
    /// That of the network around it.
    Network,
}

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The probe, e.g. `redis.ping-without-login`.
    pub probe: String,
    /// From where, e.g. `this host`.
    pub from: String,
    /// What was sent, in words or as written; never a credential.
    pub sent: String,
    /// What came back, shortened.
    pub got: String,
    /// When, RFC 3339, UTC.
    pub at: String,
}

/// How long something withdrawn still worked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    /// What was withdrawn, and what then was tried, e.g. `password changed, new connection`.
    pub what: String,
    /// Seconds until it was refused, one for each repetition; `None`: it was never refused while we looked.
    pub seconds: Vec<Option<f64>>,
    /// How long each repetition looked, seconds.
    pub patience_seconds: f64,
    /// Median seconds; `None` when a half or more was never refused.
    pub median_seconds: Option<f64>,
    /// 95% interval of the median, seconds; `None` with fewer repetitions than it takes (6).
    pub interval_seconds: Option<(f64, f64)>,
}

/// The observation of one feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditFinding {
    /// The feature.
    pub feature: Feature,
    /// How far it goes.
    pub level: ProtectionLevel,
    /// Whose protection it is.
    pub scope: Scope,
    /// How much it matters; `None`: nothing to mend.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub severity: Option<AuditSeverity>,
    /// The observation, in a sentence.
    pub summary: String,
    /// The questions and answers that it rests on.
    pub evidence: Vec<Evidence>,
    /// Why it could not be seen; only with [`ProtectionLevel::Unknown`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why_not_known: Option<UnknownReason>,
    /// The setting that mends it; empty when there is nothing to mend.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub fix: String,
    /// Pages of the product's manual.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reference: Vec<String>,
    /// Measured times to revoke.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub revocations: Vec<Revocation>,
}

impl AuditFinding {
    /// A finding without severity, evidence or remedy.
    #[must_use]
    pub fn new(feature: Feature, level: ProtectionLevel, summary: impl Into<String>) -> Self {
        Self {
            feature,
            level,
            scope: Scope::Engine,
            severity: None,
            summary: summary.into(),
            evidence: Vec::new(),
            why_not_known: None,
            fix: String::new(),
            reference: Vec::new(),
            revocations: Vec::new(),
        }
    }

    /// The server does as it should, and refused the negative.
    #[must_use]
    pub fn enforced(feature: Feature, summary: impl Into<String>) -> Self {
        Self::new(feature, ProtectionLevel::Enforced, summary)
    }

    /// The server protects some of it.
    #[must_use]
    pub fn partial(feature: Feature, summary: impl Into<String>) -> Self {
        Self::new(feature, ProtectionLevel::Partial, summary)
    }

    /// The product could, and the server does not.
    #[must_use]
    pub fn off(feature: Feature, summary: impl Into<String>) -> Self {
        Self::new(feature, ProtectionLevel::SupportedOff, summary)
    }

    /// There is nothing to protect.
    #[must_use]
    pub fn not_applicable(feature: Feature, summary: impl Into<String>) -> Self {
        Self::new(feature, ProtectionLevel::NotApplicable, summary)
    }

    /// The server showed nothing.
    #[must_use]
    pub fn not_observed(feature: Feature, why: &impl std::fmt::Display) -> Self {
        Self::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("Not observed: {why}."),
        )
    }

    /// A feature that could not be seen, with the reason.
    #[must_use]
    pub fn unknown(feature: Feature, why: UnknownReason, summary: impl Into<String>) -> Self {
        Self {
            why_not_known: Some(why),
            ..Self::new(feature, ProtectionLevel::Unknown, summary)
        }
    }

    /// Adds how much it matters and the setting that mends it.
    #[must_use]
    pub fn mend(mut self, severity: AuditSeverity, fix: impl Into<String>) -> Self {
        self.severity = Some(severity);
        self.fix = fix.into();
        self
    }

    /// Makes it a finding about something else than the engine.
    #[must_use]
    pub const fn of(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Adds a page of the product's manual.
    #[must_use]
    pub fn see(mut self, address: impl Into<String>) -> Self {
        self.reference.push(address.into());
        self
    }
}
