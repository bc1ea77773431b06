//! A connection to a server that is not trusted: every wait ends at a deadline, every answer has a longest length.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::remote::HostPort;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CipherSuite, ClientConfig, ClientConnection, ProtocolVersion, StreamOwned};

use crate::clock::Deadline;
use crate::vantage::Vantage;

/// No answer to a probe is nearly as long.
const LONGEST_ANSWER: usize = 4 << 20;
/// How long one connection may take to open.
const CONNECT: Duration = Duration::from_secs(3);

/// Why a channel gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// Nobody listens there, or the way is closed.
    #[error("not reachable: {0}")]
    Unreachable(String),
    /// The server ended the connection.
    #[error("the server closed the connection")]
    Closed,
    /// No answer came before the deadline.
    #[error("no answer within the deadline")]
    Silent,
    /// The answer is longer than any that makes sense.
    #[error("an answer of {0} bytes or more")]
    TooLong(usize),
    /// TLS was refused or is broken.
    #[error("TLS: {0}")]
    Tls(String),
    /// The answer is none of the protocol.
    #[error("unexpected answer: {0}")]
    Unexpected(String),
}

impl ChannelError {
    /// Whether the server was there and refused or broke off, as opposed to not being there.
    #[must_use]
    pub const fn is_from_server(&self) -> bool {
        !matches!(self, Self::Unreachable(_) | Self::Silent)
    }
}

/// A socket of which every single step ends at the deadline: a library above it may read again and again while bytes keep arriving.
struct Timed {
    socket: TcpStream,
    deadline: Deadline,
}

impl Timed {
    /// Lets the next step wait as long as the deadline allows.
    fn prepare(&self) -> std::io::Result<()> {
        let left = self.deadline.left().ok_or(ErrorKind::TimedOut)?;
        self.socket.set_read_timeout(Some(left))?;
        self.socket.set_write_timeout(Some(left))
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.prepare()?;
        self.socket.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.prepare()?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.prepare()?;
        self.socket.flush()
    }
}

enum Stream {
    Plain(Timed),
    Tls(Box<StreamOwned<ClientConnection, Timed>>),
    /// No server: what is not read yet of the answers that were given beforehand.
    Given(VecDeque<u8>),
}

/// A connection.
pub struct Channel(Stream);

impl Channel {
    /// Opens a connection; everything on it ends at the deadline.
    ///
    /// # Errors
    /// [`ChannelError::Unreachable`].
    pub fn connect(host: &HostPort, from: &Vantage, deadline: Deadline) -> Result<Self, ChannelError> {
        let unreachable =
            |error: &dyn std::fmt::Display| ChannelError::Unreachable(format!("{host}: {error}"));
        let addresses = (host.host.as_str(), host.port)
            .to_socket_addrs()
            .map_err(|error| unreachable(&error))?;
        let mut last = unreachable(&"its name has no address");
        for address in addresses {
            let Some(left) = deadline.left() else {
                return Err(unreachable(&"the deadline has passed"));
            };
            match from.connect(address, left.min(CONNECT)) {
                Ok(stream) => {
                    // Answers are awaited at once; what is small must not wait for more.
                    stream.set_nodelay(true).map_err(|error| unreachable(&error))?;
                    return Ok(Self(Stream::Plain(Timed {
                        socket: stream,
                        deadline,
                    })));
                }
                Err(error) => last = unreachable(&error),
            }
        }
        Err(last)
    }

    /// A connection to no server: whatever is sent, these bytes are all that comes back. Readers of answers are tested with it.
    #[doc(hidden)]
    #[must_use]
    pub fn answered_by(bytes: &[u8]) -> Self {
        Self(Stream::Given(bytes.iter().copied().collect()))
    }

    /// How many of the given bytes nobody has read; of a server, none.
    #[doc(hidden)]
    #[must_use]
    pub fn unread(&self) -> usize {
        match &self.0 {
            Stream::Given(bytes) => bytes.len(),
            Stream::Plain(_) | Stream::Tls(_) => 0,
        }
    }

