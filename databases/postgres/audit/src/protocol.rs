//! The messages of PostgreSQL's protocol 3.0 that probes need: questions in text, rows in text, refusals.
//!
//! Format: PostgreSQL's manual, "Message Formats" and "Error and Notice Message Fields".

use dbdyno_audit::{Channel, ChannelError, shortened};

/// No answer to a probe is nearly as long.
const LONGEST_ANSWER: usize = 4 << 20;

/// A right is missing (manual, appendix "Error Codes": `insufficient_privilege`).
pub const NO_RIGHT: &str = "42501";
/// `invalid_password`.
pub const WRONG_PASSWORD: &str = "28P01";

/// An error of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// SQLSTATE.
    pub code: String,
    /// The function of the server that refused; it is in no language.
    pub routine: String,
    message: String,
    is_end: bool,
}

impl Refusal {
    /// Whether another session changed the same at the same time: then it may be tried again. Two changes of one row of the catalogue
    /// have no SQLSTATE of their own.
    pub fn is_overtaken(&self) -> bool {
        let of_catalogue = self.code == "XX000" && self.message.starts_with("tuple concurrently ");
        of_catalogue || ["40001", "40P01"].contains(&self.code.as_str())
    }

    /// Reads the fields of an error message: a letter and a text each, up to a zero.
    pub fn read(body: &[u8]) -> Self {
        let mut refusal = Self::default();
        for field in body.split(|byte| *byte == 0) {
            let Some((letter, text)) = field.split_first() else {
                continue;
            };
            let text = String::from_utf8_lossy(text).into_owned();
            match letter {
                b'C' => refusal.code = text,
                b'R' => refusal.routine = text,
                b'M' => refusal.message = text,
                b'V' => refusal.is_end = text == "FATAL" || text == "PANIC",
                _ => {}
            }
        }
        refusal
    }

    pub fn shown(&self) -> String {
        shortened(&format!("{} {}", self.code, self.message))
    }
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Rows of texts; empty for what has no rows.
    Rows(Vec<Vec<Option<String>>>),
    Refused(Refusal),
}

impl Answer {
    /// The first row's texts, with nothing for what is null.
    pub fn first(&self) -> Option<Vec<String>> {
        match self {
            Self::Rows(rows) => Some(
                rows.first()?
                    .iter()
                    .map(|text| text.clone().unwrap_or_default())
                    .collect(),
            ),
            Self::Refused(_) => None,
        }
    }

    /// The first texts of all rows.
    pub fn column(&self) -> Vec<String> {
        match self {
            Self::Rows(rows) => rows.iter().filter_map(|row| row.first().cloned()?).collect(),
            Self::Refused(_) => Vec::new(),
        }
    }

    pub fn shown(&self) -> String {
        match self {
            Self::Rows(rows) => match rows.first() {
                None => "done".to_owned(),
                Some(row) => {
                    let texts: Vec<&str> = row.iter().map(|text| text.as_deref().unwrap_or("null")).collect();
                    shortened(&texts.join(", "))
                }
            },
            Self::Refused(refusal) => format!("refused: {}", refusal.shown()),
        }
    }

    /// The answer, if it is no refusal: one ends the probe.
    pub fn granted(self) -> Result<Self, ChannelError> {
        match self {
            Self::Rows(_) => Ok(self),
            Self::Refused(refusal) => Err(ChannelError::Unexpected(refusal.shown())),
        }
    }
}

/// A message: its letter and its body.
pub fn receive(channel: &mut Channel) -> Result<(u8, Vec<u8>), ChannelError> {
    let head = channel.read_exact(5)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    match length.checked_sub(4) {
        Some(rest) => Ok((head[0], channel.read_exact(rest)?)),
        None => Err(ChannelError::Unexpected(format!("a message of {length} bytes"))),
    }
}

/// A message with a letter.
pub fn send(channel: &mut Channel, letter: u8, body: &[u8]) -> Result<(), ChannelError> {
    let mut message = vec![letter];
    message.extend((body.len() as u32 + 4).to_be_bytes());
    message.extend(body);
    channel.send(&message)
}

/// Reads up to the server's word that it is our turn.
pub fn wait_for_turn(channel: &mut Channel) -> Result<Answer, ChannelError> {
    let (mut rows, mut refused, mut length) = (Vec::new(), None, 0);
    loop {
        let (letter, body) = receive(channel)?;
        length += body.len() + 5;
        if length > LONGEST_ANSWER {
            return Err(ChannelError::TooLong(length));
        }
        match letter {
            b'Z' => return Ok(refused.map_or(Answer::Rows(rows), Answer::Refused)),
            b'E' => {
                let refusal = Refusal::read(&body);
                // Nothing comes after it: the server closes the connection.
                if refusal.is_end {
                    return Ok(Answer::Refused(refusal));
                }
                refused.get_or_insert(refusal);
            }
            b'D' => rows.push(row(&body)?),
            _ => {}
        }
    }
}

/// Asks in text.
pub fn ask(channel: &mut Channel, sql: &str) -> Result<Answer, ChannelError> {
    send(channel, b'Q', &[sql.as_bytes(), &[0]].concat())?;
    wait_for_turn(channel)
}

/// A row: the number of columns, then each with its length, or -1 for null.
fn row(body: &[u8]) -> Result<Vec<Option<String>>, ChannelError> {
    let short = || ChannelError::Unexpected("a row that ends too early".to_owned());
    let (count, mut rest) = body.split_first_chunk::<2>().ok_or_else(short)?;
    let mut row = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        rest = after;
        row.push(match u32::from_be_bytes(*length) {
            u32::MAX => None,
            length => {
                let (text, after) = rest.split_at_checked(length as usize).ok_or_else(short)?;
                rest = after;
                Some(String::from_utf8_lossy(text).into_owned())
            }
        });
    }
    Ok(row)
}

/// A name between quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_server_that_lies_about_lengths_is_refused() {
        let sound = [&[0, 2][..], &[0, 0, 0, 1], b"a", &[0xff; 4]].concat();
        assert_eq!(row(&sound), Ok(vec![Some("a".to_owned()), None]));
        let long = [&[0, 1][..], &[0x7f, 0xff, 0xff, 0xff], b"a"].concat();
        for broken in [&sound[..5], &[0xff, 0xff], &[], &long] {
            assert!(row(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn the_fields_of_an_error_are_read() {
        let body = b"SFATAL\0VFATAL\0C28000\0Mno entry\0Rauth_failed\0\0";
        let refusal = Refusal::read(body);
        assert_eq!(
            (refusal.code.as_str(), refusal.routine.as_str(), refusal.is_end),
            ("28000", "auth_failed", true)
        );
        assert_eq!(refusal.shown(), "28000 no entry");
        assert_eq!(Refusal::read(b"\0\0\xff"), Refusal::default());
    }
}
