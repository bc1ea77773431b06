//! What a server lies about.

use dbdyno_database_sick::INFO;
use dbdyno_driver::{DbError, ErrorClass, Target, options};

/// A lie of the server about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lie {
    /// Its settings say TLS, and it speaks clear text.
    Tls,
    /// It speaks TLS, and clear text to those who do not ask for TLS.
    TlsOptional,
    /// It asks for a password, and accepts any.
    AnyPassword,
    /// It refuses unauthenticated clients the usual first command, and serves them the others.
    Strangers,
    /// It says that it has withdrawn a right, a password or a user, and goes on serving.
    Revoke,
    /// It says that it is of a version with a known vulnerability.
    OldVersion,
}

impl Lie {
    /// Every lie, with its name in an address.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Tls, "tls"),
        (Self::TlsOptional, "tls_optional"),
        (Self::AnyPassword, "any_password"),
        (Self::Strangers, "strangers"),
        (Self::Revoke, "revoke"),
        (Self::OldVersion, "old_version"),
    ];

    /// The lie that an address asks for; `None` for a healthy server.
    ///
    /// # Errors
    /// `Rejected`, when there is no such lie, or the address plants a defect that no audit sees.
    pub(crate) fn read(target: &Target) -> Result<Option<Self>, DbError> {
        options::check(&INFO, target)?;
        if let Some(other) = target.options.keys().find(|name| *name != "lie") {
            return Err(DbError::new(
                ErrorClass::Rejected,
                format!("an audit of `sick` does not examine `{other}`; write e.g. `sick?lie=any_password`"),
            ));
        }
        let healthy = "none";
        let names: Vec<&str> = Self::ALL.iter().map(|(_, name)| *name).chain([healthy]).collect();
        let name = options::choice(&INFO, target, "lie", &names, healthy)?;
        Ok(Self::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(lie, _)| *lie))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_one_lie_or_none() {
        let read = |text: &str| Lie::read(&Target::parse(text).unwrap());
        assert_eq!(read("sick").unwrap(), None);
        assert_eq!(read("sick?lie=revoke").unwrap(), Some(Lie::Revoke));
        for (text, hint) in [
            ("sick?lie=tsl", "tls"),
            ("sick?delay=1ms", "lie="),
            ("sick?lei=tls", "lie"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.message.contains(hint), "{error}");
        }
    }
}
