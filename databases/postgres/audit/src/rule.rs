//! The lines of `pg_hba.conf`: what holds for users, databases and addresses that the audit cannot be.

use std::net::IpAddr;

use dbdyno_audit::shortened;

const SEPARATOR: char = '\u{1f}';

/// Kinds of connections.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Socket,
    ClearText,
    Tls,
    Kerberos,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    kind: String,
    databases: Vec<String>,
    users: Vec<String>,
    address: String,
    mask: String,
    method: String,
    options: Vec<String>,
}

impl Rule {
    /// Reads a row of the view; `None` when it is no line that the server can read.
    pub fn read(row: &[Option<String>]) -> Option<Self> {
        let [kind, databases, users, address, mask, method, options, error] = row else {
            return None;
        };
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let list = |value: &Option<String>| {
            text(value)
                .split(SEPARATOR)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let rule = Self {
            kind: text(kind),
            databases: list(databases),
            users: list(users),
            address: text(address),
            mask: text(mask),
            method: text(method),
            options: list(options),
        };
        // A server that meets a line it cannot read goes on with the lines it had before.
        (text(error).is_empty() && !rule.ways().is_empty()).then_some(rule)
    }

    /// The line without its options.
    pub fn shown(&self) -> String {
        let words = [
            self.kind.as_str(),
            &self.databases.join(","),
            &self.users.join(","),
            &self.address,
            &self.method,
        ];
        shortened(&words.join(" "))
    }

    pub fn is_for_this_machine_only(&self) -> bool {
        self.kind == "local"
    }

    fn ways(&self) -> &'static [Way] {
        match self.kind.as_str() {
            "local" => &[Way::Socket],
            "host" => &[Way::ClearText, Way::Tls, Way::Kerberos],
            "hostssl" => &[Way::Tls],
            "hostnossl" => &[Way::ClearText, Way::Kerberos],
            "hostgssenc" => &[Way::Kerberos],
            "hostnogssenc" => &[Way::ClearText, Way::Tls],
            _ => &[],
        }
    }

    /// Whether it admits any client. `ident` believes what the other machine says.
    fn trusts(&self) -> bool {
        match self.method.as_str() {
            "trust" => !self
                .options
                .iter()
                .any(|option| option == "clientcert=verify-full"),
            "ident" => self.kind != "local",
            _ => false,
        }
    }

    /// Whether no network limits it. `all` is the word for both versions of addresses.
    fn is_for_any_address(&self) -> bool {
        self.address == "all"
            || network(&self.address, &self.mask).is_some_and(|(_, address, mask)| address == 0 && mask == 0)
    }

    fn asks_for_clear_text(&self) -> bool {
        ["password", "ldap", "pam", "radius", "bsd"].contains(&self.method.as_str())
    }

    /// Whether this line matches every client that the other line matches, so that the other never applies. Both must be for the
    /// same kind of connection.
    fn comes_before(&self, other: &Self) -> bool {
        let has = |all: &[String], word: &str| all.iter().any(|one| one == word);
        let databases = other.databases.iter().all(|name| {
            // The word for all databases is not for streams to replicas.
            has(&self.databases, name) || (has(&self.databases, "all") && name != "replication")
        });
        let users = has(&self.users, "all") || other.users.iter().all(|name| has(&self.users, name));
        databases && users && self.has_addresses_of(other)
    }

    fn has_addresses_of(&self, other: &Self) -> bool {
        if self.address == "all" || (&self.address, &self.mask) == (&other.address, &other.mask) {
            return true;
        }
        match (
            network(&self.address, &self.mask),
            network(&other.address, &other.mask),
        ) {
            (Some((is_long, address, mask)), Some((other_is_long, other_address, other_mask))) => {
                is_long == other_is_long
                    && mask & other_mask == mask
                    && address & mask == other_address & mask
            }
            _ => false,
        }
    }
}

/// Whether the address is one of version 6, its bits, and those of its mask.
fn network(address: &str, mask: &str) -> Option<(bool, u128, u128)> {
    let bits = |text: &str| match text.parse::<IpAddr>().ok()? {
        IpAddr::V4(address) => Some((false, u128::from(address.to_bits()))),
        IpAddr::V6(address) => Some((true, address.to_bits())),
    };
    let ((is_long, address), (_, mask)) = (bits(address)?, bits(mask)?);
    Some((is_long, address, mask))
}

/// The lines that weaken a protection for some clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// They admit any client.
    pub trusting: Vec<Rule>,
    /// They admit clients without TLS.
    pub in_clear_text: Vec<Rule>,
    /// They ask for the password itself, without TLS.
    pub passwords_in_clear_text: Vec<Rule>,
    /// They let clients from any address try to log in.
    pub from_anywhere: Vec<Rule>,
}

