//! Encryption between master and region servers, which speak to each other's ports of clients, and with ZooKeeper.

use dbdyno_audit::{ClearText, Scene};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::ports::{listening_ports, servers};
use crate::quorum::Quorum;
use crate::wire::{FIX, clear_text, without_tls};

const TLS: &str = "https://hbase.apache.org/book.html#_rpc_tls";

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
        return AuditFinding::new(
            feature,
            ProtectionLevel::NotApplicable,
            "Master and region server are one process: no other server receives data.",
        );
    }
    let clear = clear_text(scene, &servers);
    let finding = match clear {
        ClearText::Unknown(why) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("Whether servers speak in clear text was not seen: {why}."),
        ),
        ClearText::Accepted => AuditFinding::new(
            feature,
            ProtectionLevel::SupportedOff,
            "A server answers in clear text on the port that the other servers use: anyone on the network path may be able to read their data.",
        )
        .mend(AuditSeverity::Medium, FIX),
        ClearText::Refused => match (without_tls(scene, &servers), is_quorum_clear(scene)) {
            (Some(host), _) => AuditFinding::unknown(
                feature,
                UnknownReason::Unexpected,
                format!("{host} speaks neither clear text nor TLS to this probe."),
            ),
            (None, true) => AuditFinding::new(
                feature,
                ProtectionLevel::Partial,
                "Master and region servers speak TLS and refuse clear text. They speak clear text with ZooKeeper: addresses and metadata can be read on the network path, the data of tables cannot.",
            )
            .mend(
                AuditSeverity::Low,
                "secureClientPort of ZooKeeper in place of clientPort, and zookeeper.client.secure=true for all its clients",
            ),
            (None, false) => AuditFinding::new(
                feature,
                ProtectionLevel::Enforced,
                "Master, region servers and ZooKeeper refuse clear text.",
            ),
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

fn is_quorum_clear(scene: &mut Scene<'_>) -> bool {
    let outcome = Quorum::connect(scene).map(|quorum| {
        quorum.close();
        "a session".to_owned()
    });
    scene.note_outcome("zookeeper.clear-text", "a session in clear text", &outcome);
    outcome.is_ok()
}
