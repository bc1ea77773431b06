//! How a system is addressed on the command line and in study files.

use std::collections::BTreeMap;
use std::fmt;

use dbdyno_vocabulary::secret::names_secret;

use crate::{Consistency, Durability, secrets};

/// A system's address, parsed: `scheme[:place][?option=value&...]`, e.g. `redb:/tmp/data.redb?durability=synced`,
/// `fjall`, `postgres://user:secret@host/db?durability=synced`.
///
/// `Debug` and `Display` never show a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// What stands before the first `:`, e.g. `redb`.
    pub scheme: String,
    /// What stands between the scheme and `?`, without a leading `:`; empty for "a temporary one".
    /// For URLs it keeps its `//user:secret@host:port/path`.
    pub place: String,
    /// The level asked for; `None` means the driver's default.
    pub durability: Option<Durability>,
    /// The level asked for; `None` means the driver's default.
    pub consistency: Option<Consistency>,
    /// The other options, for the driver to check against [`DriverInfo::options`](crate::DriverInfo::options).
    pub options: BTreeMap<String, String>,
}

/// Why an address was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Nothing before the `:`.
    #[error("the system address is empty; write e.g. `redb`, `fjall:DIR` or `sqlite:FILE?durability=synced`")]
    Empty,
    /// An option without `=`.
    #[error(
        "option `{option}` of system `{system}` has no value; options are written `name=value`, joined by `&`"
    )]
    OptionWithoutValue {
        /// The scheme.
        system: String,
        /// What was written.
        option: String,
    },
    /// Something without `=` behind an option that holds a secret.
    #[error(
        "what follows option `{option}` of system `{system}` has no value, and is not shown because it may belong to the secret; \
         give a password that contains `&` by `password_file` or `password_env`"
    )]
    AfterSecret {
        /// The scheme.
        system: String,
        /// The option that holds the secret.
        option: String,
    },
    /// A login with signs in it that mean something in an address.
    #[error(
        "the login in the address of `{system}` cannot be told from the rest: in user and password write `/` as %2F, `?` as %3F, `@` as %40, `:` as %3A and `%` as %25, \
         or give the password by the option `password_file` or `password_env`"
    )]
    Login {
        /// The scheme.
        system: String,
    },
    /// An option given twice.
    #[error("option `{option}` of system `{system}` is set twice")]
    OptionTwice {
        /// The scheme.
        system: String,
        /// The option's name.
        option: String,
    },
    /// A level of durability or consistency that does not exist.
    #[error("system `{system}`: {reason}")]
    Level {
        /// The scheme.
        system: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Target {
    /// Parses an address.
    ///
    /// # Errors
    /// See [`TargetError`]. Whether a driver answers to the scheme is the registry's question.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let (scheme, place) = address.split_once(':').unwrap_or((address, ""));
        if scheme.is_empty() {
            return Err(TargetError::Empty);
        }
        check_login(scheme, place, query)?;
        let system = || scheme.to_owned();
        let (mut durability, mut consistency) = (None, None);
        let mut options = BTreeMap::new();
        let mut secret: Option<&str> = None;
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').ok_or_else(|| match secret {
                Some(secret) => TargetError::AfterSecret {
                    system: system(),
                    option: secret.to_owned(),
                },
                None => TargetError::OptionWithoutValue {
                    system: system(),
                    option: option.to_owned(),
                },
            })?;
            if names_secret(name) {
                secret = Some(name);
            }
            let unknown_level = |reason| TargetError::Level {
                system: system(),
                reason,
            };
            let given_twice = match name {
                "durability" => durability
                    .replace(value.parse().map_err(unknown_level)?)
                    .is_some(),
                "consistency" => consistency
                    .replace(value.parse().map_err(unknown_level)?)
                    .is_some(),
                _ => options.insert(name.to_owned(), value.to_owned()).is_some(),
            };
            if given_twice {
                return Err(TargetError::OptionTwice {
                    system: system(),
                    option: name.to_owned(),
                });
            }
        }
        Ok(Self {
            scheme: scheme.to_owned(),
            place: place.to_owned(),
            durability,
            consistency,
            options,
        })
    }
}

impl Target {
    /// Whether it holds a secret itself, and does not only say in which variable or file one is.
    #[must_use]
    pub fn holds_secret(&self) -> bool {
        let option = |(name, value): (&String, &String)| {
            !secrets::names_place(name) && secrets::shown(name, value) != *value
        };
        secrets::place(&self.place) != self.place || self.options.iter().any(option)
    }

    /// Whether a mask stands where its secret was: such an address comes from a record, and nobody can log in with it.
    #[must_use]
    pub fn lacks_secret(&self) -> bool {
        let is_masked = |text: &String| text.contains(secrets::HIDDEN);
        (self.place.starts_with("//") && is_masked(&self.place)) || self.options.values().any(is_masked)
    }
}

