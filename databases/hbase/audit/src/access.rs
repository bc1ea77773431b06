//! Logins, proxy users, and what ZooKeeper allows to any client.

use std::net::ToSocketAddrs;

use dbdyno_audit::{
    ChannelError, Scene, Stranger, defaults_not_tried, idle_connections as judge_idle_connections, shortened,
    unseen_login,
};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, Scope, UnknownReason};

use crate::driven::connected;
use crate::files;
use crate::ports::{ask, open, parent, servers};
use crate::quorum::{Quorum, READ, shown};
use crate::rpc::{Answer, Ticket, wrong_ticket};

pub const SECURITY: &str = "https://hbase.apache.org/book.html#security";
const SECURE_MODE: &str =
    "https://hadoop.apache.org/docs/stable/hadoop-project-dist/hadoop-common/SecureMode.html";
pub const FIX: &str = "hbase.security.authentication=kerberos, with principals and keytabs of master and region servers; leave hbase.ipc.server.fallback-to-simple-auth-allowed at false";

/// How the servers treat a client without a login. It is served where one of them answers.
pub fn stranger(scene: &mut Scene<'_>) -> Stranger {
    let servers = servers(scene);
    let mut refused = false;
    let mut unknown = None;
    for host in servers.all() {
        let outcome = ask(scene, &|| open(scene, scene.remote, &host)).map(|(_, answer)| answer);
        let sent = format!("a question under a made-up name, without a login, to {host}");
        let got = outcome.clone().map(|answer| answer.shown());
        scene.note_outcome("hbase.simple-login", sent, &got);
        match outcome {
            Ok(Answer::Served) => return Stranger::Served,
            Ok(Answer::WantsLogin) => refused = true,
            Ok(Answer::Failed(class)) => unknown = Some(format!("{host} answered with {class}")),
            Err(error) => unknown = Some(format!("{host}: {error}")),
        }
    }
    match unknown {
        Some(why) => Stranger::Unknown(why),
        None if refused => servers.gap().map_or(Stranger::Refused, |gap| {
            Stranger::Unknown(format!("only {gap}, and they refuse a stranger"))
        }),
        None => Stranger::Unknown("no master and no region server was found".to_owned()),
    }
}

/// What became of a ticket that is none, at the first server that answers.
fn wrong(scene: &mut Scene<'_>) -> Result<Ticket, String> {
    let mut last = Err("no server was found".to_owned());
    for host in servers(scene).all() {
        let outcome = open(scene, scene.remote, &host).and_then(|mut channel| wrong_ticket(&mut channel));
        let got = outcome.clone().map(|ticket| match ticket {
            Ticket::Refused => "refused".to_owned(),
            Ticket::Accepted => "accepted".to_owned(),
            Ticket::NotWanted => "go on without a login".to_owned(),
        });
        scene.note_outcome(
            "hbase.wrong-ticket",
            format!("an invalid Kerberos ticket to {host}"),
            &got,
        );
        match outcome {
            Ok(Ticket::Refused) => last = Ok(Ticket::Refused),
            Ok(other) => return Ok(other),
            Err(error) => return Err(error.to_string()),
        }
    }
    last
}

/// None refused, wrong refused, right accepted; by HBase, and by the HDFS below it where the address names one.
pub fn authentication(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    let of_hbase = of_hbase(scene);
    if of_hbase.level != ProtectionLevel::Enforced {
        return of_hbase;
    }
    match files::stranger(scene) {
        None | Some(Stranger::Refused) => of_hbase,
        Some(Stranger::Served) => AuditFinding::partial(
            feature,
            "HBase requires a ticket, but the HDFS below it serves anyone, under any name: HBase's files can be read and changed there.",
        )
        .mend(
            AuditSeverity::Critical,
            "hadoop.security.authentication=kerberos for HDFS, with principals and keytabs of NameNode and DataNodes",
        )
        .see(SECURE_MODE),
        Some(Stranger::Unknown(why)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("HBase refuses a missing and a wrong ticket; whether the HDFS below it requires a login is unknown: {why}."),
        )
        .see(SECURE_MODE),
    }
}

