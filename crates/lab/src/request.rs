//! A request for a server of the lab: `NAME[@VERSION][?option=value&...]`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use dbdyno_owned::foreign;
use dbdyno_vocabulary::secret::{lists_settings, without_secret_words};
use dbdyno_vocabulary::suggest;
use dbdyno_vocabulary::visible::HIDDEN;

use crate::at_rest::{AT_REST_OPTION, AtRestLevel};
use crate::error::{LabError, LabErrorKind};
use crate::recipe_info::{PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, RecipeInfo};

/// The most that is read of a file whose first line is a password, bytes.
const LARGEST_PASSWORD_FILE_BYTES: u64 = 1 << 20;

/// A request, parsed: `cassandra@5.0?nodes=3&replication=3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRequest {
    /// The recipe's name.
    pub name: String,
    /// A version, or the beginning of one; `None`: the recipe's first.
    pub version: Option<String>,
    /// Options of the recipe.
    pub options: BTreeMap<String, String>,
}

impl ServerRequest {
    /// Parses a request.
    ///
    /// # Errors
    /// When there is no name, or an option has no value or is given twice.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        let refuse = |message: String| {
            LabError::new(LabErrorKind::Request, message)
                .help("write e.g. cassandra@5.0?nodes=3&replication=3")
        };
        let (name, query) = text.split_once('?').unwrap_or((text, ""));
        let (name, version) = match name.split_once('@') {
            Some((name, version)) => (name, Some(version.to_owned())),
            None => (name, None),
        };
        if name.is_empty() {
            return Err(refuse("the request names no database".to_owned()));
        }
        let mut options = BTreeMap::new();
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').ok_or_else(|| {
                // Behind a `&` the password may go on.
                if options.contains_key(PASSWORD) {
                    return LabError::new(
                        LabErrorKind::Request,
                        format!("what follows the password of {name} has no value, and is not shown"),
                    )
                    .help("give a password that contains `&` by password_file or password_env");
                }
                refuse(format!("option `{option}` of {name} has no value"))
            })?;
            if options.insert(key.to_owned(), value.to_owned()).is_some() {
                return Err(refuse(format!("option `{key}` of {name} is given twice")));
            }
        }
        Ok(Self {
            name: name.to_owned(),
            version,
            options,
        })
    }

    /// Refuses options, versions and levels of encryption that the recipe does not know.
    ///
    /// # Errors
    /// With the nearest option, or the versions there are.
    pub fn check(&self, info: &RecipeInfo) -> Result<(), LabError> {
        for name in self.options.keys() {
            if info.all_options().any(|known| known.name == name) {
                continue;
            }
            let known: Vec<&str> = info.all_options().map(|known| known.name).collect();
            let near = suggest::after_message(name, known.iter().copied());
            // What resembles no option may be what follows a `&` in the password.
            let message = if self.options.contains_key(PASSWORD) && near.is_empty() {
                format!(
                    "the lab's {} does not understand one of its options, which is not shown because it may belong to the password",
                    info.name
                )
            } else {
                format!("the lab's {} has no option `{name}`{near}", info.name)
            };
            return Err(LabError::new(LabErrorKind::Request, message)
                .help(format!("it understands {}", known.join(", "))));
        }
        if self.at_rest()? == AtRestLevel::Engine && info.encrypts_files.is_none() {
            return Err(LabError::new(
                LabErrorKind::Request,
                format!(
                    "at_rest=engine of {} is not possible: the edition that the lab starts encrypts no files itself",
                    info.name
                ),
            )
            .help("use at_rest=volume, which encrypts the files of every server below it"));
        }
        self.version(info).map(drop)
    }

    /// How the servers' files are to be encrypted.
    ///
    /// # Errors
    /// When there is no level of that name.
    pub fn at_rest(&self) -> Result<AtRestLevel, LabError> {
        let name = self.choice(AT_REST_OPTION.name, &AtRestLevel::ALL.map(AtRestLevel::name))?;
        let level = AtRestLevel::ALL.into_iter().find(|level| level.name() == name);
        Ok(level.unwrap_or(AtRestLevel::Off))
    }

    /// The version to install: the first of the recipe's that begins with what was asked for.
    ///
    /// # Errors
    /// When there is none.
    pub fn version(&self, info: &RecipeInfo) -> Result<&'static str, LabError> {
        let Some(wanted) = &self.version else {
            return Ok(info.versions[0]);
        };
        let begins = |version: &&&str| {
            version
                .strip_prefix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        info.versions.iter().find(begins).copied().ok_or_else(|| {
            LabError::new(
                LabErrorKind::Request,
                format!("the lab does not offer {} {wanted}", info.name),
            )
            .help(format!(
                "it offers {}; for another version, pass its directory: home=DIR",
                info.versions.join(", ")
            ))
        })
    }

    /// The request as recipes take it: the password stands in `password`, wherever it came from.
    ///
    /// # Errors
    /// When it is given in more than one way, or the file or the variable does not hold it.
    pub(crate) fn with_password(&self) -> Result<Self, LabError> {
        let refuse =
            |message: String, help: &str| Err(LabError::new(LabErrorKind::Request, message).help(help));
        let names = [PASSWORD, PASSWORD_FILE_OPTION.name, PASSWORD_ENV_OPTION.name];
        let given: Vec<&str> = names
            .into_iter()
            .filter(|name| self.options.contains_key(*name))
            .collect();
        if given.len() > 1 {
            let message = format!("the password of {} is set in {} ways", self.name, given.len());
            return refuse(message, &format!("keep one of {}", given.join(", ")));
        }
        let password = if let Some(file) = self.option(PASSWORD_FILE_OPTION.name) {
            // It is read at every start, which a pipe is not.
            let text = match foreign::read_text(Path::new(file), LARGEST_PASSWORD_FILE_BYTES) {
                Ok(text) => text,
                Err(error) => {
                    let message = format!("cannot read the `password_file` of {}: {error}", self.name);
                    return refuse(message, "name a file whose first line is the password");
                }
            };
            text.lines().next().unwrap_or_default().to_owned()
        } else if let Some(variable) = self.option(PASSWORD_ENV_OPTION.name) {
            std::env::var(variable).unwrap_or_default()
        } else {
            return Ok(self.clone());
        };
        if password.is_empty() {
            // Its value may be the password itself, given in the wrong place.
            let message = format!("the `{}` of {} contains no password", given[0], self.name);
            return refuse(
                message,
                "write the password into the first line of the file, or set the variable",
            );
        }
        let mut request = self.clone();
        request.options.remove(given[0]);
        request.options.insert(PASSWORD.to_owned(), password);
        Ok(request)
    }

    /// An option's text.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// An option that is a whole number within bounds.
    ///
    /// # Errors
    /// When it is something else.
    pub fn number(
        &self,
        name: &str,
        default: u32,
        bounds: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, LabError> {
        let Some(text) = self.option(name) else {
            return Ok(default);
        };
        text.parse()
            .ok()
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| {
                LabError::new(
                    LabErrorKind::Request,
                    format!("{name}={text} of {} is not valid", self.name),
                )
                .help(format!(
                    "it is a whole number from {} to {}",
                    bounds.start(),
                    bounds.end()
                ))
            })
    }

    /// An option that is one of a few words; the first is the default.
    ///
    /// # Errors
    /// When it is something else.
    pub fn choice(&self, name: &str, words: &[&'static str]) -> Result<&'static str, LabError> {
        let Some(text) = self.option(name) else {
            return Ok(words[0]);
        };
        words.iter().find(|word| **word == text).copied().ok_or_else(|| {
            LabError::new(
                LabErrorKind::Request,
                format!("{name}={text} of {} is not valid", self.name),
            )
            .help(format!("it is one of {}", words.join(", ")))
        })
    }

    /// An option that is an amount of memory in MiB: digits, optionally followed by `M` or `G`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn mebibytes(&self, name: &str, default: u32) -> Result<u32, LabError> {
        let Some(text) = self.option(name) else {
            return Ok(default);
        };
        let (digits, factor) = match (text.strip_suffix(['G', 'g']), text.strip_suffix(['M', 'm'])) {
            (Some(digits), _) => (digits, 1024),
            (None, Some(digits)) => (digits, 1),
            (None, None) => (text, 1),
        };
        let parsed: Option<u32> = digits.parse().ok();
        parsed
            .and_then(|number| number.checked_mul(factor))
            .filter(|number| *number > 0)
            .ok_or_else(|| {
                LabError::new(
                    LabErrorKind::Request,
                    format!("{name}={text} of {} is not an amount of memory", self.name),
                )
                .help(format!("write e.g. {name}=512M or {name}=1G"))
            })
    }
}

