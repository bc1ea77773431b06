//! The few words of Redis's protocol (RESP) that show whether a server is ready, in clear text.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::access::Login;

const PATIENCE: Duration = Duration::from_secs(1);

fn open(port: u16) -> Result<TcpStream, String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, PATIENCE).map_err(|error| format!("port {port}: {error}"))
}

/// Whether somebody listens.
pub(crate) fn is_open(port: u16) -> Result<(), String> {
    open(port).map(drop)
}

/// A server's port, and how to log in there.
pub(crate) struct Wire<'a> {
    port: u16,
    login: Option<&'a Login<'a>>,
}

impl<'a> Wire<'a> {
    pub(crate) const fn new(port: u16, login: Option<&'a Login<'a>>) -> Self {
        Self { port, login }
    }

    /// The beginning of the answer to a command, after a login.
    fn ask(&self, words: &[&str]) -> Result<String, String> {
        let port = self.port;
        let mut stream = open(port)?;
        let failed = |error: std::io::Error| format!("port {port}: {error}");
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        let mut exchange = |words: &[&str]| {
            stream.write_all(command(words).as_bytes()).map_err(failed)?;
            let mut answer = vec![0; 4096];
            let length = stream.read(&mut answer).map_err(failed)?;
            Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
        };
        if let Some(login) = self.login {
            let words: Vec<&str> = ["AUTH"]
                .into_iter()
                .chain(login.user)
                .chain([login.password])
                .collect();
            let answer: String = exchange(&words)?;
            if !answer.starts_with("+OK") {
                return Err(format!("port {port} refuses the login: {}", answer.trim()));
            }
        }
        exchange(words)
    }

    /// Whether a replica has all data of its master and follows it.
    pub(crate) fn follows(&self) -> Result<(), String> {
        let answer = self.ask(&["INFO", "replication"])?;
        if answer.contains("master_link_status:up") {
            Ok(())
        } else {
            Err(format!(
                "the replica on port {} does not follow its master",
                self.port
            ))
        }
    }

    /// Whether a master feeds so many replicas, all of which have its data.
    pub(crate) fn feeds(&self, count: usize) -> Result<(), String> {
        let answer = self.ask(&["INFO", "replication"])?;
        let online = answer.matches("state=online").count();
        if online >= count {
            Ok(())
        } else {
            Err(format!("{online} of {count} replicas follow"))
        }
    }
}

/// A command as clients send it: an array of strings.
fn command(words: &[&str]) -> String {
    let words = words.iter().map(|word| format!("${}\r\n{word}\r\n", word.len()));
    format!("*{}\r\n{}", words.len(), words.collect::<String>())
}

/// Whether it answers a ping, be it with the request for a password.
pub(crate) fn answers(port: u16) -> Result<(), String> {
    let answer = Wire::new(port, None).ask(&["PING"])?;
    if answer.starts_with("+PONG") || answer.starts_with("-NOAUTH") {
        Ok(())
    } else {
        Err(format!("it says {}", answer.trim()))
    }
}

/// Whether a node of a cluster knows who has every slot.
pub(crate) fn cluster_is_whole(port: u16) -> Result<(), String> {
    let answer = Wire::new(port, None).ask(&["CLUSTER", "INFO"])?;
    if answer.contains("cluster_state:ok") {
        Ok(())
    } else {
        Err(format!("the node on port {port} knows no whole cluster"))
    }
}