    /// Shakes hands over TLS on the open connection.
    ///
    /// # Errors
    /// When the server refuses, or does not speak it.
    pub fn secure(self, host: &HostPort, configuration: Arc<ClientConfig>) -> Result<Self, ChannelError> {
        let Stream::Plain(mut socket) = self.0 else {
            return Err(ChannelError::Tls("it is encrypted already".to_owned()));
        };
        let name = ServerName::try_from(host.host.clone())
            .map_err(|_| ChannelError::Tls(format!("{} is not the name of a server", host.host)))?;
        let mut connection = ClientConnection::new(configuration, name)
            .map_err(|error| ChannelError::Tls(error.to_string()))?;
        while connection.is_handshaking() {
            connection
                .complete_io(&mut socket)
                .map_err(|error| broken(&error))?;
        }
        Ok(Self(Stream::Tls(Box::new(StreamOwned::new(connection, socket)))))
    }

    /// Lets what follows wait until another deadline: for connections that stay open over many exchanges.
    pub fn renew(&mut self, deadline: Deadline) {
        match &mut self.0 {
            Stream::Plain(socket) => socket.deadline = deadline,
            Stream::Tls(stream) => stream.sock.deadline = deadline,
            Stream::Given(_) => {}
        }
    }

    /// What was agreed on, and the server's certificates, its own first; `None` in clear text.
    #[must_use]
    pub fn agreed(&self) -> Option<(ProtocolVersion, CipherSuite, Vec<CertificateDer<'static>>)> {
        let Stream::Tls(stream) = &self.0 else {
            return None;
        };
        let certificates = stream.conn.peer_certificates().unwrap_or_default();
        Some((
            stream.conn.protocol_version()?,
            stream.conn.negotiated_cipher_suite()?.suite(),
            certificates.iter().map(|one| one.clone().into_owned()).collect(),
        ))
    }

    /// Sends all of it.
    ///
    /// # Errors
    /// When the server closed the connection or does not take it in time.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), ChannelError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = match &mut self.0 {
                Stream::Plain(stream) => stream.write(rest),
                Stream::Tls(stream) => stream.write(rest),
                Stream::Given(_) => Ok(rest.len()),
            };
            match written {
                Ok(0) => return Err(ChannelError::Closed),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(broken(&error)),
            }
        }
        let flushed = match &mut self.0 {
            Stream::Plain(stream) => stream.flush(),
            Stream::Tls(stream) => stream.flush(),
            Stream::Given(_) => Ok(()),
        };
        flushed.map_err(|error| broken(&error))
    }

    /// What comes next, at least one byte and at most so many.
    ///
    /// # Errors
    /// When the server closed the connection or says nothing in time.
    pub fn read_some(&mut self, most: usize) -> Result<Vec<u8>, ChannelError> {
        let mut buffer = vec![0; most.min(LONGEST_ANSWER)];
        loop {
            let read = match &mut self.0 {
                Stream::Plain(stream) => stream.read(&mut buffer),
                Stream::Tls(stream) => stream.read(&mut buffer),
                Stream::Given(bytes) => bytes.read(&mut buffer),
            };
            match read {
                Ok(0) => return Err(ChannelError::Closed),
                Ok(read) => {
                    buffer.truncate(read);
                    return Ok(buffer);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(broken(&error)),
            }
        }
    }

    /// Exactly so many bytes. A length that a server made up is refused before anything is set aside for it.
    ///
    /// # Errors
    /// As [`read_some`](Self::read_some); [`ChannelError::TooLong`].
    pub fn read_exact(&mut self, length: usize) -> Result<Vec<u8>, ChannelError> {
        if length > LONGEST_ANSWER {
            return Err(ChannelError::TooLong(length));
        }
        let mut bytes = Vec::new();
        while bytes.len() < length {
            bytes.extend(self.read_some((length - bytes.len()).min(64 << 10))?);
        }
        Ok(bytes)
    }

    /// Everything up to the end of the connection, or up to these bytes, which are part of it.
    ///
    /// # Errors
    /// As [`read_some`](Self::read_some); [`ChannelError::TooLong`].
    pub fn read_until(&mut self, end: Option<&[u8]>, most: usize) -> Result<Vec<u8>, ChannelError> {
        let mut bytes = Vec::new();
        loop {
            if bytes.len() >= most {
                return Err(ChannelError::TooLong(bytes.len()));
            }
            // One byte at a time where an end is looked for, so that nothing behind it is taken away.
            let step = if end.is_some() {
                1
            } else {
                (most - bytes.len()).min(64 << 10)
            };
            match self.read_some(step) {
                Ok(more) => bytes.extend(more),
                Err(ChannelError::Closed) if end.is_none() => return Ok(bytes),
                Err(error) => return Err(error),
            }
            if end.is_some_and(|end| bytes.ends_with(end)) {
                return Ok(bytes);
            }
        }
    }
}

