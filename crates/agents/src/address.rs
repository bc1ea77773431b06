//! Where the NATS server is, and which of its agents are wanted: `nats://HOST[:PORT][?option=value&...][,min=4][,where=zone=a]`, or
//! `local:4`.

use std::collections::BTreeMap;
use std::str::FromStr;

use dbdyno_driver::remote::Remote;
use dbdyno_driver::{Capabilities, DriverInfo, Execution, ScanOrder, Target, Values, options, secrets};

use crate::error::AgentsError;

/// What an address of a NATS server may say: the same as one of a database.
pub(crate) const NATS: DriverInfo = DriverInfo {
    name: "nats",
    summary: "NATS",
    schemes: &["nats"],
    example: "nats://HOST:4222",
    options: &[("credentials_file", "file of NATS credentials (.creds)")],
    remote: true,
    default_port: Some(4222),
    execution: Execution::Async,
    capabilities: Capabilities {
        scan: ScanOrder::Other,
        persistent: false,
        stores_records: false,
        durabilities: &[],
        consistencies: &[],
        values: Values::Bytes,
    },
};

/// The most agents of one command: more were never tried.
const MOST_AGENTS: u32 = 10_000;

/// Labels of an agent, and their values.
pub type Labels = BTreeMap<String, String>;

/// A NATS server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentsAddress {
    pub(crate) target: Target,
}

/// The agents that a command is to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentsWanted {
    /// So many on this machine, which are started, with a NATS server of their own.
    Local(u32),
    /// Those of a server.
    Of {
        /// The server.
        server: AgentsAddress,
        /// It takes so many at least.
        min: u32,
        /// Labels that they have.
        labels: Labels,
    },
}

impl AgentsAddress {
    /// Its hosts and how to log in. Files and variables that hold secrets are read here.
    pub(crate) fn read(&self) -> Result<Remote, AgentsError> {
        let read = options::check(&NATS, &self.target).and_then(|()| Remote::read(&NATS, &self.target));
        read.map_err(|error| AgentsError::request(error.message))
    }

    fn has_password_option(&self) -> bool {
        let options = &self.target.options;
        ["password_env", "password_file"]
            .iter()
            .any(|name| options.contains_key(*name))
    }

    /// The file of credentials, where one is named.
    pub(crate) fn credentials_file(&self) -> Option<&str> {
        self.target.options.get("credentials_file").map(String::as_str)
    }
}

impl std::fmt::Display for AgentsAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = self.target.clone();
        // What stands alone before the `@` is a token.
        if let Some((login, hosts)) = self.target.place.trim_start_matches('/').rsplit_once('@')
            && !login.contains(':')
            && !self.has_password_option()
        {
            shown.place = format!("//{}@{hosts}", secrets::HIDDEN);
        }
        write!(formatter, "{shown}")
    }
}

impl FromStr for AgentsAddress {
    type Err = AgentsError;

    fn from_str(text: &str) -> Result<Self, AgentsError> {
        let target = Target::parse(text).map_err(|error| AgentsError::request(error.to_string()))?;
        if !NATS.schemes.contains(&target.scheme.as_str()) {
            return Err(AgentsError::request(format!(
                "agents meet at a NATS server, and `{}` is none",
                target.scheme
            ))
            .help(format!("write e.g. `{}`", NATS.example)));
        }
        let address = Self { target };
        // Its options are looked at now, and read when they are needed: files may not be there yet.
        options::check(&NATS, &address.target).map_err(|error| AgentsError::request(error.message))?;
        if !address.target.place.starts_with("//") {
            return Err(AgentsError::request("the NATS server has no host")
                .help(format!("write e.g. `{}`", NATS.example)));
        }
        Ok(address)
    }
}

/// As it is written, without secrets.
impl std::fmt::Display for AgentsWanted {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Local(count) => write!(formatter, "local:{count}"),
            Self::Of { server, min, labels } => {
                write!(formatter, "{server}")?;
                if *min > 1 {
                    write!(formatter, ",min={min}")?;
                }
                let mut labels = labels.iter();
                labels.try_for_each(|(name, value)| write!(formatter, ",where={name}={value}"))
            }
        }
    }
}

impl FromStr for AgentsWanted {
    type Err = AgentsError;