/// Refuses an address whose login nobody can tell from the rest. The message quotes none of it: any part may be the password.
fn check_login(scheme: &str, place: &str, query: &str) -> Result<(), TargetError> {
    let Some(rest) = place.strip_prefix("//") else {
        return Ok(());
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    if authority.contains('@') {
        return Ok(());
    }
    let hosts = || authority.split(',');
    let is_port = |text: &str| text.bytes().all(|letter| letter.is_ascii_digit());
    let ends_in_port =
        |host: &str| host.starts_with('[') || host.rsplit_once(':').is_none_or(|(_, port)| is_port(port));
    let is_option = |option: &str| option.is_empty() || option.contains('=');
    let cut = path.contains('@')
        || (query.contains('@') && !(hosts().all(ends_in_port) && query.split('&').all(is_option)));
    if cut {
        return Err(TargetError::Login {
            system: scheme.to_owned(),
        });
    }
    Ok(())
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.scheme)?;
        if !self.place.is_empty() {
            write!(formatter, ":{}", secrets::place(&self.place))?;
        }
        let durability = self
            .durability
            .map(|level| ("durability", level.name().to_owned()));
        let consistency = self
            .consistency
            .map(|level| ("consistency", level.name().to_owned()));
        let options = self
            .options
            .iter()
            .map(|(name, value)| (name.as_str(), secrets::shown(name, value)));
        for (position, (name, value)) in durability
            .into_iter()
            .chain(consistency)
            .chain(options)
            .enumerate()
        {
            write!(
                formatter,
                "{}{name}={value}",
                if position == 0 { '?' } else { '&' }
            )?;
        }
        Ok(())
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Target({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_distinguished() {
        let target = Target::parse("redb:/tmp/a.redb?durability=synced&cache=64M").unwrap();
        assert_eq!(target.scheme, "redb");
        assert_eq!(target.place, "/tmp/a.redb");
        assert_eq!(target.durability, Some(Durability::Synced));
        assert_eq!(target.options["cache"], "64M");
        assert_eq!(Target::parse("null").unwrap().place, "");
    }

    #[test]
    fn a_password_is_never_shown() {
        let target = Target::parse("postgres://me:hunter2@db:5432/test?sslpassword=hunter2").unwrap();
        for shown in [format!("{target}"), format!("{target:?}")] {
            assert!(!shown.contains("hunter2"), "{shown}");
            assert!(shown.contains("postgres://me:***@db:5432/test"), "{shown}");
        }
        for (option, expected) in [
            ("p.db.passwd=hunter2", "p.db.passwd=***"),
            (
                "p.url=mongodb://me:hunter2@h/d?w=1",
                "p.url=mongodb://me:***@h/d?w=1",
            ),
            (
                "p.url=jdbc:mysql://h/d?password=hunter2",
                "p.url=jdbc:mysql://h/d?***",
            ),
        ] {
            let shown = Target::parse(&format!("ycsb:a.B?{option}")).unwrap().to_string();
            assert_eq!(shown, format!("ycsb:a.B?{expected}"));
        }
    }

    #[test]
    fn an_address_whose_login_is_ambiguous_is_refused_without_a_word_of_it() {
        for address in [
            "redis://me:hun/ter2@h",
            "redis://me:hun?ter2@h",
            "redis://me:12?ter2@h",
            "redis://me:hun?ter=2@h",
            "postgres://me:12/ter2@h/db",
        ] {
            let error = Target::parse(address).unwrap_err();
            assert!(matches!(error, TargetError::Login { .. }), "{address}: {error}");
            assert!(
                !error.to_string().contains("ter2") && error.to_string().contains("%2F"),
                "{error}"
            );
        }
        for address in [
            "redis://me:hun%2Fter2@h:1/0?x=a@b",
            "redis://h:6379,i:6380/0?x=a@b",
            "redis://[::1]:6379?x=a@b",
        ] {
            Target::parse(address).unwrap();
        }
    }

    #[test]
    fn what_follows_a_secret_is_not_shown() {
        for address in [
            "redis://h?password=a&hunter2",
            "lab:redis?x=1&password=a&hunter2&y=1",
        ] {
            let error = Target::parse(address).unwrap_err().to_string();
            assert!(
                !error.contains("hunter2") && error.contains("`password_file`"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_address_that_names_the_place_of_its_password_holds_none() {
        for (address, holds, lacks) in [
            ("redis://me:hunter2@h", true, false),
            ("redis://me:***@h", false, true),
            ("redis://me@h?password_env=PW", false, false),
            ("redis://me@h?password_env=pw", false, false),
            ("redis://me@h?password_file=/run/pw", false, false),
            ("redis://me@h?password_env=***", false, true),
            ("ycsb:a.B?p.db.passwd=hunter2", true, false),
            ("redb:/data/***", false, false),
        ] {
            let target = Target::parse(address).unwrap();
            assert_eq!(
                (target.holds_secret(), target.lacks_secret()),
                (holds, lacks),
                "{address}"
            );
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(Target::parse(""), Err(TargetError::Empty));
        assert!(
            Target::parse("redb?cache")
                .unwrap_err()
                .to_string()
                .contains("`cache`")
        );
        assert!(
            Target::parse("redb?durability=hard")
                .unwrap_err()
                .to_string()
                .contains("synced")
        );
        assert!(
            Target::parse("cassandra://h?consistency=most")
                .unwrap_err()
                .to_string()
                .contains("quorum")
        );
        assert!(
            Target::parse("redb?durability=none&durability=none")
                .unwrap_err()
                .to_string()
                .contains("twice")
        );
    }
}
