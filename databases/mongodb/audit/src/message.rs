//! MongoDB's protocol, OP_MSG: a header of four 32-bit numbers, flags, and a section of kind 0 with one document.

use bson::raw::{RawBsonRef, RawDocument};
use bson::{Bson, Document};
use dbdyno_audit::{Channel, ChannelError, shortened};

const OP_MSG: i32 = 2013;
/// Header, flags and the kind of the section.
const BEFORE_DOCUMENT: usize = 16 + 4 + 1;
/// The server itself takes documents no deeper than this.
const DEEPEST: usize = 100;

/// The code of "not allowed", with and without a login (`error_codes.yml` of the server).
pub const UNAUTHORIZED: i32 = 13;
/// The code of a failed login.
pub const AUTHENTICATION_FAILED: i32 = 18;
/// The codes of a login by a mechanism that is off or not there: `BadValue` of older servers, `MechanismUnavailable`.
const NO_MECHANISM: [i32; 2] = [2, 334];

/// An answer of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply(pub Document);

impl Reply {
    /// Whether the command and each of its writes succeeded. A refused write does not clear `ok`; it is listed in `writeErrors`.
    pub fn is_ok(&self) -> bool {
        number(self.0.get("ok")) == Some(1) && self.0.get_array("writeErrors").map_or(0, Vec::len) == 0
    }

    /// The code of the error.
    pub fn code(&self) -> Option<i32> {
        number(self.0.get("code")).and_then(|code| i32::try_from(code).ok())
    }

    /// Whether it was refused for want of a right or a login.
    pub fn is_refused(&self) -> bool {
        !self.is_ok() && self.code() == Some(UNAUTHORIZED)
    }

    /// Whether the answer to the beginning of a login says that there is none by this mechanism.
    pub fn lacks_mechanism(&self) -> bool {
        !self.is_ok() && self.code().is_some_and(|code| NO_MECHANISM.contains(&code))
    }

    /// The server's words for an error.
    pub fn message(&self) -> &str {
        self.0.get_str("errmsg").unwrap_or("no reason given")
    }

    /// For evidence: nothing of the data.
    pub fn shown(&self) -> String {
        if self.is_ok() {
            return "ok".to_owned();
        }
        let code = self.code().map_or_else(String::new, |code| format!(" {code}"));
        format!("error{code}: {}", shortened(self.message()))
    }

    /// The first documents of a cursor.
    pub fn batch(&self) -> Vec<&Document> {
        let batch = self
            .0
            .get_document("cursor")
            .and_then(|cursor| cursor.get_array("firstBatch"));
        documents(batch.ok())
    }

    /// The documents of a list.
    pub fn list(&self, name: &str) -> Vec<&Document> {
        documents(self.0.get_array(name).ok())
    }

    /// A flag; a missing one is off.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get_bool(name).unwrap_or(false)
    }
}

fn documents(list: Option<&Vec<Bson>>) -> Vec<&Document> {
    list.into_iter().flatten().filter_map(Bson::as_document).collect()
}

/// A whole number, of whatever kind.
pub fn number(value: Option<&Bson>) -> Option<i64> {
    match value? {
        Bson::Double(number) => Some(*number as i64),
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        Bson::Boolean(flag) => Some(i64::from(*flag)),
        _ => None,
    }
}

/// Sends a command and reads its reply.
pub fn ask(channel: &mut Channel, database: &str, mut command: Document) -> Result<Reply, ChannelError> {
    command.insert("$db", database);
    let document = command
        .to_vec()
        .map_err(|error| ChannelError::Unexpected(error.to_string()))?;
    let length =
        i32::try_from(BEFORE_DOCUMENT + document.len()).map_err(|_| ChannelError::TooLong(document.len()))?;
    let mut message = Vec::with_capacity(BEFORE_DOCUMENT + document.len());
    for number in [length, 1, 0, OP_MSG, 0] {
        message.extend(number.to_le_bytes());
    }
    message.push(0);
    message.extend(document);
    channel.send(&message)?;
    let header = channel.read_exact(16)?;
    let rest = body_length(&header)?;
    read(&channel.read_exact(rest)?).map(Reply)
}

fn unexpected(what: &str) -> ChannelError {
    ChannelError::Unexpected(what.to_owned())
}

/// How many bytes follow a header.
fn body_length(header: &[u8]) -> Result<usize, ChannelError> {
    let number = |at: usize| {
        let bytes = header.get(at..at + 4)?.try_into().ok()?;
        Some(i32::from_le_bytes(bytes))
    };
    let length = number(0).and_then(|length| usize::try_from(length).ok());
    match (length, number(12)) {
        (Some(length), Some(OP_MSG)) if length >= BEFORE_DOCUMENT => Ok(length - 16),
        (_, Some(OP_MSG)) => Err(unexpected("a message of no length")),
        _ => Err(unexpected("no message of MongoDB's protocol")),
    }
}

