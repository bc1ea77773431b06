//! From what was seen on the wire to the levels of its two features: is it encrypted, and how well.

use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::channel::ChannelError;
use crate::client_hello::STATIC_RSA;
use crate::tls::{TlsObservation, TlsOfServers};

/// A certificate that expires sooner than this is a finding, seconds.
const SOON: i64 = 14 * 86_400;

/// How a conversation in clear text ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClearText {
    /// The server answered it.
    Accepted,
    /// The server refused it, or closed the connection on it.
    Refused,
    /// There was no answer, or none that the probe knows.
    Unknown(String),
}

impl ClearText {
    /// The worst of several servers: one that answers is enough, and what was not seen is no refusal.
    #[must_use]
    pub fn worst(all: impl IntoIterator<Item = Self>) -> Self {
        let mut worst = Self::Refused;
        for one in all {
            match one {
                Self::Accepted => return Self::Accepted,
                Self::Unknown(_) => worst = one,
                Self::Refused => {}
            }
        }
        worst
    }

    /// What a conversation shows that should have ended in an answer.
    #[must_use]
    pub fn of(outcome: &Result<String, ChannelError>) -> Self {
        match outcome {
            Ok(_) => Self::Accepted,
            Err(ChannelError::Closed | ChannelError::Tls(_)) => Self::Refused,
            Err(error) => Self::Unknown(error.to_string()),
        }
    }
}

/// Whether clients are encrypted by every server: TLS accepted *and* clear text refused.
#[must_use]
pub fn client_to_node(tls: &TlsOfServers, clear: &ClearText, fix: &str, reference: &str) -> AuditFinding {
    of_all(Feature::ClientToNodeEncryption, tls, &|seen| {
        is_encrypted(seen, clear, fix)
    })
    .see(reference)
}

/// The gravest of what was found at several servers; among equals, what was not seen.
fn of_all(
    feature: Feature,
    tls: &TlsOfServers,
    judge: &dyn Fn(&Result<TlsObservation, ChannelError>) -> AuditFinding,
) -> AuditFinding {
    let rank = |finding: &AuditFinding| (finding.severity, finding.level == ProtectionLevel::Unknown);
    let mut worst: Option<(String, AuditFinding)> = None;
    let mut differs = false;
    for (host, seen) in &tls.0 {
        let finding = judge(seen);
        match &worst {
            Some((_, known)) if rank(&finding) <= rank(known) => differs |= rank(&finding) != rank(known),
            known => {
                differs = known.is_some();
                worst = Some((host.to_string(), finding));
            }
        }
    }
    match worst {
        Some((host, mut finding)) if differs => {
            finding.summary = format!("At {host}, unlike other servers: {}", finding.summary);
            finding
        }
        Some((_, finding)) => finding,
        None => {
            let why = "Whether TLS is spoken is unknown: no server is known.";
            AuditFinding::unknown(feature, UnknownReason::Unreachable, why)
        }
    }
}

fn is_encrypted(tls: &Result<TlsObservation, ChannelError>, clear: &ClearText, fix: &str) -> AuditFinding {
    use ProtectionLevel::{Enforced, Partial, SupportedOff};
    let feature = Feature::ClientToNodeEncryption;
    let spoken = is_spoken(tls, clear);
    match (spoken, clear) {
        (Some(true), ClearText::Refused) => AuditFinding::new(
            feature,
            Enforced,
            "The server speaks TLS and refuses clear text.",
        ),
        (Some(true), ClearText::Accepted) => AuditFinding::new(
            feature,
            Partial,
            "The server speaks TLS, and it also answers in clear text: if a client does not ask for TLS, anyone on the network path can read its password and data.",
        )
        .mend(AuditSeverity::Medium, fix),
        (Some(false), ClearText::Accepted) => AuditFinding::new(
            feature,
            SupportedOff,
            "The server speaks clear text only: anyone on the network path can read passwords and data, and change them.",
        )
        .mend(AuditSeverity::High, fix),
        (Some(true), ClearText::Unknown(why)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("The server speaks TLS; whether it refuses clear text is unknown ({why})."),
        ),
        (Some(false), _) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            "The server speaks neither TLS nor clear text to this probe.",
        ),
        (None, _) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            "Whether the server speaks TLS is unknown: it did not answer.",
        ),
    }
}

