//! Web pages, Java's management port and ZooKeeper's commands: what they tell without a login.

use std::collections::BTreeSet;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

use dbdyno_audit::{Channel, ChannelError, Deadline, Scene, Vantage};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

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

/// Audits wait for all ports together so many times as long as for one.
const WAITS: u32 = 12;
/// How every answer of HTTP begins.
const HTTP: &[u8] = b"HTTP/";

/// A port, as it turned out.
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
    /// It was not seen: a server was silent, or not reachable where it listens.
    Unknown(String),
}

/// A port to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    host: HostPort,
    /// Whether one of the servers' processes listens there, as opposed to a guess.
    listens: bool,
}

/// All ports, as they were seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Planes {
    open: Vec<String>,
    java: Vec<String>,
    web: Vec<String>,
    unknown: Vec<String>,
    /// Why there may be other ports.
    missing: Option<String>,
}

/// Who may read the state, the settings and the logs of the servers.
pub fn planes(scene: &mut Scene<'_>) -> AuditFinding {
    let servers = servers(scene);
    let (candidates, missing) = candidates(scene, &servers);
    let mut planes = Planes {
        missing,
        ..Planes::default()
    };
    let deadline = Deadline::within(scene.patience * WAITS);
    for candidate in &candidates {
        let host = &candidate.host;
        let seen = if deadline.left().is_some() {
            look(scene, candidate)
        } else {
            Port::Unknown("the others took all the time that there was".to_owned())
        };
        scene.note(
            "hbase.management-port",
            format!("GET /jmx, /conf and /logs/, then a greeting of Java's remote calls, to {host}"),
            match &seen {
                Port::Open(paths) => format!("open without a login: {}", paths.join(", ")),
                Port::Web => "HTTP, and none of the pages".to_owned(),
                Port::Java => "Java's remote calls".to_owned(),
                Port::Other => "something else".to_owned(),
                Port::Closed => "not reachable".to_owned(),
                Port::Unknown(why) => why.clone(),
            },
        );
        match seen {
            Port::Open(paths) => planes.open.push(format!("{} at {host}", paths.join(", "))),
            Port::Java => planes.java.push(host.to_string()),
            Port::Web => planes.web.push(host.to_string()),
            Port::Unknown(why) => planes.unknown.push(format!("{host} ({why})")),
            Port::Other | Port::Closed => {}
        }
    }
    let commands = quorum_commands(scene);
    judge(&planes, &commands).see(PAGES)
}

fn judge(planes: &Planes, commands: &Result<bool, ChannelError>) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    let fix = "hbase.master.info.port=-1 and hbase.regionserver.info.port=-1, or hbase.security.authentication.ui=kerberos with hbase.security.authentication.spnego.admin.groups; com.sun.management.jmxremote.authenticate=true; 4lw.commands.whitelist=srvr";
    let unknown = |why, text: String| AuditFinding::unknown(feature, why, text);
    if !planes.open.is_empty() {
        return AuditFinding::off(
            feature,
            format!(
                "Anyone can read the servers' state, settings or logs: {}.",
                planes.open.join("; ")
            ),
        )
        .mend(AuditSeverity::High, fix);
    }
    if !planes.java.is_empty() {
        let text = format!(
            "Java's remote calls are answered at {}; whether they ask for a password is unknown.",
            planes.java.join(", ")
        );
        return unknown(UnknownReason::NoPrivilege, text);
    }
    let unseen = if planes.unknown.is_empty() {
        planes.missing.clone()
    } else {
        Some(format!("not seen: {}", planes.unknown.join(", ")))
    };
    match (commands, unseen) {
        (Ok(true), unseen) => {
            let pages = unseen.map_or_else(
                || "No web page and no Java management is open".to_owned(),
                |why| {
                    format!(
                        "No web page and no Java management was found open, as far as could be seen ({why})"
                    )
                },
            );
            AuditFinding::partial(
                feature,
                format!(
                    "{pages}, but ZooKeeper shows its environment to any client (envi), so its other commands are open, too."
                ),
            )
            .mend(AuditSeverity::Low, fix)
        }
        (_, Some(why)) => {
            let reason = if planes.unknown.is_empty() {
                UnknownReason::NoFileAccess
            } else {
                UnknownReason::Unreachable
            };
            let text = format!(
                "No web page and no Java management was found open, but not all could be seen: {why}."
            );
            unknown(reason, text)
        }
        (Err(error), None) => unknown(
            UnknownReason::Unreachable,
            format!("No web page is open; whether ZooKeeper takes commands is unknown: {error}."),
        ),
        (Ok(false), None) => AuditFinding::enforced(feature, protected(&planes.web)),
    }
}

