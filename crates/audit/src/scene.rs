//! What a probe has at hand: the server, the logins, the files, the deadline, and a notebook for its evidence.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_machine::{ProcessId, listening_addresses};
use dbdyno_record::audit::{Access, Evidence, redacted};
use rustls::{ClientConfig, RootCertStore};

use crate::channel::{Channel, ChannelError};
use crate::clock::Deadline;
use crate::identity::Identity;
use crate::own_name::{self, OwnName};
use crate::tls::{Opened, TlsObservation, TlsOfServers, observe_tls, trusting_configuration};
use crate::vantage::Vantage;

/// Deadline for checking whether a port on this machine accepts connections.
pub(crate) const LOOK: Duration = Duration::from_secs(1);
/// Longest text of an answer that is kept.
const LONGEST_SHOWN: usize = 300;

/// How long a server that wants a certificate may take to refuse a client without one. Under TLS 1.3 the refusal comes after the
/// handshake.
const REFUSAL: Duration = Duration::from_secs(2);

/// Files and processes of the servers' machine; empty for servers elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Directories with everything that the servers write: data, logs of writes, snapshots.
    pub data: Vec<PathBuf>,
    /// The servers' logs, and directories of them.
    pub logs: Vec<PathBuf>,
    /// The servers' processes.
    pub processes: Vec<ProcessId>,
}

/// One audit, as probes see it.
pub struct Scene<'a> {
    /// The system, as the user wrote it.
    pub target: &'a Target,
    /// The system's address as it was read, with its login.
    pub remote: &'a Remote,
    /// The address with the login of an administrator, as it was read.
    pub administrator: Option<&'a Remote>,
    /// The administrator's address as the user wrote it, for probes that go through the driver.
    pub administrator_target: Option<&'a Target>,
    /// Files and processes.
    pub place: &'a Place,
    /// From where connections come.
    pub from: &'a Vantage,
    /// Whether the logins that products ship with may be tried, once each.
    pub tries_defaults: bool,
    /// Whether a thousand idle connections may be opened.
    pub tries_idle_connections: bool,
    /// How long one probe may take.
    pub patience: Duration,
    /// What the audit calls its own things; scenes of the same audit that stand for each other share it.
    pub(crate) own_name: Arc<OwnName>,
    /// What the server said of itself at the beginning.
    pub(crate) identity: Identity,
    pub(crate) evidence: Vec<Evidence>,
    /// What TLS was seen to be: two features rest on it, and it takes a dozen connections to every server.
    pub(crate) tls: Option<TlsOfServers>,
}

/// Users that products come with, whose names stand in findings.
const DEFAULT_USERS: [&str; 4] = ["admin", "cassandra", "default", "postgres"];

impl<'a> Scene<'a> {
    /// The login of the address; that of the administrator where the address has none.
    #[must_use]
    pub fn known_login(&self) -> &'a Remote {
        match (&self.remote.password, self.administrator) {
            (None, Some(administrator)) => administrator,
            _ => self.remote,
        }
    }

    /// This audit for another list of servers, with nothing seen yet.
    pub(crate) fn with_remote<'b>(&self, remote: &'b Remote) -> Scene<'b>
    where
        'a: 'b,
    {
        Scene {
            target: self.target,
            remote,
            administrator: self.administrator,
            administrator_target: self.administrator_target,
            place: self.place,
            from: self.from,
            tries_defaults: self.tries_defaults,
            tries_idle_connections: self.tries_idle_connections,
            patience: self.patience,
            own_name: Arc::clone(&self.own_name),
            identity: self.identity.clone(),
            evidence: Vec::new(),
            tls: None,
        }
    }
}

