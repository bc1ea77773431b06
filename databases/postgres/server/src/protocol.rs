//! The few words of PostgreSQL's protocol that tell whether a server is ready, and one question to it. Format: the manual's
//! chapter "Frontend/Backend Protocol", version 3.0.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(2);
const VERSION: u32 = 3 << 16;
/// No answer here is nearly as long.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Asks for a session, and returns the stream and the kind and body of the first answer.
fn greet(port: u16) -> std::io::Result<(TcpStream, u8, Vec<u8>)> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let words = b"user\0postgres\0database\0postgres\0\0";
    let mut message = Vec::with_capacity(8 + words.len());
    message.extend_from_slice(&(8 + words.len() as u32).to_be_bytes());
    message.extend_from_slice(&VERSION.to_be_bytes());
    message.extend_from_slice(words);
    stream.write_all(&message)?;
    let (kind, body) = receive(&mut stream)?;
    Ok((stream, kind, body))
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
        Ok((_, b'R', _)) => Ok(()),
        Ok((_, b'E', body)) => {
            let words = String::from_utf8_lossy(&body).replace('\0', " ");
            if words.contains("57P03") {
                Err(words)
            } else {
                Ok(())
            }
        }
        Ok((_, kind, _)) => Err(format!("it answers with a message of kind {kind}")),
        Err(error) => Err(format!("port {port}: {error}")),
    }
}

/// The first column of the answer's first row, from a server that asks for no password.
pub(crate) fn ask(port: u16, sql: &str) -> Result<String, String> {
    exchange(port, sql).map_err(|error| format!("port {port}: {error}"))
}

fn exchange(port: u16, sql: &str) -> std::io::Result<String> {
    let (mut stream, ..) = greet(port)?;
    wait_for_turn(&mut stream)?;
    let mut message = vec![b'Q'];
    message.extend_from_slice(&(5 + sql.len() as u32).to_be_bytes());
    message.extend_from_slice(sql.as_bytes());
    message.push(0);
    stream.write_all(&message)?;
    wait_for_turn(&mut stream)
}

/// Reads up to the server's word that it is our turn; what the first row said on the way, or its error.
fn wait_for_turn(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut first = None;
    loop {
        match receive(stream)? {
            (b'Z', _) => return Ok(first.unwrap_or_default()),
            (b'E', body) => {
                return Err(std::io::Error::other(
                    String::from_utf8_lossy(&body).replace('\0', " "),
                ));
            }
            // A row: the number of columns, then each with its length.
            (b'D', body) if first.is_none() && body.len() >= 6 => {
                let length = u32::from_be_bytes([body[2], body[3], body[4], body[5]]) as usize;
                first = body
                    .get(6..6 + length)
                    .map(|column| String::from_utf8_lossy(column).into_owned());
            }
            _ => {}
        }
    }
}
