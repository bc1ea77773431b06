//! As much of protobuf as a few small messages take.
//!
//! Format: protobuf.dev, "Encoding".

/// A field of a message as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A whole number, or a truth.
    Number(u64),
    /// A text, bytes or a message.
    Bytes(&'a [u8]),
}

/// Writes a number of variable length.
pub fn put_number(message: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        message.push((number as u8 & 0x7f) | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}

/// Writes a field that is a number.
pub fn put_number_field(message: &mut Vec<u8>, field: u8, number: u64) {
    message.push(field << 3);
    put_number(message, number);
}

/// Writes a field that is a text or a message.
pub fn put_bytes_field(message: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    message.push(field << 3 | 2);
    put_delimited(message, bytes);
}

/// Writes bytes behind their length.
pub fn put_delimited(message: &mut Vec<u8>, bytes: &[u8]) {
    put_number(message, bytes.len() as u64);
    message.extend(bytes);
}

/// Takes a number of variable length off the front; `None` when there is none.
pub fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Takes bytes that follow their length off the front.
pub fn take_delimited<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take_number(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(bytes)
}

/// The first field of this number; `None` when it is not there or the message is none.
pub fn field(message: &[u8], wanted: u64) -> Option<Value<'_>> {
    let mut rest = message;
    while !rest.is_empty() {
        let key = take_number(&mut rest)?;
        let value = match key & 7 {
            0 => Value::Number(take_number(&mut rest)?),
            2 => Value::Bytes(take_delimited(&mut rest)?),
            kind => {
                // Fixed lengths, which no field that is asked for has.
                let length = match kind {
                    1 => 8,
                    5 => 4,
                    _ => return None,
                };
                rest = rest.get(length..)?;
                continue;
            }
        };
        if key >> 3 == wanted {
            return Some(value);
        }
    }
    None
}

/// The same for a text, a message or bytes.
pub fn bytes(message: &[u8], wanted: u64) -> Option<&[u8]> {
    match field(message, wanted)? {
        Value::Bytes(bytes) => Some(bytes),
        Value::Number(_) => None,
    }
}

/// The same for a number.
pub fn number(message: &[u8], wanted: u64) -> Option<u64> {
    match field(message, wanted)? {
        Value::Number(number) => Some(number),
        Value::Bytes(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut message = Vec::new();
        put_number_field(&mut message, 1, 300);
        put_bytes_field(&mut message, 2, b"text");
        // A field of eight bytes is passed over.
        message.extend([3 << 3 | 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        put_number_field(&mut message, 4, u64::MAX);
        assert_eq!(number(&message, 1), Some(300));
        assert_eq!(bytes(&message, 2), Some(&b"text"[..]));
        assert_eq!(number(&message, 4), Some(u64::MAX));
        assert_eq!(number(&message, 2), None);
        assert_eq!(field(&message, 9), None);
    }

    #[test]
    fn nothing_that_a_server_makes_up_is_trusted() {
        let endless = [0xff; 20];
        assert_eq!(take_number(&mut &endless[..]), None);
        // Longer than the message; a kind that there is not; a length that is cut off.
        for message in [&[0x12, 0x7f, 1][..], &[0x13, 1], &[0x12], &[0x09, 1]] {
            assert_eq!(field(message, 2), None, "{message:?}");
        }
    }
}
