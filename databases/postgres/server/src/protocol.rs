//! The few words of PostgreSQL's protocol that tell whether a server is ready. Format: the manual's chapter "Frontend/Backend Protocol", version 3.0.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(2);
const VERSION: u32 = 3 << 16;
/// No answer here is nearly as long.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Asks for a session, and returns the kind and body of the first answer.
fn greet(port: u16) -> std::io::Result<(u8, Vec<u8>)> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let words = b"user\0postgres\0database\0postgres\0\0";
    let mut message = Vec::with_capacity(8 + words.len());
    message.extend_from_slice(&(8 + words.len() as u32).to_be_bytes());
    message.extend_from_slice(&VERSION.to_be_bytes());
    message.extend_from_slice(words);
    stream.write_all(&message)?;
    receive(&mut stream)
}

fn receive(stream: &mut TcpStream) -> std::io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    stream.read_exact(&mut head)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if !(4..=LONGEST_MESSAGE).contains(&length) {
        return Err(std::io::Error::other(format!("a message of {length} bytes")));
    }
    let mut body = vec![0; length - 4];
    stream.read_exact(&mut body)?;
    Ok((head[0], body))
}

/// Whether it takes sessions: it offers a way to log in, or refuses this login for another reason than that it starts.
pub(crate) fn is_ready(port: u16) -> Result<(), String> {
    match greet(port) {
        Ok((b'R', _)) => Ok(()),
        Ok((b'E', body)) => {
            let words = String::from_utf8_lossy(&body).replace('\0', " ");
            if words.contains("57P03") {
                Err(words)
            } else {
                Ok(())
            }
        }
        Ok((kind, _)) => Err(format!("it answers with a message of kind {kind}")),
        Err(error) => Err(format!("port {port}: {error}")),
    }
}
