//! Greetings that a sound TLS library cannot send any more: old versions, weak cipher suites. Only what the server says in clear text is
//! looked at, its choice and its certificate; nothing is agreed on.
//!
//! Formats: RFC 2246 (TLS 1.0), RFC 4346 (1.1), RFC 5246 (1.2): record layer, handshake, ClientHello, ServerHello, alert.

use rustls::pki_types::CertificateDer;

use crate::channel::{Channel, ChannelError};

/// An offer of versions and cipher suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How it is called, e.g. `TLS 1.0`.
    pub name: &'static str,
    version: [u8; 2],
    suites: &'static [u16],
}

/// Suites that every server of that age has: AES and 3DES in CBC, with RSA, DHE and ECDHE, for RSA and ECDSA certificates.
const OLD_SUITES: &[u16] = &[
    0xc00a, 0xc009, 0xc014, 0xc013, 0x0039, 0x0033, 0x0035, 0x002f, 0xc008, 0xc012, 0x0016, 0x000a,
];
/// Without encryption, without authentication, export, RC4, DES and 3DES.
const WEAK_SUITES: &[u16] = &[
    0x0000, 0x0001, 0x0002, 0x003b, 0xc001, 0xc006, 0xc00b, 0xc010, 0x0034, 0x003a, 0x006c, 0x006d, 0xc015,
    0xc018, 0xc019, 0x0003, 0x0006, 0x0008, 0x0014, 0x0004, 0x0005, 0xc007, 0xc011, 0x0009, 0x0015, 0x000a,
    0x0016, 0xc008, 0xc012,
];

/// The session's keys are sent under the server's key: whoever gets that later reads what was recorded (RFC 9325, section 4.1).
const STATIC_RSA_SUITES: &[u16] = &[
    0x009d, 0x009c, 0xc09d, 0xc09c, 0xc0a1, 0xc0a0, 0x003d, 0x003c, 0x0035, 0x002f, 0x0084, 0x0041,
];
/// How that offer is called.
pub const STATIC_RSA: &str = "TLS 1.2 with static RSA";
/// Suites of TLS 1.2 that are sound, with ECDHE and DHE.
const SOUND_SUITES: &[u16] = &[
    0xc02c, 0xc02b, 0xc030, 0xc02f, 0xcca9, 0xcca8, 0x009f, 0x009e, 0xccaa, 0xc024, 0xc023, 0xc028, 0xc027,
    0xc00a, 0xc009, 0xc014, 0xc013, 0x0039, 0x0033,
];

/// An offer that every server of TLS 1.2 should accept.
pub const SOUND: Offer = Offer {
    name: "TLS 1.2",
    version: [3, 3],
    suites: SOUND_SUITES,
};

/// Offers that no server should accept (RFC 8996 for versions, RFC 7457 and 9325 for suites).
pub const OFFERS: [Offer; 4] = [
    Offer {
        name: "TLS 1.0",
        version: [3, 1],
        suites: OLD_SUITES,
    },
    Offer {
        name: "TLS 1.1",
        version: [3, 2],
        suites: OLD_SUITES,
    },
    Offer {
        name: "TLS 1.2 with a weak cipher suite",
        version: [3, 3],
        suites: WEAK_SUITES,
    },
    Offer {
        name: STATIC_RSA,
        version: [3, 3],
        suites: STATIC_RSA_SUITES,
    },
];

/// A server's first words are not longer, bytes.
const MOST_BYTES: usize = 64 << 10;
/// Kinds of records: an alert, a part of a handshake (RFC 5246, section 6.2.1).
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
/// Kinds of messages of a handshake (section 7.4).
const SERVER_HELLO: u8 = 2;
const CERTIFICATE: u8 = 11;
const SERVER_HELLO_DONE: u8 = 14;

/// Whether the server takes an offer: it answers with a ServerHello of that version. If so, with the certificates that it shows, its own
/// first; none where they could not be read.
///
/// # Errors
/// When it did not answer at all, so that nothing is known. An alert or the end of the connection is a refusal.
pub fn accepted(
    offer: Offer,
    channel: &mut Channel,
) -> Result<Option<Vec<CertificateDer<'static>>>, ChannelError> {
    channel.send(&greeting(offer))?;
    let mut messages = Vec::new();
    match record(channel)? {
        Some((ALERT, _)) | None => return Ok(None),
        Some((HANDSHAKE, part)) => messages.extend(part),
        Some((kind, _)) => {
            return Err(ChannelError::Unexpected(format!("a TLS record of kind {kind}")));
        }
    }
    // Kind, three bytes of length, version.
    if messages.first() != Some(&SERVER_HELLO) || messages.get(4..6) != Some(&offer.version[..]) {
        return Ok(None);
    }
    loop {
        if let Some(found) = certificates(&messages) {
            return Ok(Some(found));
        }
        match record(channel) {
            Ok(Some((HANDSHAKE, part))) if messages.len() < MOST_BYTES => messages.extend(part),
            _ => return Ok(Some(Vec::new())),
        }
    }
}

/// A record; `None` where the connection ended instead.
fn record(channel: &mut Channel) -> Result<Option<(u8, Vec<u8>)>, ChannelError> {
    let head = match channel.read_exact(5) {
        Ok(head) => head,
        Err(ChannelError::Closed) => return Ok(None),
        Err(error) => return Err(error),
    };
    // Bytes that are no record have no length.
    if ![ALERT, HANDSHAKE].contains(&head[0]) {
        return Ok(Some((head[0], Vec::new())));
    }
    let length = u16::from_be_bytes([head[3], head[4]]);
    let body = channel.read_exact(usize::from(length))?;
    Ok(Some((head[0], body)))
}

