//! One command of MongoDB's wire protocol (OP_MSG), enough to find a server ready and to make a replica set.
//!
//! Format: MongoDB's manual, "Wire Protocol": a header of four 32-bit numbers, flags, and a section of kind 0 with one
//! document.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use bson::Document;

const OP_MSG: i32 = 2013;
const PATIENCE: Duration = Duration::from_secs(10);
/// No answer to these commands is nearly as long.
const LONGEST_ANSWER: usize = 16 << 20;

fn open(port: u16) -> std::io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, PATIENCE)
}

/// Whether somebody listens.
pub(crate) fn is_open(port: u16) -> Result<(), String> {
    open(port)
        .map(drop)
        .map_err(|error| format!("port {port}: {error}"))
}

/// Sends a command; the answer, when it says `ok`.
pub(crate) fn ask(port: u16, database: &str, mut command: Document) -> Result<Document, String> {
    command.insert("$db", database);
    let answer = exchange(port, &command).map_err(|error| format!("port {port}: {error}"))?;
    let ok = answer
        .get("ok")
        .and_then(|ok| ok.as_f64().or(ok.as_i32().map(f64::from)));
    if ok == Some(1.0) {
        Ok(answer)
    } else {
        Err(answer.get_str("errmsg").unwrap_or("no reason given").to_owned())
    }
}

fn exchange(port: u16, command: &Document) -> std::io::Result<Document> {
    let invalid = |why: String| std::io::Error::new(std::io::ErrorKind::InvalidData, why);
    let mut document = Vec::new();
    command
        .to_writer(&mut document)
        .map_err(|error| invalid(error.to_string()))?;
    let length = 16 + 4 + 1 + document.len();
    let mut message = Vec::with_capacity(length);
    for number in [length as i32, 1, 0, OP_MSG, 0] {
        message.extend_from_slice(&number.to_le_bytes());
    }
    message.push(0);
    message.append(&mut document);
    let mut stream = open(port)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(&message)?;
    let mut header = [0; 16];
    stream.read_exact(&mut header)?;
    let length = i32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
    if !(21..=LONGEST_ANSWER).contains(&length) {
        return Err(invalid(format!("an answer of {length} bytes")));
    }
    let mut body = vec![0; length - 16];
    stream.read_exact(&mut body)?;
    Document::from_reader(&body[5..]).map_err(|error| invalid(error.to_string()))
}
