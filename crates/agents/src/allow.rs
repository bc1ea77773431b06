//! Which databases an agent may send load to.

use std::net::{IpAddr, ToSocketAddrs};
use std::str::FromStr;

use dbdyno_driver::remote::Remote;
use dbdyno_driver::{DriverInfo, Target, secrets};

use crate::error::AgentsError;

/// The targets that an agent serves: all servers, unless some are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed(Vec<Rule>);

/// One `--allow`: a network or a host, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Network { address: IpAddr, prefix: u32 },
    Name(String),
}

/// The scheme of drivers that load code.
const FOREIGN_CODE: &str = "ycsb";

impl Allowed {
    /// These only.
    ///
    /// # Errors
    /// When one of them is none.
    pub fn of(texts: &[String]) -> Result<Self, AgentsError> {
        texts
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether this agent sends load to a target.
    ///
    /// # Errors
    /// When it does not, with the reason.
    pub(crate) fn check(&self, target: &Target, info: &DriverInfo) -> Result<(), String> {
        served_by_any(target, info)?;
        if !info.remote {
            return Ok(());
        }
        let of_agent = |name: &String| secrets::names_place(name) || name.starts_with("tls_");
        if self.0.is_empty()
            && let Some(option) = target.options.keys().find(|name| of_agent(name))
        {
            return Err(format!(
                "`{option}` names something of the agent's own, which it gives only to databases that its `--allow` names"
            ));
        }
        if self.0.is_empty() {
            return Ok(());
        }
        // Without options: their files are not to be read for a target that is refused.
        let bare = Target {
            options: std::collections::BTreeMap::new(),
            ..target.clone()
        };
        let remote = Remote::read(info, &bare).map_err(|error| error.message)?;
        for host in &remote.hosts {
            if !self.allows(&host.host, host.port)? {
                return Err(format!("its `--allow` does not name {host}"));
            }
        }
        Ok(())
    }

    fn allows(&self, host: &str, port: u16) -> Result<bool, String> {
        let at_port = |rule: &&Rule| rule.port.is_none_or(|own| own == port);
        let rules: Vec<&Rule> = self.0.iter().filter(at_port).collect();
        if rules.iter().any(|rule| rule.host == Host::Name(host.to_owned())) {
            return Ok(true);
        }
        let found = (host, port)
            .to_socket_addrs()
            .map_err(|error| format!("it cannot look up {host}: {error}"))?;
        let addresses: Vec<IpAddr> = found.map(|address| address.ip().to_canonical()).collect();
        let is_named = |address: &IpAddr| rules.iter().any(|rule| rule.host.holds(*address));
        Ok(!addresses.is_empty() && addresses.iter().all(is_named))
    }
}

/// Whether there can be an agent that sends load to a target. A system of the lab is a server, so there can.
///
/// # Errors
/// When there cannot, with the reason.
pub fn check_target(target: &Target) -> Result<(), AgentsError> {
    let found = dbdyno_registry::find(&target.scheme).ok();
    found.map_or(Ok(()), |info| {
        served_by_any(target, info)
            .map_err(|reason| AgentsError::request(reason).help("omit --agents, or name a database server"))
    })
}

fn served_by_any(target: &Target, info: &DriverInfo) -> Result<(), String> {
    if target.scheme == FOREIGN_CODE {
        return Err("agents run no code of others, so they do not serve `ycsb`".to_owned());
    }
    if !info.remote && info.capabilities.stores_records {
        return Err(format!(
            "{} is a store inside the process that uses it: other machines cannot send it load",
            info.name
        ));
    }
    Ok(())
}

impl Host {
    fn holds(&self, address: IpAddr) -> bool {
        match self {
            Self::Name(_) => false,
            Self::Network { address: own, prefix } => match (own, address) {
                (IpAddr::V4(own), IpAddr::V4(other)) => {
                    let shift = 32 - prefix;
                    shift == 32 || own.to_bits() >> shift == other.to_bits() >> shift
                }
                (IpAddr::V6(own), IpAddr::V6(other)) => {
                    let shift = 128 - prefix;
                    shift == 128 || own.to_bits() >> shift == other.to_bits() >> shift
                }
                _ => false,
            },
        }
    }
}

impl FromStr for Rule {
    type Err = AgentsError;

