//! Web pages, Java's management port and ZooKeeper's commands: what they tell without a login.

use dbdyno_audit::{Channel, ChannelError, Scene};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::ports::{Servers, briefly, listening, of_socket, servers};

const PAGES: &str = "https://hbase.apache.org/book.html#hbase.ui";
/// Web pages of master, region server, REST, Thrift and ZooKeeper, and the ports of Java's management that HBase's scripts open.
const USUAL: [u16; 7] = [16_010, 16_030, 8_085, 9_095, 8_080, 10_101, 10_102];
/// Pages that show the state of the process, its settings and its logs.
const PATHS: [&str; 3] = ["/jmx", "/conf", "/logs/"];
/// As much of a page as is looked at.
const PAGE_BYTES: usize = 4 << 10;
/// How Java's remote calls begin, and how they are greeted (Java Remote Method Invocation, "Wire protocol").
const JAVA: &[u8] = b"JRMI\0\x02K";
const GREETED: u8 = 0x4e;
const MOST_PORTS: usize = 64;

/// What a port turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Port {
    /// It shows these pages to everybody.
    Open(Vec<&'static str>),
    /// It speaks HTTP and shows none of the pages.
    Web,
    /// It is Java's management, or another service of its kind.
    Java,
    Other,
    Closed,
}

/// Who may read the state, the settings and the logs of the servers.
pub fn planes(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    let fix = "hbase.master.info.port=-1 and hbase.regionserver.info.port=-1, or hbase.security.authentication.ui=kerberos with hbase.security.authentication.spnego.admin.groups; com.sun.management.jmxremote.authenticate=true; 4lw.commands.whitelist=srvr";
    let servers = servers(scene);
    let (hosts, are_all) = candidates(scene, &servers);
    let mut open = Vec::new();
    let mut java = Vec::new();
    let mut web = Vec::new();
    for host in &hosts {
        let seen = look(scene, host);
        scene.note(
            "hbase.management-port",
            format!("GET /jmx, /conf and /logs/, then a greeting of Java's remote calls, to {host}"),
            match &seen {
                Port::Open(paths) => format!("open without a login: {}", paths.join(", ")),
                Port::Web => "HTTP, and none of the pages".to_owned(),
                Port::Java => "Java's remote calls".to_owned(),
                Port::Other => "something else".to_owned(),
                Port::Closed => "not reachable".to_owned(),
            },
        );
        match seen {
            Port::Open(paths) => open.push(format!("{} at {host}", paths.join(", "))),
            Port::Java => java.push(host.to_string()),
            Port::Web => web.push(host.to_string()),
            Port::Other | Port::Closed => {}
        }
    }
    let commands = quorum_commands(scene);
    let finding = if !open.is_empty() {
        AuditFinding::new(
            feature,
            ProtectionLevel::SupportedOff,
            format!(
                "Everybody reads the servers' state, settings or logs: {}.",
                open.join("; ")
            ),
        )
        .mend(AuditSeverity::High, fix)
    } else if !java.is_empty() {
        AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!(
                "Java's remote calls are answered at {}; whether they ask for a password was not seen.",
                java.join(", ")
            ),
        )
    } else if commands == Ok(true) {
        AuditFinding::new(
            feature,
            ProtectionLevel::Partial,
            "No web page and no Java management is open, but ZooKeeper shows its environment to any client (envi), so its other commands are open, too.",
        )
        .mend(AuditSeverity::Low, fix)
    } else if !are_all {
        AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            "The usual ports of web pages and of Java's management are closed or show nothing; others are not known without the servers' processes.",
        )
    } else if let Err(error) = commands {
        AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("No web page is open; whether ZooKeeper takes commands was not seen: {error}."),
        )
    } else {
        AuditFinding::new(
            feature,
            ProtectionLevel::Enforced,
            if web.is_empty() {
                "None of the servers' ports shows web pages or Java's management, and ZooKeeper refuses its commands.".to_owned()
            } else {
                format!(
                    "The web servers at {} show nobody their state, settings and logs, and ZooKeeper refuses its commands.",
                    web.join(", ")
                )
            },
        )
    };
    finding.see(PAGES)
}

