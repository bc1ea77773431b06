//! Redis's protocol, RESP2: commands as arrays of byte strings, replies of five kinds. The driver's reader takes the replies apart.

use dbdyno_audit::{Channel, ChannelError, shortened};
use dbdyno_database_redis::resp::answer;
use redis::{Cmd, Value};

/// Values in one reply.
const MOST_VALUES: usize = 100_000;
/// No reply to a probe is nearly as long.
const LONGEST: usize = 4 << 20;
/// Bytes that are read at once.
const STEP: usize = 64 << 10;

/// An answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Simple(String),
    /// An error, with its word first: `NOAUTH Authentication required.`
    Error(String),
    Integer(i64),
    Bulk(Vec<u8>),
    Nil,
    Array(Vec<Reply>),
}

impl Reply {
    /// `None` for kinds that RESP2 does not have.
    fn of(value: Value) -> Option<Self> {
        Some(match value {
            Value::Okay => Self::Simple("OK".to_owned()),
            Value::SimpleString(text) => Self::Simple(text),
            Value::ServerError(error) => {
                let details = error.details().map(|details| format!(" {details}"));
                Self::Error(format!("{}{}", error.code(), details.unwrap_or_default()))
            }
            Value::Int(number) => Self::Integer(number),
            Value::BulkString(bytes) => Self::Bulk(bytes),
            Value::Nil => Self::Nil,
            Value::Array(values) => Self::Array(values.into_iter().map(Self::of).collect::<Option<_>>()?),
            _ => return None,
        })
    }

    /// Whether it is an error that begins with this word.
    pub fn is_error(&self, word: &str) -> bool {
        matches!(self, Self::Error(text) if text.split(' ').next() == Some(word))
    }

    /// Its text, of whatever kind.
    pub fn text(&self) -> String {
        match self {
            Self::Simple(text) | Self::Error(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Bulk(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Self::Nil => "nil".to_owned(),
            Self::Array(entries) => {
                let texts: Vec<String> = entries.iter().map(Self::text).collect();
                texts.join(" ")
            }
        }
    }

    /// For evidence.
    pub fn shown(&self) -> String {
        match self {
            Self::Error(text) => format!("error: {}", shortened(text)),
            other => shortened(&other.text()),
        }
    }
}

/// Sends a command and reads its reply.
pub fn ask(channel: &mut Channel, words: &[&str]) -> Result<Reply, ChannelError> {
    let mut command = Cmd::new();
    for word in words {
        command.arg(word);
    }
    channel.send(&command.get_packed_command())?;
    read(channel)
}

/// Whether a text of INFO has this line.
pub fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|known| known.trim() == line)
}

/// Reads one reply. What comes behind it answers no question, and is dropped.
fn read(channel: &mut Channel) -> Result<Reply, ChannelError> {
    let mut bytes = Vec::new();
    loop {
        bytes.extend(channel.read_some(STEP)?);
        let mut values_left = MOST_VALUES;
        match answer(&bytes, &mut values_left) {
            Ok(Some((value, _))) => return Reply::of(value).ok_or_else(|| unexpected(&bytes)),
            Ok(None) if bytes.len() > LONGEST => return Err(ChannelError::TooLong(bytes.len())),
            Ok(None) => {}
            Err(_) => return Err(unexpected(&bytes)),
        }
    }
}

/// Shows the first line of what is no reply.
fn unexpected(bytes: &[u8]) -> ChannelError {
    let text = String::from_utf8_lossy(bytes);
    ChannelError::Unexpected(shortened(text.lines().next().unwrap_or_default()))
}
