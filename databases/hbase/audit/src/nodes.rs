//! Encryption between master and region servers, which speak to each other's ports of clients, and with ZooKeeper.

use dbdyno_audit::{ChannelError, ClearText, Scene};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::ports::{listening_ports, servers};
use crate::quorum::Quorum;
use crate::wire::{FIX, clear_text, without_tls};

const TLS: &str = "https://hbase.apache.org/book.html#_rpc_tls";
/// How the library of TLS words a server's refusal of a handshake.
const ALERT: &str = "fatal alert";

/// A server that refuses clear text on its only port is spoken to over TLS by the others, too.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    let servers = servers(scene);
    if servers.regions.len() == 1 && is_one_process(scene, &servers.all()) {
        scene.note(
            "sockets.one-process",
            "whose the sockets of the servers are",
            "of one process",
        );
        return AuditFinding::not_applicable(
            feature,
            "Master and region server are one process: no other server receives data.",
        );
    }
    let clear = clear_text(scene, &servers);
    let finding = match clear {
        ClearText::Unknown(why) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("Whether servers speak in clear text is unknown: {why}."),
        ),
        ClearText::Accepted => AuditFinding::off(
            feature,
            "A server answers in clear text on the port that the other servers use: anyone on the network path may be able to read their data.",
        )
        .mend(AuditSeverity::Medium, FIX),
        ClearText::Refused => match without_tls(scene, &servers) {
            Some(host) => AuditFinding::unknown(
                feature,
                UnknownReason::Unexpected,
                format!("{host} speaks neither clear text nor TLS to this probe."),
            ),
            None => judge_quorum(&quorum_clear_text(scene)),
        },
    };
    finding.see(TLS)
}

/// Whether one process listens on the ports of all servers.
fn is_one_process(scene: &Scene<'_>, servers: &[dbdyno_driver::remote::HostPort]) -> bool {
    !servers.is_empty()
        && scene.place.processes.iter().any(|process| {
            let ports = listening_ports(*process);
            servers.iter().all(|server| ports.contains(&server.port))
        })
}

/// The finding where master and region servers are encrypted, by what ZooKeeper makes of clear text.
fn judge_quorum(clear: &ClearText) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    match clear {
        ClearText::Accepted => AuditFinding::partial(
            feature,
            "Master and region servers speak TLS and refuse clear text. They speak clear text with ZooKeeper: addresses and metadata can be read on the network path, the data of tables cannot.",
        )
        .mend(
            AuditSeverity::Low,
            "secureClientPort of ZooKeeper in place of clientPort, and zookeeper.client.secure=true for all its clients",
        ),
        ClearText::Refused => AuditFinding::enforced(
            feature,
            "Master, region servers and ZooKeeper refuse clear text.",
        ),
        ClearText::Unknown(why) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!(
                "Master and region servers speak TLS and refuse clear text; whether ZooKeeper refuses it, too, is unknown: {why}."
            ),
        ),
    }
}

/// What ZooKeeper makes of clear text. It also ends connections for other reasons, such as a limit for each address: only beside
/// TLS is that a refusal.
fn quorum_clear_text(scene: &mut Scene<'_>) -> ClearText {
    let outcome = Quorum::connect(scene).map(|quorum| {
        quorum.close();
        "a session".to_owned()
    });
    scene.note_outcome("zookeeper.clear-text", "a session in clear text", &outcome);
    let clear = ClearText::of(&outcome);
    if clear != ClearText::Refused {
        return clear;
    }
    let host = scene.host().clone();
    let secured = scene.trusting().and_then(|anybody| {
        scene.open_to(&host)?.secure(&host, anybody)?;
        Ok("a handshake".to_owned())
    });
    scene.note_outcome("zookeeper.tls", format!("ClientHello to {host}"), &secured);
    match secured {
        Ok(_) => ClearText::Refused,
        // A certificate that it wants and does not get is asked for over TLS.
        Err(ChannelError::Tls(why)) if why.contains(ALERT) => ClearText::Refused,
        Err(error) => ClearText::Unknown(format!(
            "it ended a conversation in clear text, and there was no handshake of TLS either ({error})"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use dbdyno_record::audit::ProtectionLevel;
    use dbdyno_testkit::audit::server;

    use super::*;
    use crate::scene_of_tests::in_scene;

    fn level_beside(serve: fn(TcpStream)) -> ProtectionLevel {
        let port = server(serve);
        let clear = in_scene(&format!("hbase://127.0.0.1:{port}"), quorum_clear_text);
        judge_quorum(&clear).level
    }

    #[test]
    fn a_silent_or_closing_quorum_does_not_refuse_clear_text() {
        let silent =
            |mut stream: TcpStream| while stream.read(&mut [0; 64]).is_ok_and(|length| length > 0) {};
        assert_eq!(level_beside(silent), ProtectionLevel::Unknown);
        // As beyond its limit of connections for each address.
        assert_eq!(level_beside(drop), ProtectionLevel::Unknown);
        let wants_tls = |mut stream: TcpStream| {
            let mut first = [0; 1];
            if stream.read(&mut first).is_ok() && first == [0x16] {
                // An alert of the handshake: 40, handshake_failure.
                stream.write_all(&[0x15, 3, 3, 0, 2, 2, 40]).ok();
            }
            while stream
                .read(&mut [0; 1024])
                .is_ok_and(|length| length > 0 && first == [0x16])
            {}
        };
        assert_eq!(level_beside(wants_tls), ProtectionLevel::Enforced);
        let serves = |mut stream: TcpStream| {
            let mut hello = [0; 256];
            while stream.read(&mut hello).is_ok_and(|length| length > 0) {
                stream.write_all(&[0, 0, 0, 1, 0]).ok();
            }
        };
        assert_eq!(level_beside(serves), ProtectionLevel::Partial);
    }
}
