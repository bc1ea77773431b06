//! Reading what a server sent, with every length checked.

use dbdyno_audit::ChannelError;

/// The rest of an answer.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next bytes.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], ChannelError> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or_else(|| ChannelError::Unexpected("an answer that ends too soon".to_owned()))?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, ChannelError> {
        Ok(self.take(1)?[0])
    }

    /// A number of two bytes.
    pub fn short(&mut self) -> Result<u16, ChannelError> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// A number of four bytes.
    pub fn number(&mut self) -> Result<i32, ChannelError> {
        let bytes = self.take(4)?;
        Ok(i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// A text with its length in two bytes.
    pub fn text(&mut self) -> Result<String, ChannelError> {
        let length = usize::from(self.short()?);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// A value with its length in four bytes; negative: none.
    pub fn value(&mut self) -> Result<Option<Vec<u8>>, ChannelError> {
        match usize::try_from(self.number()?) {
            Ok(length) => Ok(Some(self.take(length)?.to_vec())),
            Err(_) => Ok(None),
        }
    }
}
