//! Connections that say nothing: whether they keep other clients out, and for how long after they have ended.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, Scope, UnknownReason};
use rustix::io::Errno;
use tokio::net::TcpSocket;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::clock::{Deadline, Stopwatch};
use crate::scene::Scene;

/// How many are opened.
const CONNECTIONS: usize = 1_000;
/// How many are opened at a time: a server's queue of new connections is often 128 long.
const AT_A_TIME: usize = 50;
/// How long servers may take to end connections that they do not want.
const SETTLING: Duration = Duration::from_millis(500);
/// Where idle connections to a server on loopback come from: not from where other clients do.
const ANOTHER_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// Files that are held while the connections are opened, so that this host can still open what the question after them needs.
const SPARE_FILES: usize = 32;
/// Between two looks at whether clients are served again.
const STEP: Duration = Duration::from_millis(100);

/// Opens a thousand connections that say nothing, looks whether a new client is served beside them, and for how long it is not after
/// they have ended. `is_served` asks the first server of its scene, and no other, a question for which no login is needed; a refused
/// login is an answer, too. To a server on loopback the silent connections come from another address than the new client: a limit for
/// each address must not count as a failure.
pub fn idle_connections(
    scene: &mut Scene<'_>,
    is_served: &mut dyn FnMut(&mut Scene<'_>) -> Result<(), String>,
    fix: &str,
    reference: &str,
) -> AuditFinding {
    let finding = if scene.tries_idle_connections {
        at_one_address(scene, is_served, fix)
    } else {
        AuditFinding::unknown(
            Feature::IdleConnections,
            UnknownReason::NotRequested,
            "Idle connections were not tried; --try-idle-connections tries them.",
        )
    };
    finding.of(Scope::Network).see(reference)
}

/// Another server of the address, or another behind its name, would answer in the place of the one that is kept busy: so the scene
/// of the probe has one server at one address.
fn at_one_address(
    scene: &mut Scene<'_>,
    is_served: &mut dyn FnMut(&mut Scene<'_>) -> Result<(), String>,
    fix: &str,
) -> AuditFinding {
    let address = match address(scene) {
        Ok(address) => address,
        Err(why) => return AuditFinding::unknown(Feature::IdleConnections, UnknownReason::Unreachable, why),
    };
    let mut host = scene.host().clone();
    if scene.remote.tls.is_none() {
        host.host = address.ip().to_string();
    }
    let first = Remote {
        hosts: vec![host],
        ..scene.remote.clone()
    };
    let mut at_first = scene.with_remote(&first);
    let finding = judged(&mut at_first, address, is_served, fix);
    let mut evidence = at_first.evidence;
    scene.evidence.append(&mut evidence);
    finding
}

fn judged(
    scene: &mut Scene<'_>,
    address: SocketAddr,
    is_served: &mut dyn FnMut(&mut Scene<'_>) -> Result<(), String>,
    fix: &str,
) -> AuditFinding {
    let feature = Feature::IdleConnections;
    if let Err(why) = is_served(scene) {
        let why = format!("Even without idle connections, the server answered no request: {why}.");
        return AuditFinding::unknown(feature, UnknownReason::Unreachable, why);
    }
    let opened = match opened(scene, address) {
        Ok(opened) => opened,
        Err(error) => {
            let why = format!("No idle connections could be opened: {error}.");
            return AuditFinding::unknown(feature, UnknownReason::Unreachable, why);
        }
    };
    if let Some(error) = opened.of_this_host {
        let why = format!(
            "This host cannot open {CONNECTIONS} connections ({error}); raise its limit of open files (ulimit -n)."
        );
        return AuditFinding::unknown(feature, UnknownReason::NoPrivilege, why);
    }
    let beside = is_served(scene);
    let kept = opened.left_open();
    let (opened_count, attempted) = (opened.streams.len(), opened.attempted);
    scene.note(
        "connections.idle",
        format!("{CONNECTIONS} silent connections to {}", scene.host()),
        format!(
            "{opened_count} opened, {kept} still open after {} ms; a new client was {}",
            SETTLING.as_millis(),
            if beside.is_ok() {
                "answered"
            } else {
                "not answered"
            },
        ),
    );
    let are_from_elsewhere = opened.are_from_elsewhere;
    drop(opened);
    let Err(why) = beside else {
        // A server may refuse some: that is how it keeps room for others.
        if attempted < CONNECTIONS || opened_count == 0 {
            let why = format!(
                "A new client is answered beside {opened_count} idle connections; in the time that a probe has, {attempted} of \
                 {CONNECTIONS} were tried, so this shows nothing."
            );
            return AuditFinding::unknown(feature, UnknownReason::Unexpected, why);
        }
        return AuditFinding::enforced(
            feature,
            format!(
                "A new client is answered while {CONNECTIONS} connections stay idle ({kept} of them were left open)."
            ),
        );
    };
    let (severity, after) = match recovery(scene, is_served) {
        Some(seconds) => (
            AuditSeverity::Medium,
            format!("it was answered {seconds:.1} s after they had ended"),
        ),
        None => (
            AuditSeverity::High,
            format!(
                "it was still not answered {} s after they had ended",
                scene.patience.as_secs()
            ),
        ),
    };
    if !are_from_elsewhere {
        let summary = format!(
            "With {kept} idle connections left open, a new client of the same address got no answer ({why}); {after}. If that is a \
             limit for each address, clients elsewhere are served."
        );
        return AuditFinding::partial(feature, summary).mend(AuditSeverity::Low, fix);
    }
    AuditFinding::partial(
        feature,
        format!(
            "Idle connections lock out other clients: with {kept} of them left open, a new client got no answer ({why}); {after}. This needs no login."
        ),
    )
    .mend(severity, fix)
}

/// The connections that could be opened.
struct Opened {
    streams: Vec<TcpStream>,
    /// How many were tried.
    attempted: usize,
    /// Why this host itself could not open more.
    of_this_host: Option<String>,
    /// Whether they come from another address than the new client.
    are_from_elsewhere: bool,
}

impl Opened {
    /// How many the server has left open.
    fn left_open(&self) -> usize {
        self.streams.iter().filter(|stream| is_open(stream)).count()
    }
}

/// Opens them and waits until the server has ended those that it does not want. Where it wants none from another address of this
/// machine, as Redis in protected mode, they come from that of the new client.
fn opened(scene: &Scene<'_>, address: SocketAddr) -> std::io::Result<Opened> {
    let settled = |source| {
        let opened = open(scene, address, source)?;
        std::thread::sleep(SETTLING);
        Ok(opened)
    };
    let is_loopback = address.is_ipv4() && address.ip().is_loopback();
    let from_elsewhere = settled(is_loopback.then_some(ANOTHER_ADDRESS))?;
    if !is_loopback || from_elsewhere.left_open() > 0 || from_elsewhere.of_this_host.is_some() {
        return Ok(from_elsewhere);
    }
    drop(from_elsewhere);
    settled(None)
}

/// The one address at which the first server answers: behind several there may be several servers.
fn address(scene: &Scene<'_>) -> Result<SocketAddr, String> {
    let host = scene.host();
    let mut all: Vec<SocketAddr> = (host.host.as_str(), host.port)
        .to_socket_addrs()
        .map_err(|error| format!("{host} was not found: {error}."))?
        .filter(|address| scene.from.connect(*address, scene.patience).is_ok())
        .collect();
    all.dedup();
    one_of(host, &all, scene.remote.tls.is_some())
}

fn one_of(host: &HostPort, all: &[SocketAddr], is_encrypted: bool) -> Result<SocketAddr, String> {
    match all {
        [] => Err(format!("{host} took no connection.")),
        [only] => Ok(*only),
        // A client that checks no name can be sent to one of them.
        [first, ..] if !is_encrypted => Ok(*first),
        several => Err(format!(
            "{host} leads to {} addresses, which may be several servers; name one of them.",
            several.len()
        )),
    }
}

/// Opens them, from `source` where it is given.
fn open(scene: &Scene<'_>, address: SocketAddr, source: Option<Ipv4Addr>) -> std::io::Result<Opened> {
    let patience = scene.patience;
    let spare = (0..SPARE_FILES)
        .map(|_| File::open("/dev/null"))
        .collect::<std::io::Result<Vec<File>>>()?;
    let opened = scene.from.within(move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut opened = Opened {
                streams: Vec::new(),
                attempted: 0,
                of_this_host: None,
                are_from_elsewhere: source.is_some(),
            };
            let deadline = Deadline::within(patience * 4);
            for _ in 0..CONNECTIONS / AT_A_TIME {
                let mut some = JoinSet::new();
                for _ in 0..AT_A_TIME {
                    some.spawn(timeout(patience, connect(address, source)));
                }
                opened.attempted += AT_A_TIME;
                for outcome in some.join_all().await {
                    match outcome {
                        Ok(Ok(stream)) => opened.streams.push(stream),
                        Ok(Err(error)) if is_of_this_host(&error) => {
                            opened.of_this_host = Some(error.to_string());
                        }
                        // The server takes no more.
                        Ok(Err(_)) | Err(_) => {}
                    }
                }
                if deadline.left().is_none() {
                    break;
                }
            }
            Ok(opened)
        })
    });
    drop(spare);
    opened
}

