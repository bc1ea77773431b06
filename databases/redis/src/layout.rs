//! Where a table's records lie: YCSB's Redis binding (`site.ycsb.db.RedisClient`) for its own table `usertable`, and beside
//! it for others.

use dbdyno_driver::Table;

/// The table that YCSB's binding means when it names none: it puts records at the bare names of their keys.
const YCSB_TABLE: &str = "usertable";

/// Names in Redis of one table's parts.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Stands before the name of each record's hash.
    prefix: String,
    /// The sorted set of all records, which YCSB calls `_indices`.
    pub(crate) index: String,
    /// The manifest.
    pub(crate) manifest: String,
    /// Fields, by index.
    pub(crate) field_names: Vec<String>,
}

impl Layout {
    pub(crate) fn of(table: &Table) -> Self {
        let name = &table.name;
        let (prefix, index) = if name == YCSB_TABLE {
            (String::new(), "_indices".to_owned())
        } else {
            (format!("{name}:"), format!("{name}:_indices"))
        };
        Self {
            prefix,
            index,
            manifest: format!("dbdyno:manifest:{name}"),
            field_names: table.field_names.clone(),
        }
    }

    /// Writes the name of a record's hash.
    pub(crate) fn name_into(&self, key: &[u8], name: &mut Vec<u8>) {
        name.clear();
        name.extend_from_slice(self.prefix.as_bytes());
        name.extend_from_slice(key);
    }

    /// The index of a field by its name; `near` is where it is looked for first, for fields come mostly in order.
    pub(crate) fn field(&self, name: &[u8], near: usize) -> Option<usize> {
        let is = |index: &usize| self.field_names[*index].as_bytes() == name;
        (near..self.field_names.len())
            .chain(0..near.min(self.field_names.len()))
            .find(is)
    }
}

/// A record's place in the index: Java's `String.hashCode` of the key, as YCSB's binding has it.
pub(crate) fn score(key: &[u8]) -> i32 {
    let hash = |units: &mut dyn Iterator<Item = u16>| {
        units.fold(0_i32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        })
    };
    if key.is_ascii() {
        return hash(&mut key.iter().map(|byte| u16::from(*byte)));
    }
    hash(&mut String::from_utf8_lossy(key).encode_utf16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_java() {
        // "user1000385178204227360".hashCode() and others, from jshell.
        assert_eq!(score(b""), 0);
        assert_eq!(score(b"a"), 97);
        assert_eq!(score(b"hello"), 99_162_322);
        assert_eq!(score(b"polygenelubricants"), i32::MIN);
        assert_eq!(score("é".as_bytes()), 233);
    }

    #[test]
    fn ycsbs_table_lies_where_ycsb_puts_it() {
        let table = |name: &str| Table {
            name: name.to_owned(),
            field_names: vec!["field0".to_owned(), "field1".to_owned()],
        };
        let (ours, other) = (Layout::of(&table("usertable")), Layout::of(&table("other")));
        let mut name = Vec::new();
        ours.name_into(b"user1", &mut name);
        assert_eq!(
            (name.as_slice(), ours.index.as_str()),
            (&b"user1"[..], "_indices")
        );
        other.name_into(b"user1", &mut name);
        assert_eq!(
            (name.as_slice(), other.index.as_str()),
            (&b"other:user1"[..], "other:_indices")
        );
        assert_eq!(ours.field(b"field1", 1), Some(1));
        assert_eq!(ours.field(b"field0", 1), Some(0));
        assert_eq!(ours.field(b"other", 0), None);
    }
}