/// Whether TLS is spoken; `None` when it was not seen. A server that answers in clear text at once and never to TLS does not speak
/// it: some wait for the end of a command that a greeting of TLS does not have.
fn is_spoken(tls: &Result<TlsObservation, ChannelError>, clear: &ClearText) -> Option<bool> {
    match tls {
        Ok(seen) if seen.is_spoken() => Some(true),
        Ok(seen) if seen.unanswered.is_empty() || *clear == ClearText::Accepted => Some(false),
        Ok(_) | Err(_) => None,
    }
}

/// How well clients are encrypted, by the worst of the servers.
#[must_use]
pub fn transport(
    tls: &TlsOfServers,
    clear: &ClearText,
    asks_for_certificate: Option<bool>,
    fix: &str,
    reference: &str,
) -> AuditFinding {
    let judge = |seen: &_| how_well(seen, clear, asks_for_certificate, fix);
    of_all(Feature::TransportEncryption, tls, &judge).see(reference)
}

fn how_well(
    tls: &Result<TlsObservation, ChannelError>,
    clear: &ClearText,
    asks_for_certificate: Option<bool>,
    fix: &str,
) -> AuditFinding {
    use ProtectionLevel::{Enforced, Partial, SupportedOff};
    let feature = Feature::TransportEncryption;
    match tls {
        Ok(seen) if seen.is_spoken() => match defects(seen).into_iter().reduce(graver) {
            None if seen.unanswered.is_empty() => {
                AuditFinding::new(feature, Enforced, sound(seen, asks_for_certificate))
            }
            None => AuditFinding::unknown(
                feature,
                UnknownReason::Unreachable,
                format!(
                    "TLS is sound as far as observed; the server gave no answer to {}.",
                    seen.unanswered.join(", ")
                ),
            ),
            Some((severity, why)) => {
                let fix = match &seen.trust {
                    Some(Err(_)) => format!(
                        "{fix}; tls_ca=FILE in the address names the authority of a private certificate"
                    ),
                    _ => fix.to_owned(),
                };
                AuditFinding::new(feature, Partial, format!("TLS is spoken, but {why}.")).mend(severity, fix)
            }
        },
        Ok(_) if is_spoken(tls, clear) == Some(false) => {
            AuditFinding::new(feature, SupportedOff, "No TLS is spoken.").mend(AuditSeverity::High, fix)
        }
        Ok(_) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            "Whether TLS is spoken is unknown: the server did not answer.",
        ),
        Err(error) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("Whether TLS is spoken is unknown: {error}."),
        ),
    }
}

fn sound(seen: &TlsObservation, asks_for_certificate: Option<bool>) -> String {
    let mut versions: Vec<&str> = seen.accepted.iter().map(|(version, _)| *version).collect();
    versions.dedup();
    let clients = match asks_for_certificate {
        Some(true) => "; clients must show a certificate",
        Some(false) => "; clients need no certificate",
        None => "",
    };
    format!(
        "{} with {} cipher suites; old versions and weak suites are refused; the certificate is trusted and names this host{clients}.",
        versions.join(" and "),
        seen.accepted.len()
    )
}

