//! How the key-value stores (memory, fjall, redb) keep a record's fields in one value.
//!
//! ```text
//! record = count  (index length) x count  value x count
//! ```
//!
//! Numbers are unsigned LEB128 varints of at most 32 bits. Fields stand in ascending order of index, each at most
//! once, and the values follow one another without gaps. A YCSB record of ten fields of 100 bytes takes 1021 bytes.
//! The values lie as they do in a [`Row`], so reading all fields is one copy; reading one field looks at the numbers
//! and copies that field alone.

use crate::{Fields, Row};

/// Stored bytes that are no record of this encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored bytes are not a record that dbdyno wrote")]
pub struct Malformed;

/// Replaces what `out` holds by the record with the fields of `row`. Of a field given twice the last one counts.
pub fn encode(row: &Row, out: &mut Vec<u8>) {
    out.clear();
    let sorted = sorted(row);
    let row = sorted.as_ref().unwrap_or(row);
    put_varint(out, row.len() as u32);
    for (index, value) in row.iter() {
        put_varint(out, index);
        put_varint(out, value.len() as u32);
    }
    for (_, value) in row.iter() {
        out.extend_from_slice(value);
    }
}

/// Replaces what `row` holds by the wanted fields of `record`.
///
/// # Errors
/// [`Malformed`]; the row is then empty.
pub fn decode(record: &[u8], fields: Fields, row: &mut Row) -> Result<(), Malformed> {
    row.clear();
    let stored = Stored::parse(record)?;
    match fields {
        Fields::All | Fields::AllByName => {
            let buffer = row.reset_with_lengths(stored.lengths());
            buffer.copy_from_slice(stored.values);
        }
        Fields::One(wanted) => {
            if let Some((index, value)) = stored.fields().find(|(index, _)| *index == wanted) {
                row.push(index, value);
            }
        }
    }
    Ok(())
}

/// Replaces what `out` holds by `record` with the fields of `changed` set.
///
/// # Errors
/// [`Malformed`].
pub fn merge(record: &[u8], changed: &Row, out: &mut Vec<u8>) -> Result<(), Malformed> {
    out.clear();
    let stored = Stored::parse(record)?;
    let sorted = sorted(changed);
    let changed = sorted.as_ref().unwrap_or(changed);
    // Three walks over a handful of numbers instead of a list of fields that would have to be allocated.
    let mut count = 0;
    stored.merged(changed, |_, _| count += 1);
    put_varint(out, count);
    stored.merged(changed, |index, value| {
        put_varint(out, index);
        put_varint(out, value.len() as u32);
    });
    stored.merged(changed, |_, value| out.extend_from_slice(value));
    Ok(())
}

/// Sets the fields of `changed` in place when the record has all of them at the same lengths; otherwise changes
/// nothing and returns `false`.
///
/// # Errors
/// [`Malformed`].
pub fn overwrite(record: &mut [u8], changed: &Row) -> Result<bool, Malformed> {
    let stored = Stored::parse(record)?;
    let values_start = record.len() - stored.values.len();
    let fits = changed.iter().all(|(index, value)| {
        stored
            .position(index)
            .is_some_and(|(_, length)| length == value.len())
    });
    if fits {
        for (index, value) in changed.iter() {
            let stored = Stored::parse(record)?;
            if let Some((offset, length)) = stored.position(index) {
                record[values_start + offset..values_start + offset + length].copy_from_slice(value);
            }
        }
    }
    Ok(fits)
}

/// A record taken apart; its numbers are known to be sound.
struct Stored<'a> {
    numbers: &'a [u8],
    values: &'a [u8],
}

impl<'a> Stored<'a> {
    fn parse(record: &'a [u8]) -> Result<Self, Malformed> {
        let mut rest = record;
        let count = take_varint(&mut rest).ok_or(Malformed)?;
        let numbers_and_values = rest;
        let mut total = 0_u64;
        for _ in 0..count {
            take_varint(&mut rest).ok_or(Malformed)?;
            total += u64::from(take_varint(&mut rest).ok_or(Malformed)?);
        }
        if rest.len() as u64 != total {
            return Err(Malformed);
        }
        let numbers = &numbers_and_values[..numbers_and_values.len() - rest.len()];
        Ok(Self {
            numbers,
            values: rest,
        })
    }

    fn lengths(&self) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let mut numbers = self.numbers;
        std::iter::from_fn(move || Some((take_varint(&mut numbers)?, take_varint(&mut numbers)?)))
    }

    fn fields(&self) -> impl Iterator<Item = (u32, &'a [u8])> + use<'a> {
        let mut values = self.values;
        self.lengths().map(move |(index, length)| {
            let (value, rest) = values.split_at(length as usize);
            values = rest;
            (index, value)
        })
    }

    /// Where the field's value lies among the values, and how long it is.
    fn position(&self, wanted: u32) -> Option<(usize, usize)> {
        let mut offset = 0;
        for (index, length) in self.lengths() {
            if index == wanted {
                return Some((offset, length as usize));
            }
            offset += length as usize;
        }
        None
    }

    /// Visits the fields of both in ascending order; where both have one, that of `changed`.
    fn merged(&self, changed: &Row, mut visit: impl FnMut(u32, &[u8])) {
        let mut old = self.fields().peekable();
        for (index, value) in changed.iter() {
            while let Some((stored_index, stored_value)) = old.next_if(|(stored, _)| *stored < index) {
                visit(stored_index, stored_value);
            }
            old.next_if(|(stored, _)| *stored == index);
            visit(index, value);
        }
        for (index, value) in old {
            visit(index, value);
        }
    }
}

