//! Encryption between the nodes of a cluster: the storage port is tried with TLS and with the greeting of a node in clear text.
//!
//! Source of the greeting: `org.apache.cassandra.net.HandshakeProtocol` of Apache Cassandra 4.1 and 5.0.

use std::net::IpAddr;

use dbdyno_audit::{Channel, ChannelError, Deadline, Scene, in_part};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::access::SECURITY;
use crate::client::administrator;
use crate::cql::{Answer, query};

const FIX: &str =
    "server_encryption_options: internode_encryption: all, optional: false, require_client_auth: true";

/// TLS accepted, clear text refused, on the port that nodes use among themselves.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    let unknown = |why, what: String| AuditFinding::unknown(feature, why, what).see(SECURITY);
    let ring = administrator(scene).and_then(|mut channel| ring(&mut channel));
    let (own, peers) = match ring {
        Ok(ring) => ring,
        Err(error) => {
            let why = format!("Whether there are other nodes is unknown: {error}.");
            return unknown(UnknownReason::NoPrivilege, why);
        }
    };
    scene.note(
        "cassandra.peers",
        "SELECT peer, peer_port FROM system.peers_v2",
        format!("{} other nodes", peers.len()),
    );
    if peers.is_empty() {
        return AuditFinding::not_applicable(feature, "There is one node: it has nobody to send to.")
            .see(SECURITY);
    }
    let nodes = 1 + peers.len();
    let (deadline, mut seen) = (Deadline::within(scene.patience * WAITS), Vec::new());
    for host in std::iter::once(own).chain(peers).take(MOST_NODES) {
        if deadline.left().is_none() {
            break;
        }
        seen.push(of_node(scene, &host));
    }
    weakest(seen, nodes).see(SECURITY)
}

/// Each node has settings of its own; the weakest of those that were asked counts.
fn weakest(seen: Vec<AuditFinding>, nodes: usize) -> AuditFinding {
    let asked = seen.len();
    let weakest = seen.into_iter().min_by_key(|finding| order(finding.level));
    match weakest {
        Some(finding) if asked < nodes => in_part(finding, &format!("{asked} of {nodes} nodes were asked")),
        Some(finding) => finding,
        None => AuditFinding::unknown(
            Feature::NodeToNodeEncryption,
            UnknownReason::Unexpected,
            "No node was asked.",
        ),
    }
}

/// The weakest level comes first. A node that was not seen may be one that refuses nothing, so it comes before those that do.
const fn order(level: ProtectionLevel) -> u8 {
    match level {
        ProtectionLevel::Unsupported | ProtectionLevel::SupportedOff => 0,
        ProtectionLevel::Partial => 1,
        ProtectionLevel::Unknown => 2,
        ProtectionLevel::Enforced | ProtectionLevel::NotApplicable => 3,
    }
}

/// Nodes that are asked, so that no list of a server's holds up an audit or sends it everywhere.
const MOST_NODES: usize = 100;
/// All nodes together may take so many times as long as one probe.
const WAITS: u32 = 12;

/// The addresses of the storage port of the node that is asked, and of the others.
pub fn ring(channel: &mut Channel) -> Result<(HostPort, Vec<HostPort>), ChannelError> {
    let own = addresses(query(
        channel,
        "SELECT listen_address, listen_port FROM system.local",
    )?)?;
    let peers = addresses(query(channel, "SELECT peer, peer_port FROM system.peers_v2")?)?;
    match own.into_iter().next() {
        Some(own) => Ok((own, peers)),
        None => Err(ChannelError::Unexpected("the node has no address".to_owned())),
    }
}

fn addresses(answer: Answer) -> Result<Vec<HostPort>, ChannelError> {
    let Answer::Rows(rows) = answer else {
        return Err(ChannelError::Unexpected(answer.shown()));
    };
    rows.iter().map(|row| address(row)).collect()
}

/// An address and a port, as CQL sends them: 4 or 16 bytes, and 4 bytes.
fn address(row: &[Option<Vec<u8>>]) -> Result<HostPort, ChannelError> {
    let [Some(address), Some(port)] = row else {
        return Err(ChannelError::Unexpected("a node without an address".to_owned()));
    };
    let four = <[u8; 4]>::try_from(address.as_slice()).map(IpAddr::from);
    let address = four.or_else(|_| <[u8; 16]>::try_from(address.as_slice()).map(IpAddr::from));
    let port = <[u8; 4]>::try_from(port.as_slice()).map(u32::from_be_bytes);
    match (address, port.map(u16::try_from)) {
        (Ok(address), Ok(Ok(port))) => Ok(HostPort {
            host: address.to_string(),
            port,
        }),
        _ => Err(ChannelError::Unexpected(
            "an address of another length".to_owned(),
        )),
    }
}