fn protected(web: &[String]) -> String {
    if web.is_empty() {
        "None of the servers' ports shows web pages or Java's management, and ZooKeeper refuses its commands."
            .to_owned()
    } else {
        format!(
            "The web servers at {} show no state, settings or logs, and ZooKeeper refuses its commands.",
            web.join(", ")
        )
    }
}

/// The ports to look at, and why there may be others.
fn candidates(scene: &Scene<'_>, servers: &Servers) -> (Vec<Candidate>, Option<String>) {
    let known = [servers.all(), scene.remote.hosts.clone()].concat();
    let sockets = listening(scene);
    let mut found: Vec<Candidate> = Vec::new();
    for socket in &sockets.seen {
        let host = of_socket(socket, scene.host());
        let is_new = !known.contains(&host) && found.iter().all(|other| other.host != host);
        if is_new && is_near(scene, socket) {
            found.push(Candidate { host, listens: true });
        }
    }
    // What is not among the sockets runs elsewhere, where only the usual ports are known.
    let elsewhere: Vec<&HostPort> = known
        .iter()
        .filter(|server| !is_among(server, &sockets.seen))
        .collect();
    let mut names: Vec<&str> = elsewhere.iter().map(|server| server.host.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let guessed = names.into_iter().flat_map(|name| {
        USUAL.map(|port| Candidate {
            host: HostPort {
                host: name.to_owned(),
                port,
            },
            listens: false,
        })
    });
    found.extend(guessed);
    let missing = if let Some(first) = elsewhere.first() {
        Some(format!(
            "without the process of the server at {first}, only the usual ports are known there"
        ))
    } else if servers.all().is_empty() {
        Some("no master and no region server was found".to_owned())
    } else if found.len() > MOST_PORTS {
        Some(format!(
            "only {MOST_PORTS} of {} ports were looked at",
            found.len()
        ))
    } else {
        None
    };
    found.truncate(MOST_PORTS);
    (found, sockets.unseen.or(missing))
}

/// Whether a server is one of this machine's that listens on one of these sockets.
fn is_among(server: &HostPort, sockets: &BTreeSet<SocketAddr>) -> bool {
    let addresses = (server.host.as_str(), server.port).to_socket_addrs();
    // Only an address of an own interface can be bound to.
    let is_here = |address: SocketAddr| UdpSocket::bind((address.ip(), 0)).is_ok();
    sockets.iter().any(|socket| socket.port() == server.port) && addresses.into_iter().flatten().any(is_here)
}

/// Whether a socket can be looked at: loopback of this machine is not that of a network namespace, from which nobody reaches it.
fn is_near(scene: &Scene<'_>, socket: &SocketAddr) -> bool {
    !matches!(scene.from, Vantage::Namespace(_)) || !socket.ip().to_canonical().is_loopback()
}

fn look(scene: &Scene<'_>, candidate: &Candidate) -> Port {
    let host = &candidate.host;
    if let Err(error) = briefly(scene, host) {
        return if candidate.listens {
            Port::Unknown(error.to_string())
        } else {
            Port::Closed
        };
    }
    let mut unseen = None;
    // Who has been silent once is not waited for as long again.
    let opened = |is_silent| {
        if is_silent {
            briefly(scene, host)
        } else {
            scene.open_to(host)
        }
    };
    let secured = |is_silent| opened(is_silent)?.secure(host, scene.trusting()?);
    for open in [&opened as &Opening<'_>, &secured] {
        if let Some(port) = pages(open, host, &mut unseen) {
            return port;
        }
    }
    let greeted = opened(unseen.is_some()).and_then(|mut channel| {
        channel.send(JAVA)?;
        channel.read_exact(1)
    });
    match unseen {
        _ if greeted.is_ok_and(|bytes| bytes == [GREETED]) => Port::Java,
        Some(why) => Port::Unknown(why),
        None => Port::Other,
    }
}

/// A connection; with a short wait where the server was silent before.
type Opening<'a> = dyn Fn(bool) -> Result<Channel, ChannelError> + 'a;

/// What the pages show; `None` where no HTTP is spoken, or none was heard within the deadline, which `unseen` says.
fn pages(open: &Opening<'_>, host: &HostPort, unseen: &mut Option<String>) -> Option<Port> {
    let mut shown = Vec::new();
    let mut of_web = None;
    for path in PATHS {
        match page(open(unseen.is_some()), host, path) {
            Page::Status(200) => shown.push(path),
            Page::Status(_) => of_web = Some(Port::Web),
            Page::NotHttp => break,
            Page::Unseen(why) => {
                unseen.get_or_insert(format!("{path}: {why}"));
            }
        }
    }
    if shown.is_empty() {
        // One page that is refused says nothing about another that was not seen.
        of_web.map(|port| unseen.clone().map_or(port, Port::Unknown))
    } else {
        Some(Port::Open(shown))
    }
}

/// The result of a request for a page.
enum Page {
    Status(u16),
    NotHttp,
    Unseen(String),
}

fn page(opened: Result<Channel, ChannelError>, host: &HostPort, path: &str) -> Page {
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let mut page = Vec::new();
    let outcome = opened.and_then(|mut channel| {
        channel.send(request.as_bytes())?;
        while page.len() < PAGE_BYTES && !page.contains(&b'\n') {
            page.extend(channel.read_some(PAGE_BYTES)?);
        }
        Ok(())
    });
    let may_be_http = page.iter().zip(HTTP).all(|(byte, expected)| byte == expected);
    match (outcome, status_of(&page)) {
        (Err(error @ (ChannelError::Silent | ChannelError::Unreachable(_))), _) if may_be_http => {
            Page::Unseen(error.to_string())
        }
        // A server that cannot answer now has not refused to.
        (_, Some(status @ (429 | 500..))) => Page::Unseen(format!("status {status}")),
        (_, Some(status)) => Page::Status(status),
        (_, None) => Page::NotHttp,
    }
}

fn status_of(page: &[u8]) -> Option<u16> {
    let line = String::from_utf8_lossy(page.split(|byte| *byte == b'\n').next()?).into_owned();
    let mut words = line.strip_prefix("HTTP/")?.split_whitespace();
    words.nth(1)?.parse().ok()
}

/// Whether ZooKeeper takes a command of the kind that administrators use; this one only reads.
fn quorum_commands(scene: &mut Scene<'_>) -> Result<bool, ChannelError> {
    let outcome = scene.open().and_then(|mut channel| {
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
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use dbdyno_record::audit::ProtectionLevel;
    use dbdyno_testkit::audit::server;

    use super::*;
    use crate::scene_of_tests::in_scene;

    #[test]
    fn only_http_has_a_status() {
        assert_eq!(status_of(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n{}"), Some(200));
        assert_eq!(status_of(b"HTTP/1.1 401\r\n"), Some(401));
        for other in [&b""[..], b"HTTP/", b"HTTP/1.1", b"HTTP/1.1 x", b"\0\0\0\x10HBas"] {
            assert_eq!(status_of(other), None);
        }
    }

    /// What a port turns out to be that answers each request with these words, after a while.
    fn looked_at(listens: bool, after: Duration, answer: &'static str) -> Port {
        let port = server(move |mut stream: TcpStream| {
            let mut request = [0; 512];
            if stream
                .read(&mut request)
                .is_ok_and(|length| request[..length].starts_with(b"GET "))
            {
                std::thread::sleep(after);
                stream.write_all(answer.as_bytes()).ok();
            }
        });
        let candidate = Candidate {
            host: HostPort {
                host: "127.0.0.1".to_owned(),
                port,
            },
            listens,
        };
        // Two seconds of patience.
        in_scene(&format!("hbase://127.0.0.1:{port}"), |scene| {
            look(scene, &candidate)
        })
    }

    #[test]
    fn a_slow_page_is_waited_for_and_a_silent_one_is_not_protected() {
        let at_once = Duration::ZERO;
        let shown = "HTTP/1.1 200 OK\r\n\r\n{}";
        assert_eq!(
            looked_at(true, Duration::from_millis(1_600), shown),
            Port::Open(PATHS.to_vec())
        );
        let late = looked_at(true, Duration::from_secs(6), shown);
        assert!(matches!(late, Port::Unknown(_)), "{late:?}");
        let broken = looked_at(true, at_once, "HTTP/1.1 503 Service Unavailable\r\n\r\n");
        assert!(matches!(broken, Port::Unknown(_)), "{broken:?}");
        assert_eq!(
            looked_at(true, at_once, "HTTP/1.1 401 Unauthorized\r\n\r\n"),
            Port::Web
        );
        assert_eq!(looked_at(true, at_once, ""), Port::Other);
    }

    #[test]
    fn a_port_that_is_not_reachable_is_closed_only_where_nobody_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = HostPort {
            host: "127.0.0.1".to_owned(),
            port: listener.local_addr().unwrap().port(),
        };
        drop(listener);
        let port = server(drop);
        let looked_at = |listens| {
            let candidate = Candidate {
                host: host.clone(),
                listens,
            };
            in_scene(&format!("hbase://127.0.0.1:{port}"), |scene| {
                look(scene, &candidate)
            })
        };
        assert_eq!(looked_at(false), Port::Closed);
        assert!(matches!(looked_at(true), Port::Unknown(_)));
    }

    #[test]
    fn only_servers_of_this_machine_are_among_its_sockets() {
        let sockets = BTreeSet::from(["0.0.0.0:16020".parse().unwrap()]);
        let is_known = |host: &str, port| {
            let host = host.to_owned();
            is_among(&HostPort { host, port }, &sockets)
        };
        assert!(is_known("127.0.0.1", 16_020));
        assert!(!is_known("127.0.0.1", 16_000));
        // TEST-NET-1 is nobody's.
        assert!(!is_known("192.0.2.1", 16_020));
    }

    #[test]
    fn what_was_not_seen_is_never_protected() {
        let level = |planes: &Planes, commands| judge(planes, &commands).level;
        let all = Planes::default();
        assert_eq!(level(&all, Ok(false)), ProtectionLevel::Enforced);
        assert_eq!(level(&all, Err(ChannelError::Silent)), ProtectionLevel::Unknown);
        let silent = Planes {
            unknown: vec!["h:1 (no answer)".to_owned()],
            ..Planes::default()
        };
        let hidden = Planes {
            missing: Some("the sockets of process 1 cannot be seen".to_owned()),
            ..Planes::default()
        };
        for planes in [silent, hidden] {
            assert_eq!(level(&planes, Ok(false)), ProtectionLevel::Unknown);
            assert_eq!(level(&planes, Ok(true)), ProtectionLevel::Partial);
            let open = Planes {
                open: vec!["/jmx at h:2".to_owned()],
                ..planes
            };
            assert_eq!(level(&open, Ok(false)), ProtectionLevel::SupportedOff);
        }
    }
}