impl Scene<'_> {
    /// The first server: the one that is asked where one is enough.
    #[must_use]
    pub fn host(&self) -> &HostPort {
        &self.remote.hosts[0]
    }

    /// The other ports on which the servers' processes listen, at the host of the address; `None` where the sockets of one of them cannot
    /// be seen, or none has a port of the address: then they are other processes.
    #[must_use]
    pub fn other_ports(&self) -> Option<Vec<HostPort>> {
        let mut ports = BTreeSet::new();
        for process in &self.place.processes {
            let addresses = listening_addresses(*process).ok()?;
            ports.extend(addresses.into_iter().map(|address| address.port()));
        }
        let (known, others): (Vec<u16>, Vec<u16>) = ports
            .into_iter()
            .partition(|port| self.remote.hosts.iter().any(|host| host.port == *port));
        let at_host = |port| HostPort {
            port,
            ..self.host().clone()
        };
        (!known.is_empty()).then(|| others.into_iter().map(at_host).collect())
    }

    /// The deadline of a probe that begins now.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        Deadline::within(self.patience)
    }

    /// A connection in clear text to the first server.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub fn open(&self) -> Result<Channel, ChannelError> {
        self.open_to(self.host())
    }

    /// A connection in clear text to a server.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub fn open_to(&self, host: &HostPort) -> Result<Channel, ChannelError> {
        Channel::connect(host, self.from, self.deadline())
    }

    /// The configuration of rustls for a login: the user's authorities and certificate, or the system's authorities.
    ///
    /// # Errors
    /// When a file cannot be used.
    pub fn configuration(&self, remote: &Remote) -> Result<Arc<ClientConfig>, ChannelError> {
        let tls = remote.tls.clone().unwrap_or_default();
        dbdyno_driver::remote::client_configuration(&tls).map_err(|error| ChannelError::Tls(error.message))
    }

    /// A configuration of rustls that accepts whatever certificate the server shows, with the client's certificate.
    ///
    /// # Errors
    /// When a file cannot be used.
    pub fn trusting(&self) -> Result<Arc<ClientConfig>, ChannelError> {
        let client = self.configuration(self.remote)?;
        trusting_configuration(Some(&client)).map_err(ChannelError::Tls)
    }

    /// A configuration of rustls that accepts whatever certificate the server shows, without the client's certificate.
    ///
    /// # Errors
    /// When the library cannot be set up.
    pub fn without_certificate(&self) -> Result<Arc<ClientConfig>, ChannelError> {
        trusting_configuration(None).map_err(ChannelError::Tls)
    }

    /// Whether a server refuses TLS on this connection without a certificate of the client; `None` where it was not seen.
    pub(crate) fn is_refused_without_certificate(&self, host: &HostPort, channel: Channel) -> Option<bool> {
        let anonymous = self.without_certificate().ok()?;
        let answer = match channel.secure(host, anonymous) {
            Ok(mut channel) => {
                channel.renew(Deadline::within(REFUSAL));
                match channel.read_some(1) {
                    // A server that is content waits for a request.
                    Err(ChannelError::Silent) => return Some(false),
                    answer => answer,
                }
            }
            // One that never ends the handshake has shown nothing.
            Err(error) => Err(error),
        };
        match answer {
            Ok(_) => Some(false),
            Err(ChannelError::Closed | ChannelError::Tls(_)) => Some(true),
            Err(_) => None,
        }
    }

    /// The authorities that the user trusts.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn authorities(&self) -> Result<RootCertStore, ChannelError> {
        let tls = self.remote.tls.clone().unwrap_or_default();
        dbdyno_driver::remote::authorities(&tls).map_err(|error| ChannelError::Tls(error.message))
    }

    /// Everything that the audit may use.
    #[must_use]
    pub fn access(&self) -> Vec<Access> {
        let mut access = vec![Access::Network];
        if self.remote.user.is_some() || self.remote.password.is_some() {
            access.push(Access::User);
        }
        if self.administrator.is_some() {
            access.push(Access::Administrator);
        }
        if !self.place.data.is_empty() {
            access.push(Access::Files);
        }
        access
    }

    /// The name of a table or a user that is about to be made; begins with [`PREFIX`](crate::PREFIX). Ask for it once a login has
    /// worked: from then on, the audit may have left something, and says so if it cannot look for it.
    pub fn own_name(&self) -> &str {
        self.own_name.hand_out()
    }

    /// The audit's own name for something that is never made: a user that does not exist, a wrong password.
    #[must_use]
    pub fn unused_name(&self) -> &str {
        self.own_name.text()
    }

    /// Whether something on the server may be removed by this audit: it made it, or one made it that no longer lives.
    #[must_use]
    pub fn may_remove(&self, name: &str) -> bool {
        own_name::may_remove(name, self.own_name.text(), jiff::Timestamp::now().as_second())
    }

    /// What to say where things of a kind could not be looked for at the end; `None` if the audit has made nothing.
    #[must_use]
    pub fn not_looked_for(&self, what: &str, error: &dyn std::fmt::Display) -> Option<String> {
        self.own_name.is_handed_out().then(|| {
            let (own, minutes) = (
                self.own_name.text(),
                own_name::lease(self.patience).as_secs() / 60,
            );
            format!(
                "{what} named {own} could not be looked for ({error}). Each probe removes what it makes, so there are probably none; to \
                 be sure, look for this name as an administrator, or audit again in {minutes} minutes with a login that works."
            )
        })
    }

    /// What each of these servers speaks when it speaks TLS, observed once for the whole audit. `open` gives a connection on which TLS
    /// may begin.
    pub fn tls(
        &mut self,
        probe: &str,
        hosts: &[HostPort],
        open: &mut dyn FnMut(&Self, &HostPort) -> Result<Channel, ChannelError>,
    ) -> TlsOfServers {
        let seen = match self.tls.clone() {
            Some(seen) => seen,
            None => TlsOfServers(
                hosts
                    .iter()
                    .map(|host| (host.clone(), self.observe(host, open)))
                    .collect(),
            ),
        };
        for (host, one) in &seen.0 {
            let got = match one {
                Ok(seen) => seen.summary(),
                Err(error) => error.to_string(),
            };
            let sent = format!("ClientHello to {host}, one for each version and cipher suite");
            self.note(probe, sent, got);
        }
        self.tls = Some(seen.clone());
        seen
    }

    fn observe(
        &self,
        host: &HostPort,
        open: &mut dyn FnMut(&Self, &HostPort) -> Result<Channel, ChannelError>,
    ) -> Result<TlsObservation, ChannelError> {
        let (authorities, client) = (self.authorities()?, self.configuration(self.remote)?);
        let open: &mut Opened<'_> = &mut || open(self, host);
        observe_tls(host, &authorities, Some(&client), open)
    }

    /// The passwords of the addresses, which a server may send back. One that is the name of a user or of the product is the finding, and no
    /// secret: to hide it would hide whose it is.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let remotes = || std::iter::once(self.remote).chain(self.administrator);
        let is_name = |password: &str| {
            let mut users = remotes().filter_map(|remote| remote.user.as_deref());
            users.any(|user| user == password)
                || DEFAULT_USERS.contains(&password)
                || self.target.scheme.starts_with(password)
        };
        let passwords = remotes().filter_map(|remote| Some(remote.password.as_ref()?.reveal()));
        passwords
            .filter(|password| !is_name(password))
            .map(str::to_owned)
            .collect()
    }

    /// Writes down a question and its answer. `sent` never holds a credential.
    pub fn note(&mut self, probe: &str, sent: impl Into<String>, got: impl AsRef<str>) {
        // Before the answer is cut: a part of a secret would not be known again.
        let got = redacted(got.as_ref(), &self.secrets());
        self.evidence.push(Evidence {
            probe: probe.to_owned(),
            from: self.from.name(),
            sent: sent.into(),
            got: shortened(&got),
            at: jiff::Timestamp::now().to_string(),
        });
    }

    /// Notes what came of a question: an answer, or the error in its place.
    pub fn note_outcome(
        &mut self,
        probe: &str,
        sent: impl Into<String>,
        outcome: &Result<String, ChannelError>,
    ) {
        match outcome {
            Ok(answer) => self.note(probe, sent, answer),
            Err(error) => self.note(probe, sent, error.to_string()),
        }
    }
}

