//! A connection to one server without encryption: the library packs the commands, the answers are read here.

use std::io;
use std::time::Duration;

use redis::{Cmd, RedisError, RedisResult, Value, cmd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::resp::answer;

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
                    self.input.reserve(ROOM_BYTES);
                    if self.stream.read_buf(&mut self.input).await? == 0 {
                        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                    }
                }
            }
        }
        Ok(())
    }
}

fn late(limit: Duration) -> RedisError {
    let milliseconds = limit.as_millis();
    io::Error::new(
        io::ErrorKind::TimedOut,
        format!("no answer within {milliseconds} ms"),
    )
    .into()
}
