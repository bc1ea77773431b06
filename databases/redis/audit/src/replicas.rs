//! Encryption of the streams from a server to its replicas. A replica connects to a port of clients, with or without TLS as its own
//! settings say; the server lists the port that each came to.

use dbdyno_audit::{Channel, ChannelError, ClearText, Scene, shortened};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::client::setting;
use crate::resp::{Reply, ask, has_line};
use crate::wire::WIRE;

const FEATURE: Feature = Feature::NodeToNodeEncryption;
const FIX: &str = "tls-port on the master, tls-replication yes on every replica, then port 0 on the master";

/// What decides whether streams are encrypted.
#[derive(Clone, Copy, Debug)]
struct Settings {
    /// The port in clear text; 0: there is none.
    port: u16,
    /// The port that speaks TLS; 0: there is none.
    tls_port: u16,
    /// Whether this server, as a replica, connects to its master over TLS.
    tls_replication: bool,
}

impl Settings {
    fn read(channel: &mut Channel) -> Result<Self, ChannelError> {
        let number = |text: &str| {
            text.parse::<u16>()
                .map_err(|_| ChannelError::Unexpected(shortened(text)))
        };
        let port = setting(channel, "port")?;
        let port = port.ok_or_else(|| ChannelError::Unexpected("no port is shown".to_owned()))?;
        // A server that was built without TLS has neither of the others.
        let tls_port = setting(channel, "tls-port")?.unwrap_or_else(|| "0".to_owned());
        let tls_replication = setting(channel, "tls-replication")?;
        Ok(Self {
            port: number(&port)?,
            tls_port: number(&tls_port)?,
            tls_replication: tls_replication.as_deref() == Some("yes"),
        })
    }

    /// For evidence.
    fn shown(self) -> String {
        let tls_replication = if self.tls_replication { "yes" } else { "no" };
        format!(
            "port {}, tls-port {}, tls-replication {tls_replication}",
            self.port, self.tls_port
        )
    }
}

/// Whether what the server's replicas receive is encrypted, and what it receives itself where it is one. `replication` is what INFO says.
pub fn encryption(scene: &mut Scene<'_>, channel: &mut Channel, replication: &str) -> AuditFinding {
    let is_master = has_line(replication, "role:master");
    let has_replicas = !has_line(replication, "connected_slaves:0");
    if is_master && !has_replicas {
        return AuditFinding::not_applicable(
            FEATURE,
            "One server without replicas: no other server receives data.",
        );
    }
    let settings = Settings::read(channel);
    let got = settings.as_ref().map(|settings| settings.shown());
    scene.note_outcome(
        "redis.ports",
        "CONFIG GET port, tls-port, tls-replication",
        &got.map_err(Clone::clone),
    );
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => {
            let why = format!(
                "Replicas connect to the ports of clients; which of these speak TLS could not be read: {error}."
            );
            return AuditFinding::unknown(FEATURE, UnknownReason::NoPrivilege, why);
        }
    };
    if is_master {
        return to_replicas(scene, channel, settings);
    }
    let received = from_master(settings);
    if !has_replicas {
        return received;
    }
    let sent = to_replicas(scene, channel, settings);
    if sent.severity > received.severity {
        sent
    } else {
        received
    }
}

/// The finding about what this server receives as a replica.
fn from_master(settings: Settings) -> AuditFinding {
    if settings.tls_replication {
        // An open stream is as it was when it began, and only the other end can refuse clear text.
        return AuditFinding::unknown(
            FEATURE,
            UnknownReason::Unexpected,
            "This server is a replica itself, set to connect to its master over TLS (tls-replication yes); its master shows how the stream is encrypted.",
        );
    }
    AuditFinding::off(
        FEATURE,
        "This server is a replica itself, and connects to its master in clear text (tls-replication no): anyone on the network path can read all data.",
    )
    .mend(AuditSeverity::Medium, FIX)
}

/// The finding about what the server's replicas receive.
fn to_replicas(scene: &mut Scene<'_>, channel: &mut Channel, settings: Settings) -> AuditFinding {
    let streams = streams(channel);
    let got = streams.as_ref().map(|ports| format!("{ports:?}"));
    scene.note_outcome(
        "redis.streams",
        "CLIENT LIST TYPE replica: the port that each came to",
        &got.map_err(Clone::clone),
    );
    let host = scene.host().clone();
    let mut is_refused =
        || WIRE.tls(scene).is_spoken() && WIRE.clear_text_at(scene, &host) == ClearText::Refused;
    of_streams(settings, &streams.unwrap_or_default(), &mut is_refused)
}

