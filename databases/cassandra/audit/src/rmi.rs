//! Three words of Java's RMI: the greeting, the registry's entry `jmxrmi`, and a connection to JMX without a login.
//!
//! Sources: Java's "RMI Wire Protocol" and "Object Serialization Stream Protocol"; the numbers of methods are hashes of
//! their signatures, as its "Stub/Skeleton Interface" defines them.

use dbdyno_audit::{Channel, ChannelError};

use crate::reader::Reader;

/// No answer to these calls is nearly as long.
const LONGEST: usize = 64 << 10;
const LONGEST_NAME: usize = 1 << 10;

const CALL: u8 = 0x50;
const RETURN: u8 = 0x51;
/// The beginning of a serialized stream.
const STREAM: [u8; 4] = [0xac, 0xed, 0x00, 0x05];
/// A block of bytes whose length follows.
const BLOCK: u8 = 0x77;
/// Lengths of an object's identity and of what stands before the arguments of a call.
const IDENTITY: usize = 22;
const CALL_BLOCK: u8 = 34;

/// An object of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteObject {
    pub port: u16,
    identity: Vec<u8>,
}

/// Whether JMX serves a client without a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    NotAsked,
    Asked,
}

/// Greets; an error when it does not speak RMI.
pub fn greet(channel: &mut Channel) -> Result<(), ChannelError> {
    channel.send(b"JRMI\x00\x02\x4b")?;
    match channel.read_exact(1)?[0] {
        0x4e => {}
        other => return Err(ChannelError::Unexpected(format!("no RMI: {other:#04x}"))),
    }
    // Who we are in the server's eyes: a name and a port.
    let length = channel.read_exact(2)?;
    let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
    if length > LONGEST_NAME {
        return Err(ChannelError::TooLong(length));
    }
    let name = channel.read_exact(length)?;
    channel.read_exact(4)?;
    let mut own = (length as u16).to_be_bytes().to_vec();
    own.extend(name);
    own.extend([0; 4]);
    channel.send(&own)
}

/// Asks the registry for JMX, after the greeting.
pub fn find_jmx(channel: &mut Channel) -> Result<RemoteObject, ChannelError> {
    // The registry has the identity of zeros; 2 is its method `lookup`.
    let argument = b"\x74\x00\x06jmxrmi";
    channel.send(&call(&[0; IDENTITY], 2, 0x4415_4dc9_d4e6_3bdf, argument))?;
    let answer = answer(channel, &|bytes| remote_object(bytes).is_some())?;
    remote_object(&answer).ok_or_else(|| ChannelError::Unexpected("no entry jmxrmi".to_owned()))
}

/// Asks JMX for a connection without a login, on a connection to the object's port, after the greeting.
pub fn connect_to_jmx(channel: &mut Channel, jmx: &RemoteObject) -> Result<Login, ChannelError> {
    // `newClient(null)`.
    channel.send(&call(&jmx.identity, -1, 0xf0e0_74ea_ad0c_aea8, &[0x70]))?;
    let answer = answer(channel, &|bytes| {
        is_refusal(bytes) || outcome(bytes) == Some(NORMAL)
    })?;
    match outcome(&answer) {
        Some(NORMAL) => Ok(Login::NotAsked),
        _ if is_refusal(&answer) => Ok(Login::Asked),
        _ => Err(ChannelError::Unexpected("another exception of Java".to_owned())),
    }
}

fn call(identity: &[u8], operation: i32, hash: u64, argument: &[u8]) -> Vec<u8> {
    let mut bytes = vec![CALL];
    bytes.extend(STREAM);
    bytes.extend([BLOCK, CALL_BLOCK]);
    bytes.extend(identity);
    bytes.extend(operation.to_be_bytes());
    bytes.extend(hash.to_be_bytes());
    bytes.extend(argument);
    bytes
}

/// An answer has no length: it is read until it is whole, in the eyes of who asked, or ends.
fn answer(channel: &mut Channel, is_whole: &dyn Fn(&[u8]) -> bool) -> Result<Vec<u8>, ChannelError> {
    let mut bytes = Vec::new();
    while !is_whole(&bytes) {
        if bytes.len() >= LONGEST {
            return Err(ChannelError::TooLong(bytes.len()));
        }
        match channel.read_some(LONGEST - bytes.len()) {
            Ok(more) => bytes.extend(more),
            Err(_) if !bytes.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

const NORMAL: u8 = 1;
const EXCEPTION: u8 = 2;

/// Whether a call returned or threw.
fn outcome(bytes: &[u8]) -> Option<u8> {
    let mut reader = Reader::new(bytes);
    let is_return = reader.byte().ok()? == RETURN
        && reader.take(STREAM.len()).ok()? == STREAM
        && reader.byte().ok()? == BLOCK;
    reader.byte().ok()?;
    reader.byte().ok().filter(|_| is_return)
}

fn is_refusal(bytes: &[u8]) -> bool {
    outcome(bytes) == Some(EXCEPTION) && position(bytes, b"java.lang.SecurityException").is_some()
}

fn position(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}

/// The object in an answer: the kind of its reference, in one kind a byte for what follows, then host, port and identity.
fn remote_object(bytes: &[u8]) -> Option<RemoteObject> {
    if outcome(bytes) != Some(NORMAL) {
        return None;
    }
    let at = position(bytes, b"UnicastRef")?.checked_sub(2)?;
    let mut reader = Reader::new(bytes.get(at..)?);
    match reader.text().ok()?.as_str() {
        "UnicastRef" => {}
        // 1: the client is to open its connections in a way of its own, such as TLS.
        "UnicastRef2" if reader.byte().ok()? == 0 => {}
        _ => return None,
    }
    // Its host is not used: a server could name any.
    reader.text().ok()?;
    let port = u16::try_from(reader.number().ok()?).ok()?;
    let identity = reader.take(IDENTITY).ok()?.to_vec();
    Some(RemoteObject { port, identity })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(outcome: u8) -> Vec<u8> {
        let mut bytes = vec![RETURN];
        bytes.extend(STREAM);
        bytes.extend([BLOCK, 15, outcome]);
        bytes.extend([7; 14]);
        bytes
    }

    #[test]
    fn an_object_is_read_only_when_it_is_whole() {
        let mut bytes = head(NORMAL);
        bytes.extend(b"sr\x00\x04Stub\x77\x40\x00\x0bUnicastRef2\x00\x00\x09127.0.0.1\x00\x00\x1c\x1f");
        bytes.extend([9; IDENTITY]);
        let expected = RemoteObject {
            port: 7199,
            identity: vec![9; IDENTITY],
        };
        assert_eq!(remote_object(&bytes), Some(expected));
        for length in 0..bytes.len() {
            assert_eq!(remote_object(&bytes[..length]), None);
        }
        let mut thrown = bytes.clone();
        thrown[7] = EXCEPTION;
        assert_eq!(remote_object(&thrown), None);
        assert_eq!(remote_object(b"UnicastRef"), None);
    }

    #[test]
    fn only_a_refusal_is_one() {
        let refused = [head(EXCEPTION), b"sr\x00\x1bjava.lang.SecurityException".to_vec()].concat();
        assert!(is_refusal(&refused));
        assert!(!is_refusal(
            &[head(EXCEPTION), b"java.io.IOException".to_vec()].concat()
        ));
        assert!(!is_refusal(
            &[head(NORMAL), b"java.lang.SecurityException".to_vec()].concat()
        ));
        assert_eq!((outcome(&[]), outcome(b"HTTP/1.1 400 Bad")), (None, None));
    }
}
