//! As much of ZooKeeper's protocol as it takes to read a node, its children and its list of rights.
//!
//! Format: ZooKeeper's `zookeeper.jute`: numbers are big-endian, texts and byte strings follow their length.

use dbdyno_audit::{Channel, ChannelError, Scene};

const EXISTS: i32 = 3;
const GET_DATA: i32 = 4;
const GET_ACL: i32 = 6;
const GET_CHILDREN: i32 = 8;
const CLOSE: i32 = -11;
const NO_NODE: i32 = -101;
const NO_RIGHT: i32 = -102;
/// Number of the request, transaction, error.
const HEADER_BYTES: usize = 16;
/// No answer to these questions is nearly as long.
const LONGEST: usize = 1 << 20;
/// Entries of a list that are looked at.
const MOST_ENTRIES: usize = 10_000;
const SESSION_MILLISECONDS: i32 = 10_000;

/// What anybody may do with a node, in bits (`ZooDefs.Perms`).
pub const READ: i32 = 1;
const NAMES: [(i32, &str); 5] = [
    (1, "read"),
    (2, "write"),
    (4, "create"),
    (8, "delete"),
    (16, "administrate"),
];

/// An answer of ZooKeeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Found(Vec<u8>),
    NoNode,
    NoRight,
}

/// A session without a login.
pub struct Quorum(Channel);

impl Quorum {
    pub fn connect(scene: &Scene<'_>) -> Result<Self, ChannelError> {
        Self::over(scene.open()?)
    }

    /// Begins a session on an open connection.
    pub fn over(channel: Channel) -> Result<Self, ChannelError> {
        let mut session = Self(channel);
        let mut hello = vec![0; 4 + 8];
        hello.extend(SESSION_MILLISECONDS.to_be_bytes());
        hello.extend([0; 8]);
        put(&mut hello, &[0; 16]);
        session.exchange(&hello)?;
        Ok(session)
    }

    pub fn data(&mut self, path: &str) -> Result<Reply, ChannelError> {
        self.ask(GET_DATA, path, true)
    }

    /// Whether a node exists. ZooKeeper requires no right for this question.
    pub fn exists(&mut self, path: &str) -> Result<bool, ChannelError> {
        Ok(self.ask(EXISTS, path, true)? != Reply::NoNode)
    }

    /// The names of a node's children; none where they may not be seen.
    pub fn children(&mut self, path: &str) -> Result<Vec<String>, ChannelError> {
        match self.ask(GET_CHILDREN, path, true)? {
            Reply::Found(answer) => texts(&answer).ok_or_else(broken),
            Reply::NoNode | Reply::NoRight => Ok(Vec::new()),
        }
    }

    /// What anybody may do with a node; `None` when not even that may be seen.
    pub fn rights_of_anybody(&mut self, path: &str) -> Result<Option<i32>, ChannelError> {
        match self.ask(GET_ACL, path, false)? {
            Reply::Found(answer) => rights_of_anybody(&answer).map(Some).ok_or_else(broken),
            Reply::NoNode | Reply::NoRight => Ok(None),
        }
    }

    pub fn close(mut self) {
        let message = [1_i32.to_be_bytes(), CLOSE.to_be_bytes()].concat();
        // It ends by its timeout otherwise.
        self.exchange(&message).ok();
    }

    fn ask(&mut self, operation: i32, path: &str, has_watch: bool) -> Result<Reply, ChannelError> {
        let mut message = [1_i32.to_be_bytes(), operation.to_be_bytes()].concat();
        put(&mut message, path.as_bytes());
        if has_watch {
            message.push(0);
        }
        let mut answer = self.exchange(&message)?;
        let error = answer.get(HEADER_BYTES - 4..HEADER_BYTES).ok_or_else(broken)?;
        match i32::from_be_bytes([error[0], error[1], error[2], error[3]]) {
            0 => Ok(Reply::Found(answer.split_off(HEADER_BYTES))),
            NO_NODE => Ok(Reply::NoNode),
            NO_RIGHT => Ok(Reply::NoRight),
            other => Err(ChannelError::Unexpected(format!("error {other} of ZooKeeper"))),
        }
    }

    fn exchange(&mut self, message: &[u8]) -> Result<Vec<u8>, ChannelError> {
        let mut framed = Vec::new();
        put(&mut framed, message);
        self.0.send(&framed)?;
        let head = self.0.read_exact(4)?;
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length > LONGEST {
            return Err(ChannelError::TooLong(length));
        }
        self.0.read_exact(length)
    }
}

fn broken() -> ChannelError {
    ChannelError::Unexpected("no answer of ZooKeeper".to_owned())
}

fn put(message: &mut Vec<u8>, bytes: &[u8]) {
    message.extend((bytes.len() as i32).to_be_bytes());
    message.extend(bytes);
}

fn take_number(rest: &mut &[u8]) -> Option<i32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(i32::from_be_bytes(*number))
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(take_number(rest)?).ok()?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn take_count(rest: &mut &[u8]) -> Option<usize> {
    // ZooKeeper says -1 for no list at all.
    let count = take_number(rest)?.max(0);
    usize::try_from(count).ok().filter(|count| *count <= MOST_ENTRIES)
}

fn texts(answer: &[u8]) -> Option<Vec<String>> {
    let mut rest = answer;
    (0..take_count(&mut rest)?)
        .map(|_| take_text(&mut rest))
        .collect()
}

fn rights_of_anybody(answer: &[u8]) -> Option<i32> {
    let mut rest = answer;
    let mut rights = 0;
    for _ in 0..take_count(&mut rest)? {
        let granted = take_number(&mut rest)?;
        let scheme = take_text(&mut rest)?;
        let who = take_text(&mut rest)?;
        if scheme == "world" && who == "anyone" {
            rights |= granted;
        }
    }
    Some(rights)
}

/// The data of a node, as ZooKeeper sends it.
pub fn content(answer: &[u8]) -> Option<&[u8]> {
    let mut rest = answer;
    let length = usize::try_from(take_number(&mut rest)?).ok()?;
    rest.get(..length)
}

/// Rights in words.
pub fn shown(rights: i32) -> String {
    let named = NAMES.iter().filter(|(bit, _)| rights & bit != 0);
    let words: Vec<&str> = named.map(|(_, name)| *name).collect();
    if words.is_empty() {
        "nothing".to_owned()
    } else {
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(rights: i32, scheme: &str, who: &str) -> Vec<u8> {
        let mut bytes = rights.to_be_bytes().to_vec();
        put(&mut bytes, scheme.as_bytes());
        put(&mut bytes, who.as_bytes());
        bytes
    }

    #[test]
    fn only_what_everybody_may_do_counts() {
        let list = [entry(31, "sasl", "hbase"), entry(1, "world", "anyone")].concat();
        let answer = [&2_i32.to_be_bytes()[..], &list].concat();
        assert_eq!(rights_of_anybody(&answer), Some(READ));
        assert_eq!(rights_of_anybody(&(-1_i32).to_be_bytes()), Some(0));
        assert_eq!(shown(31), "read, write, create, delete, administrate");
        assert_eq!(shown(0), "nothing");
    }

    #[test]
    fn a_count_that_nobody_has_is_refused() {
        assert_eq!(texts(&i32::MAX.to_be_bytes()), None);
        assert_eq!(rights_of_anybody(&[0, 0, 0, 2, 0]), None);
        assert_eq!(content(&[0, 0, 0, 9, 1]), None);
        assert_eq!(content(&[0, 0, 0, 1, 7, 8]), Some(&[7][..]));
    }
}