/// The ports to which the server's replicas are connected.
fn streams(channel: &mut Channel) -> Result<Vec<u16>, ChannelError> {
    match ask(channel, &["CLIENT", "LIST", "TYPE", "replica"])? {
        Reply::Bulk(list) => Ok(own_ports(&String::from_utf8_lossy(&list))),
        other => Err(ChannelError::Unexpected(other.shown())),
    }
}

/// The server's port of each connection in a list of clients (redis.io, CLIENT LIST: `laddr`, since version 6.2).
fn own_ports(list: &str) -> Vec<u16> {
    let own_port = |client: &str| {
        let mut fields = client.split(' ');
        let address = fields.find_map(|field| field.strip_prefix("laddr="))?;
        let (_, port) = address.rsplit_once(':')?;
        port.parse::<u16>().ok().filter(|port| *port != 0)
    };
    list.lines().filter_map(own_port).collect()
}

/// The finding from the ports that replicas came to, none of which are seen by who may not list clients. `is_refused` sees whether the
/// server of the address speaks TLS and refuses clear text.
fn of_streams(settings: Settings, streams: &[u16], is_refused: &mut dyn FnMut() -> bool) -> AuditFinding {
    use ProtectionLevel::{Enforced, Partial, SupportedOff};
    let to_tls = streams.iter().filter(|port| **port == settings.tls_port);
    let (seen, encrypted) = (streams.len(), to_tls.count());
    if settings.tls_port == 0 || (seen > 0 && encrypted == 0) {
        return AuditFinding::new(
            FEATURE,
            SupportedOff,
            "Every stream to a replica is in clear text: anyone on the network path can read all data.",
        )
        .mend(AuditSeverity::Medium, FIX);
    }
    if encrypted < seen {
        let summary = format!("Of {seen} streams to replicas, {encrypted} are encrypted.");
        return AuditFinding::new(FEATURE, Partial, summary).mend(AuditSeverity::Medium, FIX);
    }
    if settings.port != 0 && seen == 0 {
        return AuditFinding::unknown(
            FEATURE,
            UnknownReason::NoPrivilege,
            "The server has a port in clear text beside that of TLS; to which one its replicas came is shown to those only who may list its clients.",
        );
    }
    if settings.port != 0 {
        let summary = format!(
            "Every stream to a replica is encrypted ({seen} seen), and one in clear text would be accepted at port {}.",
            settings.port
        );
        return AuditFinding::new(FEATURE, Partial, summary).mend(AuditSeverity::Low, FIX);
    }
    if is_refused() {
        return AuditFinding::new(
            FEATURE,
            Enforced,
            "Every stream to a replica is encrypted: the server speaks TLS and refuses clear text. A stream that was opened before the ports were changed would be missed.",
        );
    }
    AuditFinding::unknown(
        FEATURE,
        UnknownReason::Unexpected,
        "The server says that it has no port in clear text, but it was not seen to speak TLS and refuse clear text.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ports_that_replicas_came_to_decide() {
        use ProtectionLevel::{Enforced, Partial, SupportedOff, Unknown};
        let (low, medium) = (Some(AuditSeverity::Low), Some(AuditSeverity::Medium));
        for (port, tls_port, streams, is_refused, expected) in [
            (1, 0, vec![1], false, (SupportedOff, medium)),
            // Without TLS, there is nothing to see.
            (1, 0, vec![], false, (SupportedOff, medium)),
            (1, 2, vec![1], false, (SupportedOff, medium)),
            (1, 2, vec![1, 2], false, (Partial, medium)),
            (1, 2, vec![2, 2], true, (Partial, low)),
            (1, 2, vec![], true, (Unknown, None)),
            (0, 2, vec![2], true, (Enforced, None)),
            (0, 2, vec![2], false, (Unknown, None)),
            (0, 2, vec![], true, (Enforced, None)),
            // It began before the port was closed.
            (0, 2, vec![1, 2], true, (Partial, medium)),
        ] {
            let settings = Settings {
                port,
                tls_port,
                tls_replication: true,
            };
            let finding = of_streams(settings, &streams, &mut || is_refused);
            let found = (finding.level, finding.severity);
            assert_eq!(found, expected, "{settings:?} {streams:?} {is_refused}");
        }
    }

    #[test]
    fn only_the_servers_own_end_of_a_connection_is_read() {
        let list = "id=5 addr=127.0.0.1:53012 laddr=127.0.0.1:6379 fd=9 name= flags=S user=default\n\
                    id=6 addr=[::1]:53013 laddr=[::1]:6380 fd=10 name= flags=S user=default\n\
                    id=7 addr=127.0.0.1:53014 fd=11 name= flags=S\n\
                    id=8 addr=?:0 laddr=?:0 fd=12 name= flags=S\n";
        assert_eq!(own_ports(list), [6379, 6380]);
    }
}
