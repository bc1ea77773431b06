//! The few words of Redis's protocol (RESP) that tell whether a server is ready.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(1);

fn open(port: u16) -> Result<TcpStream, String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, PATIENCE).map_err(|error| format!("port {port}: {error}"))
}

/// Whether somebody listens.
pub(crate) fn is_open(port: u16) -> Result<(), String> {
    open(port).map(drop)
}

fn ask(port: u16, command: &str) -> Result<String, String> {
    let mut stream = open(port)?;
    let failed = |error: std::io::Error| format!("port {port}: {error}");
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    stream
        .write_all(format!("{command}\r\n").as_bytes())
        .map_err(failed)?;
    let mut answer = vec![0; 4096];
    let length = stream.read(&mut answer).map_err(failed)?;
    Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
}

/// Whether it answers a ping, be it with the request for a password.
pub(crate) fn answers(port: u16) -> Result<(), String> {
    let answer = ask(port, "PING")?;
    if answer.starts_with("+PONG") || answer.starts_with("-NOAUTH") {
        Ok(())
    } else {
        Err(format!("it says {}", answer.trim()))
    }
}

/// Whether a node of a cluster knows who has every slot.
pub(crate) fn cluster_is_whole(port: u16) -> Result<(), String> {
    let answer = ask(port, "CLUSTER INFO")?;
    if answer.contains("cluster_state:ok") {
        Ok(())
    } else {
        Err(format!("the node on port {port} knows no whole cluster"))
    }
}