/// Its defects, each with how much it matters.
fn defects(seen: &TlsObservation) -> Vec<(AuditSeverity, String)> {
    let mut found = Vec::new();
    let (later_read, outdated): (Vec<&str>, Vec<&str>) = seen
        .outdated
        .iter()
        .copied()
        .partition(|name| *name == STATIC_RSA);
    if !outdated.is_empty() {
        found.push((
            AuditSeverity::Medium,
            format!("{} is accepted", outdated.join(", ")),
        ));
    }
    if !later_read.is_empty() {
        found.push((
            AuditSeverity::Low,
            format!(
                "{STATIC_RSA} is accepted: whoever gets the server's key can read what was recorded before"
            ),
        ));
    }
    if let Some(why) = &seen.unfinished {
        found.push((
            AuditSeverity::Medium,
            format!("no current library ends a handshake with it ({why})"),
        ));
    } else if seen.accepted.is_empty() {
        found.push((
            AuditSeverity::Medium,
            "no sound cipher suite of TLS 1.2 or 1.3 is accepted".to_owned(),
        ));
    }
    if let Some(certificate) = &seen.certificate {
        if certificate.seconds_left < 0 {
            found.push((AuditSeverity::High, "the certificate has expired".to_owned()));
        } else if certificate.is_early {
            found.push((AuditSeverity::High, "the certificate is not valid yet".to_owned()));
        } else if certificate.seconds_left < SOON {
            let days = certificate.seconds_left / 86_400;
            found.push((
                AuditSeverity::Low,
                format!("the certificate expires in {days} days"),
            ));
        }
        if certificate.has_short_key {
            found.push((
                AuditSeverity::High,
                format!("the certificate's key ({}) is too short", certificate.key),
            ));
        }
        if certificate.has_weak_signature {
            found.push((
                AuditSeverity::Medium,
                "the certificate is signed with SHA-1 or MD5".to_owned(),
            ));
        }
    }
    if let Some(Err(why)) = &seen.trust {
        found.push((
            AuditSeverity::Medium,
            format!("a client that checks the certificate would refuse it ({why})"),
        ));
    }
    found
}

