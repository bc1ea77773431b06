//! One login attempt: the first message, what the server asks for, and its answer.
//!
//! Format: PostgreSQL's manual, "Message Flow", "Start-up", and "SASL Authentication".

use dbdyno_audit::{Canary, Channel, ChannelError};
use md5::{Digest, Md5};

use crate::protocol::{Answer, Refusal, WRONG_PASSWORD, receive, send, wait_for_turn};
use crate::scram::Exchange;

const VERSION: u32 = 3 << 16;
const TLS_REQUEST: u32 = 80_877_103;
const MECHANISM: &[u8] = b"SCRAM-SHA-256";

/// Who attempts to log in.
#[derive(Clone, Copy, Debug)]
pub struct Who<'a> {
    pub user: &'a str,
    pub database: &'a str,
    /// What the server may write into its log.
    pub application: &'a str,
    /// Whether to copy the server's log of writes, as replicas do.
    pub replicates: bool,
}

/// The authentication that the server requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Nothing,
    ClearText,
    Md5,
    Scram,
    /// Kerberos, or what the probes do not know.
    Other(u32),
}

impl Asked {
    pub fn name(self) -> String {
        match self {
            Self::Nothing => "no password".to_owned(),
            Self::ClearText => "the password in clear text".to_owned(),
            Self::Md5 => "MD5 of the password".to_owned(),
            Self::Scram => "SCRAM-SHA-256".to_owned(),
            Self::Other(code) => format!("another kind of login (code {code})"),
        }
    }
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The session is open.
    In,
    /// A login is asked for, and none was sent.
    Stopped,
    Refused(Refusal),
}

/// What was asked for (`None`: refused before), and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    pub asked: Option<Asked>,
    pub outcome: Outcome,
}

impl Entrance {
    pub fn shown(&self) -> String {
        let asked = self
            .asked
            .map_or_else(String::new, |asked| format!("asks for {}; ", asked.name()));
        match &self.outcome {
            Outcome::In => format!("{asked}let in"),
            Outcome::Stopped => format!("{asked}nothing was sent"),
            Outcome::Refused(refusal) => format!("{asked}refused: {}", refusal.shown()),
        }
    }

    /// Whether the password that was sent was refused, and not somebody of that name in that database.
    pub fn is_refused_password(&self) -> bool {
        matches!(&self.outcome, Outcome::Refused(refusal) if refusal.code == WRONG_PASSWORD)
    }

    /// Whether it was refused for the login, and not because the server is full, say.
    pub fn is_refused_login(&self) -> bool {
        matches!(&self.outcome, Outcome::Refused(refusal) if refusal.code.starts_with("28"))
    }
}

/// Asks for TLS: `S` when it may begin now, `N` when the server does not speak it.
pub fn request_tls(channel: &mut Channel) -> Result<u8, ChannelError> {
    channel.send(&[8_u32.to_be_bytes(), TLS_REQUEST.to_be_bytes()].concat())?;
    Ok(channel.read_exact(1)?[0])
}

/// Asks to be let in, with a password where there is one.
pub fn enter(channel: &mut Channel, who: Who<'_>, password: Option<&str>) -> Result<Entrance, ChannelError> {
    channel.send(&first_message(who))?;
    let (letter, body) = receive(channel)?;
    let (code, rest) = match letter {
        b'E' => {
            return Ok(Entrance {
                asked: None,
                outcome: Outcome::Refused(Refusal::read(&body)),
            });
        }
        b'R' => code(&body)?,
        other => return Err(unexpected(other)),
    };
    let asked = match code {
        0 => Asked::Nothing,
        3 => Asked::ClearText,
        5 => Asked::Md5,
        10 if rest.split(|byte| *byte == 0).any(|name| name == MECHANISM) => Asked::Scram,
        code => Asked::Other(code),
    };
    let stopped = Entrance {
        asked: Some(asked),
        outcome: Outcome::Stopped,
    };
    let refused = match (asked, password) {
        (Asked::Nothing, _) => None,
        (_, None) | (Asked::Other(_), _) => return Ok(stopped),
        // Everybody on the way would read it.
        (Asked::ClearText, _) if channel.agreed().is_none() => return Ok(stopped),
        (Asked::ClearText, Some(password)) => {
            send(channel, b'p', &with_zero(password))?;
            verdict(channel)?
        }
        (Asked::Md5, Some(password)) => {
            let answer = md5_answer(who.user, password, rest);
            send(channel, b'p', &with_zero(&answer))?;
            verdict(channel)?
        }
        (Asked::Scram, Some(password)) => scram(channel, password)?,
    };
    let outcome = match refused {
        Some(refusal) => Outcome::Refused(refusal),
        None => match wait_for_turn(channel)? {
            Answer::Rows(_) => Outcome::In,
            Answer::Refused(refusal) => Outcome::Refused(refusal),
        },
    };
    Ok(Entrance {
        asked: Some(asked),
        outcome,
    })
}