fn broken(error: &std::io::Error) -> ChannelError {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => ChannelError::Silent,
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe => ChannelError::Closed,
        _ => ChannelError::Tls(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A server that does this with its one connection.
    fn server(serve: impl FnOnce(TcpStream) + Send + 'static) -> HostPort {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || serve(listener.accept().unwrap().0));
        HostPort {
            host: "127.0.0.1".to_owned(),
            port,
        }
    }

    fn open(host: &HostPort, patience: Duration) -> Channel {
        Channel::connect(host, &Vantage::Here, Deadline::within(patience)).unwrap()
    }

    #[test]
    fn a_server_that_drips_ends_at_the_deadline() {
        let host = server(|mut stream| {
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let mut channel = open(&host, Duration::from_millis(200));
        assert_eq!(channel.read_exact(1 << 20), Err(ChannelError::Silent));
    }

    /// The header of a handshake record of 16 KiB, then a byte now and then: its sender never ends, and never pauses for long.
    fn drip_tls(mut stream: TcpStream) {
        stream.write_all(&[0x16, 3, 3, 0x40, 0]).ok();
        while stream.write_all(&[2]).is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[test]
    fn a_handshake_that_drips_ends_at_the_deadline() {
        let host = server(drip_tls);
        let began = crate::clock::Stopwatch::start();
        let trusting = crate::tls::trusting_configuration(None).unwrap();
        let outcome = open(&host, Duration::from_millis(300)).secure(&host, trusting);
        assert_eq!(outcome.err(), Some(ChannelError::Silent));
        // 16 KiB at this pace take a quarter of an hour.
        assert!(began.seconds() < 60.0);
    }

    #[test]
    fn a_length_that_nobody_has_is_refused_before_memory_is_taken() {
        let host = server(|_| {});
        let mut channel = open(&host, Duration::from_secs(5));
        assert!(matches!(
            channel.read_exact(usize::MAX),
            Err(ChannelError::TooLong(_))
        ));
    }

    #[test]
    fn an_endless_answer_is_cut() {
        let host = server(|mut stream| while stream.write_all(&[b'x'; 4096]).is_ok() {});
        let mut channel = open(&host, Duration::from_secs(20));
        assert!(matches!(
            channel.read_until(None, 1 << 20),
            Err(ChannelError::TooLong(_))
        ));
    }

    #[test]
    fn nobody_there_is_no_refusal_of_a_server() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let host = HostPort {
            host: "127.0.0.1".to_owned(),
            port,
        };
        let error = Channel::connect(&host, &Vantage::Here, Deadline::within(Duration::from_secs(1)))
            .err()
            .unwrap();
        assert!(!error.is_from_server(), "{error}");
    }
}