/// A text of a server for people: without control characters, and not longer than a few lines.
#[must_use]
pub fn shortened(text: &str) -> String {
    let clean = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut shown: String = text.trim().chars().take(LONGEST_SHOWN + 1).map(clean).collect();
    if shown.chars().count() > LONGEST_SHOWN {
        shown = shown.chars().take(LONGEST_SHOWN).collect();
        shown.push_str(" ...");
    }
    shown
}

/// The first of some names, each shortened, and how many others there are.
#[must_use]
pub fn first_of(names: &[String], most: usize, separator: &str) -> String {
    let mut shown: Vec<String> = names.iter().take(most).map(|name| shortened(name)).collect();
    if names.len() > most {
        shown.push(format!("{} more", names.len() - most));
    }
    shown.join(separator)
}

/// What becomes of an act in the scene of these servers, in clear text and with little patience.
#[cfg(test)]
pub(crate) fn in_scene<T>(hosts: Vec<HostPort>, act: impl FnOnce(&mut Scene<'_>) -> T) -> T {
    let patience = Duration::from_millis(400);
    let remote = Remote {
        hosts,
        user: None,
        password: None,
        path: String::new(),
        tls: None,
        connect_timeout: patience,
        timeout: patience,
    };
    let target = Target::parse("redis://127.0.0.1").unwrap();
    let (place, from) = (Place::default(), Vantage::Here);
    let mut scene = Scene {
        target: &target,
        remote: &remote,
        administrator: None,
        administrator_target: None,
        place: &place,
        from: &from,
        tries_defaults: false,
        tries_idle_connections: true,
        patience,
        own_name: Arc::new(OwnName::new(own_name::new_name(0, patience))),
        identity: Identity::default(),
        evidence: Vec::new(),
        tls: None,
    };
    act(&mut scene)
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::remote::Secret;

    use super::*;

    fn missed(scene: &Scene<'_>) -> Option<String> {
        scene.not_looked_for("users", &"no login works")
    }

    #[test]
    fn only_what_was_handed_out_can_be_missed() {
        in_scene(Vec::new(), |scene| {
            let own = scene.unused_name().to_owned();
            assert!(own_name::is_own(&own) && missed(scene).is_none());
            // A scene of the same audit with other servers.
            assert_eq!(scene.with_remote(scene.remote).own_name(), own);
            let left = missed(scene).unwrap();
            let begin = format!("users named {own} could not be looked for (no login works). ");
            assert!(
                left.starts_with(&begin) && left.contains("in 15 minutes"),
                "{left}"
            );
        });
    }

    #[test]
    fn a_password_that_is_a_name_hides_none() {
        let of = |user: &str, password: &str| {
            in_scene(Vec::new(), |scene| {
                let remote = Remote {
                    user: Some(user.to_owned()),
                    password: Some(Secret::new(password.to_owned())),
                    ..scene.remote.clone()
                };
                scene.with_remote(&remote).secrets()
            })
        };
        assert_eq!(of("app", "hunter2"), ["hunter2"]);
        for name in ["app", "postgres", "redis"] {
            assert_eq!(of("app", name), [] as [String; 0], "{name}");
        }
    }

    #[test]
    fn processes_without_a_port_of_the_address_are_others() {
        let own = Place {
            processes: vec![ProcessId::own().unwrap()],
            ..Place::default()
        };
        let own: &'static Place = Box::leak(Box::new(own));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let at = |port| HostPort {
            host: "127.0.0.1".to_owned(),
            port,
        };
        in_scene(vec![at(listener.local_addr().unwrap().port())], |scene| {
            scene.place = own;
            assert!(scene.other_ports().is_some());
        });
        in_scene(vec![at(1)], |scene| {
            scene.place = own;
            assert_eq!(scene.other_ports(), None);
        });
    }

    #[test]
    fn a_handshake_that_never_ends_shows_nothing_about_certificates() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let host = HostPort {
            host: "127.0.0.1".to_owned(),
            port: listener.local_addr().unwrap().port(),
        };
        in_scene(vec![host.clone()], |scene| {
            // The system takes the connection; nobody answers on it.
            let channel = scene.open().unwrap();
            assert_eq!(scene.is_refused_without_certificate(&host, channel), None);
        });
    }

    #[test]
    fn a_servers_text_cannot_drive_a_terminal_or_fill_a_page() {
        let shown = shortened(&format!("\x1b[2J\u{7}{}", "é".repeat(10_000)));
        assert!(!shown.contains(['\x1b', '\u{7}']));
        assert!(shown.chars().count() <= LONGEST_SHOWN + 4 && shown.ends_with("..."));
    }
}
