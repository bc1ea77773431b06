//! Servers that lie about their protection: each lie is found. A real server cannot be made to tell them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dbdyno_audit::{Place, Request, Vantage};
use dbdyno_audit_redis::RedisAuditor;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_testkit::audit::audited;
use dbdyno_testkit::live::target;

/// The password that the server would take if it did not lie.
const RIGHT: &str = "taken-by-right";

/// What a server lies about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lie {
    /// It asks for a password, and takes any.
    AnyPassword,
    /// It withdraws a right when it is told to, and serves on.
    ForgetsToRevoke,
    /// It says that it refuses strangers, and only does so for PING.
    ServesStrangers,
}

/// A server that speaks as much of Redis's protocol as an audit needs. It ends with the test's process.
fn liar(lie: Lie) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let users = Arc::new(Mutex::new(HashMap::new()));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let users = Arc::clone(&users);
            std::thread::spawn(move || serve(stream, lie, &users));
        }
    });
    port
}

fn serve(mut stream: TcpStream, lie: Lie, users: &Mutex<HashMap<String, String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut is_known = false;
    while let Some(words) = command(&mut reader)? {
        let word = |index: usize| words.get(index).map_or("", String::as_str);
        let refusal = "-NOAUTH Authentication required.\r\n";
        let answer = match (word(0), word(1)) {
            ("AUTH", _) => {
                let password = words.last().map_or("", String::as_str);
                let own = users
                    .lock()
                    .unwrap()
                    .get(word(1))
                    .is_some_and(|known| known == password);
                if password == RIGHT || own || lie == Lie::AnyPassword {
                    is_known = true;
                    "+OK\r\n".to_owned()
                } else {
                    "-WRONGPASS invalid username-password pair or user is disabled.\r\n".to_owned()
                }
            }
            ("CONFIG", _) if lie == Lie::ServesStrangers => "*2\r\n$9\r\nmaxmemory\r\n$1\r\n0\r\n".to_owned(),
            _ if !is_known => refusal.to_owned(),
            ("ACL", "SETUSER") => {
                let password = words.iter().find_map(|word| word.strip_prefix('>'));
                if let Some(password) = password.filter(|password| *password != "second") {
                    let (user, password) = (word(2).to_owned(), password.to_owned());
                    users.lock().unwrap().insert(user, password);
                }
                "+OK\r\n".to_owned()
            }
            ("ACL", "DELUSER") | ("DEL", _) => ":1\r\n".to_owned(),
            ("PING" | "SET", _) => "+OK\r\n".to_owned(),
            ("GET", _) => "$-1\r\n".to_owned(),
            _ => "-NOPERM this user has no permissions to run the command\r\n".to_owned(),
        };
        stream.write_all(answer.as_bytes())?;
    }
    Ok(())
}

/// The words of the next command; `None` at the end, and for what is no command.
fn command(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Vec<String>>> {
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 || !line.starts_with('*') {
        return Ok(None);
    }
    let mut words = Vec::new();
    for _ in 0..line[1..].trim().parse::<usize>().unwrap_or(0) {
        let mut length = String::new();
        reader.read_line(&mut length)?;
        let mut bytes = vec![0; length[1..].trim().parse::<usize>().unwrap_or(0) + 2];
        reader.read_exact(&mut bytes)?;
        words.push(String::from_utf8_lossy(&bytes[..bytes.len() - 2]).into_owned());
    }
    Ok(Some(words))
}

fn audit_of(lie: Lie) -> AuditRecord {
    let request = Request {
        target: target(&format!("redis://:{RIGHT}@127.0.0.1:{}", liar(lie))),
        administrator: None,
        name: "liar".to_owned(),
        place: Place::default(),
        from: Vantage::Here,
        only: Vec::new(),
        tries_defaults: true,
        patience: Duration::from_millis(500),
    };
    audited(&RedisAuditor, &request)
}

fn observed(record: &AuditRecord, feature: Feature) -> (ProtectionLevel, Option<AuditSeverity>) {
    let finding = record.finding(feature).unwrap();
    (finding.level, finding.severity)
}

#[test]
fn a_server_that_takes_any_password_is_found() {
    let record = audit_of(Lie::AnyPassword);
    assert_eq!(
        observed(&record, Feature::Authentication),
        (ProtectionLevel::Partial, Some(AuditSeverity::Critical))
    );
}

#[test]
fn a_server_that_forgets_to_revoke_is_found() {
    let record = audit_of(Lie::ForgetsToRevoke);
    assert_eq!(
        observed(&record, Feature::AuthenticationCaching),
        (ProtectionLevel::Partial, Some(AuditSeverity::Medium)),
        "{record:#?}"
    );
    let finding = record.finding(Feature::AuthenticationCaching).unwrap();
    assert!(finding.revocations.iter().all(|one| one.median_seconds.is_none()));
    // That its rights are none is seen, too: the low user could read everything.
    assert_eq!(
        observed(&record, Feature::Authorization).0,
        ProtectionLevel::Partial
    );
}

#[test]
fn a_server_that_refuses_only_what_everybody_tries_is_found() {
    let record = audit_of(Lie::ServesStrangers);
    assert_eq!(
        observed(&record, Feature::JmxAuthentication),
        (ProtectionLevel::SupportedOff, Some(AuditSeverity::Critical))
    );
}
