//! Tables of a file: `[key]` and `[[key]]`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::Placed;
use crate::mistake::{self, KEY};

/// A table written `[key]`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Table<T>(pub T);

/// Tables written `[[key]]`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Tables<T>(pub Vec<Placed<T>>);

impl<T> Tables<T> {
    /// These tables.
    pub fn of(tables: impl IntoIterator<Item = T>) -> Self {
        Self(tables.into_iter().map(Placed::from).collect())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Tables<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// How a single table, and each of several, is written.
const ONE: &str = "a table written [";
const SEVERAL: &str = "tables written [[";

fn wrong_type<E: Error>(form: &str) -> E {
    let brackets = if form == ONE { "]" } else { "]]" };
    E::custom(mistake::wrong_type(&format!("{form}{KEY}{brackets}")))
}

/// Refuses values that hold no table.
macro_rules! refuse {
    ($($visit:ident: $of:ty),*) => {$(
        fn $visit<E: Error>(self, _: $of) -> Result<Self::Value, E> {
            Err(wrong_type(self.form))
        }
    )*};
}

struct TableVisitor<T> {
    form: &'static str,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for TableVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table")
    }

    refuse!(visit_str: &str, visit_bool: bool, visit_i64: i64, visit_f64: f64);

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<T, A::Error> {
        Err(wrong_type(self.form))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = TableVisitor {
            form: ONE,
            of: PhantomData,
        };
        deserializer.deserialize_any(visitor).map(Self)
    }
}

/// One of several tables.
struct Item<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = TableVisitor {
            form: SEVERAL,
            of: PhantomData,
        };
        deserializer.deserialize_any(visitor).map(Self)
    }
}

struct TablesVisitor<T> {
    form: &'static str,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for TablesVisitor<T> {
    type Value = Tables<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("tables")
    }

    refuse!(visit_str: &str, visit_bool: bool, visit_i64: i64, visit_f64: f64);

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(wrong_type(self.form))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut tables = Vec::new();
        while let Some(item) = items.next_element::<Placed<Item<T>>>()? {
            tables.push(Placed {
                span: item.span,
                value: item.value.0,
            });
        }
        Ok(Tables(tables))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tables<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TablesVisitor {
            form: SEVERAL,
            of: PhantomData,
        })
    }
}
