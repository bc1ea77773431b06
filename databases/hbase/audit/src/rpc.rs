//! As much of HBase's RPC as it takes to ask one question without a ticket.
//!
//! Facts: `RPC.proto`, `ServerRpcConnection`, `AuthMethod` and `SaslStatus` of HBase 2.6. A connection begins with `HBas`, version 0 and
//! one byte for the way to log in; then follow frames behind their length: first the header of the connection, then calls.

use dbdyno_audit::{Channel, ChannelError};

use crate::protobuf::{bytes, put_bytes_field, put_delimited, put_number_field, take_delimited};

/// Ways to log in: a name taken on trust, and a Kerberos ticket.
const SIMPLE: u8 = 0x50;
const KERBEROS: u8 = 0x51;
/// What a server without login answers to a client with a ticket (`SaslUtil.SWITCH_TO_SIMPLE_AUTH`).
const GO_ON_WITHOUT: i32 = -88;
/// No answer to these questions is nearly as long.
const LONGEST: usize = 64 << 10;
/// The kind of a TLS record that says what went wrong.
const ALERT: u8 = 0x15;
const CALL: u64 = 7;

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
    let mut name = Vec::new();
    put_bytes_field(&mut name, 1, user.as_bytes());
    let mut header = Vec::new();
    put_bytes_field(&mut header, 1, &name);
    put_bytes_field(&mut header, 2, service.as_bytes());
    let mut call = Vec::new();
    put_number_field(&mut call, 1, CALL);
    put_bytes_field(&mut call, 3, method.as_bytes());
    put_number_field(&mut call, 4, 1);
    let mut request = Vec::new();
    put_delimited(&mut request, &call);
    // Both questions have no parameters.
    put_delimited(&mut request, &[]);
    let mut message = vec![b'H', b'B', b'a', b's', 0, SIMPLE];
    for frame in [header, request] {
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
    let mut rest = frame;
    let header = take_delimited(&mut rest)?;
    if let Some(exception) = bytes(header, 2) {
        let class = String::from_utf8_lossy(bytes(exception, 1).unwrap_or_default()).into_owned();
        return Some(if class.ends_with(".AccessDeniedException") {
            Answer::WantsLogin
        } else {
            Answer::Failed(class)
        });
    }
    // An answer names its call.
    (crate::protobuf::number(header, 1)? == CALL).then_some(Answer::Served)
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

    fn framed(header: &[u8]) -> Vec<u8> {
        let mut frame = Vec::new();
        put_delimited(&mut frame, header);
        frame
    }

    #[test]
    fn an_answer_a_refusal_and_another_protocol_are_told_apart() {
        let mut served = Vec::new();
        put_number_field(&mut served, 1, CALL);
        assert_eq!(answer(&framed(&served)), Some(Answer::Served));
        let refused = |class: &str| {
            let (mut exception, mut header) = (Vec::new(), Vec::new());
            put_bytes_field(&mut exception, 1, class.as_bytes());
            put_number_field(&mut header, 1, u64::MAX);
            put_bytes_field(&mut header, 2, &exception);
            answer(&framed(&header))
        };
        let denied = refused("org.apache.hadoop.hbase.security.AccessDeniedException");
        assert_eq!(denied, Some(Answer::WantsLogin));
        assert_eq!(refused("x.Y"), Some(Answer::Failed("x.Y".to_owned())));
        // The answer to another call is none; nor is an empty or a broken frame.
        assert_eq!(answer(&framed(&[1 << 3, 9])), None);
        assert_eq!(answer(&[]), None);
        assert_eq!(answer(&[0x7f, 1]), None);
    }
}