async fn connect(address: SocketAddr, source: Option<Ipv4Addr>) -> std::io::Result<TcpStream> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    if let Some(source) = source {
        socket.bind((source, 0).into())?;
    }
    // It stays as it is, non-blocking: nothing waits for it.
    socket.connect(address).await?.into_std()
}

/// Whether this host ran out of something, as opposed to the server.
fn is_of_this_host(error: &std::io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(
        errno,
        Some(Errno::MFILE | Errno::NFILE | Errno::ADDRINUSE | Errno::ADDRNOTAVAIL)
    )
}

/// Whether the server has left a connection open. What it said is not looked at.
fn is_open(mut stream: &TcpStream) -> bool {
    let mut buffer = [0; 512];
    // A server that talks without end keeps the connection.
    for _ in 0..64 {
        match stream.read(&mut buffer) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
    true
}

/// Seconds until a new client is answered again; `None` when it is not within the patience.
fn recovery(
    scene: &mut Scene<'_>,
    is_served: &mut dyn FnMut(&mut Scene<'_>) -> Result<(), String>,
) -> Option<f64> {
    let (deadline, began) = (Deadline::within(scene.patience), Stopwatch::start());
    while deadline.left().is_some() {
        if is_served(scene).is_ok() {
            return Some(began.seconds());
        }
        std::thread::sleep(STEP);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use dbdyno_record::audit::ProtectionLevel;

    use super::*;
    use crate::scene::in_scene;

    /// Answers so many clients, keeps some that come then, and takes no others.
    fn serve(listener: TcpListener, clients: usize) {
        const PLACES: usize = 10;
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            let most = clients.saturating_add(PLACES);
            for (number, stream) in listener.incoming().flatten().take(most).enumerate() {
                if number < clients {
                    (&stream).write_all(b"x").ok();
                } else {
                    kept.push(stream);
                }
            }
            drop(listener);
            std::thread::sleep(Duration::from_secs(600));
            drop(kept);
        });
    }

    /// Whether any server of the scene answers.
    fn is_answered(scene: &mut Scene<'_>) -> Result<(), String> {
        let answers = |host: &HostPort| {
            let answer = scene.open_to(host).and_then(|mut channel| channel.read_some(1));
            answer.is_ok()
        };
        let is_answered = scene.remote.hosts.iter().any(answers);
        is_answered.then_some(()).ok_or_else(|| "no answer".to_owned())
    }

    fn level_of(hosts: Vec<HostPort>) -> ProtectionLevel {
        let finding = in_scene(hosts, |scene| {
            idle_connections(scene, &mut is_answered, "a fix", "https://example.org")
        });
        finding.level
    }

    /// It answers the look for its address and the first question, and is busy then.
    const BUSY: usize = 2;

    #[test]
    fn another_server_of_the_address_does_not_answer_for_the_one_that_is_kept_busy() {
        let hosts = [BUSY, usize::MAX].map(|clients| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            serve(listener, clients);
            HostPort {
                host: "127.0.0.1".to_owned(),
                port,
            }
        });
        assert_eq!(level_of(hosts.to_vec()), ProtectionLevel::Partial);
    }

    #[test]
    fn another_server_behind_the_name_does_not_either() {
        let four = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = four.local_addr().unwrap().port();
        // Not every machine has an IPv6 loopback address.
        let Ok(six) = TcpListener::bind(("::1", port)) else {
            return;
        };
        let known: Vec<SocketAddr> = ("localhost", port).to_socket_addrs().unwrap().collect();
        let (busy, other) = if known[0].is_ipv6() {
            (six, four)
        } else {
            (four, six)
        };
        // The name may lead to an address more than once.
        let looks = known.iter().filter(|address| **address == known[0]).count();
        serve(busy, looks + 1);
        serve(other, usize::MAX);
        let host = HostPort {
            host: "localhost".to_owned(),
            port,
        };
        assert_eq!(level_of(vec![host]), ProtectionLevel::Partial);
    }

    #[test]
    fn of_several_servers_behind_an_encrypted_name_none_is_taken() {
        let host = HostPort {
            host: "localhost".to_owned(),
            port: 1,
        };
        let all: [SocketAddr; 2] = ["[::1]:1", "127.0.0.1:1"].map(|address| address.parse().unwrap());
        assert_eq!(one_of(&host, &all, false), Ok(all[0]));
        assert_eq!(one_of(&host, &all[1..], true), Ok(all[1]));
        let why = one_of(&host, &all, true).unwrap_err();
        assert!(why.contains("leads to 2 addresses"), "{why}");
        assert!(one_of(&host, &[], false).is_err());
    }
}
