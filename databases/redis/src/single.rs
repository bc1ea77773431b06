//! A connection to one server, encrypted or not: the library packs the commands, the answers are read here.

use std::io;
use std::time::Duration;

use dbdyno_driver::remote::LARGEST_ANSWER_BYTES;
use futures_util::FutureExt as _;
use redis::{Cmd, RedisError, RedisResult, Value, cmd};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};

use crate::resp::{MOST_VALUES, answer};

/// Room for one answer of usual size, so that it comes with one call of the system.
const ROOM_BYTES: usize = 16 * 1024;

/// Who a connection is for.
pub(crate) struct Login<'l> {
    pub(crate) user: Option<&'l str>,
    pub(crate) password: Option<&'l str>,
    /// Number of the database, when it is not the first.
    pub(crate) database: Option<i64>,
}

/// An open connection of one client, with one exchange at a time.
pub(crate) struct Single<S> {
    stream: S,
    limit: Duration,
    output: Vec<u8>,
    input: Vec<u8>,
    /// An exchange did not come to its end: what comes next would be the answer to something else.
    broken: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Single<S> {
    /// Logs in over a new stream; later waits end at `limit`, those of the login at `connect_timeout`.
    pub(crate) async fn begin(
        stream: S,
        login: &Login<'_>,
        connect_timeout: Duration,
        limit: Duration,
    ) -> RedisResult<Self> {
        let mut single = Self {
            stream,
            limit: connect_timeout,
            output: Vec::new(),
            input: Vec::with_capacity(ROOM_BYTES),
            broken: false,
        };
        if let Some(password) = login.password {
            let mut auth = cmd("AUTH");
            auth.arg(login.user).arg(password);
            single.send(&auth).await?.extract_error()?;
        }
        if let Some(database) = login.database {
            let select = cmd("SELECT").arg(database).to_owned();
            single.send(&select).await?.extract_error()?;
        }
        single.limit = limit;
        Ok(single)
    }

    /// Whether another exchange makes sense.
    pub(crate) fn is_usable(&self) -> bool {
        !self.broken
    }

    /// Sends a command and waits for its answer.
    pub(crate) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let mut only = Value::Nil;
        self.exchange(std::slice::from_ref(command), |answer| only = answer)
            .await?;
        Ok(only)
    }

    /// Sends commands together and waits for their answers.
    pub(crate) async fn send_all(&mut self, commands: &[Cmd]) -> RedisResult<Vec<Value>> {
        let mut answers = Vec::with_capacity(commands.len());
        self.exchange(commands, |answer| answers.push(answer)).await?;
        Ok(answers)
    }

    async fn exchange(&mut self, commands: &[Cmd], take: impl FnMut(Value)) -> RedisResult<()> {
        // Until the end is seen: this may also be given up in the middle.
        self.broken = true;
        self.output.clear();
        for command in commands {
            command.write_packed_command(&mut self.output);
        }
        let limit = self.limit;
        timeout(limit, self.write_and_read(commands.len(), take))
            .await
            .unwrap_or_else(|_| Err(late(limit)))?;
        self.broken = false;
        Ok(())
    }

    async fn write_and_read(&mut self, count: usize, mut take: impl FnMut(Value)) -> RedisResult<()> {
        self.stream.write_all(&self.output).await?;
        self.stream.flush().await?;
        self.input.clear();
        let mut begin = 0;
        let mut left = count;
        let mut bytes_left = LARGEST_ANSWER_BYTES;
        let mut values_left = MOST_VALUES;
        let mut waiting_since = None;
        while left > 0 {
            match answer(&self.input[begin..], &mut values_left)? {
                Some((value, length)) => {
                    bytes_left = bytes_left.checked_sub(length).ok_or_else(too_long)?;
                    take(value);
                    begin += length;
                    left -= 1;
                }
                None => {
                    self.input.drain(..begin);
                    begin = 0;
                    // A stream that never pauses gives the timer of `exchange` no turn.
                    if waiting_since.get_or_insert_with(Instant::now).elapsed() >= self.limit {
                        return Err(late(self.limit));
                    }
                    if self.input.len() > bytes_left {
                        return Err(too_long());
                    }
                    // An answer that comes in pieces is looked at from its beginning for each of them: let them be few.
                    let before = self.input.len();
                    self.input.reserve(ROOM_BYTES.max(before));
                    if self.stream.read_buf(&mut self.input).await? == 0 {
                        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                    }
                    while before > ROOM_BYTES && self.input.len() < 2 * before {
                        match self.stream.read_buf(&mut self.input).now_or_never() {
                            Some(Ok(read)) if read > 0 => {}
                            // Nothing more has arrived; the next read finds out whether the server has closed the connection.
                            _ => break,
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn too_long() -> RedisError {
    let mebibytes = LARGEST_ANSWER_BYTES >> 20;
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("an answer of more than {mebibytes} MiB"),
    )
    .into()
}

pub(crate) fn late(limit: Duration) -> RedisError {
    let milliseconds = limit.as_millis();
    io::Error::new(
        io::ErrorKind::TimedOut,
        format!("no answer within {milliseconds} ms"),
    )
    .into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use tokio::net::TcpStream;

    use super::*;

    /// A server that answers the first command with this beginning and then with the piece, again and again.
    fn endless(beginning: &'static [u8], piece: Vec<u8>) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 1]).unwrap();
            stream.write_all(beginning).unwrap();
            while stream.write_all(&piece).is_ok() {}
        });
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_nonblocking(true).unwrap();
        TcpStream::from_std(stream).unwrap()
    }

    /// What becomes of some commands to such a server.
    fn end(beginning: &'static [u8], piece: Vec<u8>, commands: usize, limit: Duration) -> RedisError {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let login = Login {
                user: None,
                password: None,
                database: None,
            };
            let stream = endless(beginning, piece);
            let mut single = Single::begin(stream, &login, limit, limit).await.unwrap();
            let error = single.send_all(&vec![cmd("PING"); commands]).await.unwrap_err();
            assert!(!single.is_usable());
            error
        })
    }

    #[test]
    fn the_deadline_holds_while_bytes_keep_coming() {
        let limit = Duration::from_millis(200);
        let error = end(b"*1000000000\r\n", b"$1\r\na\r\n".repeat(4_096), 1, limit);
        assert!(
            error.is_timeout() || error.to_string().contains("more than"),
            "{error}"
        );
    }

    #[test]
    fn what_an_exchange_may_hold_is_limited() {
        let limit = Duration::from_secs(60);
        let told = |beginning, piece, commands| end(beginning, piece, commands, limit).to_string();
        let long = "more than 128 MiB";
        assert!(told(b"$1000000000\r\n", vec![b'a'; 65_536], 1).contains(long));
        let many = "more than 1048576 values";
        assert!(told(b"*1000000000\r\n", b":1\r\n".repeat(4_096), 1).contains(many));
        // Each answer is small enough, and there are many.
        let numbers = [b"*20000\r\n" as &[u8], &b":1\r\n".repeat(20_000)].concat();
        assert!(told(b"", numbers, 60).contains(many));
    }
}
