//! Answers in Redis's protocol, version 2 (redis.io/docs/latest/develop/reference/protocol-spec).
//!
//! The library's parser is general, incremental and a third of the client's whole cost of a read (docs/decisions/clients.md). Here
//! the shapes of hot answers are taken directly; errors go to the library, which knows their kinds.

use std::io;

use redis::{ErrorKind, RedisError, RedisResult, Value};

/// Values that the answers of one exchange may hold; each takes several times the memory of its bytes.
pub(crate) const MOST_VALUES: usize = 1 << 20;
/// Answers nest two deep at most for the commands of this driver; more is not an answer.
const DEEPEST: u32 = 8;

/// The first answer in the bytes and how many of them it took; `None` while its end has not come. It may hold as many values as
/// are left, and takes those that it holds from them.
///
/// # Errors
/// When the bytes are no answer, or one of more values.
pub fn answer(bytes: &[u8], values_left: &mut usize) -> RedisResult<Option<(Value, usize)>> {
    let (mut at, mut left) = (0, *values_left);
    let value = value(bytes, &mut at, &mut left, DEEPEST)?;
    if value.is_some() {
        *values_left = left;
    }
    Ok(value.map(|value| (value, at)))
}

fn value(bytes: &[u8], at: &mut usize, left: &mut usize, depth: u32) -> RedisResult<Option<Value>> {
    *left = left.checked_sub(1).ok_or_else(too_many)?;
    let start = *at;
    let Some(line) = line(bytes, at) else {
        return Ok(None);
    };
    let Some((kind, rest)) = line.split_first() else {
        return Err(malformed("an empty line"));
    };
    let value = match kind {
        b'$' => match length(rest)? {
            None => Value::Nil,
            Some(length) => {
                let end = at.saturating_add(length);
                let Some(terminated) = bytes.get(*at..end.saturating_add(2)) else {
                    return Ok(None);
                };
                *at = end + 2;
                match terminated.split_at(length) {
                    (text, b"\r\n") => Value::BulkString(text.to_vec()),
                    _ => return Err(malformed("a string that goes on behind its end")),
                }
            }
        },
        b'*' => match length(rest)? {
            None => Value::Nil,
            Some(_) if depth == 0 => return Err(malformed("arrays in arrays without end")),
            Some(length) => {
                // What is announced need not come: no more is set aside than what lies here could hold.
                // The shortest value takes four bytes.
                let mut values = Vec::with_capacity(length.min(bytes.len() / 4).min(*left));
                for _ in 0..length {
                    match self::value(bytes, at, left, depth - 1)? {
                        Some(value) => values.push(value),
                        None => return Ok(None),
                    }
                }
                Value::Array(values)
            }
        },
        b':' => Value::Int(number(rest)?),
        b'+' if rest == b"OK" => Value::Okay,
        _ => redis::parse_redis_value(&bytes[start..*at])?,
    };
    Ok(Some(value))
}

/// The line that starts here, without its end; what follows is behind it.
fn line<'b>(bytes: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let rest = bytes.get(*at..)?;
    let end = rest.windows(2).position(|pair| pair == b"\r\n")?;
    *at += end + 2;
    Some(&rest[..end])
}

/// `None` for what is not there: -1.
fn length(digits: &[u8]) -> RedisResult<Option<usize>> {
    let length = number(digits)?;
    if length == -1 {
        return Ok(None);
    }
    usize::try_from(length)
        .map(Some)
        .map_err(|_| malformed("a negative length"))
}

fn number(digits: &[u8]) -> RedisResult<i64> {
    std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| malformed("no number where one belongs"))
}

fn too_many() -> RedisError {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("an answer of more than {MOST_VALUES} values"),
    )
    .into()
}

fn malformed(what: &'static str) -> RedisError {
    (
        ErrorKind::Parse,
        "the answer is not in Redis's protocol",
        what.to_owned(),
    )
        .into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn answer(bytes: &[u8]) -> RedisResult<Option<(Value, usize)>> {
        super::answer(bytes, &mut MOST_VALUES.clone())
    }

    const ANSWERS: [&[u8]; 10] = [
        b"+OK\r\n",
        b"+PONG\r\n",
        b":-12\r\n",
        b"$-1\r\n",
        b"$0\r\n\r\n",
        b"$6\r\nab\r\ncd\r\n",
        b"*-1\r\n",
        b"*0\r\n",
        b"*3\r\n$1\r\na\r\n*2\r\n:1\r\n$-1\r\n+OK\r\n",
        b"-WRONGPASS invalid username-password pair\r\n",
    ];

    #[test]
    fn answers_are_what_the_library_reads_and_end_where_they_end() {
        for bytes in ANSWERS {
            let followed = [bytes, b"+NEXT\r\n"].concat();
            let (read, length) = answer(&followed).unwrap().unwrap();
            assert_eq!(length, bytes.len(), "{}", bytes.escape_ascii());
            assert_eq!(read, redis::parse_redis_value(bytes).unwrap());
        }
    }

    #[test]
    fn a_part_of_an_answer_is_waited_for() {
        for bytes in ANSWERS {
            for end in 0..bytes.len() {
                assert_eq!(
                    answer(&bytes[..end]).unwrap(),
                    None,
                    "{}",
                    bytes[..end].escape_ascii()
                );
            }
        }
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let endless = b"*1\r\n".repeat(20);
        for bytes in [
            b"\r\n".as_slice(),
            b"$x\r\n",
            b"$-2\r\n",
            b"*-7\r\n",
            b":\r\n",
            b"$1\r\nabc",
            b"!oops\r\n",
            &endless,
        ] {
            assert!(answer(bytes).is_err(), "{}", bytes.escape_ascii());
        }
        // The announcement of an answer that no memory holds.
        assert_eq!(answer(b"*9223372036854775807\r\n").unwrap(), None);
        assert_eq!(answer(b"$9223372036854775807\r\n").unwrap(), None);
    }
}
