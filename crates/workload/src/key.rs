//! Record keys: a number and the name that databases store.

use std::fmt;

/// One record's key: its number in the keyspace and the name it is stored under.
///
/// The name's buffer is reused by [`Key::set`], so a key that lives in a batch costs no allocation per operation.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    number: u64,
    name: Vec<u8>,
}

impl Key {
    /// A key with this number and stored name.
    #[must_use]
    pub fn new(number: u64, name: &str) -> Self {
        Self {
            number,
            name: name.as_bytes().to_vec(),
        }
    }

    /// Replaces number and name, keeping the buffer. `write` appends the name to the emptied buffer and must append
    /// UTF-8 text.
    pub fn set(&mut self, number: u64, write: impl FnOnce(&mut Vec<u8>)) {
        self.number = number;
        self.name.clear();
        write(&mut self.name);
    }

    /// The position of the record in the keyspace, from 0 (what YCSB calls `keynum`, before hashing).
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The stored name as bytes, e.g. `user6284781860667377211`.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.name
    }

    /// The stored name as text.
    ///
    /// # Panics
    /// Never for keys of this crate: names are ASCII.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.name).expect("key names are ASCII")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Key({}, {})",
            self.number,
            String::from_utf8_lossy(&self.name)
        )
    }
}
