//! Whether the version that a server names has the fixes of known vulnerabilities.
//!
//! It is the one feature that rests on what a server says of itself. Distributions fix without changing the version, so that an old version
//! alone shows no hole: it is a note, never more.

use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason, redacted};
use serde::Deserialize;

use crate::auditor::Auditor;
use crate::scene::{Scene, shortened};
use crate::version::Version;

const FEATURE: Feature = Feature::KnownVulnerabilities;
/// The remark on a version that shows nothing of its package.
const PACKAGES: &str =
    "Distributions fix without changing the version, so that a package may have these fixes.";

/// Known vulnerabilities of the products that one auditor examines: the serious ones that concern who can connect, and never all.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownVulnerabilities {
    /// The day up to which the list was kept, e.g. `2026-11-19`.
    pub as_of: String,
    /// The vulnerabilities, the newest first.
    #[serde(rename = "vulnerability")]
    pub vulnerabilities: Vec<Vulnerability>,
}

/// One vulnerability.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vulnerability {
    /// Its number, e.g. `CVE-2025-14847`.
    pub id: String,
    /// The products that have it, as servers call themselves.
    pub products: Vec<String>,
    /// Whom it lets do what, in a phrase.
    pub allows: String,
    /// The first version with the fix of each release line, e.g. `7.0.28` of 7.0. A line that is newer than all of these has the fix, one
    /// that is older never gets it.
    pub fixed: Vec<Version>,
    /// Release lines between these that never get the fix.
    #[serde(default)]
    pub unfixed: Vec<Version>,
    /// The first version that has it; none: whatever lacks the fix has it.
    #[serde(default)]
    pub since: Option<Version>,
    /// The page that says so.
    pub source: String,
}

/// How a version stands to a vulnerability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing<'a> {
    /// It is older than the vulnerability.
    Before,
    /// It lacks the fix, which came with this version of its release line; `None`: the line never gets it.
    Open(Option<&'a Version>),
    /// It has the fix.
    Fixed,
    /// The list does not say.
    Unlisted,
}

impl Vulnerability {
    fn standing(&self, version: &Version) -> Standing<'_> {
        if self.since.as_ref().is_some_and(|since| version < since) {
            return Standing::Before;
        }
        let is_older = self.fixed.iter().all(|fixed| version < fixed);
        let is_newer = self.fixed.iter().all(|fixed| version > fixed);
        let is_unfixed = self.unfixed.iter().any(|line| version.is_of_line(line));
        let of_its_line = self.fixed.iter().find(|fixed| version.shares_line_with(fixed));
        let is_fixed = of_its_line.is_some() || is_newer;
        match of_its_line {
            Some(fixed) if version < fixed => Standing::Open(Some(fixed)),
            None if is_older || is_unfixed => Standing::Open(None),
            // What comes before a release may have been made before the fix.
            _ if is_fixed && !version.is_preview() => Standing::Fixed,
            _ => Standing::Unlisted,
        }
    }
}