/// The row in ascending order without doubles; `None` when it already is, which costs no allocation.
fn sorted(row: &Row) -> Option<Row> {
    if row
        .iter()
        .zip(row.iter().skip(1))
        .all(|((left, _), (right, _))| left < right)
    {
        return None;
    }
    let fields: std::collections::BTreeMap<u32, &[u8]> = row.iter().collect();
    let mut sorted = Row::new();
    for (index, value) in fields {
        sorted.push(index, value);
    }
    Some(sorted)
}

fn put_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u64;
    for position in 0..5 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << (7 * position);
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Model = BTreeMap<u32, Vec<u8>>;

    fn row_of<'a>(fields: impl IntoIterator<Item = (&'a u32, &'a Vec<u8>)>) -> Row {
        let mut row = Row::new();
        for (index, value) in fields {
            row.push(*index, value);
        }
        row
    }

    fn model() -> impl Strategy<Value = Model> {
        btree_map(
            prop_oneof![0..12_u32, any::<u32>()],
            vec(any::<u8>(), 0..300),
            0..12,
        )
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out_in_order(fields in model()) {
            let mut record = Vec::new();
            encode(&row_of(fields.iter().rev()), &mut record);
            let mut row = row_of([(&99, &vec![1; 5000])]);
            decode(&record, Fields::All, &mut row).unwrap();
            prop_assert_eq!(&row, &row_of(&fields));
            for index in fields.keys().copied().chain([77]) {
                decode(&record, Fields::One(index), &mut row).unwrap();
                prop_assert_eq!(row.get(index), fields.get(&index).map(Vec::as_slice));
                prop_assert_eq!(row.len(), usize::from(fields.contains_key(&index)));
            }
        }

        #[test]
        fn merging_is_what_a_map_does(old in model(), changed in model()) {
            let (mut record, mut merged, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            encode(&row_of(&old), &mut record);
            merge(&record, &row_of(changed.iter().rev()), &mut merged).unwrap();
            let mut both = old.clone();
            both.extend(changed.clone());
            encode(&row_of(&both), &mut expected);
            prop_assert_eq!(&merged, &expected);

            let before = record.clone();
            let fits = changed.iter().all(|(index, value)| old.get(index).is_some_and(|old| old.len() == value.len()));
            prop_assert_eq!(overwrite(&mut record, &row_of(&changed)).unwrap(), fits);
            prop_assert_eq!(&record, if fits { &expected } else { &before });
        }

        #[test]
        fn same_lengths_are_overwritten_in_place(old in model(), fill in any::<u8>()) {
            let (mut record, mut expected) = (Vec::new(), Vec::new());
            encode(&row_of(&old), &mut record);
            let changed: Model = old.iter().step_by(2).map(|(index, value)| (*index, vec![fill; value.len()])).collect();
            prop_assert!(overwrite(&mut record, &row_of(&changed)).unwrap());
            let mut both = old.clone();
            both.extend(changed);
            encode(&row_of(&both), &mut expected);
            prop_assert_eq!(record, expected);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..60), fields in model()) {
            let mut row = Row::new();
            let sound = decode(&bytes, Fields::All, &mut row);
            prop_assert!(sound.is_ok() || row.is_empty());
            prop_assert_eq!(merge(&bytes, &row_of(&fields), &mut Vec::new()).is_ok(), sound.is_ok());
        }
    }

    #[test]
    fn a_ycsb_record_costs_21_bytes() {
        let mut row = Row::new();
        for index in 0..10 {
            row.push(index, &[b'x'; 100]);
        }
        let mut record = Vec::new();
        encode(&row, &mut record);
        assert_eq!(record.len(), 1021);
        assert_eq!(record[..4], [10, 0, 100, 1]);
    }

    #[test]
    fn of_a_field_given_twice_the_last_counts() {
        let mut row = Row::new();
        row.push(1, b"first");
        row.push(0, b"zero");
        row.push(1, b"last");
        let mut record = Vec::new();
        encode(&row, &mut record);
        decode(&record, Fields::All, &mut row).unwrap();
        assert_eq!(row.iter().collect::<Vec<_>>(), [(0, &b"zero"[..]), (1, b"last")]);
    }

    #[test]
    fn cut_records_are_malformed() {
        let mut row = Row::new();
        row.push(0, b"value");
        let mut record = Vec::new();
        encode(&row, &mut record);
        for length in 0..record.len() {
            assert_eq!(
                decode(&record[..length], Fields::All, &mut row),
                Err(Malformed),
                "{length}"
            );
            assert!(row.is_empty());
        }
    }
}
