//! CQL's binary protocol, version 4: the few requests of an audit, and what servers answer.
//!
//! Source: `native_protocol_v4.spec` of Apache Cassandra.

use dbdyno_audit::{Channel, ChannelError, shortened};

use crate::reader::Reader;

const STARTUP: u8 = 0x01;
const OPTIONS: u8 = 0x05;
const QUERY: u8 = 0x07;
const AUTH_RESPONSE: u8 = 0x0f;

/// Types in types are followed this deep, and answers of more rows or columns than this are refused.
const DEEPEST: usize = 8;
const MOST_ROWS: usize = 100_000;
const MOST_COLUMNS: usize = 1_000;

/// Codes of errors.
pub const BAD_CREDENTIALS: i32 = 0x0100;
pub const OVERLOADED: i32 = 0x1001;
pub const SYNTAX_ERROR: i32 = 0x2000;
pub const UNAUTHORIZED: i32 = 0x2100;
pub const INVALID: i32 = 0x2200;

/// An answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nobody has to log in.
    Ready,
    /// The login is asked for, by this class.
    Authenticate(String),
    /// The login is right.
    LoggedIn,
    /// What the server can do.
    Supported,
    /// The rows of a query.
    Rows(Vec<Vec<Option<Vec<u8>>>>),
    /// It is done, and there is nothing to show.
    Done,
    /// It was refused, or failed.
    Error { code: i32, text: String },
}

impl Answer {
    pub fn is_error(&self, wanted: i32) -> bool {
        matches!(self, Self::Error { code, .. } if *code == wanted)
    }

    /// For people.
    pub fn shown(&self) -> String {
        match self {
            Self::Ready => "READY".to_owned(),
            Self::Authenticate(class) => format!("AUTHENTICATE {}", shortened(class)),
            Self::LoggedIn => "AUTH_SUCCESS".to_owned(),
            Self::Supported => "SUPPORTED".to_owned(),
            Self::Rows(rows) => format!("{} rows", rows.len()),
            Self::Done => "done".to_owned(),
            Self::Error { code, text } => format!("error {code:#06x}: {}", shortened(text)),
        }
    }

    /// The values of the first column, without those that are none.
    pub fn values(&self) -> Vec<Vec<u8>> {
        let Self::Rows(rows) = self else {
            return Vec::new();
        };
        rows.iter().filter_map(|row| row.first()?.clone()).collect()
    }

    /// The values of the first column as texts.
    pub fn texts(&self) -> Vec<String> {
        let values = self.values();
        let texts = values
            .iter()
            .map(|value| String::from_utf8_lossy(value).into_owned());
        texts.collect()
    }
}

