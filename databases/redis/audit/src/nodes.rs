//! Encryption between servers: the bus of a cluster, and what replicas receive.

use std::sync::Arc;

use dbdyno_audit::{ChannelError, ClearText, Scene};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::client::administrator;
use crate::replicas;
use crate::resp::{ask, has_line};
use crate::wire::WIRE;

const TLS: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/encryption/";
/// Between the port of clients and that of the other nodes (redis.io, "Cluster specification").
const TO_BUS: u16 = 10_000;

/// The bus of a cluster speaks TLS or clear text, never both; so a handshake decides. Without a cluster, the streams to replicas do.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    let asked = administrator(scene).and_then(|mut channel| {
        let mut text = |words: &[&str]| ask(&mut channel, words).map(|reply| reply.text());
        let facts = (
            text(&["INFO", "cluster"])?,
            text(&["INFO", "replication"])?,
            text(&["CLUSTER", "NODES"])?,
        );
        Ok((channel, facts))
    });
    let (mut channel, (cluster, replication, nodes)) = match asked {
        Ok(asked) => asked,
        Err(error) => {
            let why = format!("Whether there are other nodes is unknown: {error}.");
            return AuditFinding::unknown(feature, UnknownReason::NoPrivilege, why);
        }
    };
    if has_line(&cluster, "cluster_enabled:1") {
        let bus = bus(scene);
        let host = scene.host().clone();
        let may_copy_in_clear_text =
            may_have_replicas(&nodes) && WIRE.clear_text_at(scene, &host) != ClearText::Refused;
        return of_bus(&bus, may_copy_in_clear_text).see(TLS);
    }
    scene.note(
        "redis.info",
        "INFO cluster, INFO replication",
        format!("{} {}", first_line(&cluster), first_line(&replication)),
    );
    if !replication.contains("role:") {
        return AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "This login may not see whether there are other nodes.",
        );
    }
    replicas::encryption(scene, &mut channel, &replication).see(TLS)
}

fn first_line(text: &str) -> String {
    text.lines()
        .filter(|line| line.contains(':'))
        .take(3)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether the answer to CLUSTER NODES has replicas, or does not say: it always has the server that is asked.
fn may_have_replicas(nodes: &str) -> bool {
    !nodes.contains("myself") || nodes.contains("slave") || nodes.contains("replica")
}

fn bus(scene: &mut Scene<'_>) -> Result<(), ChannelError> {
    let host = HostPort {
        port: scene.host().port.saturating_add(TO_BUS),
        ..scene.host().clone()
    };
    let outcome = scene.trusting().and_then(|anybody| {
        let channel = scene.open_to(&host)?;
        channel.secure(&host, Arc::clone(&anybody)).map(drop)
    });
    scene.note_outcome(
        "redis.bus-tls",
        format!("ClientHello to {host}"),
        &outcome.clone().map(|()| "a handshake".to_owned()),
    );
    outcome
}

/// The finding from a handshake with the bus. Replicas copy over the port of clients, by a setting of their own (tls-replication).
fn of_bus(bus: &Result<(), ChannelError>, may_copy_in_clear_text: bool) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    let finding = match bus {
        Ok(()) => AuditFinding::enforced(
            feature,
            "The bus of the cluster speaks TLS, and then nothing else.",
        ),
        // A server that speaks TLS answers a missing certificate with an alert; the bus in clear text closes or is silent.
        Err(ChannelError::Tls(why)) if why.contains("ertificate") => AuditFinding::enforced(
            feature,
            "The bus of the cluster speaks TLS, and asks for a certificate.",
        ),
        Err(ChannelError::Closed | ChannelError::Silent | ChannelError::Tls(_)) => AuditFinding::off(
            feature,
            "The bus of the cluster does not speak TLS: nodes send each other data in clear text.",
        )
        .mend(AuditSeverity::Medium, "tls-cluster yes, tls-replication yes"),
        Err(error) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("The bus of the cluster was not reached: {error}."),
        ),
    };
    if finding.level == ProtectionLevel::Enforced && may_copy_in_clear_text {
        let why = format!(
            "{} Whether replicas copy the data over TLS (tls-replication) is unknown: the port of clients may take clear text, too.",
            finding.summary
        );
        return AuditFinding::unknown(feature, UnknownReason::Unexpected, why);
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encrypted_bus_shows_nothing_about_what_replicas_copy() {
        use ProtectionLevel::{Enforced, SupportedOff, Unknown};
        let certificate = || Err(ChannelError::Tls("CertificateRequired".to_owned()));
        for (bus, may_copy, level) in [
            (Ok(()), false, Enforced),
            (Ok(()), true, Unknown),
            (certificate(), true, Unknown),
            (certificate(), false, Enforced),
            (Err(ChannelError::Closed), true, SupportedOff),
        ] {
            assert_eq!(of_bus(&bus, may_copy).level, level, "{bus:?} {may_copy}");
        }
        let master = "07c3 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460\n";
        assert!(!may_have_replicas(master));
        assert!(may_have_replicas(&format!(
            "{master}e7d1 127.0.0.1:7004@17004 slave 07c3 0 1 4 connected"
        )));
        assert!(may_have_replicas("NOPERM this user has no permissions"));
    }
}