/// The option whose value is shown nowhere.
pub(crate) const PASSWORD: &str = "password";

/// The text as a part of an address: signs that mean something there are percent-encoded.
#[must_use]
pub fn address_part(text: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encoded).collect()
}

/// Without passwords, alone or in lists of settings.
impl fmt::Display for ServerRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)?;
        if let Some(version) = &self.version {
            write!(formatter, "@{version}")?;
        }
        for (position, (name, value)) in self.options.iter().enumerate() {
            let value = if name == PASSWORD {
                HIDDEN
            } else if lists_settings(name) {
                &without_secret_words(value)
            } else {
                value
            };
            write!(
                formatter,
                "{}{name}={value}",
                if position == 0 { '?' } else { '&' }
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::recipe_info::{RecipeOption, Software};

    const INFO: RecipeInfo = RecipeInfo {
        name: "store",
        product: "Store",
        summary: "a store",
        versions: &["5.0.9", "4.1.10"],
        options: &[
            RecipeOption::new("nodes", "how many", "1"),
            RecipeOption::new("heap", "memory", ""),
            RecipeOption::new("home", "a directory", ""),
        ],
        software: Software {
            home: "STORE_HOME",
            program: None,
            further: &[],
            fetched: None,
            otherwise: "built by hand",
        },
        durability_by: None,
        encrypts_files: None,
        scans_by_key: None,
        usual_start: Duration::ZERO,
        usual_warmup: Duration::ZERO,
    };

    #[test]
    fn a_request_has_a_version_and_options() {
        let request = ServerRequest::parse("store@4.1?nodes=3&heap=1G").unwrap();
        request.check(&INFO).unwrap();
        assert_eq!(request.version(&INFO).unwrap(), "4.1.10");
        assert_eq!(request.number("nodes", 1, 1..=4).unwrap(), 3);
        assert_eq!(request.mebibytes("heap", 512).unwrap(), 1024);
        assert_eq!(request.to_string(), "store@4.1?heap=1G&nodes=3");
        let secret = ServerRequest::parse("redis?password=hunter2&x=1").unwrap();
        assert_eq!(secret.to_string(), "redis?password=***&x=1");
        let within = "hbase?java_options=-Xint -Dstore.password=hunter2&settings=a:1 b.secret:hunter2";
        let within = ServerRequest::parse(within).unwrap();
        assert_eq!(
            within.to_string(),
            "hbase?java_options=-Xint -Dstore.password=***&settings=a:1 b.secret:***"
        );
        assert_eq!(address_part("a/b:c@d?é"), "a%2Fb%3Ac%40d%3F%C3%A9");
        assert_eq!(
            ServerRequest::parse("store").unwrap().version(&INFO).unwrap(),
            "5.0.9"
        );
    }

    #[test]
    fn a_password_comes_from_one_place() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "hunter2\nmore\n").unwrap();
        let password = |options: &str| {
            let request = ServerRequest::parse(&format!("redis{options}"))
                .unwrap()
                .with_password()?;
            Ok(request.option("password").map(str::to_owned))
        };
        let from_file = format!("?password_file={}", file.path().display());
        assert_eq!(password(&from_file).unwrap(), Some("hunter2".to_owned()));
        let path = std::env::var("PATH").unwrap();
        assert_eq!(password("?password_env=PATH").unwrap(), Some(path));
        assert_eq!(password("?password=x").unwrap(), Some("x".to_owned()));
        assert_eq!(password("").unwrap(), None);
        std::fs::write(file.path(), "\n").unwrap();
        for (options, expected) in [
            (from_file.as_str(), "contains no password"),
            ("?password_env=DBDYNO_NO_SUCH", "contains no password"),
            ("?password_file=/no/such", "cannot read"),
            ("?password_file=/dev/zero", "not a regular file"),
            ("?password=x&password_env=PATH", "2 ways"),
        ] {
            let error: LabError = password(options).unwrap_err();
            assert!(error.message.contains(expected), "{options}: {error}");
            assert!(!error.help.is_empty());
        }
    }

    #[test]
    fn what_may_belong_to_a_password_is_not_shown() {
        let cut = ServerRequest::parse("redis?password=a&hunter2").unwrap_err();
        let options = const { &[RecipeOption::new("password", "the password", "")] };
        let info = RecipeInfo { options, ..INFO };
        let unknown = ServerRequest::parse("redis?password=a&hunt=er2").unwrap();
        let unknown = unknown.check(&info).unwrap_err();
        for (error, secret) in [(cut, "hunter2"), (unknown, "hunt")] {
            assert!(!error.to_string().contains(secret), "{error}");
            assert!(error.message.contains("not shown"), "{error}");
        }
    }

    #[test]
    fn only_engines_that_encrypt_are_asked_to() {
        let options = &[AT_REST_OPTION];
        let without = RecipeInfo { options, ..INFO };
        let with = RecipeInfo {
            encrypts_files: Some("the log"),
            scans_by_key: None,
            ..without
        };
        let asked = |level: &str| ServerRequest::parse(&format!("store?at_rest={level}")).unwrap();
        for level in AtRestLevel::ALL {
            let request = asked(level.name());
            assert_eq!(request.at_rest().unwrap(), level);
            request.check(&with).unwrap();
            assert_eq!(request.check(&without).is_err(), level == AtRestLevel::Engine);
        }
        let silent = ServerRequest::parse("store").unwrap();
        assert_eq!(silent.at_rest().unwrap(), AtRestLevel::Off);
        for (level, expected) in [("engine", "encrypts no files"), ("disk", "is not valid")] {
            let error = asked(level).check(&without).unwrap_err();
            assert!(error.message.contains(expected), "{error}");
            assert!(error.help.contains("volume"), "{}", error.help);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let checked = |text: &str| {
            let request = ServerRequest::parse(text)?;
            request.check(&INFO)?;
            request.number("nodes", 1, 1..=4)?;
            request.mebibytes("heap", 1).map(drop)
        };
        for (text, expected) in [
            ("", "no database"),
            ("store?nodes", "no value"),
            ("store?nodes=1&nodes=2", "twice"),
            ("store?noeds=3", "did you mean `nodes`"),
            ("store@5.00", "not offer store 5.00"),
            ("store@3", "not offer store 3"),
            ("store?nodes=9", "nodes=9"),
            ("store?heap=much", "heap=much"),
        ] {
            let error = checked(text).unwrap_err();
            assert!(error.message.contains(expected), "{text}: {error}");
            assert!(!error.help.is_empty());
        }
    }
}
