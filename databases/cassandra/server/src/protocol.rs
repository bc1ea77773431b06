//! As much of CQL's binary protocol, version 4, as is needed to ask a node whether it is ready and to make its users.
//!
//! Source: `native_protocol_v4.spec` of Apache Cassandra.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

/// How long a node may take for one answer.
const PATIENCE: Duration = Duration::from_secs(5);

const STARTUP: u8 = 0x01;
const READY: u8 = 0x02;
const AUTHENTICATE: u8 = 0x03;
const QUERY: u8 = 0x07;
const RESULT: u8 = 0x08;
const AUTH_RESPONSE: u8 = 0x0f;
const AUTH_SUCCESS: u8 = 0x10;

/// Clear text, or TLS over it.
trait Wire: Read + Write {}

impl<W: Read + Write> Wire for W {}

/// A connection to a node.
pub(crate) struct Conversation {
    stream: Box<dyn Wire>,
    address: Ipv4Addr,
}

impl Conversation {
    /// Opens a connection, encrypted where there is a configuration.
    pub(crate) fn open(
        address: Ipv4Addr,
        port: u16,
        tls: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, String> {
        let words = |error: &dyn std::fmt::Display| format!("{address}:{port}: {error}");
        let stream = TcpStream::connect_timeout(&SocketAddr::from((address, port)), PATIENCE)
            .and_then(|stream| {
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                Ok(stream)
            })
            .map_err(|error| words(&error))?;
        let stream: Box<dyn Wire> = match tls {
            None => Box::new(stream),
            Some(configuration) => {
                let name = ServerName::from(std::net::IpAddr::V4(address));
                let connection =
                    ClientConnection::new(Arc::clone(configuration), name).map_err(|error| words(&error))?;
                Box::new(StreamOwned::new(connection, stream))
            }
        };
        Ok(Self { stream, address })
    }

    /// Whether the node speaks, be it with the request for a login.
    pub(crate) fn answers(mut self) -> Result<(), String> {
        match self.start()? {
            (READY | AUTHENTICATE, _) => Ok(()),
            (_, answer) => Err(words(&answer)),
        }
    }

    /// Logs in where the node asks for it.
    pub(crate) fn log_in(mut self, user: &str, password: &str) -> Result<Self, String> {
        match self.start()? {
            (READY, _) => Ok(self),
            (AUTHENTICATE, _) => {
                let login = format!("\0{user}\0{password}");
                let mut body = (login.len() as u32).to_be_bytes().to_vec();
                body.extend_from_slice(login.as_bytes());
                match self.ask(AUTH_RESPONSE, &body)? {
                    (AUTH_SUCCESS, _) => Ok(self),
                    (_, answer) => Err(words(&answer)),
                }
            }
            (_, answer) => Err(words(&answer)),
        }
    }

    /// Whether the node knows this many peers.
    pub(crate) fn knows_peers(&mut self, peers: u32) -> Result<(), String> {
        let answer = self.query("SELECT peer FROM system.peers")?;
        let address = self.address;
        match row_count(&answer) {
            Some(count) if count == peers => Ok(()),
            Some(count) => Err(format!("{address} knows {count} of {peers} other nodes")),
            None => Err(format!("{address} gave an answer that cannot be read")),
        }
    }

    /// The body of the RESULT of a statement.
    pub(crate) fn query(&mut self, statement: &str) -> Result<Vec<u8>, String> {
        let mut body = (statement.len() as u32).to_be_bytes().to_vec();
        body.extend_from_slice(statement.as_bytes());
        // Consistency ONE; no flags.
        body.extend_from_slice(&[0, 1, 0]);
        match self.ask(QUERY, &body)? {
            (RESULT, answer) => Ok(answer),
            (_, answer) => Err(words(&answer)),
        }
    }

    fn start(&mut self) -> Result<(u8, Vec<u8>), String> {
        self.ask(STARTUP, b"\x00\x01\x00\x0bCQL_VERSION\x00\x053.0.0")
    }

    fn ask(&mut self, opcode: u8, body: &[u8]) -> Result<(u8, Vec<u8>), String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut frame = vec![4, 0, 0, 0, opcode];
        frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
        frame.extend_from_slice(body);
        self.stream
            .write_all(&frame)
            .and_then(|()| self.stream.flush())
            .map_err(failed)?;
        let mut header = [0; 9];
        self.stream.read_exact(&mut header).map_err(failed)?;
        let length = u32::from_be_bytes([header[5], header[6], header[7], header[8]]);
        // More than any answer to these questions.
        if length > 1 << 20 {
            return Err("it does not speak CQL".to_owned());
        }
        let mut answer = vec![0; length as usize];
        self.stream.read_exact(&mut answer).map_err(failed)?;
        Ok((header[4], answer))
    }
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
