//! As much of CQL's binary protocol, version 4, as is needed to ask a node whether it is ready.
//!
//! Source: `native_protocol_v4.spec` of Apache Cassandra.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long a node may take for one answer.
const PATIENCE: Duration = Duration::from_secs(5);

const STARTUP: u8 = 0x01;
const READY: u8 = 0x02;
const AUTHENTICATE: u8 = 0x03;
const QUERY: u8 = 0x07;
const RESULT: u8 = 0x08;
const AUTH_RESPONSE: u8 = 0x0f;
const AUTH_SUCCESS: u8 = 0x10;

/// Whether the port is open: all that can be seen without a certificate.
pub(crate) fn is_open(address: Ipv4Addr, port: u16) -> Result<(), String> {
    connection(address, port).map(drop)
}

/// Whether the node answers a query and knows this many peers; logs in as the built-in superuser when it is asked to.
pub(crate) fn knows_peers(address: Ipv4Addr, port: u16, peers: u32) -> Result<(), String> {
    let mut stream = connection(address, port)?;
    let startup = b"\x00\x01\x00\x0bCQL_VERSION\x00\x053.0.0";
    match ask(&mut stream, STARTUP, startup)? {
        (READY, _) => {}
        (AUTHENTICATE, _) => {
            let login = b"\x00cassandra\x00cassandra";
            let mut body = (login.len() as u32).to_be_bytes().to_vec();
            body.extend_from_slice(login);
            match ask(&mut stream, AUTH_RESPONSE, &body)? {
                (AUTH_SUCCESS, _) => {}
                (_, answer) => return Err(words(&answer)),
            }
        }
        (_, answer) => return Err(words(&answer)),
    }
    let query = b"SELECT peer FROM system.peers";
    let mut body = (query.len() as u32).to_be_bytes().to_vec();
    body.extend_from_slice(query);
    // Consistency ONE; no flags.
    body.extend_from_slice(&[0, 1, 0]);
    match ask(&mut stream, QUERY, &body)? {
        (RESULT, answer) => match row_count(&answer) {
            Some(count) if count == peers => Ok(()),
            Some(count) => Err(format!("{address} knows {count} of {peers} other nodes")),
            None => Err(format!("{address} gave an answer that cannot be read")),
        },
        (_, answer) => Err(words(&answer)),
    }
}

fn connection(address: Ipv4Addr, port: u16) -> Result<TcpStream, String> {
    let words = |error: std::io::Error| format!("{address}:{port}: {error}");
    let stream = TcpStream::connect_timeout(&SocketAddr::from((address, port)), PATIENCE).map_err(words)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(words)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(words)?;
    Ok(stream)
}

fn ask(stream: &mut TcpStream, opcode: u8, body: &[u8]) -> Result<(u8, Vec<u8>), String> {
    let mut frame = vec![4, 0, 0, 0, opcode];
    frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
    frame.extend_from_slice(body);
    stream.write_all(&frame).map_err(|error| error.to_string())?;
    let mut header = [0; 9];
    stream
        .read_exact(&mut header)
        .map_err(|error| error.to_string())?;
    let length = u32::from_be_bytes([header[5], header[6], header[7], header[8]]);
    // More than any answer to these questions.
    if length > 1 << 20 {
        return Err("it does not speak CQL".to_owned());
    }
    let mut answer = vec![0; length as usize];
    stream
        .read_exact(&mut answer)
        .map_err(|error| error.to_string())?;
    Ok((header[4], answer))
}

/// The text of an ERROR's body: a code, then a string.
fn words(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer.get(6..).unwrap_or_default()).into_owned()
}

/// The number of rows of a RESULT of one column whose type is an address.
fn row_count(answer: &[u8]) -> Option<u32> {
    let number =
        |at: usize| -> Option<u32> { Some(u32::from_be_bytes(answer.get(at..at + 4)?.try_into().ok()?)) };
    let text = |at: usize| -> Option<usize> {
        let length = u16::from_be_bytes(answer.get(at..at + 2)?.try_into().ok()?);
        Some(at + 2 + usize::from(length))
    };
    // Kind "rows", flag "one table for all columns", one column: keyspace, table, column's name, type.
    if (number(0)?, number(4)? & 1, number(8)?) != (2, 1, 1) {
        return None;
    }
    let name = text(text(12)?)?;
    number(text(name)? + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted() {
        let mut answer = vec![0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1];
        answer.extend_from_slice(b"\x00\x06system\x00\x05peers\x00\x04peer\x00\x10\x00\x00\x00\x02rest");
        assert_eq!(row_count(&answer), Some(2));
        for length in 0..answer.len() - 4 {
            assert!(row_count(&answer[..length]).is_none_or(|count| count == 2));
        }
    }
}