fn of_hbase(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    let finding = match (stranger(scene), wrong(scene)) {
        (Stranger::Served, Ok(Ticket::Refused)) => AuditFinding::partial(
            feature,
            "The servers take Kerberos tickets, and also any name without one: a client only has to leave its ticket out.",
        )
        .mend(AuditSeverity::Critical, FIX),
        (Stranger::Served, _) => AuditFinding::off(
            feature,
            "Anyone who reaches the servers is served, under any name that they choose.",
        )
        .mend(AuditSeverity::Critical, FIX),
        (Stranger::Refused, Ok(Ticket::Accepted | Ticket::NotWanted)) => AuditFinding::partial(
            feature,
            "The servers ask for a login but accept an invalid ticket.",
        )
        .mend(AuditSeverity::Critical, FIX),
        (Stranger::Refused, Ok(Ticket::Refused)) => match right(scene) {
            Ok(true) => AuditFinding::enforced(
                feature,
                "The right ticket is accepted; a missing and a wrong one are refused.",
            ),
            Ok(false) => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "A missing and a wrong ticket are refused; whether the right one is accepted is unknown without a principal.",
            ),
            Err(why) => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                format!("A missing and a wrong ticket are refused, and so is the login of the address: {why}."),
            ),
        },
        (Stranger::Refused, Err(why)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("A missing login is refused; the answer to a wrong ticket is unknown: {why}."),
        ),
        (Stranger::Unknown(why), _) => unseen_login(&why),
    };
    finding.see(SECURITY)
}

/// Whether the login of the address is accepted; false without one.
pub fn right(scene: &mut Scene<'_>) -> Result<bool, String> {
    if !scene.target.options.contains_key("principal") {
        return Ok(false);
    }
    let outcome = connected(scene, scene.target, async |_| Ok(())).map_err(|error| shortened(&error.message));
    let got = outcome.as_ref().map_or_else(String::as_str, |()| "accepted");
    scene.note(
        "hbase.right-ticket",
        "the login of the address, by the driver",
        got,
    );
    outcome.map(|()| true)
}

/// ZooKeeper ships with nodes that any client may change, and so redirect clients or stop the cluster.
pub fn default_credentials(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::DefaultCredentials;
    if let Some(finding) = defaults_not_tried(scene, "Rights that ZooKeeper gives to any client") {
        return finding;
    }
    let fix = "log servers in to ZooKeeper: a JAAS file with Server and Client sections, authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider, hbase.security.authentication=kerberos; then restart, so that HBase sets the rights of its nodes";
    let rights = match quorum_rights(scene) {
        Ok(rights) => rights,
        Err(error) => {
            let why = format!("ZooKeeper did not say who may do what: {error}.");
            return AuditFinding::unknown(feature, UnknownReason::Unreachable, why).see(SECURITY);
        }
    };
    let open: Vec<&str> = rights
        .iter()
        .filter(|(_, rights)| rights & !READ != 0)
        .map(|(path, _)| path.as_str())
        .collect();
    let readable = rights.iter().filter(|(_, rights)| rights & READ != 0).count();
    let finding = match open.first() {
        None if rights.is_empty() => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "ZooKeeper shows no node of HBase to a stranger.",
        ),
        Some(first) => AuditFinding::off(
            feature,
            format!(
                "Any client may change {} of {} nodes in ZooKeeper, {first} first, and so redirect clients or stop the cluster.",
                open.len(),
                rights.len()
            ),
        )
        .mend(AuditSeverity::High, fix),
        None => AuditFinding::enforced(
            feature,
            format!(
                "Nobody without a login may change one of {} nodes in ZooKeeper; {readable} can be read, which clients need to find the servers.",
                rights.len()
            ),
        ),
    };
    finding.see(SECURITY)
}

