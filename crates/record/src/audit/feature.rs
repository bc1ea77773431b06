//! What an audit looks at: the ten features of table 5.17 of shwaysh-2018, then what its prose and later practice add.

use serde::{Deserialize, Serialize};

/// A security feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// Whether a login is needed, and a wrong one refused.
    Authentication,
    /// Whether a user may do only what was granted.
    Authorization,
    /// Whether data are encrypted between client and server, and clear text is refused.
    ClientToNodeEncryption,
    /// The quality of that encryption: versions, cipher suites, certificate.
    TransportEncryption,
    /// Whether data on disk can be read without the server.
    EncryptionAtRest,
    /// Whether security events are written down.
    Auditing,
    /// Whether the management planes (JMX, web pages, administrative commands) ask for a login. The thesis' row is JMX.
    JmxAuthentication,
    /// How long a withdrawn right or password still works. The thesis' row asks whether logins are cached.
    AuthenticationCaching,
    /// Whether one user can act as another without a grant.
    ProxyRoles,
    /// Whether servers encrypt what they send each other.
    NodeToNodeEncryption,
    /// Whether the login that the product ships with works.
    DefaultCredentials,
    /// How passwords are stored.
    PasswordStorage,
    /// Which addresses the server listens on.
    Exposure,
    /// Whether values that look like statements are stored as values.
    Injection,
    /// Whether clients that connect and say nothing keep others out.
    IdleConnections,
    /// Whether the server's version has the fixes of known vulnerabilities.
    KnownVulnerabilities,
}

impl Feature {
    /// Every feature, in the order of every output.
    pub const ALL: [Self; 16] = [
        Self::Authentication,
        Self::Authorization,
        Self::ClientToNodeEncryption,
        Self::TransportEncryption,
        Self::EncryptionAtRest,
        Self::Auditing,
        Self::JmxAuthentication,
        Self::AuthenticationCaching,
        Self::ProxyRoles,
        Self::NodeToNodeEncryption,
        Self::DefaultCredentials,
        Self::PasswordStorage,
        Self::Exposure,
        Self::Injection,
        Self::IdleConnections,
        Self::KnownVulnerabilities,
    ];

    /// The ten of table 5.17.
    #[must_use]
    pub fn of_the_thesis() -> &'static [Self] {
        &Self::ALL[..10]
    }

    /// Its name in files: that of the thesis' row, or of the extension.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Authentication => "authentication",
            Self::Authorization => "authorization",
            Self::ClientToNodeEncryption => "client_to_node_encryption",
            Self::TransportEncryption => "transport_encryption",
            Self::EncryptionAtRest => "encryption_at_rest",
            Self::Auditing => "auditing",
            Self::JmxAuthentication => "jmx_authentication",
            Self::AuthenticationCaching => "authentication_caching",
            Self::ProxyRoles => "proxy_roles",
            Self::NodeToNodeEncryption => "node_to_node_encryption",
            Self::DefaultCredentials => "default_credentials",
            Self::PasswordStorage => "password_storage",
            Self::Exposure => "exposure",
            Self::Injection => "injection",
            Self::IdleConnections => "idle_connections",
            Self::KnownVulnerabilities => "known_vulnerabilities",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Authentication => "Authentication",
            Self::Authorization => "Authorization",
            Self::ClientToNodeEncryption => "Client-to-node encryption",
            Self::TransportEncryption => "Transport encryption (TLS quality)",
            Self::EncryptionAtRest => "Encryption at rest",
            Self::Auditing => "Auditing",
            Self::JmxAuthentication => "Management access (JMX, web, commands)",
            Self::AuthenticationCaching => "Revocation (authentication caching)",
            Self::ProxyRoles => "Proxy roles",
            Self::NodeToNodeEncryption => "Node-to-node encryption",
            Self::DefaultCredentials => "Default credentials",
            Self::PasswordStorage => "Password storage",
            Self::Exposure => "Exposure",
            Self::Injection => "Injection",
            Self::IdleConnections => "Idle connections",
            Self::KnownVulnerabilities => "Known vulnerabilities",
        }
    }

    /// The feature that people mean by these words: its id or the beginning of its title, whatever the case, with blanks or hyphens
    /// between the words.
    #[must_use]
    pub fn meant(words: &str) -> Option<Self> {
        let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
        let words = plain(words);
        let is_meant = |feature: &Self| {
            let title = feature.title().split(" (").next().unwrap_or_default();
            words == feature.id() || words == plain(title)
        };
        Self::ALL.into_iter().find(is_meant)
    }

    /// The feature of that id.
    #[must_use]
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.id() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_id() {
        for feature in Feature::ALL {
            assert_eq!(serde_json::to_value(feature).unwrap(), feature.id());
            assert_eq!(Feature::of_id(feature.id()), Some(feature));
            assert_eq!(Feature::meant(feature.id()), Some(feature));
        }
    }

    #[test]
    fn people_need_not_know_the_id() {
        for (words, feature) in [
            ("encryption at rest", Feature::EncryptionAtRest),
            ("Client-to-node encryption", Feature::ClientToNodeEncryption),
            ("revocation", Feature::AuthenticationCaching),
        ] {
            assert_eq!(Feature::meant(words), Some(feature));
        }
        assert_eq!(Feature::meant("peace of mind"), None);
    }
}
