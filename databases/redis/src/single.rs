//! A connection to one server without encryption: the library packs the commands, the answers are read here.

use std::io;
use std::time::Duration;

use redis::{Cmd, RedisError, RedisResult, Value, cmd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::resp::answer;

/// Room for one answer of usual size, so that it comes with one call of the system.
const ROOM_BYTES: usize = 16 * 1024;

/// The most that one answer may hold: half of what Redis itself takes for one value, and more than any scan of a workload asks for.
const MOST_BYTES: usize = 256 << 20;

/// Who a connection is for.
pub(crate) struct Login<'l> {
    pub(crate) user: Option<&'l str>,
    pub(crate) password: Option<&'l str>,
    /// Number of the database, when it is not the first.
    pub(crate) database: Option<i64>,
}

/// An open connection of one client, with one exchange at a time.
pub(crate) struct Plain {
    stream: TcpStream,
    limit: Duration,
    output: Vec<u8>,
    input: Vec<u8>,
    /// An exchange did not come to its end: what comes next would be the answer to something else.
    broken: bool,
}

impl Plain {
    /// Connects and logs in, all of it within `connect_timeout`; later waits end at `limit`.
    pub(crate) async fn connect(
        address: (&str, u16),
        login: &Login<'_>,
        connect_timeout: Duration,
        limit: Duration,
    ) -> RedisResult<Self> {
        let connecting = async {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let mut plain = Self {
                stream,
                limit: connect_timeout,
                output: Vec::new(),
                input: Vec::with_capacity(ROOM_BYTES),
                broken: false,
            };
            if let Some(password) = login.password {
                let mut auth = cmd("AUTH");
                auth.arg(login.user).arg(password);
                plain.send(&auth).await?.extract_error()?;
            }
            if let Some(database) = login.database {
                let select = cmd("SELECT").arg(database).to_owned();
                plain.send(&select).await?.extract_error()?;
            }
            plain.limit = limit;
            Ok(plain)
        };
        timeout(connect_timeout, connecting)
            .await
            .unwrap_or_else(|_| Err(late(connect_timeout)))
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
        self.input.clear();
        let mut begin = 0;
        let mut left = count;
        let mut waiting_since = None;
        while left > 0 {
            match answer(&self.input[begin..])? {
                Some((value, length)) => {
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
                    if self.input.len() > MOST_BYTES {
                        return Err(too_long());
                    }
                    // An answer that comes in pieces is looked at from its beginning for each of them: let them be few.
                    let before = self.input.len();
                    self.input.reserve(ROOM_BYTES.max(before));
                    if self.stream.read_buf(&mut self.input).await? == 0 {
                        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                    }
                    while before > ROOM_BYTES && self.input.len() < 2 * before {
                        match self.stream.try_read_buf(&mut self.input) {
                            Ok(read) if read > 0 => {}
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
    let mebibytes = MOST_BYTES >> 20;
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("an answer of more than {mebibytes} MiB"),
    )
    .into()
}

fn late(limit: Duration) -> RedisError {
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

    use super::*;

    /// A server that never stops to answer: an array of a million strings, again and again.
    fn endless() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 1]).unwrap();
            stream.write_all(b"*1000000000\r\n").unwrap();
            let piece = b"$1\r\na\r\n".repeat(1_000);
            while stream.write_all(&piece).is_ok() {}
        });
        port
    }

    #[test]
    fn the_deadline_holds_while_bytes_keep_coming() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let error = runtime.block_on(async {
            let login = Login {
                user: None,
                password: None,
                database: None,
            };
            let limit = Duration::from_millis(200);
            let address = ("127.0.0.1", endless());
            let mut plain = Plain::connect(address, &login, Duration::from_secs(10), limit)
                .await
                .unwrap();
            plain.send(&cmd("PING")).await.unwrap_err()
        });
        assert!(error.is_timeout() || error.to_string().contains("MiB"), "{error}");
    }
}
