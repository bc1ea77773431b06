//! What protected the servers of a trial, as observed: nothing of it is copied from what was asked for.

use serde::{Deserialize, Serialize};

use crate::audit::ProtectionLevel;

/// What was seen of the servers with the address, the login and the certificates of the trial's own clients, once for each start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtectionRecord {
    /// The protocol that clients and servers speak.
    pub connection: Connection,
    /// Whether clients must show a certificate; `None` where it was not seen, as in clear text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks_for_certificate: Option<bool>,
    /// Whether clients must log in: the right login accepted, none and a wrong one refused.
    pub login: ProtectionLevel,
    /// A sentence about the login, with its mechanism where the server names it.
    pub login_seen: String,
}

/// What is on the wire between clients and servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "speaks")]
pub enum Connection {
    /// Readable by everybody on the way.
    ClearText,
    /// TLS, as servers and a client with the trial's configuration agreed on it.
    Tls {
        /// e.g. `TLS 1.3`.
        version: String,
        /// e.g. `TLS13_AES_256_GCM_SHA384`.
        cipher: String,
    },
    /// The clients are configured for TLS, and a handshake with that configuration failed.
    Unknown {
        /// Why.
        why: String,
    },
}

impl Connection {
    /// In words.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::ClearText => "clear text".to_owned(),
            Self::Tls { version, cipher } => format!("{version}, {cipher}"),
            Self::Unknown { why } => format!("not seen: {why}"),
        }
    }
}

/// What a declared security profile means for clients: the same for every product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expected {
    tls: bool,
    certificate: bool,
    login: bool,
}

/// The factor whose levels are the security profiles of the lab.
pub const SECURITY_FACTOR: &str = "security";

fn expected(profile: &str) -> Option<Expected> {
    let of = |tls, certificate, login| {
        Some(Expected {
            tls,
            certificate,
            login,
        })
    };
    match profile {
        "none" => of(false, false, false),
        "auth" => of(false, false, true),
        "tls" => of(true, false, false),
        "mtls" => of(true, true, false),
        "hardened" => of(true, true, true),
        _ => None,
    }
}

impl ProtectionRecord {
    /// The protection as labels and values for people.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let certificate = self.asks_for_certificate.map(|asks| match asks {
            true => ("client certificate", "required".to_owned()),
            false => ("client certificate", "not required".to_owned()),
        });
        let mut facts = vec![("connection", self.connection.sentence())];
        facts.extend(certificate);
        let login = match self.login {
            ProtectionLevel::Unknown => self.login_seen.clone(),
            level => level.name().to_owned(),
        };
        facts.push(("login", login));
        facts
    }

    /// How what was seen contradicts a declared level of the factor [`SECURITY_FACTOR`], in words; empty where it does not. What
    /// was not seen contradicts nothing; a level that is no profile of the lab means nothing here.
    #[must_use]
    pub fn contradictions(&self, profile: &str) -> Vec<String> {
        let Some(expected) = expected(profile) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        match (&self.connection, expected.tls) {
            (Connection::ClearText, true) => found.push("its clients spoke clear text".to_owned()),
            (Connection::Tls { version, .. }, false) => found.push(format!("its clients spoke {version}")),
            _ => {}
        }
        match (self.asks_for_certificate, expected.certificate) {
            (Some(false), true) => {
                found.push("its servers asked for no certificate of the client".to_owned())
            }
            (Some(true), false) => found.push("its servers asked for a certificate of the client".to_owned()),
            _ => {}
        }
        match (self.login, expected.login) {
            (ProtectionLevel::SupportedOff | ProtectionLevel::Unsupported, true) => {
                found.push("its servers asked for no login".to_owned());
            }
            (ProtectionLevel::Enforced, false) if !expected.certificate => {
                found.push("its servers asked for a login".to_owned());
            }
            _ => {}
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(tls: bool, certificate: bool, login: bool) -> ProtectionRecord {
        ProtectionRecord {
            connection: match tls {
                true => Connection::Tls {
                    version: "TLS 1.3".to_owned(),
                    cipher: "TLS13_AES_256_GCM_SHA384".to_owned(),
                },
                false => Connection::ClearText,
            },
            asks_for_certificate: tls.then_some(certificate),
            login: match login {
                true => ProtectionLevel::Enforced,
                false => ProtectionLevel::SupportedOff,
            },
            login_seen: String::new(),
        }
    }

    #[test]
    fn every_profile_is_what_was_seen_or_is_contradicted() {
        let profiles = [
            ("none", seen(false, false, false)),
            ("auth", seen(false, false, true)),
            ("tls", seen(true, false, false)),
            ("mtls", seen(true, true, false)),
            ("hardened", seen(true, true, true)),
        ];
        for (declared, _) in &profiles {
            for (real, seen) in &profiles {
                // A certificate may be the login.
                let same = declared == real || (*declared, *real) == ("mtls", "hardened");
                let found = seen.contradictions(declared);
                assert_eq!(found.is_empty(), same, "{declared} was {real}: {found:?}");
            }
        }
        assert!(seen(true, true, true).contradictions("strict").is_empty());
        assert_eq!(
            seen(false, false, false).contradictions("tls"),
            ["its clients spoke clear text"]
        );
    }

    #[test]
    fn what_was_not_seen_contradicts_nothing() {
        let unknown = ProtectionRecord {
            connection: Connection::Unknown { why: String::new() },
            asks_for_certificate: None,
            login: ProtectionLevel::Unknown,
            login_seen: String::new(),
        };
        for profile in ["none", "auth", "tls", "mtls", "hardened"] {
            assert!(unknown.contradictions(profile).is_empty(), "{profile}");
        }
        let text = serde_json::to_string(&seen(true, false, true)).unwrap();
        assert_eq!(
            serde_json::from_str::<ProtectionRecord>(&text).unwrap(),
            seen(true, false, true)
        );
    }
}