    fn from_str(text: &str) -> Result<Self, AgentsError> {
        let wrong = || {
            AgentsError::request(format!("`{text}` is no target of load"))
                .help("write a network, an address or a name, with a port or without: `10.0.0.0/8:9042`, `[fd00::]/8`, `db.example:6379`")
        };
        let (host, port) = match text.rsplit_once(':') {
            // An IPv6 address without a port ends in its bracket or in its prefix.
            Some((host, port)) if !port.contains(']') => (host, Some(port.parse().map_err(|_| wrong())?)),
            _ => (text, None),
        };
        let (name, prefix) = match host.split_once('/') {
            Some((name, prefix)) => (name, Some(prefix.parse::<u32>().map_err(|_| wrong())?)),
            None => (host, None),
        };
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let host = match (bare.parse::<IpAddr>(), prefix) {
            (Ok(address), prefix) => {
                let longest = if address.is_ipv4() { 32 } else { 128 };
                let prefix = prefix.unwrap_or(longest);
                if prefix > longest {
                    return Err(wrong());
                }
                Host::Network { address, prefix }
            }
            (Err(_), None) if !bare.is_empty() && !bare.contains(':') => Host::Name(bare.to_owned()),
            _ => return Err(wrong()),
        };
        Ok(Self { host, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &[&str], target: &str) -> Result<(), String> {
        let rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
        let target = Target::parse(target).unwrap();
        let info = dbdyno_registry::find(&target.scheme).unwrap();
        Allowed::of(&rules).unwrap().check(&target, info)
    }

    #[test]
    fn targets_are_those_that_are_named() {
        for (rules, target, is_allowed) in [
            (vec![], "redis://10.1.2.3", true),
            (vec!["10.0.0.0/8:6379"], "redis://10.1.2.3", true),
            (vec!["10.0.0.0/8:6379"], "redis://10.1.2.3:6380", false),
            (vec!["10.0.0.0/8:6379"], "redis://11.1.2.3", false),
            (vec!["10.0.0.0/8"], "redis://10.1.2.3:6380,11.0.0.1:6380", false),
            (
                vec!["10.0.0.0/8", "11.0.0.1"],
                "redis://10.1.2.3:6380,11.0.0.1:6380",
                true,
            ),
            (vec!["0.0.0.0/0"], "redis://192.0.2.1", true),
            (vec!["[fd00::]/8:6379"], "redis://[fd12::1]:6379", true),
            (vec!["[fd00::]/8"], "redis://[fe80::1]:6379", false),
            (vec!["db.example:6379"], "redis://db.example", true),
        ] {
            let answer = check(&rules, target);
            assert_eq!(answer.is_ok(), is_allowed, "{rules:?}, {target}: {answer:?}");
        }
    }

    #[test]
    fn stores_inside_a_process_have_no_agents() {
        assert!(
            check(&[], "redb:/tmp/x")
                .unwrap_err()
                .contains("inside the process")
        );
        assert_eq!(check(&[], "null"), Ok(()));
        assert_eq!(check(&["10.0.0.0/8"], "null"), Ok(()));
    }

    #[test]
    fn an_agents_own_secrets_go_to_named_targets_only() {
        let target = "redis://10.1.2.3?user=me&password_env=APP_PASSWORD";
        assert!(check(&[], target).unwrap_err().contains("`password_env`"));
        assert_eq!(check(&["10.1.2.3"], target), Ok(()));
        assert!(check(&["10.1.2.4"], target).is_err());
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for text in ["", "10.0.0.0/33", "10.0.0.0/x", "host:port", "[::1]/129", "a/8"] {
            let error = Allowed::of(&[text.to_owned()]).unwrap_err();
            assert!(error.message.contains("no target"), "{text}: {error}");
        }
    }
}