/// A column of a row as text.
pub fn text_of(row: &[Option<Vec<u8>>], column: usize) -> Option<String> {
    let value = row.get(column)?.as_ref()?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// What the server can do: answered without a login.
pub fn options(channel: &mut Channel) -> Result<Answer, ChannelError> {
    ask(channel, OPTIONS, &[])
}

/// Begins a conversation.
pub fn start(channel: &mut Channel) -> Result<Answer, ChannelError> {
    ask(channel, STARTUP, b"\x00\x01\x00\x0bCQL_VERSION\x00\x053.0.0")
}

/// Answers the request for a login with a password (SASL's PLAIN).
pub fn authenticate(channel: &mut Channel, user: &str, password: &str) -> Result<Answer, ChannelError> {
    let login = format!("\0{user}\0{password}");
    ask(channel, AUTH_RESPONSE, &with_length(&login))
}

/// Carries out a statement, with consistency ONE.
pub fn query(channel: &mut Channel, statement: &str) -> Result<Answer, ChannelError> {
    let mut body = with_length(statement);
    body.extend([0, 1, 0]);
    ask(channel, QUERY, &body)
}

fn with_length(text: &str) -> Vec<u8> {
    let mut body = (text.len() as u32).to_be_bytes().to_vec();
    body.extend(text.as_bytes());
    body
}

fn ask(channel: &mut Channel, opcode: u8, body: &[u8]) -> Result<Answer, ChannelError> {
    let mut frame = vec![4, 0, 0, 0, opcode];
    frame.extend((body.len() as u32).to_be_bytes());
    frame.extend(body);
    channel.send(&frame)?;
    let head = channel.read_exact(9)?;
    // An answer has the highest bit of the version set.
    if head[0] & 0x80 == 0 || head[0] & 0x7f > 6 {
        return Err(ChannelError::Unexpected("no frame of CQL".to_owned()));
    }
    let length = u32::from_be_bytes([head[5], head[6], head[7], head[8]]) as usize;
    let body = channel.read_exact(length)?;
    read(head[1], head[4], &body)
}

/// Reads the body of an answer. Flags: 2 and 4 stand for parts that were not asked for, 8 for warnings before the rest.
fn read(flags: u8, opcode: u8, body: &[u8]) -> Result<Answer, ChannelError> {
    let mut body = Reader::new(body);
    if flags & 0x06 != 0 {
        return Err(ChannelError::Unexpected(
            "parts that were not asked for".to_owned(),
        ));
    }
    if flags & 0x08 != 0 {
        for _ in 0..body.short()? {
            body.text()?;
        }
    }
    match opcode {
        0x00 => Ok(Answer::Error {
            code: body.number()?,
            text: body.text()?,
        }),
        0x02 => Ok(Answer::Ready),
        0x03 => Ok(Answer::Authenticate(body.text()?)),
        0x06 => Ok(Answer::Supported),
        0x08 => match body.number()? {
            2 => rows(&mut body),
            _ => Ok(Answer::Done),
        },
        0x10 => Ok(Answer::LoggedIn),
        other => Err(ChannelError::Unexpected(format!(
            "an answer of kind {other:#04x}"
        ))),
    }
}

fn rows(body: &mut Reader<'_>) -> Result<Answer, ChannelError> {
    let flags = body.number()?;
    let columns = count(body, MOST_COLUMNS)?;
    if flags & 2 != 0 {
        // More pages follow; what is asked for here fits on one.
        body.value()?;
    }
    if flags & 4 == 0 {
        if flags & 1 != 0 {
            body.text()?;
            body.text()?;
        }
        for _ in 0..columns {
            if flags & 1 == 0 {
                body.text()?;
                body.text()?;
            }
            body.text()?;
            skip_type(body, 0)?;
        }
    }
    // Rows without columns could be made up in any number.
    if columns == 0 {
        return Ok(Answer::Rows(Vec::new()));
    }
    let rows = count(body, MOST_ROWS)?;
    (0..rows)
        .map(|_| (0..columns).map(|_| body.value()).collect())
        .collect::<Result<_, _>>()
        .map(Answer::Rows)
}

fn count(body: &mut Reader<'_>, most: usize) -> Result<usize, ChannelError> {
    let number = body.number()?;
    match usize::try_from(number) {
        Ok(count) if count <= most => Ok(count),
        _ => Err(ChannelError::Unexpected(format!("a count of {number}"))),
    }
}

/// Types are not needed: what is asked for is text.
fn skip_type(body: &mut Reader<'_>, depth: usize) -> Result<(), ChannelError> {
    if depth > DEEPEST {
        return Err(ChannelError::Unexpected("types in types without end".to_owned()));
    }
    match body.short()? {
        0x00 => body.text().map(drop),
        0x20 | 0x22 => skip_type(body, depth + 1),
        0x21 => {
            skip_type(body, depth + 1)?;
            skip_type(body, depth + 1)
        }
        0x30 => {
            body.text()?;
            body.text()?;
            for _ in 0..body.short()? {
                body.text()?;
                skip_type(body, depth + 1)?;
            }
            Ok(())
        }
        0x31 => {
            for _ in 0..body.short()? {
                skip_type(body, depth + 1)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows() -> Vec<u8> {
        let mut body = vec![0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2];
        body.extend(b"\x00\x01k\x00\x01t");
        body.extend(b"\x00\x04name\x00\x0d\x00\x04more\x00\x21\x00\x0d\x00\x22\x00\x0d");
        body.extend([0, 0, 0, 2]);
        body.extend(b"\x00\x00\x00\x02ab\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01c");
        body
    }

    #[test]
    fn rows_are_read_with_or_without_warnings() {
        let body = two_rows();
        let expected = Answer::Rows(vec![
            vec![Some(b"ab".to_vec()), None],
            vec![Some(Vec::new()), Some(b"c".to_vec())],
        ]);
        assert_eq!(read(0, 8, &body).unwrap(), expected);
        assert_eq!(expected.texts(), ["ab", ""]);
        let warned = [b"\x00\x01\x00\x03oh!".to_vec(), body].concat();
        assert_eq!(read(8, 8, &warned).unwrap(), expected);
    }

    #[test]
    fn no_length_of_a_server_is_believed() {
        let whole = two_rows();
        for length in 0..whole.len() {
            read(0, 8, &whole[..length]).unwrap_err();
        }
        // A thousand million rows of no columns; types in types without end; more columns than any table has.
        let none = [&[0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0][..], &[0x3b; 4]].concat();
        assert_eq!(read(0, 8, &none).unwrap(), Answer::Rows(Vec::new()));
        let deep = [
            &[0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0][..],
            &[0, 0x20].repeat(1000),
        ]
        .concat();
        assert!(read(0, 8, &deep).unwrap_err().to_string().contains("without end"));
        let wide = [0, 0, 0, 2, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff];
        read(0, 8, &wide).unwrap_err();
        read(0, 0x77, &[]).unwrap_err();
    }

    #[test]
    fn errors_have_a_code_and_no_control_characters() {
        let error = read(0, 0, b"\x00\x00\x21\x00\x00\x04no\x1b!").unwrap();
        assert!(error.is_error(UNAUTHORIZED) && !error.is_error(BAD_CREDENTIALS));
        assert_eq!(error.shown(), "error 0x2100: no !");
    }
}