impl KnownVulnerabilities {
    /// What a version of a product shows, both as the server names them.
    #[must_use]
    pub fn judged(&self, product: &str, version: &str) -> AuditFinding {
        let as_of = &self.as_of;
        let unknown = |why: String| AuditFinding::unknown(FEATURE, UnknownReason::Version, why);
        let is_of_product = |one: &&Vulnerability| one.products.iter().any(|name| name == product);
        let of_product: Vec<&Vulnerability> = self.vulnerabilities.iter().filter(is_of_product).collect();
        if of_product.is_empty() {
            return unknown(format!("The list of {as_of} is not about {product}."));
        }
        let Some(read) = Version::read(version) else {
            return unknown(format!(
                "The version `{version}` cannot be compared with the list of {as_of}."
            ));
        };
        let standings: Vec<(&Vulnerability, Standing<'_>)> = of_product
            .into_iter()
            .map(|one| (one, one.standing(&read)))
            .collect();
        let open: Vec<Open<'_>> = standings
            .iter()
            .filter_map(|(one, standing)| match standing {
                Standing::Open(fixed) => Some((*one, *fixed)),
                _ => None,
            })
            .collect();
        if !open.is_empty() {
            let named = format!("{product} {version} lacks fixes on the list of {as_of}");
            return outdated(&named, &read, &open);
        }
        let has = |wanted: Standing<'_>| standings.iter().any(|(_, standing)| *standing == wanted);
        if has(Standing::Unlisted) {
            return unknown(format!(
                "The list of {as_of} does not say whether {product} {version} has every fix."
            ));
        }
        if !has(Standing::Fixed) {
            return unknown(format!(
                "The list of {as_of} is about newer versions than {product} {version}."
            ));
        }
        AuditFinding::enforced(
            FEATURE,
            format!(
                "By its version, {product} {version} has none of the vulnerabilities on the list of {as_of}."
            ),
        )
    }
}

/// A vulnerability whose fix is missing, and the version of the release line that has it, if one has.
type Open<'a> = (&'a Vulnerability, Option<&'a Version>);

/// The finding about a version that lacks these fixes.
fn outdated(named: &str, version: &Version, open: &[Open<'_>]) -> AuditFinding {
    let vulnerabilities: Vec<String> = open
        .iter()
        .map(|(one, fixed)| {
            let fixed = fixed.map_or_else(String::new, |fixed| format!("; fixed in {fixed}"));
            format!("{} ({}{fixed})", one.id, one.allows)
        })
        .collect();
    let is_maintained = open.iter().all(|(_, fixed)| fixed.is_some());
    let line = if is_maintained {
        ""
    } else {
        " Its release line is no longer maintained."
    };
    let package = match version.revision() {
        Some(revision) => format!(
            "`{revision}` is a package's own number: whoever made it probably added fixes without changing the version before it."
        ),
        None => PACKAGES.to_owned(),
    };
    let newest = open.iter().filter_map(|(_, fixed)| *fixed).max();
    let remedy = match newest {
        Some(newest) if is_maintained => format!("Update to {newest} or newer."),
        _ => "Update to a release line that is still maintained.".to_owned(),
    };
    let ids: Vec<&str> = open.iter().map(|(one, _)| one.id.as_str()).collect();
    let finding = AuditFinding::partial(
        FEATURE,
        format!(
            "By its version, {named}: {}.{line} {package}",
            vulnerabilities.join(", ")
        ),
    )
    .mend(
        AuditSeverity::Low,
        format!(
            "{remedy} If it comes from a distribution, look for {} in the changelog of the package first.",
            ids.join(", ")
        ),
    );
    open.iter()
        .fold(finding, |finding, (one, _)| finding.see(&one.source))
}

/// The known vulnerabilities that come with the probes of a database.
///
/// # Panics
/// When the list, which is part of the program, is none; a test reads every one.
#[must_use]
pub fn vulnerabilities(auditor: &dyn Auditor) -> KnownVulnerabilities {
    toml::from_str(auditor.vulnerabilities()).expect("a list that is part of the program is well-formed")
}

/// The finding, by the version that the server told at the beginning of the audit.
pub fn known_vulnerabilities(auditor: &dyn Auditor, scene: &mut Scene<'_>) -> AuditFinding {
    let secrets = scene.secrets();
    let told = |text: &str| shortened(&redacted(text, &secrets));
    let (product, version) = (told(&scene.identity.product), told(&scene.identity.version));
    if version.is_empty() {
        return AuditFinding::unknown(
            FEATURE,
            UnknownReason::NoPrivilege,
            "The server did not tell its version; a login of an administrator (`--administrator`) may show it.",
        );
    }
    scene.note(
        "server.version",
        "what the server says of itself",
        format!("{product} {version}"),
    );
    vulnerabilities(auditor).judged(&product, &version)
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    use ProtectionLevel::{Enforced, Partial, Unknown};

    /// The list that is planted here: an old vulnerability of every line, and one that came with 3.0.
    const LIST: &str = r#"
        as_of = "2026-11-19"
        [[vulnerability]]
        id = "CVE-2"
        products = ["Store"]
        allows = "anybody may crash it"
        fixed = ["3.0.7", "3.2.1"]
        since = "3.0.0"
        source = "https://store.example/2"
        [[vulnerability]]
        id = "CVE-1"
        products = ["Store", "Store Enterprise"]
        allows = "a user may run code"
        fixed = ["2.0.9", "2.4.5", "3.0.2", "3.2.1"]
        unfixed = ["2.2", "3.1"]
        source = "https://store.example/1"
    "#;

    fn list() -> KnownVulnerabilities {
        toml::from_str(LIST).unwrap()
    }

    fn of(version: &str) -> AuditFinding {
        list().judged("Store", version)
    }

    /// Which of the two are open.
    fn open(finding: &AuditFinding) -> Vec<&str> {
        let ids = ["CVE-1", "CVE-2"];
        ids.into_iter()
            .filter(|id| finding.summary.contains(id))
            .collect()
    }

    #[test]
    fn each_release_line_has_its_own_fix() {
        let cases: [(&str, &[&str]); 13] = [
            ("2.0.8", &["CVE-1"]),
            ("2.0.9", &[]),
            ("2.0.10", &[]),
            ("2.4.4", &["CVE-1"]),
            ("2.4.5-1.el9", &[]),
            ("3.0.0", &["CVE-1", "CVE-2"]),
            ("3.0.0-beta-1", &["CVE-1", "CVE-2"]),
            ("3.0.2", &["CVE-2"]),
            ("3.0.7", &[]),
            ("3.2", &["CVE-1", "CVE-2"]),
            ("3.2.1", &[]),
            // Newer than every line of the list.
            ("3.3.0", &[]),
            ("4.0", &[]),
        ];
        for (version, expected) in cases {
            let finding = of(version);
            assert_eq!(open(&finding), expected, "{finding:#?}");
            let (level, severity) = match expected {
                [] => (Enforced, None),
                _ => (Partial, Some(AuditSeverity::Low)),
            };
            assert_eq!(finding.level, level, "{finding:#?}");
            assert_eq!(finding.severity, severity, "{finding:#?}");
            assert!(finding.summary.contains("2026-11-19"), "{finding:#?}");
        }
    }

    #[test]
    fn a_line_that_gets_no_fix_is_no_longer_maintained() {
        const UNMAINTAINED: &str = "Its release line is no longer maintained.";
        for version in ["1.8.30", "2.2.0", "2.2.99"] {
            let finding = of(version);
            assert_eq!(finding.level, Partial, "{finding:#?}");
            assert_eq!(open(&finding), ["CVE-1"], "{finding:#?}");
            assert!(finding.summary.contains(UNMAINTAINED), "{finding:#?}");
            assert!(finding.fix.contains("still maintained"), "{finding:#?}");
        }
        let finding = of("3.0.0");
        assert!(!finding.summary.contains(UNMAINTAINED), "{finding:#?}");
        assert!(
            finding.fix.starts_with("Update to 3.0.7 or newer."),
            "{finding:#?}"
        );
        assert_eq!(
            finding.reference,
            ["https://store.example/2", "https://store.example/1"]
        );
    }

    #[test]
    fn what_the_list_does_not_say_is_unknown() {
        for (product, version) in [
            // Between the lines of the list.
            ("Store", "2.3.0"),
            // Before a release: of a line with a fix, and of one that is newer than all.
            ("Store", "3.2.1-rc1"),
            ("Store", "4.0-SNAPSHOT"),
            ("Store", "next"),
            ("Shop", "2.0.9"),
            ("", "2.0.9"),
        ] {
            let finding = list().judged(product, version);
            assert_eq!(finding.level, Unknown, "{finding:#?}");
            assert_eq!(finding.why_not_known, Some(UnknownReason::Version));
        }
        // One that lacks a fix is found whatever else is not known of it.
        let partly = of("3.1.4");
        assert_eq!(partly.level, Partial, "{partly:#?}");
        assert_eq!(open(&partly), ["CVE-1"], "{partly:#?}");
        // A list that is only about newer versions.
        let mut young = list();
        young.vulnerabilities.truncate(1);
        assert_eq!(young.judged("Store", "2.0.9").level, Unknown);
        assert_eq!(list().judged("Store Enterprise", "3.0.2").level, Enforced);
    }

    #[test]
    fn a_note_says_where_else_to_look() {
        let plain = of("2.0.8");
        assert!(plain.summary.contains("Distributions fix without"), "{plain:#?}");
        assert!(
            plain.fix.contains("look for CVE-1 in the changelog"),
            "{plain:#?}"
        );
        let packaged = of("2.0.8-1~deb12u6");
        assert!(packaged.summary.contains("`-1~deb12u6`"), "{packaged:#?}");
        assert_eq!(open(&packaged), ["CVE-1"], "{packaged:#?}");
    }
}
