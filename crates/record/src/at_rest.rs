//! How the lab's servers keep their files from being read off the disk: set up by the lab, and read back.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Encryption at rest of servers that the lab started, and its reference. In records it is absent where their data lie in a
/// plain directory, and where the lab did not start them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "level", rename_all = "kebab-case")]
pub enum AtRest {
    /// Data directories lie in an image file with a file system of its own, unencrypted: what the price of
    /// [`AtRest::Volume`] is measured against.
    PlainVolume,
    /// Data directories lie in an image file whose file system encrypts them.
    Volume(VolumeEncryption),
    /// The server encrypts files itself.
    Engine(EngineEncryption),
}

/// What encrypts the data directories below the servers, as read back from the mounted file system and the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeEncryption {
    /// The file system and what encrypts in it, e.g. `ext4 with fscrypt`.
    pub means: String,
    /// Cipher of the files' contents, e.g. `AES-256-XTS`.
    pub contents: String,
    /// Cipher of the files' names, e.g. `AES-256-CTS`.
    pub names: String,
    /// Version of fscrypt's policy.
    pub policy_version: u32,
    /// The kernel's implementation of the contents' cipher, as `/proc/crypto` names it: of all that are there, the one with the
    /// highest priority. Absent where the kernel does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// Whether this implementation uses instructions of the processor for AES; absent where its name does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses_aes_instructions: Option<bool>,
    /// Whether the processor has such instructions; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_has_aes: Option<bool>,
}

/// What the server encrypts itself, as the lab set it. What it does then is shown by an audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineEncryption {
    /// The files that are encrypted, e.g. `commit log`.
    pub covers: String,
    /// The cipher, e.g. `AES/CBC/PKCS5Padding`.
    pub cipher: String,
}

/// The factor whose levels are those of the lab's option of this name.
pub const AT_REST_FACTOR: &str = "at_rest";
/// The level of files in a plain directory.
const OFF: &str = "off";

/// How the files of servers that the lab started contradict a declared level of the factor [`AT_REST_FACTOR`], in words; `None`
/// where they do not, and for a level that is none of the lab's.
#[must_use]
pub fn contradiction(seen: Option<&AtRest>, level: &str) -> Option<String> {
    let is_of_the_lab = [OFF, "plain-volume", "volume", "engine"].contains(&level);
    let seen_level = seen.map_or(OFF, AtRest::name);
    (is_of_the_lab && seen_level != level).then(|| match seen {
        None => "its files lay in a plain directory".to_owned(),
        Some(AtRest::PlainVolume) => "its files lay in a volume without encryption".to_owned(),
        Some(AtRest::Volume(_)) => "its files lay in an encrypted volume".to_owned(),
        Some(AtRest::Engine(engine)) => format!("its servers encrypted {} themselves", engine.covers),
    })
}

impl AtRest {
    /// The level's name in requests and records.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PlainVolume => "plain-volume",
            Self::Volume(_) => "volume",
            Self::Engine(_) => "engine",
        }
    }
}

impl fmt::Display for AtRest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PlainVolume => formatter.write_str("plain-volume: an image file of ext4, not encrypted"),
            Self::Volume(encryption) => write!(formatter, "volume: {encryption}"),
            Self::Engine(encryption) => write!(
                formatter,
                "engine: {} encrypted with {}",
                encryption.covers, encryption.cipher
            ),
        }
    }
}

impl fmt::Display for VolumeEncryption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} by {} (policy {})",
            self.contents, self.means, self.policy_version
        )?;
        match &self.implementation {
            Some(implementation) => write!(formatter, ", computed by {implementation}")?,
            None => formatter.write_str(", by an implementation that the kernel does not show")?,
        }
        formatter.write_str(match (self.uses_aes_instructions, self.processor_has_aes) {
            (Some(true), _) => " with the processor's AES instructions",
            (Some(false), Some(true)) => " without the AES instructions that the processor has",
            (Some(false), Some(false)) => "; the processor has no AES instructions",
            (Some(false), None) => " without AES instructions",
            (None, _) => "; whether with AES instructions is unknown",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(uses: Option<bool>, has: Option<bool>) -> AtRest {
        AtRest::Volume(VolumeEncryption {
            means: "ext4 with fscrypt".to_owned(),
            contents: "AES-256-XTS".to_owned(),
            names: "AES-256-CTS".to_owned(),
            policy_version: 2,
            implementation: Some("xts(ecb(aes-generic))".to_owned()),
            uses_aes_instructions: uses,
            processor_has_aes: has,
        })
    }

    #[test]
    fn a_record_keeps_the_level_with_its_facts() {
        let engine = AtRest::Engine(EngineEncryption {
            covers: "commit log".to_owned(),
            cipher: "AES/CBC/PKCS5Padding".to_owned(),
        });
        for (at_rest, expected) in [
            (AtRest::PlainVolume, r#"{"level":"plain-volume"}"#),
            (
                volume(Some(false), None),
                r#"{"level":"volume","means":"ext4 with fscrypt","contents":"AES-256-XTS","names":"AES-256-CTS","policy_version":2,"implementation":"xts(ecb(aes-generic))","uses_aes_instructions":false}"#,
            ),
            (
                engine,
                r#"{"level":"engine","covers":"commit log","cipher":"AES/CBC/PKCS5Padding"}"#,
            ),
        ] {
            let text = serde_json::to_string(&at_rest).unwrap();
            assert_eq!(text, expected);
            assert_eq!(serde_json::from_str::<AtRest>(&text).unwrap(), at_rest);
            assert!(at_rest.to_string().starts_with(at_rest.name()));
        }
        assert!(
            serde_json::from_str::<AtRest>(r#"{"level":"engine","covers":"x","cipher":"y","z":1}"#).is_err()
        );
    }

    #[test]
    fn people_read_whether_the_processor_helps() {
        for (uses, has, expected) in [
            (Some(true), Some(true), "with the processor's AES instructions"),
            (
                Some(false),
                Some(true),
                "without the AES instructions that the processor has",
            ),
            (Some(false), Some(false), "has no AES instructions"),
            (None, Some(true), "is unknown"),
        ] {
            let text = volume(uses, has).to_string();
            assert!(
                text.contains(
                    "AES-256-XTS by ext4 with fscrypt (policy 2), computed by xts(ecb(aes-generic))"
                )
            );
            assert!(text.ends_with(expected), "{text}");
        }
    }

    #[test]
    fn a_level_is_what_was_seen_or_is_contradicted() {
        let plain = Some(&AtRest::PlainVolume);
        assert_eq!(contradiction(plain, "plain-volume"), None);
        assert_eq!(contradiction(None, "off"), None);
        assert_eq!(contradiction(None, "luks"), None);
        assert_eq!(
            contradiction(None, "volume").as_deref(),
            Some("its files lay in a plain directory")
        );
        assert_eq!(
            contradiction(plain, "off").as_deref(),
            Some("its files lay in a volume without encryption")
        );
    }
}
