//! Greetings that a sound TLS library cannot send any more: old versions, weak cipher suites. Only the server's first word
//! is looked at; nothing is agreed on.
//!
//! Formats: RFC 2246 (TLS 1.0), RFC 4346 (1.1), RFC 5246 (1.2): record layer, handshake, ClientHello, ServerHello, alert.

use crate::channel::{Channel, ChannelError};

/// What is offered.
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

/// What no server should accept (RFC 8996 for versions, RFC 7457 and 9325 for suites).
pub const OFFERS: [Offer; 3] = [
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
];

/// Whether the server takes an offer: it answers with a ServerHello of that version.
///
/// # Errors
/// When it did not answer at all, so that nothing is known. An alert or the end of the connection is a refusal.
pub fn is_accepted(offer: Offer, channel: &mut Channel) -> Result<bool, ChannelError> {
    channel.send(&greeting(offer))?;
    let head = match channel.read_exact(5) {
        Ok(head) => head,
        Err(ChannelError::Closed) => return Ok(false),
        Err(error) => return Err(error),
    };
    match head[0] {
        // An alert.
        21 => Ok(false),
        // A handshake: kind, three bytes of length, version.
        22 => {
            let body = channel.read_exact(6)?;
            Ok(body[0] == 2 && body[4..6] == offer.version)
        }
        kind => Err(ChannelError::Unexpected(format!("a TLS record of kind {kind}"))),
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

    /// What becomes of an offer that is answered with these bytes.
    fn answered(answer: &'static [u8]) -> Result<bool, ChannelError> {
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
        let accepted = is_accepted(OFFERS[0], &mut channel);
        serving.join().unwrap();
        accepted
    }

    #[test]
    fn only_a_hello_of_that_version_is_a_yes() {
        assert_eq!(answered(&[22, 3, 1, 0, 6, 2, 0, 0, 2, 3, 1]), Ok(true));
        assert_eq!(answered(&[22, 3, 3, 0, 6, 2, 0, 0, 2, 3, 3]), Ok(false));
        assert_eq!(answered(&[21, 3, 1, 0, 2, 2, 70]), Ok(false));
        assert_eq!(answered(b""), Ok(false));
        assert!(answered(b"HTTP/1.1 400").is_err());
    }
}
