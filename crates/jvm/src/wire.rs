//! Arguments and answers: whole numbers of four bytes, big-endian, and byte strings after their length.

/// An answer, read from its start.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a>(&'a [u8]);

impl<'a> Reply<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next number; 0 past the end.
    pub fn number(&mut self) -> u32 {
        let Some((first, rest)) = self.0.split_first_chunk() else {
            return 0;
        };
        self.0 = rest;
        u32::from_be_bytes(*first)
    }

    /// The next byte string; empty past the end.
    pub fn bytes(&mut self) -> &'a [u8] {
        let length = self.number() as usize;
        let (value, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        value
    }

    /// The next byte string as text.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

pub fn put_number(buffer: &mut Vec<u8>, number: u32) {
    buffer.extend_from_slice(&number.to_be_bytes());
}

pub fn put_bytes(buffer: &mut Vec<u8>, bytes: &[u8]) {
    // A request is a record or less: 4 GiB are far off, and Java would refuse its array before.
    put_number(buffer, bytes.len() as u32);
    buffer.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut buffer = Vec::new();
        put_bytes(&mut buffer, b"ab");
        put_number(&mut buffer, 70_000);
        assert_eq!(buffer, [0, 0, 0, 2, b'a', b'b', 0, 1, 0x11, 0x70]);
        let mut answer = Reply::new(&buffer);
        assert_eq!((answer.bytes(), answer.number()), (&b"ab"[..], 70_000));
        assert_eq!((answer.bytes(), answer.number()), (&b""[..], 0));
    }

    #[test]
    fn a_length_beyond_the_end_takes_what_is_there() {
        assert_eq!(Reply::new(&[0, 0, 0, 9, 7]).bytes(), [7]);
    }
}