fn first_message(who: Who<'_>) -> Vec<u8> {
    let mut words = vec![
        "user",
        who.user,
        "database",
        who.database,
        "application_name",
        who.application,
    ];
    if who.replicates {
        words.extend(["replication", "true"]);
    }
    let mut body = VERSION.to_be_bytes().to_vec();
    for word in words {
        body.extend(with_zero(&word.replace('\0', "")));
    }
    body.push(0);
    let mut message = (body.len() as u32 + 4).to_be_bytes().to_vec();
    message.extend(body);
    message
}

fn with_zero(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

fn unexpected(letter: u8) -> ChannelError {
    ChannelError::Unexpected(format!("a message of kind {letter} where a login is asked for"))
}

/// The number of a message about logins, and what follows it.
fn code(body: &[u8]) -> Result<(u32, &[u8]), ChannelError> {
    let (code, rest) = body
        .split_first_chunk::<4>()
        .ok_or_else(|| ChannelError::Unexpected("a message about logins without its number".to_owned()))?;
    Ok((u32::from_be_bytes(*code), rest))
}

/// Whether the password was right: `None`.
fn verdict(channel: &mut Channel) -> Result<Option<Refusal>, ChannelError> {
    let (letter, body) = receive(channel)?;
    match letter {
        b'E' => Ok(Some(Refusal::read(&body))),
        b'R' if code(&body)?.0 == 0 => Ok(None),
        other => Err(unexpected(other)),
    }
}

/// Manual: `concat('md5', md5(concat(md5(concat(password, username)), random-salt)))`.
fn md5_answer(user: &str, password: &str, salt: &[u8]) -> String {
    let hexadecimal = |bytes: &[u8]| -> String {
        let hash = Md5::digest(bytes);
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let inner = hexadecimal(&[password.as_bytes(), user.as_bytes()].concat());
    format!("md5{}", hexadecimal(&[inner.as_bytes(), salt].concat()))
}

fn scram(channel: &mut Channel, password: &str) -> Result<Option<Refusal>, ChannelError> {
    let exchange = Exchange::new(&Canary::new().text()[..32]);
    let first = exchange.first_message();
    let mut message = [MECHANISM, &[0]].concat();
    message.extend((first.len() as u32).to_be_bytes());
    message.extend(first.as_bytes());
    send(channel, b'p', &message)?;
    let server_first = match said(channel, 11)? {
        Ok(text) => text,
        Err(refusal) => return Ok(Some(refusal)),
    };
    let proof = exchange
        .prove(&server_first, password)
        .ok_or_else(|| ChannelError::Unexpected("a message that is none of SCRAM".to_owned()))?;
    send(channel, b'p', proof.message.as_bytes())?;
    match said(channel, 12)? {
        Ok(text) if text == proof.expected => verdict(channel),
        Ok(_) => Err(ChannelError::Unexpected(
            "the server does not know the password".to_owned(),
        )),
        Err(refusal) => Ok(Some(refusal)),
    }
}

/// What the server says in the exchange of that number, or its refusal.
fn said(channel: &mut Channel, number: u32) -> Result<Result<String, Refusal>, ChannelError> {
    let (letter, body) = receive(channel)?;
    match letter {
        b'E' => Ok(Err(Refusal::read(&body))),
        b'R' => match code(&body)? {
            (found, rest) if found == number => Ok(Ok(String::from_utf8_lossy(rest).into_owned())),
            (found, _) => Err(ChannelError::Unexpected(format!(
                "number {found} in an exchange of SCRAM"
            ))),
        },
        other => Err(unexpected(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_names_its_length() {
        let who = Who {
            user: "u",
            database: "d",
            application: "a",
            replicates: true,
        };
        let message = first_message(who);
        assert_eq!(message[..4], (message.len() as u32).to_be_bytes());
        assert!(message.ends_with(b"replication\0true\0\0"));
    }

    #[test]
    fn md5_is_that_of_the_manual() {
        // md5(md5("secret" + "alice") + salt), computed with md5sum.
        assert_eq!(
            md5_answer("alice", "secret", &[1, 2, 3, 4]),
            "md598a0412b9c31436fc53776e863350083"
        );
    }

    #[test]
    fn a_message_too_short_for_its_number_is_refused() {
        assert!(code(&[0, 0]).is_err());
        assert_eq!(code(&[0, 0, 0, 5, 9]), Ok((5, &[9][..])));
    }
}
