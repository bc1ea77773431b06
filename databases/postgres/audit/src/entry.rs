//! One login attempt: the first message, what the server asks for, and its answer.
//!
//! Format: PostgreSQL's manual, "Message Flow", "Start-up", and "SASL Authentication".

use dbdyno_audit::{Channel, ChannelError};
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};

use crate::protocol::{Answer, Refusal, WRONG_PASSWORD, receive, send, wait_for_turn};

const VERSION: u32 = 3 << 16;
const TLS_REQUEST: u32 = 80_877_103;

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
        10 if rest
            .split(|byte| *byte == 0)
            .any(|name| name == SCRAM_SHA_256.as_bytes()) =>
        {
            Asked::Scram
        }
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
            let salt: [u8; 4] = rest
                .try_into()
                .map_err(|_| ChannelError::Unexpected(format!("a salt of {} bytes for MD5", rest.len())))?;
            let answer = md5_hash(who.user.as_bytes(), password.as_bytes(), salt);
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

fn scram(channel: &mut Channel, password: &str) -> Result<Option<Refusal>, ChannelError> {
    let mut exchange = ScramSha256::new(password.as_bytes(), ChannelBinding::unsupported());
    let first = exchange.message();
    let mut message = with_zero(SCRAM_SHA_256);
    message.extend((first.len() as u32).to_be_bytes());
    message.extend(first);
    send(channel, b'p', &message)?;
    let server_first = match said(channel, 11)? {
        Ok(message) => message,
        Err(refusal) => return Ok(Some(refusal)),
    };
    exchange
        .update(&server_first)
        .map_err(|_| ChannelError::Unexpected("a message that is none of SCRAM".to_owned()))?;
    send(channel, b'p', exchange.message())?;
    let server_final = match said(channel, 12)? {
        Ok(message) => message,
        Err(refusal) => return Ok(Some(refusal)),
    };
    exchange
        .finish(&server_final)
        .map_err(|_| ChannelError::Unexpected("the server does not know the password".to_owned()))?;
    verdict(channel)
}

/// What the server says in the exchange of that number, or its refusal.
fn said(channel: &mut Channel, number: u32) -> Result<Result<Vec<u8>, Refusal>, ChannelError> {
    let (letter, body) = receive(channel)?;
    match letter {
        b'E' => Ok(Err(Refusal::read(&body))),
        b'R' => match code(&body)? {
            (found, rest) if found == number => Ok(Ok(rest.to_vec())),
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

    /// A limit of the library on which the audit rests.
    #[test]
    fn a_server_that_asks_for_endless_work_gets_no_proof() {
        let asked_for = |rounds: &str| {
            let mut exchange = ScramSha256::new(b"x", ChannelBinding::unsupported());
            let first = String::from_utf8(exchange.message().to_vec()).unwrap();
            let nonce = first.strip_prefix("n,,n=,r=").unwrap();
            exchange.update(format!("r={nonce}abc,s=AAAA,i={rounds}").as_bytes())
        };
        assert!(asked_for("4096").is_ok());
        assert!(asked_for("4000000000").is_err());
    }

    #[test]
    fn a_message_too_short_for_its_number_is_refused() {
        assert!(code(&[0, 0]).is_err());
        assert_eq!(code(&[0, 0, 0, 5, 9]), Ok((5, &[9][..])));
    }
}