/// The ports to look at, and whether they are all that there are.
fn candidates(scene: &Scene<'_>, servers: &Servers) -> (Vec<HostPort>, bool) {
    let known = servers.all();
    let sockets = listening(scene);
    let is_other = |host: &HostPort| !known.contains(host) && host != scene.host();
    if !sockets.is_empty() {
        let hosts = sockets.iter().map(of_socket).filter(is_other);
        return (hosts.take(MOST_PORTS).collect(), true);
    }
    let mut names: Vec<&str> = known
        .iter()
        .chain([scene.host()])
        .map(|host| host.host.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let hosts = names.into_iter().flat_map(|name| {
        USUAL.map(|port| HostPort {
            host: name.to_owned(),
            port,
        })
    });
    (hosts.take(MOST_PORTS).collect(), false)
}

fn look(scene: &Scene<'_>, host: &HostPort) -> Port {
    if let Err(ChannelError::Unreachable(_)) = briefly(scene, host) {
        return Port::Closed;
    }
    let clear = || briefly(scene, host);
    let secure = || briefly(scene, host)?.secure(host, scene.trusting()?);
    for open in [&clear as &dyn Fn() -> Result<Channel, ChannelError>, &secure] {
        let statuses: Vec<(&'static str, u16)> = PATHS
            .into_iter()
            .map_while(|path| Some((path, status(open, host, path)?)))
            .collect();
        if !statuses.is_empty() {
            let shown = statuses.into_iter().filter(|(_, status)| *status == 200);
            let shown: Vec<&'static str> = shown.map(|(path, _)| path).collect();
            return if shown.is_empty() {
                Port::Web
            } else {
                Port::Open(shown)
            };
        }
    }
    let greeted = briefly(scene, host).and_then(|mut channel| {
        channel.send(JAVA)?;
        channel.read_exact(1)
    });
    if greeted.is_ok_and(|bytes| bytes == [GREETED]) {
        Port::Java
    } else {
        Port::Other
    }
}

/// The status of a page; `None` where no HTTP is spoken.
fn status(open: &dyn Fn() -> Result<Channel, ChannelError>, host: &HostPort, path: &str) -> Option<u16> {
    let mut channel = open().ok()?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    channel.send(request.as_bytes()).ok()?;
    let mut page = Vec::new();
    while page.len() < PAGE_BYTES && !page.contains(&b'\n') {
        match channel.read_some(PAGE_BYTES) {
            Ok(more) => page.extend(more),
            Err(_) => break,
        }
    }
    status_of(&page)
}

fn status_of(page: &[u8]) -> Option<u16> {
    let line = String::from_utf8_lossy(page.split(|byte| *byte == b'\n').next()?).into_owned();
    let mut words = line.strip_prefix("HTTP/")?.split_whitespace();
    words.nth(1)?.parse().ok()
}

/// Whether ZooKeeper takes a command of the kind that administrators use; this one only reads.
fn quorum_commands(scene: &mut Scene<'_>) -> Result<bool, ChannelError> {
    let outcome = briefly(scene, scene.host()).and_then(|mut channel| {
        channel.send(b"envi")?;
        let answer = channel.read_until(None, PAGE_BYTES * 16)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    });
    scene.note_outcome("zookeeper.command", "envi, without a login", &outcome);
    match outcome {
        Ok(answer) => Ok(answer.contains("zookeeper.version")),
        // Newer versions end the connection at a word that is not on their list.
        Err(ChannelError::Closed) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_has_a_status() {
        assert_eq!(status_of(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n{}"), Some(200));
        assert_eq!(status_of(b"HTTP/1.1 401\r\n"), Some(401));
        for other in [&b""[..], b"HTTP/", b"HTTP/1.1", b"HTTP/1.1 x", b"\0\0\0\x10HBas"] {
            assert_eq!(status_of(other), None);
        }
    }
}
