//! The protection of the wire between clients and servers.

use dbdyno_audit::{
    Channel, ChannelError, ClearText, Scene, TlsOfServers, asks_for_certificate as all_ask_for_certificate,
    client_to_node as judge, in_part, transport as judge_transport,
};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, Feature, UnknownReason};

use crate::driven::connected;
use crate::ports::{Servers, ask, servers};

const TLS: &str = "https://hbase.apache.org/book.html#_rpc_tls";
pub const FIX: &str = "hbase.server.netty.tls.enabled=true, hbase.server.netty.tls.supportplaintext=false (it is true unless said otherwise), hbase.rpc.tls.keystore.location and hbase.client.netty.tls.enabled=true";

/// What became of the conversations in clear text with all servers: one that answers is enough.
pub fn clear_text(scene: &mut Scene<'_>, servers: &Servers) -> ClearText {
    let mut refused = None;
    let mut unknown = None;
    for host in servers.all() {
        let outcome = ask(scene, &|| scene.open_to(&host)).map(|(_, answer)| answer.shown());
        let sent = format!("the beginning of HBase's RPC in clear text to {host}");
        scene.note_outcome("hbase.clear-text", sent, &outcome);
        match ClearText::of(&outcome) {
            ClearText::Accepted => return ClearText::Accepted,
            ClearText::Refused => refused = Some(ClearText::Refused),
            other @ ClearText::Unknown(_) => unknown = Some(other),
        }
    }
    let gap = || {
        let gap = servers.gap()?;
        Some(ClearText::Unknown(format!("only {gap}, and they refuse it")))
    };
    unknown
        .or_else(gap)
        .or(refused)
        .unwrap_or_else(|| ClearText::Unknown("no master and no region server was found".to_owned()))
}

/// A connection to a server that clients read from.
pub fn before_tls(scene: &mut Scene<'_>) -> Result<(HostPort, Channel), ChannelError> {
    match servers(scene).all().first() {
        Some(host) => Ok((host.clone(), scene.open_to(host)?)),
        None => Err(ChannelError::Unreachable(
            "no master and no region server was found".to_owned(),
        )),
    }
}

/// What every server speaks.
fn tls(scene: &mut Scene<'_>, servers: &Servers) -> TlsOfServers {
    let hosts = servers.all();
    scene.tls("hbase.tls", &hosts, &mut |scene, host| scene.open_to(host))
}

/// Whether every server speaks TLS; the first that does not is named.
pub fn without_tls(scene: &mut Scene<'_>, servers: &Servers) -> Option<HostPort> {
    for host in servers.all() {
        let outcome = scene.trusting().and_then(|anybody| {
            let channel = scene.open_to(&host)?.secure(&host, anybody)?;
            Ok(channel.agreed().map_or_else(String::new, |(version, suite, _)| {
                format!("{version:?}, {suite:?}")
            }))
        });
        scene.note_outcome("hbase.handshake", format!("ClientHello to {host}"), &outcome);
        if outcome.is_err() {
            return Some(host);
        }
    }
    None
}

/// TLS accepted, clear text refused, by all servers.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::ClientToNodeEncryption;
    let servers = servers(scene);
    let seen = tls(scene, &servers);
    let clear = clear_text(scene, &servers);
    if seen.is_spoken()
        && let Some(host) = without_tls(scene, &servers)
    {
        let why = format!("A server speaks TLS; with {host} no handshake succeeded.");
        return AuditFinding::unknown(feature, UnknownReason::Unexpected, why).see(TLS);
    }
    let finding = judge(&seen, &clear, FIX, TLS);
    if clear == ClearText::Accepted && scene.target.options.contains_key("principal") {
        return judge_login_layer(scene, finding);
    }
    finding
}

/// Kerberos can encrypt by itself (`hbase.rpc.protection=privacy`). The driver logs in without, so that a server that wants it refuses
/// it.
fn judge_login_layer(scene: &mut Scene<'_>, finding: AuditFinding) -> AuditFinding {
    let outcome = connected(scene, scene.target, async |_| Ok(()));
    let sent = "login with a ticket, without encryption by Kerberos";
    match outcome {
        Ok(()) => {
            scene.note("hbase.login-layer", sent, "accepted");
            finding
        }
        Err(error) => {
            scene.note("hbase.login-layer", sent, &error.message);
            let why = format!(
                "Clear text is accepted before the login; whether Kerberos encrypts behind it (hbase.rpc.protection=privacy) is unknown: {}.",
                error.message
            );
            AuditFinding::unknown(finding.feature, UnknownReason::NoPrivilege, why).see(TLS)
        }
    }
}

/// Versions, suites, certificate; whether clients must show one.
pub fn transport(scene: &mut Scene<'_>) -> AuditFinding {
    let servers = servers(scene);
    let seen = tls(scene, &servers);
    let clear = clear_text(scene, &servers);
    let asks = seen
        .is_spoken()
        .then(|| asks_for_certificate(scene, &servers.all()))
        .flatten();
    let finding = judge_transport(&seen, &clear, asks, FIX, TLS);
    match servers.gap() {
        Some(gap) => in_part(finding, &gap),
        None => finding,
    }
}

/// Whether a client without a certificate is refused, by every server.
fn asks_for_certificate(scene: &mut Scene<'_>, hosts: &[HostPort]) -> Option<bool> {
    let sent = "HBase's RPC over TLS without a certificate";
    all_ask_for_certificate(
        scene,
        "hbase.no-certificate",
        sent,
        hosts,
        &mut |scene, host, anonymous| {
            let opened = &|| scene.open_to(host)?.secure(host, anonymous.clone());
            Ok(ask(scene, opened)?.1.shown())
        },
    )
}