    fn from_str(text: &str) -> Result<Self, AgentsError> {
        if let Some(count) = text.strip_prefix("local:") {
            if let Some((count, more)) = count.split_once(',') {
                return Err(AgentsError::request(format!(
                    "`local:{count}` starts its own agents, so `{more}` does not apply"
                ))
                .help(format!("write local:{count}")));
            }
            return Ok(Self::Local(number("local:", count)?));
        }
        // Hosts of a cluster are separated by commas, too.
        let (mut min, mut labels, mut server) = (1, Labels::new(), String::new());
        for part in text.split(',').map(str::trim) {
            if let Some(count) = part.strip_prefix("min=") {
                min = number("min=", count)?;
            } else if let Some(label) = part.strip_prefix("where=") {
                let (name, value) = label_of(label)?;
                labels.insert(name, value);
            } else if let Some((name, _)) = part
                .split_once('=')
                .filter(|_| !server.is_empty() && !part.contains('?'))
            {
                return Err(
                    AgentsError::request(format!("agents are not chosen by `{name}=`"))
                        .help("write `min=4` for a number of them, or `where=zone=a` for a label"),
                );
            } else {
                if !server.is_empty() {
                    server.push(',');
                }
                server.push_str(part);
            }
        }
        Ok(Self::Of {
            server: server.parse()?,
            min,
            labels,
        })
    }
}

fn number(what: &str, text: &str) -> Result<u32, AgentsError> {
    match text.parse() {
        Ok(count) if (1..=MOST_AGENTS).contains(&count) => Ok(count),
        _ => Err(AgentsError::request(format!(
            "`{what}{text}`: the number of agents is 1 to {MOST_AGENTS}"
        ))),
    }
}

/// A label as it is written: `zone=a`.
///
/// # Errors
/// Without a name or a value.
pub fn label_of(text: &str) -> Result<(String, String), AgentsError> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(AgentsError::request(format!(
            "`{text}` is not a label; write e.g. `zone=a`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &str) -> AgentsWanted {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_wanted_is_shown_as_it_is_written_without_secrets() {
        for text in [
            "local:4",
            "nats://one:4222,two?tls=on,min=4,where=disk=ssd,where=zone=a",
            "nats://one",
        ] {
            assert_eq!(wanted(text).to_string(), text);
        }
        let shown = wanted("nats://sekrettok@one,min=2").to_string();
        assert_eq!(shown, "nats://***@one,min=2");
    }

    #[test]
    fn an_address_says_how_many_of_which() {
        assert_eq!(wanted("local:4"), AgentsWanted::Local(4));
        let AgentsWanted::Of { server, min, labels } =
            wanted("nats://one:4222,two?tls=on&user=me,min=4,where=zone=a,where=disk=ssd")
        else {
            panic!("it is a server");
        };
        assert_eq!(min, 4);
        assert_eq!(labels.len(), 2);
        assert_eq!(labels["zone"], "a");
        let remote = server.read().unwrap();
        assert_eq!(remote.hosts_text(), "one:4222,two:4222");
        assert!(remote.tls.is_some());
    }

    #[test]
    fn passwords_are_not_shown() {
        let AgentsWanted::Of { server, .. } = wanted("nats://me:hunter2@host,min=2") else {
            panic!("it is a server");
        };
        assert!(!server.to_string().contains("hunter2"), "{server}");
        assert!(!format!("{server:?}").contains("hunter2"));
        let AgentsWanted::Of { server, .. } = wanted("nats://sekrettok@host:4222, min=2") else {
            panic!("it is a server");
        };
        assert_eq!(server.to_string(), "nats://***@host:4222");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("local:0", "1 to 10000"),
            ("local:2,min=1", "`min=1` does not apply"),
            ("local:x", "1 to 10000"),
            ("nats://host,min=0", "`min=0`"),
            ("nats://host,where=zone", "is not a label"),
            ("nats://host,mim=9", "not chosen by `mim=`"),
            ("redis://host", "`redis` is none"),
            ("nats", "no host"),
            ("nats://host?colour=red", "colour"),
        ] {
            let error = text.parse::<AgentsWanted>().unwrap_err();
            assert!(error.message.contains(expected), "{text}: {error}");
        }
    }
}