fn graver(one: (AuditSeverity, String), other: (AuditSeverity, String)) -> (AuditSeverity, String) {
    (one.0.max(other.0), format!("{}; {}", one.1, other.1))
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::remote::HostPort;

    use super::*;
    use crate::certificate::Certificate;

    fn spoken() -> TlsObservation {
        TlsObservation {
            accepted: vec![("TLS 1.3", "TLS13_AES_256_GCM_SHA384".to_owned())],
            trust: Some(Ok(())),
            ..TlsObservation::default()
        }
    }

    fn servers<const N: usize>(seen: [Result<TlsObservation, ChannelError>; N]) -> TlsOfServers {
        let host = |port| HostPort {
            host: "db".to_owned(),
            port,
        };
        let all = seen.into_iter().zip(1..).map(|(seen, port)| (host(port), seen));
        TlsOfServers(all.collect())
    }

    #[test]
    fn the_worst_of_the_servers_counts_and_is_named() {
        let weak = TlsObservation {
            trust: Some(Err("expired".to_owned())),
            ..spoken()
        };
        let of = |seen| transport(&seen, &ClearText::Refused, None, "fix", "https://example.org");
        let second = of(servers([Ok(spoken()), Ok(weak), Ok(spoken())]));
        assert_eq!(second.severity, Some(AuditSeverity::Medium));
        assert!(
            second.summary.starts_with("At db:2, unlike other"),
            "{}",
            second.summary
        );
        let unseen = of(servers([Ok(spoken()), Err(ChannelError::Silent)]));
        assert_eq!(unseen.level, ProtectionLevel::Unknown);
        let alike = of(servers([Ok(spoken()), Ok(spoken())]));
        assert!(alike.level == ProtectionLevel::Enforced && alike.summary.starts_with("TLS 1.3"));
        assert_eq!(of(servers([])).level, ProtectionLevel::Unknown);
        let dark = client_to_node(
            &servers([Ok(spoken()), Ok(TlsObservation::default())]),
            &ClearText::Accepted,
            "fix",
            "https://example.org",
        );
        assert_eq!(dark.level, ProtectionLevel::SupportedOff);
    }

    fn silent() -> TlsObservation {
        TlsObservation {
            unanswered: vec!["TLS 1.3"],
            ..TlsObservation::default()
        }
    }

    #[test]
    fn encryption_is_enforced_only_with_its_negative() {
        let unreachable = || Err(ChannelError::Silent);
        let unknown = ClearText::Unknown("silence".to_owned());
        let cases = [
            (Ok(spoken()), ClearText::Refused, ProtectionLevel::Enforced),
            (Ok(spoken()), ClearText::Accepted, ProtectionLevel::Partial),
            (Ok(spoken()), unknown.clone(), ProtectionLevel::Unknown),
            (Ok(silent()), ClearText::Accepted, ProtectionLevel::SupportedOff),
            (Ok(silent()), ClearText::Refused, ProtectionLevel::Unknown),
            (
                Ok(TlsObservation::default()),
                ClearText::Accepted,
                ProtectionLevel::SupportedOff,
            ),
            (
                Ok(TlsObservation::default()),
                ClearText::Refused,
                ProtectionLevel::Unknown,
            ),
            (unreachable(), ClearText::Refused, ProtectionLevel::Unknown),
            (unreachable(), unknown, ProtectionLevel::Unknown),
        ];
        for (tls, clear, expected) in cases {
            let finding = client_to_node(
                &servers([tls.clone()]),
                &clear,
                "switch it on",
                "https://example.org",
            );
            assert_eq!(finding.level, expected, "{tls:?} {clear:?}");
            assert_eq!(
                finding.why_not_known.is_some(),
                expected == ProtectionLevel::Unknown
            );
            let is_mended = matches!(expected, ProtectionLevel::Partial | ProtectionLevel::SupportedOff);
            assert_eq!(finding.severity.is_some(), is_mended);
        }
    }

    #[test]
    fn every_defect_of_tls_is_named_and_the_gravest_counts() {
        let sound = |seen: TlsObservation| {
            transport(
                &servers([Ok(seen)]),
                &ClearText::Refused,
                None,
                "fix",
                "https://example.org",
            )
        };
        assert_eq!(sound(spoken()).level, ProtectionLevel::Enforced);
        let private = sound(TlsObservation {
            trust: Some(Err("an unknown issuer".to_owned())),
            ..spoken()
        });
        assert!(private.fix.contains("tls_ca=FILE"), "{private:?}");
        let silent = TlsObservation {
            unanswered: vec!["TLS 1.0"],
            ..spoken()
        };
        assert_eq!(sound(silent).level, ProtectionLevel::Unknown);
        let later_read = sound(TlsObservation {
            outdated: vec![STATIC_RSA],
            ..spoken()
        });
        assert_eq!(
            (later_read.level, later_read.severity),
            (ProtectionLevel::Partial, Some(AuditSeverity::Low))
        );
        // Badly spoken is spoken.
        for badly in [
            TlsObservation {
                outdated: vec!["TLS 1.0"],
                ..TlsObservation::default()
            },
            TlsObservation {
                unfinished: Some("a key of 1024 bits".to_owned()),
                ..TlsObservation::default()
            },
            TlsObservation {
                outdated: vec![STATIC_RSA],
                ..TlsObservation::default()
            },
        ] {
            assert!(badly.is_spoken());
            assert_eq!(
                sound(badly.clone()).severity,
                Some(AuditSeverity::Medium),
                "{badly:?}"
            );
        }
        let short_key = TlsObservation {
            unfinished: Some("a key of 1024 bits".to_owned()),
            certificate: Some(Certificate {
                subject: "CN=db".to_owned(),
                issuer: "CN=db".to_owned(),
                names: vec!["127.0.0.1".to_owned()],
                seconds_left: i64::from(i32::MAX),
                is_early: false,
                key: "RSA 1024".to_owned(),
                has_short_key: true,
                has_weak_signature: false,
            }),
            ..TlsObservation::default()
        };
        assert!(short_key.is_spoken());
        assert_eq!(sound(short_key).severity, Some(AuditSeverity::High));
        let bad = sound(TlsObservation {
            outdated: vec!["TLS 1.0"],
            trust: Some(Err("expired".to_owned())),
            ..spoken()
        });
        assert_eq!(
            (bad.level, bad.severity),
            (ProtectionLevel::Partial, Some(AuditSeverity::Medium))
        );
        assert!(
            bad.summary.contains("TLS 1.0") && bad.summary.contains("refuse"),
            "{}",
            bad.summary
        );
    }
}
