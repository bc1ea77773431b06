//! Which keys a table may have: the fields of its type.

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor, value};

/// The names of the fields of a struct, as they are in a file.
pub(crate) fn of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // The type asks for its fields before it gets anything, and it gets nothing.
    let nothing = T::deserialize(Ask(&mut fields));
    debug_assert!(nothing.is_err() && !fields.is_empty(), "no struct");
    fields
}

/// Keeps the names that a struct asks for.
struct Ask<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("only the names of fields are asked for"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