fn of_node(scene: &mut Scene<'_>, host: &HostPort) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    let tls = scene
        .trusting()
        .and_then(|anybody| scene.open_to(host)?.secure(host, anybody).map(drop));
    scene.note_outcome(
        "cassandra.storage-tls",
        format!("ClientHello to {host}"),
        &tls.clone().map(|()| "a handshake".to_owned()),
    );
    let clear = scene.open_to(host).and_then(|mut channel| greet(&mut channel));
    scene.note_outcome(
        "cassandra.storage-clear-text",
        format!("the greeting of a node, in clear text, to {host}"),
        &clear
            .clone()
            .map(|version| format!("accepted, version {version}")),
    );
    let is_spoken = match &tls {
        Ok(()) => Some(true),
        // A node that speaks TLS answers a missing certificate with an alert.
        Err(ChannelError::Tls(why)) if why.contains("ertificate") => Some(true),
        Err(ChannelError::Closed | ChannelError::Tls(_)) => Some(false),
        // A node in clear text waits for the rest of the greeting.
        Err(ChannelError::Silent) if clear.is_ok() => Some(false),
        Err(_) => None,
    };
    match (is_spoken, clear) {
        (Some(true), Err(ChannelError::Closed)) => AuditFinding::enforced(
            feature,
            "Nodes speak TLS among themselves and refuse clear text.",
        ),
        (Some(true), Ok(_)) => AuditFinding::partial(
            feature,
            format!("The node at {host} speaks TLS with others, and accepts clear text as well."),
        )
        .mend(AuditSeverity::Medium, FIX),
        (Some(false), Ok(_)) => AuditFinding::off(
            feature,
            format!("The node at {host} speaks clear text with others: anyone on the network path can read the data, and anyone who reaches the port can join."),
        )
        .mend(AuditSeverity::Medium, FIX),
        (Some(true), Err(error)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("The node at {host} speaks TLS; whether it refuses clear text is unknown: {error}."),
        ),
        (_, Err(error)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("What the node at {host} speaks with others is unknown: {error}."),
        ),
        (None, Ok(_)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("The node at {host} accepts clear text; whether it speaks TLS as well is unknown."),
        ),
    }
}

/// Greets as a node of a version that does not exist yet, so that the other says its own version and ends the conversation.
fn greet(channel: &mut Channel) -> Result<i32, ChannelError> {
    channel.send(&greeting())?;
    let answer = channel.read_exact(8)?;
    let number = |at: usize| i32::from_be_bytes([answer[at], answer[at + 1], answer[at + 2], answer[at + 3]]);
    let (used, latest) = (number(0), number(4));
    if (1..=0xff).contains(&used) && (1..=0xff).contains(&latest) {
        Ok(latest)
    } else {
        Err(ChannelError::Unexpected("no answer of a node".to_owned()))
    }
}

const MAGIC: u32 = 0xca55_2dfa;
/// The version that the greeting is written in (that of Cassandra 4.0), and the one that it says it needs.
const WRITTEN: u32 = 12;
const NEEDED: u32 = 0xff;

fn greeting() -> Vec<u8> {
    // Bits 0 and 1: small messages. Then, a byte each: the version, the least and the latest that is understood.
    let flags = 1 | WRITTEN << 8 | NEEDED << 16 | NEEDED << 24;
    let mut bytes = [MAGIC.to_be_bytes(), flags.to_be_bytes()].concat();
    // Its own address, of four bytes and a port of two.
    bytes.extend([6, 127, 0, 0, 1, 0, 1]);
    let sum = checksum(&bytes);
    bytes.extend(sum.to_be_bytes());
    bytes
}

/// CRC-32 of ISO 3309, begun with four bytes of Cassandra's own.
fn checksum(bytes: &[u8]) -> u32 {
    let begin = [0xfa, 0x2d, 0x55, 0xca];
    let all = begin.iter().chain(bytes);
    !all.fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 {
                (sum >> 1) ^ 0xedb8_8320
            } else {
                sum >> 1
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_has_its_address_and_sum() {
        let greeting = greeting();
        assert_eq!(greeting.len(), 4 + 4 + 7 + 4);
        assert_eq!(greeting[..4], [0xca, 0x55, 0x2d, 0xfa]);
        assert_eq!(greeting[4..8], [0xff, 0xff, 12, 1]);
        // As zlib computes it.
        assert_eq!(checksum(b"123456789"), 0xe2a2_61a7);
    }

    #[test]
    fn a_node_that_was_not_seen_is_weaker_than_one_that_refuses() {
        use ProtectionLevel::{Enforced, Partial, SupportedOff, Unknown};
        let mut levels = [Enforced, Unknown, SupportedOff, Enforced, Partial];
        levels.sort_by_key(|level| order(*level));
        assert_eq!(levels, [SupportedOff, Partial, Unknown, Enforced, Enforced]);
    }

    #[test]
    fn nodes_that_were_not_asked_are_unknown() {
        use ProtectionLevel::{Enforced, SupportedOff, Unknown};
        let of = |levels: &[ProtectionLevel], nodes| {
            let finding =
                |level: &ProtectionLevel| AuditFinding::new(Feature::NodeToNodeEncryption, *level, "Seen.");
            weakest(levels.iter().map(finding).collect(), nodes)
        };
        assert_eq!(of(&[Enforced; 12], 12).level, Enforced);
        let some = of(&[Enforced; 12], 40);
        assert_eq!(some.level, Unknown);
        assert!(some.summary.contains("12 of 40 nodes were asked"), "{some:?}");
        let weak = of(&[Enforced, SupportedOff], 40);
        assert_eq!(weak.level, SupportedOff);
        assert!(weak.summary.contains("2 of 40 nodes were asked"), "{weak:?}");
        assert_eq!(of(&[], 1).level, Unknown);
    }

    #[test]
    fn addresses_have_four_or_sixteen_bytes() {
        let row = |bytes: &[u8], port: &[u8]| address(&[Some(bytes.to_vec()), Some(port.to_vec())]);
        let host = row(&[127, 0, 0, 2], &[0, 0, 0x1b, 0x58]).unwrap();
        assert_eq!(host.to_string(), "127.0.0.2:7000");
        row(&[0; 16], &[0, 0, 0, 1]).unwrap();
        row(&[127, 0, 0], &[0, 0, 0, 1]).unwrap_err();
        row(&[127, 0, 0, 2], &[0, 1, 0, 0]).unwrap_err();
        address(&[None]).unwrap_err();
    }
}