/// HBase's node in ZooKeeper and its children, each with what everybody may do with it.
fn quorum_rights(scene: &mut Scene<'_>) -> Result<Vec<(String, i32)>, ChannelError> {
    const MOST: usize = 64;
    let parent = parent(scene);
    let mut quorum = Quorum::connect(scene)?;
    let children = quorum.children(&parent)?;
    let paths = children.iter().take(MOST).map(|name| format!("{parent}/{name}"));
    let mut rights = Vec::new();
    for path in std::iter::once(parent.clone()).chain(paths) {
        // Whose list may not even be seen may do nothing.
        if let Some(of_anybody) = quorum.rights_of_anybody(&path)? {
            rights.push((path, of_anybody));
        }
    }
    quorum.close();
    for (path, of_anybody) in &rights {
        let sent = format!("getACL {path}, without a login");
        scene.note(
            "zookeeper.rights",
            sent,
            format!("anybody may {}", shown(*of_anybody)),
        );
    }
    Ok(rights)
}

/// Whether clients that connect and say nothing keep others out. They connect to ZooKeeper, so it is ZooKeeper that is asked: the
/// other servers may well answer beside one that is dead.
pub fn idle_connections(scene: &mut Scene<'_>) -> AuditFinding {
    const REFERENCE: &str = "https://zookeeper.apache.org/doc/current/zookeeperAdmin.html";
    let mut is_closed = false;
    let mut is_served = |scene: &mut Scene<'_>| {
        let answer = answers(scene);
        is_closed |= answer == Err(ChannelError::Closed);
        answer.map_err(|error| error.to_string())
    };
    let finding = judge_idle_connections(
        scene,
        &mut is_served,
        "maxClientCnxns of ZooKeeper for each client address, and a firewall that admits known clients only",
        REFERENCE,
    );
    if finding.level == ProtectionLevel::Partial && is_closed && !idle_ones_come_from_elsewhere(scene) {
        return AuditFinding::unknown(
            Feature::IdleConnections,
            UnknownReason::Unexpected,
            "Beside idle connections from the same address, ZooKeeper ended those of a new client. Whether that is its limit for each address (maxClientCnxns), which leaves other addresses alone, is unknown.",
        )
        .of(Scope::Network)
        .see(REFERENCE);
    }
    finding
}

/// Whether ZooKeeper begins a session.
fn answers(scene: &Scene<'_>) -> Result<(), ChannelError> {
    Quorum::connect(scene).map(Quorum::close)
}

/// Whether the idle connections come from another address than a new client: only on loopback of IPv4.
fn idle_ones_come_from_elsewhere(scene: &Scene<'_>) -> bool {
    let host = scene.host();
    let mut addresses = (host.host.as_str(), host.port)
        .to_socket_addrs()
        .into_iter()
        .flatten();
    addresses
        .next()
        .is_some_and(|address| address.is_ipv4() && address.ip().is_loopback())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use dbdyno_testkit::audit::server;

    use super::*;
    use crate::scene_of_tests::in_scene;

    #[test]
    fn beside_idle_connections_it_is_zookeeper_that_must_answer() {
        let answered = |serve: fn(TcpStream)| {
            let port = server(serve);
            in_scene(&format!("hbase://127.0.0.1:{port}"), |scene| answers(scene))
        };
        let silent =
            |mut stream: TcpStream| while stream.read(&mut [0; 64]).is_ok_and(|length| length > 0) {};
        assert_eq!(answered(silent), Err(ChannelError::Silent));
        let serves = |mut stream: TcpStream| {
            while stream.read(&mut [0; 256]).is_ok_and(|length| length > 0) {
                stream.write_all(&[0, 0, 0, 1, 0]).ok();
            }
        };
        assert_eq!(answered(serves), Ok(()));
    }
}
