//! A server on loopback, in this process, that answers as its lie wants. It ends with the process and keeps nothing on disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::answer::{Client, Server, answer};
use crate::lie::Lie;
use crate::users::Users;

/// The first byte of a handshake of TLS (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;
/// A client that says nothing for so long is sent away.
const SILENCE: Duration = Duration::from_secs(60);
/// What a command may be at most.
const MOST_WORDS: usize = 1_024;
const LONGEST_LINE: u64 = 64;
const LONGEST_WORD: usize = 64 << 10;

/// A server that runs.
struct Running {
    /// Where it listens, on 127.0.0.1.
    port: u16,
    /// Its authority's certificate, as a file that has no name on any disk.
    authority: File,
}

impl Running {
    /// Where its authority's certificate can be read, as long as this process lives.
    fn authority(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.authority.as_raw_fd()))
    }

    /// Starts one.
    fn start(lie: Option<Lie>) -> io::Result<Self> {
        let (configuration, certificate) = configuration().map_err(io::Error::other)?;
        let mut authority = tempfile::tempfile()?;
        authority.write_all(certificate.as_bytes())?;
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let host = Arc::new(Host {
            lie,
            configuration,
            server: Mutex::new(Server {
                users: Users::default(),
                lie,
                tls_port: port,
            }),
        });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let host = Arc::clone(&host);
                // A client that goes away, or says what is no command, is only ended.
                std::thread::spawn(move || host.receive(stream).ok());
            }
        });
        Ok(Self { port, authority })
    }
}

/// The port and the authority's certificate of the server with this lie; it is started when it is first asked for.
///
/// # Errors
/// When it cannot listen, or its certificate cannot be made.
pub fn running(lie: Option<Lie>) -> io::Result<(u16, PathBuf)> {
    static RUNNING: Mutex<BTreeMap<Option<Lie>, Running>> = Mutex::new(BTreeMap::new());
    let mut running = locked(&RUNNING);
    if let Some(server) = running.get(&lie) {
        return Ok((server.port, server.authority()));
    }
    let server = Running::start(lie)?;
    let found = (server.port, server.authority());
    running.insert(lie, server);
    Ok(found)
}

/// State that the connections of a server share.
struct Host {
    lie: Option<Lie>,
    configuration: Arc<ServerConfig>,
    server: Mutex<Server>,
}

impl Host {
    fn receive(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(SILENCE))?;
        let mut first = [0];
        if stream.peek(&mut first)? == 0 {
            return Ok(());
        }
        match (first[0] == HANDSHAKE, self.lie) {
            (true, Some(Lie::Tls)) => (&stream).write_all(b"-ERR Protocol error\r\n"),
            (true, _) => {
                let connection =
                    ServerConnection::new(Arc::clone(&self.configuration)).map_err(io::Error::other)?;
                self.serve(StreamOwned::new(connection, stream))
            }
            (false, Some(Lie::Tls | Lie::TlsOptional)) => self.serve(stream),
            (false, _) => Ok(()),
        }
    }

    fn serve(&self, stream: impl Read + Write) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        let mut client = Client::default();
        while let Some(words) = command(&mut stream)? {
            let reply = answer(&mut locked(&self.server), &mut client, &words);
            stream.get_mut().write_all(reply.as_bytes())?;
            stream.get_mut().flush()?;
        }
        Ok(())
    }
}

/// What it guards stays whole whatever happens to a thread: every change is one step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The words of the next command (RESP2, an array of bulk strings); `None` at the end, and for anything else.
fn command(reader: &mut impl BufRead) -> io::Result<Option<Vec<String>>> {
    let Some(count) = number(reader, b'*')?.filter(|count| *count <= MOST_WORDS) else {
        return Ok(None);
    };
    let mut words = Vec::new();
    for _ in 0..count {
        let Some(length) = number(reader, b'$')?.filter(|length| *length <= LONGEST_WORD) else {
            return Ok(None);
        };
        let mut bytes = vec![0; length + 2];
        reader.read_exact(&mut bytes)?;
        bytes.truncate(length);
        words.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(Some(words))
}

/// The number on a line that begins with `kind`.
fn number(reader: &mut impl BufRead, kind: u8) -> io::Result<Option<usize>> {
    let mut line = Vec::new();
    reader.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    let text = line.strip_prefix(&[kind]).map(String::from_utf8_lossy);
    Ok(text.and_then(|text| text.trim_end().parse().ok()))
}

/// A server's configuration with a certificate for 127.0.0.1, and the certificate of the authority that signed it.
fn configuration() -> Result<(Arc<ServerConfig>, String), Box<dyn std::error::Error + Send + Sync>> {
    let mut authority = CertificateParams::new(Vec::<String>::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    let certificate = authority.self_signed(&key)?.pem();
    let issuer = Issuer::new(authority, key);
    let key = KeyPair::generate()?;
    let mut server = CertificateParams::new(vec!["127.0.0.1".to_owned()])?;
    server
        .extended_key_usages
        .push(ExtendedKeyUsagePurpose::ServerAuth);
    let shown = server.signed_by(&key, &issuer)?.der().clone();
    let secret = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let configuration = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![shown], secret)?;
    Ok((Arc::new(configuration), certificate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_command_ends_the_connection() {
        for bytes in [
            &b"*1\r\n$4\r\nPING\r\n"[..],
            b"*9999999\r\n",
            b"*1\r\n$99999999999\r\n",
            b"GET / HTTP/1.1\r\n",
            b"*-1\r\n",
            b"",
        ] {
            let read = command(&mut BufReader::new(bytes)).unwrap();
            assert_eq!(read.is_some(), bytes.ends_with(b"PING\r\n"), "{bytes:?}");
        }
    }
}