impl Rules {
    /// The first line that fits is the one that counts.
    pub fn judge(rules: &[Rule]) -> Self {
        let mut found = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            let earlier = &rules[..number];
            let counts = |way: &Way| {
                !earlier
                    .iter()
                    .any(|one| one.ways().contains(way) && one.comes_before(rule))
            };
            if rule.trusts() && rule.ways().iter().any(counts) {
                found.trusting.push(rule.clone());
            }
            if rule.is_for_any_address() && rule.method != "reject" && rule.ways().iter().any(counts) {
                found.from_anywhere.push(rule.clone());
            }
            let is_clear = rule.ways().contains(&Way::ClearText) && counts(&Way::ClearText);
            if is_clear && rule.method != "reject" {
                found.in_clear_text.push(rule.clone());
                if rule.asks_for_clear_text() {
                    found.passwords_in_clear_text.push(rule.clone());
                }
            }
        }
        found
    }

    /// The lines that admit streams to replicas without TLS. The word for all databases is not for them.
    pub fn streams_in_clear_text(&self) -> Vec<Rule> {
        let is_for_streams = |rule: &&Rule| rule.databases.iter().any(|name| name == "replication");
        let found = self.in_clear_text.iter().filter(is_for_streams);
        found.cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(line: &str) -> Rule {
        let words: Vec<&str> = line.split(' ').collect();
        let [kind, databases, users, address, mask, method] = words[..] else {
            panic!("{line}");
        };
        let texts = [kind, databases, users, address, mask, method, "", ""];
        Rule::read(&texts.map(|text| Some(text.to_owned()))).unwrap()
    }

    fn judged(lines: &[&str]) -> (usize, usize, usize) {
        let rules: Vec<Rule> = lines.iter().map(|line| rule(line)).collect();
        let found = Rules::judge(&rules);
        let lengths = [
            &found.trusting,
            &found.in_clear_text,
            &found.passwords_in_clear_text,
        ]
        .map(Vec::len);
        lengths.into()
    }

    #[test]
    fn lines_without_a_network_are_found_where_they_can_match() {
        let found = |lines: &[&str]| {
            let rules: Vec<Rule> = lines.iter().map(|line| rule(line)).collect();
            Rules::judge(&rules).from_anywhere.len()
        };
        let (four, six) = (
            "hostssl all all 0.0.0.0 0.0.0.0 scram-sha-256",
            "hostssl all all :: :: cert",
        );
        assert_eq!(found(&[four, six]), 2);
        assert_eq!(found(&["host all all all  scram-sha-256", four]), 1);
        assert_eq!(found(&["host all all all  reject", four]), 0);
        assert_eq!(
            found(&["host all all 10.0.0.0 255.0.0.0 trust", "local all all   peer"]),
            0
        );
    }

    #[test]
    fn only_lines_that_can_match_count() {
        let trusting = "host trustdb all 127.0.0.1 255.255.255.255 trust";
        assert_eq!(judged(&[trusting]), (1, 1, 0));
        assert_eq!(
            judged(&["hostssl all all 0.0.0.0 0.0.0.0 reject", trusting]),
            (1, 1, 0)
        );
        assert_eq!(
            judged(&["host all all 127.0.0.0 255.0.0.0 reject", trusting]),
            (0, 0, 0)
        );
        assert_eq!(
            judged(&["host all all 128.0.0.0 255.0.0.0 reject", trusting]),
            (1, 1, 0)
        );
        assert_eq!(judged(&["host all all :: :: reject", trusting]), (1, 1, 0));
        let copies = "host replication all all  scram-sha-256";
        assert_eq!(judged(&["hostnossl all all all  reject", copies]), (0, 1, 0));
        assert_eq!(
            judged(&["hostnossl replication all all  reject", copies]),
            (0, 0, 0)
        );
        assert_eq!(
            judged(&["host a b all  password", "hostssl a b all  password"]),
            (0, 1, 1)
        );
        assert_eq!(
            judged(&["local all all   trust", "local all all   ident"]),
            (1, 0, 0)
        );
    }

    #[test]
    fn only_lines_for_replication_admit_streams() {
        let lines = [
            "hostssl replication all all  scram-sha-256",
            "host all all 10.0.0.0 255.0.0.0 scram-sha-256",
            "host replication repl 10.0.0.2 255.255.255.255 scram-sha-256",
        ];
        let rules: Vec<Rule> = lines.iter().map(|line| rule(line)).collect();
        assert_eq!(Rules::judge(&rules).streams_in_clear_text(), rules[2..]);
        assert_eq!(Rules::judge(&rules[..2]).streams_in_clear_text(), []);
    }

    #[test]
    fn a_line_that_the_server_cannot_read_is_none() {
        assert_eq!(Rule::read(&[]), None);
        let broken = ["", "", "", "", "", "", "", "invalid"].map(|text| Some(text.to_owned()));
        assert_eq!(Rule::read(&broken), None);
    }
}
