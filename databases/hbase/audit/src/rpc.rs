//! As much of HBase's RPC as it takes to ask one question without a ticket.
//!
//! Facts: `RPC.proto`, `ServerRpcConnection`, `AuthMethod` and `SaslStatus` of HBase 2.6. A connection begins with `HBas`, version 0 and
//! one byte for the way to log in; then follow frames behind their length: first the header of the connection, then calls.

use dbdyno_audit::{Channel, ChannelError};
use prost::Message as _;

use crate::messages::{ConnectionHeader, RequestHeader, ResponseHeader, UserInformation};

/// Ways to log in: a name taken on trust, and a Kerberos ticket.
const SIMPLE: u8 = 0x50;
const KERBEROS: u8 = 0x51;
/// What a server without login answers to a client with a ticket (`SaslUtil.SWITCH_TO_SIMPLE_AUTH`).
const GO_ON_WITHOUT: i32 = -88;
/// No answer to these questions is nearly as long.
const LONGEST: usize = 64 << 10;
/// The kind of a TLS record that says what went wrong.
const ALERT: u8 = 0x15;
const CALL: u32 = 7;

/// What a server made of a question without a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It answered it.
    Served,
    /// It wants a login.
    WantsLogin,
    /// It refused for another reason: the class of its exception.
    Failed(String),
}

/// What a server made of a ticket that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticket {
    Refused,
    Accepted,
    /// It asks for none.
    NotWanted,
}

/// Services with a question that changes nothing and needs no right.
pub const QUESTIONS: [(&str, &str); 2] = [
    ("MasterService", "IsMasterRunning"),
    ("AdminService", "GetServerInfo"),
];

/// Asks a service a question under a user name that is claimed without proof.
pub fn ask_as(
    channel: &mut Channel,
    user: &str,
    (service, method): (&str, &str),
) -> Result<Answer, ChannelError> {
    channel.send(&question(user, service, method))?;
    read_answer(channel)
}

fn question(user: &str, service: &str, method: &str) -> Vec<u8> {
    let header = ConnectionHeader {
        user: Some(UserInformation {
            effective_user: user.to_owned(),
        }),
        service: Some(service.to_owned()),
    };
    let call = RequestHeader {
        call: Some(CALL),
        method: Some(method.to_owned()),
        has_parameters: Some(true),
    };
    let mut request = call.encode_length_delimited_to_vec();
    // The parameters of both questions are empty.
    request.extend(().encode_length_delimited_to_vec());
    let mut message = vec![b'H', b'B', b'a', b's', 0, SIMPLE];
    for frame in [header.encode_to_vec(), request] {
        message.extend((frame.len() as u32).to_be_bytes());
        message.extend(frame);
    }
    message
}

fn read_answer(channel: &mut Channel) -> Result<Answer, ChannelError> {
    let head = channel.read_exact(4)?;
    if head[0] == ALERT && head[1] == 3 {
        return Err(ChannelError::Tls(
            "the server wants TLS, and ended a conversation without it".to_owned(),
        ));
    }
    let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if length > LONGEST {
        return Err(ChannelError::Unexpected("no frame of HBase's RPC".to_owned()));
    }
    let frame = channel.read_exact(length)?;
    answer(&frame).ok_or_else(|| ChannelError::Unexpected("no header of an answer of HBase's RPC".to_owned()))
}

/// Reads a frame: the header of the answer behind its length, then the answer.
fn answer(frame: &[u8]) -> Option<Answer> {
    let header = ResponseHeader::decode_length_delimited(frame).ok()?;
    if let Some(exception) = header.exception {
        let class = exception.class.unwrap_or_default();
        return Some(if class.ends_with(".AccessDeniedException") {
            Answer::WantsLogin
        } else {
            Answer::Failed(class)
        });
    }
    // An answer names its call.
    (header.call? == CALL).then_some(Answer::Served)
}

/// Tries to log in with a ticket that is none.
pub fn wrong_ticket(channel: &mut Channel) -> Result<Ticket, ChannelError> {
    let token = b"no ticket of anybody";
    let mut message = vec![b'H', b'B', b'a', b's', 0, KERBEROS];
    message.extend((token.len() as u32).to_be_bytes());
    message.extend(token);
    channel.send(&message)?;
    let number = |bytes: Vec<u8>| i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    match number(channel.read_exact(4)?) {
        1 => Ok(Ticket::Refused),
        0 if number(channel.read_exact(4)?) == GO_ON_WITHOUT => Ok(Ticket::NotWanted),
        0 => Ok(Ticket::Accepted),
        other => Err(ChannelError::Unexpected(format!("{other} to a ticket"))),
    }
}

impl Answer {
    /// For evidence.
    pub fn shown(&self) -> String {
        match self {
            Self::Served => "an answer".to_owned(),
            Self::WantsLogin => "AccessDeniedException: a login is required".to_owned(),
            Self::Failed(class) => format!("refused: {class}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::ExceptionResponse;

    fn read(call: u32, exception: Option<ExceptionResponse>) -> Option<Answer> {
        let header = ResponseHeader {
            call: Some(call),
            exception,
        };
        answer(&header.encode_length_delimited_to_vec())
    }

    #[test]
    fn an_answer_a_refusal_and_another_protocol_are_told_apart() {
        assert_eq!(read(CALL, None), Some(Answer::Served));
        let refused = |class: &str| {
            let class = Some(class.to_owned());
            read(u32::MAX, Some(ExceptionResponse { class }))
        };
        let denied = refused("org.apache.hadoop.hbase.security.AccessDeniedException");
        assert_eq!(denied, Some(Answer::WantsLogin));
        assert_eq!(refused("x.Y"), Some(Answer::Failed("x.Y".to_owned())));
        // The answer to another call is none; nor is an empty or a broken frame.
        assert_eq!(read(CALL + 2, None), None);
        assert_eq!(answer(&[]), None);
        assert_eq!(answer(&[0x7f, 1]), None);
    }
}
