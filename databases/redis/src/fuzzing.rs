//! The reader of answers for `crates/fuzzed`; nothing else uses it.

use redis::{RedisResult, Value};

use crate::resp;

/// The first answer in the bytes and its length, and what the library reads of the same bytes; `None` while its end has not come.
///
/// # Errors
/// When it is no answer.
pub fn answer(bytes: &[u8]) -> RedisResult<Option<(Value, usize, RedisResult<Value>)>> {
    let found = resp::answer(bytes, &mut resp::MOST_VALUES.clone())?;
    Ok(found.map(|(value, length)| {
        let of_library = redis::parse_redis_value(&bytes[..length]);
        (value, length, of_library)
    }))
}