/// The document of a message, behind its header.
fn read(body: &[u8]) -> Result<Document, ChannelError> {
    let (Some(0), Some(bytes)) = (body.get(4), body.get(5..)) else {
        return Err(unexpected("a message without a document"));
    };
    // The document starts with its length; a checksum may follow it.
    let length = bytes
        .get(..4)
        .and_then(|length| length.try_into().ok())
        .and_then(|length| usize::try_from(i32::from_le_bytes(length)).ok());
    let document = length
        .and_then(|length| bytes.get(..length))
        .and_then(|bytes| RawDocument::from_bytes(bytes).ok())
        .ok_or_else(|| unexpected("a document of the wrong length"))?;
    check_depth(document, 0)?;
    Document::try_from(document).map_err(|error| unexpected(&shortened(&error.to_string())))
}

/// The library follows documents in documents as deep as they go, and the stack ends before four megabytes of them do.
fn check_depth(document: &RawDocument, depth: usize) -> Result<(), ChannelError> {
    if depth > DEEPEST {
        return Err(unexpected("documents in documents without end"));
    }
    for element in document {
        let (_, value) = element.map_err(|error| unexpected(&shortened(&error.to_string())))?;
        check_value(value, depth + 1)?;
    }
    Ok(())
}

fn check_value(value: RawBsonRef<'_>, depth: usize) -> Result<(), ChannelError> {
    match value {
        RawBsonRef::Document(inner) => check_depth(inner, depth),
        RawBsonRef::JavaScriptCodeWithScope(code) => check_depth(code.scope, depth),
        RawBsonRef::Array(_) if depth > DEEPEST => Err(unexpected("lists in lists without end")),
        RawBsonRef::Array(inner) => {
            for value in inner {
                let value = value.map_err(|error| unexpected(&shortened(&error.to_string())))?;
                check_value(value, depth + 1)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn body(document: &Document) -> Vec<u8> {
        [vec![0; 5], document.to_vec().unwrap()].concat()
    }

    #[test]
    fn replies_are_read_whatever_their_numbers_are() {
        for ok in [Bson::Double(1.0), Bson::Int32(1), Bson::Int64(1)] {
            assert!(Reply(read(&body(&doc! { "ok": ok })).unwrap()).is_ok());
        }
        let refused = Reply(doc! { "ok": 0.0, "code": 13, "errmsg": "no\u{7}t allowed" });
        assert!(refused.is_refused());
        assert_eq!(refused.shown(), "error 13: no t allowed");
        let half = Reply(doc! { "ok": 1, "writeErrors": [{ "code": 11000 }] });
        assert!(!half.is_ok() && !half.is_refused());
        assert!(!Reply(Document::new()).is_ok());
    }

    #[test]
    fn a_message_that_lies_about_its_lengths_is_refused() {
        let header = |length: i32, code: i32| [length, 1, 1, code].map(i32::to_le_bytes).concat();
        assert_eq!(body_length(&header(100, OP_MSG)), Ok(84));
        for (length, code) in [(20, OP_MSG), (-1, OP_MSG), (i32::MIN, OP_MSG), (100, 1), (0, 0)] {
            assert!(body_length(&header(length, code)).is_err(), "{length} {code}");
        }
        assert!(body_length(b"HTTP/1.1 400").is_err());
        let sound = body(&doc! { "ok": 1 });
        for length in [0_i32, 4, 5, 1000, -1, i32::MAX] {
            let mut changed = sound.clone();
            changed[5..9].copy_from_slice(&length.to_le_bytes());
            assert!(read(&changed).is_err(), "{length}");
        }
        for end in 0..sound.len() {
            assert!(read(&sound[..end]).is_err(), "{end}");
        }
        // A sum of four bytes may follow.
        assert!(read(&[sound, vec![0; 4]].concat()).is_ok());
    }

    #[test]
    fn documents_in_documents_end() {
        let mut bytes = vec![5, 0, 0, 0, 0];
        for _ in 0..50_000 {
            let length = (bytes.len() + 8) as i32;
            let mut outer = length.to_le_bytes().to_vec();
            outer.extend([3, b'a', 0]);
            outer.append(&mut bytes);
            outer.push(0);
            bytes = outer;
            if bytes.len() > 40_000 {
                break;
            }
        }
        assert!(read(&[vec![0; 5], bytes].concat()).is_err());
    }
}
