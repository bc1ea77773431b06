//! Redis's protocol, RESP2: commands as arrays of byte strings, replies of five kinds.

use dbdyno_audit::{Channel, ChannelError, shortened};

/// Replies in replies are followed this deep, and lists of more entries than this are refused.
const DEEPEST: usize = 8;
const MOST_ENTRIES: usize = 100_000;
const LONGEST_LINE: usize = 64 << 10;

/// What a server answers.
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
    let mut message = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        message.extend(format!("${}\r\n", word.len()).into_bytes());
        message.extend(word.as_bytes());
        message.extend(b"\r\n");
    }
    channel.send(&message)?;
    read(channel, 0)
}

/// Whether a text of INFO has this line.
pub fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|known| known.trim() == line)
}

fn read(channel: &mut Channel, depth: usize) -> Result<Reply, ChannelError> {
    let line = channel.read_until(Some(b"\r\n"), LONGEST_LINE)?;
    let line = String::from_utf8_lossy(&line[..line.len() - 2]).into_owned();
    let unexpected = || ChannelError::Unexpected(shortened(&line));
    let mut letters = line.chars();
    let kind = letters.next().ok_or_else(unexpected)?;
    let rest = letters.as_str();
    let number = || rest.parse::<i64>().map_err(|_| unexpected());
    match kind {
        '+' => Ok(Reply::Simple(rest.to_owned())),
        '-' => Ok(Reply::Error(rest.to_owned())),
        ':' => number().map(Reply::Integer),
        '$' => match usize::try_from(number()?) {
            Ok(length) => {
                let mut bytes = channel.read_exact(length.saturating_add(2))?;
                bytes.truncate(length);
                Ok(Reply::Bulk(bytes))
            }
            Err(_) => Ok(Reply::Nil),
        },
        '*' => match usize::try_from(number()?) {
            Ok(entries) if entries > MOST_ENTRIES || depth >= DEEPEST => Err(ChannelError::TooLong(entries)),
            Ok(entries) => (0..entries)
                .map(|_| read(channel, depth + 1))
                .collect::<Result<_, _>>()
                .map(Reply::Array),
            Err(_) => Ok(Reply::Nil),
        },
        _ => Err(unexpected()),
    }
}
