//! What a server answers to one command.

use std::fmt::Write;

use crate::lie::Lie;
use crate::users::Users;

const NO_LOGIN: &str = "-NOAUTH Authentication required.\r\n";
const NO_RIGHT: &str = "-NOPERM this user has no permissions to run this command\r\n";
const DONE: &str = "+OK\r\n";
/// The version before the fix of what is planted in `known_vulnerabilities.toml`.
const OLD_VERSION: &str = "0.0.1";

/// One client, as the server sees it.
#[derive(Debug, Default)]
pub struct Client {
    /// Who is logged in.
    user: Option<String>,
}

/// What a server knows and lies about.
#[derive(Debug)]
pub struct Server {
    pub users: Users,
    pub lie: Option<Lie>,
    /// What its settings say of TLS.
    pub tls_port: u16,
}

/// Answers a command, in RESP2.
pub fn answer(server: &mut Server, client: &mut Client, words: &[String]) -> String {
    let lie = server.lie;
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    let command = word(0).to_ascii_uppercase();
    if command == "AUTH" {
        let (name, password) = match words.len() {
            2 => ("default", word(1)),
            _ => (word(1), word(2)),
        };
        if server.users.log_in(name, password) || lie == Some(Lie::AnyPassword) {
            client.user = Some(name.to_owned());
            return DONE.to_owned();
        }
        return "-WRONGPASS invalid username-password pair or user is disabled.\r\n".to_owned();
    }
    let Some(user) = client.user.clone() else {
        if lie == Some(Lie::Strangers) && command != "PING" {
            return carried_out(server, &command, words);
        }
        return NO_LOGIN.to_owned();
    };
    if !server.users.knows(&user) && lie != Some(Lie::AnyPassword) {
        return NO_LOGIN.to_owned();
    }
    let key = matches!(command.as_str(), "GET" | "SET" | "DEL").then(|| word(1));
    if !server.users.may(&user, &command, key) {
        return NO_RIGHT.to_owned();
    }
    carried_out(server, &command, words)
}

fn carried_out(server: &mut Server, command: &str, words: &[String]) -> String {
    let (users, lie) = (&mut server.users, server.lie);
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    match (command, word(1).to_ascii_uppercase().as_str()) {
        ("ACL", "SETUSER") => {
            let rules = words.get(3..).unwrap_or_default();
            if users.set(word(2), rules, lie) {
                DONE.to_owned()
            } else {
                "-ERR this user cannot be changed\r\n".to_owned()
            }
        }
        ("ACL", "DELUSER") => format!(":{}\r\n", users.remove(word(2), lie)),
        ("ACL", "USERS") => list(users.names()),
        ("ACL", "LIST") => list(users.rules().iter().map(String::as_str)),
        ("ACL", "LOG") => list(users.refusals()),
        ("ACL", "DRYRUN") if Users::may_everything(word(2)) => DONE.to_owned(),
        ("ACL", "DRYRUN") => bulk("this user has no permissions to run this command"),
        ("CONFIG", "GET") => match word(2) {
            "tls-port" => list(["tls-port", &server.tls_port.to_string()]),
            name => list([name, "0"]),
        },
        ("INFO", _) => bulk(&format!(
            "redis_version:{}\r\ntcp_port:{}\r\ncluster_enabled:0\r\nrole:master\r\nconnected_slaves:0\r\naof_enabled:0\r\n",
            version(lie),
            server.tls_port
        )),
        ("PING", _) => "+PONG\r\n".to_owned(),
        ("SET", _) => DONE.to_owned(),
        // It keeps no data.
        ("GET", _) => "$-1\r\n".to_owned(),
        ("DEL", _) => ":1\r\n".to_owned(),
        ("SCAN", _) => "*2\r\n$1\r\n0\r\n*0\r\n".to_owned(),
        _ => "-ERR unknown command\r\n".to_owned(),
    }
}

/// What it says of its version.
fn version(lie: Option<Lie>) -> &'static str {
    match lie {
        Some(Lie::OldVersion) => OLD_VERSION,
        _ => env!("CARGO_PKG_VERSION"),
    }
}

fn bulk(text: &str) -> String {
    format!("${}\r\n{text}\r\n", text.len())
}

fn list<'a>(entries: impl IntoIterator<Item = &'a str>) -> String {
    let entries: Vec<&str> = entries.into_iter().collect();
    let mut text = format!("*{}\r\n", entries.len());
    for entry in entries {
        write!(text, "${}\r\n{entry}\r\n", entry.len()).expect("a String takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::users::PASSWORD;

    fn server(lie: Option<Lie>) -> Server {
        Server {
            users: Users::default(),
            lie,
            tls_port: 0,
        }
    }

    fn ask(server: &mut Server, client: &mut Client, line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let reply = answer(server, client, &words);
        reply.split([' ', '\r']).next().unwrap().to_owned()
    }

    #[test]
    fn a_healthy_server_protects_what_it_says() {
        let mut server = server(None);
        let (mut boss, mut low) = (Client::default(), Client::default());
        for (is_boss, line, expected) in [
            (true, "CONFIG GET maxmemory", "-NOAUTH"),
            (true, "AUTH wrong", "-WRONGPASS"),
            (true, &format!("AUTH {PASSWORD}"), "+OK"),
            (true, "ACL SETUSER low reset on >one ~low* +get +ping", "+OK"),
            (false, "AUTH low one", "+OK"),
            (false, "GET low:own", "$-1"),
            (false, "GET other", "-NOPERM"),
            (false, "ACL USERS", "-NOPERM"),
            (true, "ACL SETUSER low -get resetpass >two", "+OK"),
            (false, "GET low:own", "-NOPERM"),
            (false, "AUTH low one", "-WRONGPASS"),
            (true, "ACL DELUSER low", ":1"),
            (false, "PING", "-NOAUTH"),
            (true, "ACL LOG 10", "*2"),
            // `printf hunter2 | sha256sum`
            (
                true,
                "ACL SETUSER low on #f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7 +ping",
                "+OK",
            ),
            (true, "ACL LIST", "*2"),
            (false, "AUTH low hunter2", "+OK"),
            (false, "PING", "+PONG"),
        ] {
            let client = if is_boss { &mut boss } else { &mut low };
            assert_eq!(ask(&mut server, client, line), expected, "{line}");
        }
    }

    #[test]
    fn each_lie_breaks_its_own_promise() {
        let right = format!("AUTH {PASSWORD}");
        let cases: [(Lie, &[(&str, &str)]); 3] = [
            (
                Lie::Strangers,
                &[("CONFIG GET maxmemory", "*2"), ("PING", "-NOAUTH")],
            ),
            (Lie::AnyPassword, &[("AUTH nobody wrong", "+OK")]),
            (
                Lie::Revoke,
                &[
                    (&right, "+OK"),
                    ("ACL SETUSER low on >one ~low* +get", "+OK"),
                    ("ACL SETUSER low -get resetpass", "+OK"),
                    ("ACL DELUSER low", ":1"),
                    ("AUTH low one", "+OK"),
                    ("GET low", "$-1"),
                ],
            ),
        ];
        for (lie, lines) in cases {
            let (mut server, mut client) = (server(Some(lie)), Client::default());
            for (line, expected) in lines {
                assert_eq!(ask(&mut server, &mut client, line), *expected, "{lie:?}: {line}");
            }
        }
    }
}
