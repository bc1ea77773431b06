//! Waiting until replicas have a write: `WAIT` and `WAITAOF` behind it on its connection.
//!
//! Forms and answers: redis.io's pages of both commands. Either answers at its time limit, too, with the copies that it has counted
//! by then, so that only the number shows whether the write is where it should be.

use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass};
use redis::{Cmd, Value, cmd};

use crate::error::unexpected;

/// The copies that must have a write before it counts as acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    /// So many replicas have it in memory, and in their logs as their settings say: `WAIT`.
    Received(u32),
    /// The master and so many replicas have synced it: `WAITAOF`.
    Synced(u32),
}

/// The command that is sent behind each write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) copies: Copies,
    /// How long the server waits; no less than a millisecond, for zero would be without an end.
    limit: Duration,
}

impl Wait {
    pub(crate) fn new(copies: Copies, limit: Duration) -> Self {
        Self {
            copies,
            limit: limit.max(Duration::from_millis(1)),
        }
    }

    pub(crate) fn command(&self) -> Cmd {
        let mut command = cmd(self.name());
        match self.copies {
            Copies::Received(replicas) => command.arg(replicas),
            Copies::Synced(replicas) => command.arg(1).arg(replicas),
        };
        command.arg(self.milliseconds());
        command
    }

    fn milliseconds(&self) -> u64 {
        u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX)
    }

    /// The name of the command.
    pub(crate) const fn name(&self) -> &'static str {
        match self.copies {
            Copies::Received(_) => "WAIT",
            Copies::Synced(_) => "WAITAOF",
        }
    }

    /// Whether enough copies have the write.
    ///
    /// # Errors
    /// `Timeout` when they have not: the master has the write, and may yet pass it on. `Bug` for another answer than these commands give.
    pub(crate) fn check(&self, answer: &Value, hosts: &str) -> Result<(), DbError> {
        let late = |what: String| {
            Err(DbError::new(
                ErrorClass::Timeout,
                format!(
                    "Redis at {hosts}: {what} within {} ms ({}); the master has the write, which may be lost with it; \
                     replica_timeout sets the limit",
                    self.milliseconds(),
                    self.name()
                ),
            ))
        };
        match (self.copies, answer) {
            (Copies::Received(asked), Value::Int(have)) => match *have >= i64::from(asked) {
                true => Ok(()),
                false => late(format!("{have} of {asked} replicas acknowledged a write")),
            },
            (Copies::Synced(asked), Value::Array(counts)) => match counts.as_slice() {
                [Value::Int(local), Value::Int(have)] if *local >= 1 && *have >= i64::from(asked) => Ok(()),
                [Value::Int(local), Value::Int(have)] => {
                    let master = if *local >= 1 { "has" } else { "has not" };
                    late(format!(
                        "{have} of {asked} replicas synced a write, and the master {master}"
                    ))
                }
                _ => Err(unexpected(self.name(), hosts)),
            },
            _ => Err(unexpected(self.name(), hosts)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
mod tests {
    use super::*;
    use crate::resp::answer;

    fn packed(copies: Copies, milliseconds: u64) -> String {
        let wait = Wait::new(copies, Duration::from_millis(milliseconds));
        String::from_utf8(wait.command().get_packed_command()).unwrap()
    }

    /// The end of a write whose wait is answered with these bytes.
    fn end(copies: Copies, bytes: &[u8]) -> Result<(), (ErrorClass, String)> {
        let (value, _) = answer(bytes, &mut 100).unwrap().unwrap();
        let wait = Wait::new(copies, Duration::from_secs(1));
        let checked = wait.check(&value, "h:6379");
        checked.map_err(|error| (error.class, error.message))
    }

    #[test]
    fn the_commands_are_those_of_the_documentation() {
        assert_eq!(
            packed(Copies::Received(2), 1000),
            "*3\r\n$4\r\nWAIT\r\n$1\r\n2\r\n$4\r\n1000\r\n"
        );
        assert_eq!(
            packed(Copies::Synced(1), 0),
            "*4\r\n$7\r\nWAITAOF\r\n$1\r\n1\r\n$1\r\n1\r\n$1\r\n1\r\n",
            "0 would wait without an end"
        );
    }

    /// `WAIT` answers with a number, also at its limit (redis.io/commands/wait).
    #[test]
    fn fewer_replicas_than_asked_for_are_a_failure() {
        assert_eq!(end(Copies::Received(1), b":1\r\n"), Ok(()));
        assert_eq!(end(Copies::Received(1), b":2\r\n"), Ok(()));
        for (bytes, have) in [(b":1\r\n", "1 of 2"), (b":0\r\n", "0 of 2")] {
            let (class, message) = end(Copies::Received(2), bytes).unwrap_err();
            assert_eq!(class, ErrorClass::Timeout);
            assert!(message.contains(have), "{message}");
            assert!(message.contains("within 1000 ms (WAIT)"), "{message}");
        }
        let (class, _) = end(Copies::Received(1), b"+OK\r\n").unwrap_err();
        assert_eq!(class, ErrorClass::Bug);
    }

    /// `WAITAOF` answers with two numbers, logs of the master and of replicas (redis.io/commands/waitaof).
    #[test]
    fn a_log_that_is_not_synced_is_a_failure() {
        assert_eq!(end(Copies::Synced(1), b"*2\r\n:1\r\n:1\r\n"), Ok(()));
        assert_eq!(end(Copies::Synced(0), b"*2\r\n:1\r\n:0\r\n"), Ok(()));
        for (bytes, expected) in [
            (
                b"*2\r\n:1\r\n:0\r\n",
                "0 of 1 replicas synced a write, and the master has",
            ),
            (b"*2\r\n:0\r\n:1\r\n", "and the master has not"),
        ] {
            let (class, message) = end(Copies::Synced(1), bytes).unwrap_err();
            assert_eq!(class, ErrorClass::Timeout);
            assert!(message.contains(expected), "{message}");
        }
        for bytes in [b":1\r\n".as_slice(), b"*1\r\n:1\r\n", b"*2\r\n$1\r\n1\r\n:1\r\n"] {
            assert_eq!(end(Copies::Synced(0), bytes).unwrap_err().0, ErrorClass::Bug);
        }
    }
}
