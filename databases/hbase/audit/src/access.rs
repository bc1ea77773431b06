//! Logins, proxy users, and what ZooKeeper allows to any client.

use dbdyno_audit::{
    Scene, defaults_not_tried, idle_connections as judge_idle_connections, shortened, unseen_login,
};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::driven::connected;
use crate::ports::{ask, open, parent, servers};
use crate::quorum::{Quorum, READ, shown};
use crate::rpc::{Answer, Ticket, wrong_ticket};

pub const SECURITY: &str = "https://hbase.apache.org/book.html#security";
pub const FIX: &str = "hbase.security.authentication=kerberos, with principals and keytabs of master and region servers; leave hbase.ipc.server.fallback-to-simple-auth-allowed at false";

/// How the server treats a client without a login.
pub enum Stranger {
    /// At least one server answers.
    Served,
    Refused,
    Unknown(String),
}

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
        None if refused => Stranger::Refused,
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
            format!("a Kerberos ticket that is none to {host}"),
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

/// None refused, wrong refused, right accepted.
pub fn authentication(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    let finding = match (stranger(scene), wrong(scene)) {
        (Stranger::Served, Ok(Ticket::Refused)) => AuditFinding::new(
            feature,
            ProtectionLevel::Partial,
            "The servers take Kerberos tickets, and also any name without one: a client only has to leave its ticket out.",
        )
        .mend(AuditSeverity::Critical, FIX),
        (Stranger::Served, _) => AuditFinding::new(
            feature,
            ProtectionLevel::SupportedOff,
            "Anyone who reaches the servers is served, under any name that they choose.",
        )
        .mend(AuditSeverity::Critical, FIX),
        (Stranger::Refused, Ok(Ticket::Accepted | Ticket::NotWanted)) => AuditFinding::new(
            feature,
            ProtectionLevel::Partial,
            "The servers ask for a login, and accept a ticket that is none.",
        )
        .mend(AuditSeverity::Critical, FIX),
        (Stranger::Refused, Ok(Ticket::Refused)) => match right(scene) {
            Ok(true) => AuditFinding::new(
                feature,
                ProtectionLevel::Enforced,
                "The right ticket is accepted; none and a wrong one are refused.",
            ),
            Ok(false) => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "None and a wrong ticket are refused; that a right one is accepted was not seen without a principal.",
            ),
            Err(why) => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                format!("None and a wrong ticket are refused, and so is the login of the address: {why}."),
            ),
        },
        (Stranger::Refused, Err(why)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("No login is refused; what becomes of a wrong ticket was not seen: {why}."),
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
        Some(first) => AuditFinding::new(
            feature,
            ProtectionLevel::SupportedOff,
            format!(
                "Any client may change {} of {} nodes in ZooKeeper, {first} first, and so redirect clients or stop the cluster.",
                open.len(),
                rights.len()
            ),
        )
        .mend(AuditSeverity::High, fix),
        None => AuditFinding::new(
            feature,
            ProtectionLevel::Enforced,
            format!(
                "Nobody without a login may change one of {} nodes in ZooKeeper; {readable} can be read, which clients need to find the servers.",
                rights.len()
            ),
        ),
    };
    finding.see(SECURITY)
}

/// HBase's node in ZooKeeper and its children, each with what everybody may do with it.
fn quorum_rights(scene: &mut Scene<'_>) -> Result<Vec<(String, i32)>, dbdyno_audit::ChannelError> {
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

/// Whether clients that connect and say nothing keep others out.
pub fn idle_connections(scene: &mut Scene<'_>) -> AuditFinding {
    let mut is_served = |scene: &mut Scene<'_>| match stranger(scene) {
        Stranger::Unknown(why) => Err(why),
        _ => Ok(()),
    };
    judge_idle_connections(
        scene,
        &mut is_served,
        "maxClientCnxns of ZooKeeper for each client address, and a firewall that admits known clients only",
        "https://zookeeper.apache.org/doc/current/zookeeperAdmin.html",
    )
}
