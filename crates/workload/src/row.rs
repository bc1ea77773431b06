//! Records as drivers see them: a table's shape, one row, many rows. All buffers are reused between operations.

use crate::Key;

/// The table under test: its name and its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Table, collection or key prefix, `usertable` unless the workload says otherwise.
    pub name: String,
    /// Column names by field index: `field0`, `field1`...
    pub field_names: Vec<String>,
}

/// Some or all fields of one record: `(field index, value)` pairs over one contiguous buffer.
#[derive(Clone, Debug, Default)]
pub struct Row {
    bytes: Vec<u8>,
    fields: Vec<Field>,
    /// `(count, length)` when the fields are `0..count`, each of that length.
    regular: Option<(u32, u32)>,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.fields == other.fields
    }
}

impl Eq for Row {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    index: u32,
    end: u32,
}

impl Row {
    /// An empty row.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the fields, keeps the buffers.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.fields.clear();
        self.regular = None;
    }

    /// Appends a field. Fields keep the order they were pushed in.
    pub fn push(&mut self, index: u32, value: &[u8]) {
        self.regular = None;
        self.bytes.extend_from_slice(value);
        self.fields.push(Field {
            index,
            end: self.bytes.len() as u32,
        });
    }

    /// Makes this a row of fields of the given `(index, length)`s and hands out the one buffer that holds all their
    /// values, one after the other, to be overwritten (its content is arbitrary). The fast way to fill a row.
    pub fn reset_with_lengths(&mut self, lengths: impl Iterator<Item = (u32, u32)>) -> &mut [u8] {
        self.regular = None;
        self.fields.clear();
        let mut end = 0;
        for (index, length) in lengths {
            end += length;
            self.fields.push(Field { index, end });
        }
        self.bytes.resize(end as usize, 0);
        &mut self.bytes
    }

    /// Makes this a row of fields `0..count`, each of `length` bytes, as
    /// [`reset_with_lengths`](Self::reset_with_lengths) would. Costs next to nothing when it already is one.
    pub fn reset_regular(&mut self, count: u32, length: u32) -> &mut [u8] {
        if self.regular != Some((count, length)) {
            self.reset_with_lengths((0..count).map(|index| (index, length)));
            self.regular = Some((count, length));
        }
        &mut self.bytes
    }

    /// Number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The fields in order: index in the table and value.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut start = 0;
        self.fields.iter().map(move |field| {
            let value = &self.bytes[start as usize..field.end as usize];
            start = field.end;
            (field.index, value)
        })
    }

    /// The value of the field with this index.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<&[u8]> {
        self.iter()
            .find(|(field, _)| *field == index)
            .map(|(_, value)| value)
    }

    /// Bytes of all values together.
    #[must_use]
    pub fn value_bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// The result of a scan: keys and rows in the order the database gave them.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    entries: Vec<(Key, Row)>,
    length: usize,
}

impl Rows {
    /// No rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the rows, keeps their buffers.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a record of that stored name and hands out its emptied row. The key's number is not known to the
    /// database: it is `u64::MAX`.
    pub fn push(&mut self, name: &[u8]) -> &mut Row {
        if self.length == self.entries.len() {
            self.entries.push(Default::default());
        }
        let (key, row) = &mut self.entries[self.length];
        self.length += 1;
        key.set(u64::MAX, |buffer| buffer.extend_from_slice(name));
        row.clear();
        row
    }

    /// Number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The records in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Row)> {
        self.entries[..self.length].iter().map(|(key, row)| (key, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reset_any_way_is_the_same_row() {
        let mut pushed = Row::new();
        pushed.push(0, b"abc");
        pushed.push(1, b"def");
        let mut regular = Row::new();
        regular.push(7, b"left over");
        regular.reset_regular(2, 3).copy_from_slice(b"abcdef");
        assert_eq!(pushed, regular);
        assert_eq!(regular.reset_regular(2, 3), b"abcdef");
        regular.push(2, b"g");
        regular.reset_regular(2, 3).copy_from_slice(b"abcdef");
        assert_eq!(pushed, regular);
        regular.clear();
        assert!(regular.is_empty());
        regular.reset_regular(2, 3).copy_from_slice(b"abcdef");
        assert_eq!(regular.get(1), Some(&b"def"[..]));
        regular
            .reset_with_lengths([(4, 2)].into_iter())
            .copy_from_slice(b"xy");
        assert_eq!(regular.iter().collect::<Vec<_>>(), [(4, &b"xy"[..])]);
    }
}