/// The certificates among these messages; `None` while the message that holds them has not come whole.
fn certificates(mut messages: &[u8]) -> Option<Vec<CertificateDer<'static>>> {
    let long = |bytes: &[u8]| -> Option<usize> {
        let [high, middle, low] = *bytes.first_chunk::<3>()?;
        Some(usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low))
    };
    loop {
        let kind = *messages.first()?;
        let length = long(messages.get(1..)?)?;
        let body = messages.get(4..4 + length)?;
        match kind {
            CERTIFICATE => {
                let mut list = body.get(3..)?;
                let mut found = Vec::new();
                while let Some(length) = long(list) {
                    let Some(one) = list.get(3..3 + length) else { break };
                    found.push(CertificateDer::from(one.to_vec()));
                    list = &list[3 + length..];
                }
                return Some(found);
            }
            // The server is done, and has shown none.
            SERVER_HELLO_DONE => return Some(Vec::new()),
            _ => messages = &messages[4 + length..],
        }
    }
}

fn greeting(offer: Offer) -> Vec<u8> {
    let mut body = offer.version.to_vec();
    // The random number: nothing is agreed on, so it may be known to everybody.
    body.extend([0x5a; 32]);
    // No session.
    body.push(0);
    body.extend(((offer.suites.len() * 2) as u16).to_be_bytes());
    for suite in offer.suites {
        body.extend(suite.to_be_bytes());
    }
    // One way to compress: none.
    body.extend([1, 0]);
    // supported_groups (P-256, P-384), ec_point_formats (uncompressed), signature_algorithms (with SHA-256 and SHA-1).
    let extensions: [&[u8]; 3] = [
        &[0x00, 0x0a, 0x00, 0x06, 0x00, 0x04, 0x00, 0x17, 0x00, 0x18],
        &[0x00, 0x0b, 0x00, 0x02, 0x01, 0x00],
        &[
            0x00, 0x0d, 0x00, 0x0a, 0x00, 0x08, 0x04, 0x03, 0x04, 0x01, 0x02, 0x03, 0x02, 0x01,
        ],
    ];
    let extensions = extensions.concat();
    body.extend((extensions.len() as u16).to_be_bytes());
    body.extend(extensions);
    let mut message = vec![22, 3, 1];
    message.extend(((body.len() + 4) as u16).to_be_bytes());
    message.push(1);
    message.extend(&(body.len() as u32).to_be_bytes()[1..]);
    message.extend(body);
    message
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::Duration;

    use dbdyno_driver::remote::HostPort;

    use super::*;
    use crate::clock::Deadline;
    use crate::vantage::Vantage;

    /// What becomes of an offer that is answered with these bytes: the lengths of the certificates.
    fn answered(answer: &'static [u8]) -> Result<Option<Vec<usize>>, ChannelError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            let mut greeting = [0; 512];
            let length = stream.read(&mut greeting).unwrap();
            stream.write_all(answer).unwrap();
            // The record says how long it is.
            assert_eq!(
                usize::from(u16::from_be_bytes([greeting[3], greeting[4]])) + 5,
                length
            );
        });
        let host = HostPort {
            host: "127.0.0.1".to_owned(),
            port,
        };
        let deadline = Deadline::within(Duration::from_secs(2));
        let mut channel = Channel::connect(&host, &Vantage::Here, deadline).unwrap();
        let accepted = accepted(OFFERS[0], &mut channel);
        serving.join().unwrap();
        accepted.map(|chain| chain.map(|chain| chain.iter().map(|one| one.len()).collect()))
    }

    #[test]
    fn only_a_hello_of_that_version_is_a_yes() {
        assert_eq!(answered(&[22, 3, 1, 0, 6, 2, 0, 0, 2, 3, 1]), Ok(Some(vec![])));
        assert_eq!(answered(&[22, 3, 3, 0, 6, 2, 0, 0, 2, 3, 3]), Ok(None));
        assert_eq!(answered(&[21, 3, 1, 0, 2, 2, 70]), Ok(None));
        assert_eq!(answered(b""), Ok(None));
        assert!(answered(b"HTTP/1.1 400").is_err());
    }

    #[test]
    fn certificates_are_read_from_one_record_or_several() {
        // A hello, then two certificates of one and two bytes.
        let one: &'static [u8] = &[
            22, 3, 1, 0, 22, 2, 0, 0, 2, 3, 1, 11, 0, 0, 12, 0, 0, 9, 0, 0, 1, 7, 0, 0, 2, 8, 8,
        ];
        assert_eq!(answered(one), Ok(Some(vec![1, 2])));
        let several = &[
            22, 3, 1, 0, 8, 2, 0, 0, 2, 3, 1, 11, 0, 22, 3, 1, 0, 14, 0, 12, 0, 0, 9, 0, 0, 1, 7, 0, 0, 2, 8,
            8,
        ];
        assert_eq!(answered(several), Ok(Some(vec![1, 2])));
        assert!(answered(&one[..20]).is_err(), "cut off");
        // A list that says that it is longer than it is.
        let lie = &[22, 3, 1, 0, 16, 2, 0, 0, 2, 3, 1, 11, 0, 0, 6, 0, 0, 3, 0, 9, 9];
        assert_eq!(answered(lie), Ok(Some(vec![])));
    }
}
