//! One value or a list of them: the levels of a factor, the systems of a study.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;

use crate::mistake::{self, KEY};
use crate::scalar::ScalarVisitor;
use crate::{Placed, Scalar};

const WANTED: &str = "a text, a number or a list of them";

/// One value, written alone, or several in a list; none only where the key is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct List<T>(pub Vec<Placed<T>>);

impl<T> List<T> {
    /// A list of these.
    pub fn of(values: impl IntoIterator<Item = T>) -> Self {
        Self(values.into_iter().map(Placed::from).collect())
    }

    /// Whether there is none, as where the key is absent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the first one stands.
    #[must_use]
    pub fn place(&self) -> Range<usize> {
        self.0.first().map_or(0..0, |first| first.span.clone())
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// As it is written.
enum Written<T> {
    One(T),
    Several(Vec<Placed<T>>),
}

struct WrittenVisitor<T>(PhantomData<T>);

impl<'de, T: Scalar> Visitor<'de> for WrittenVisitor<T> {
    type Value = Written<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(WANTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        ScalarVisitor::new().visit_str(text).map(Written::One)
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<Self::Value, E> {
        ScalarVisitor::new().visit_bool(switch).map(Written::One)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        ScalarVisitor::new().visit_i64(number).map(Written::One)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        ScalarVisitor::new().visit_u64(number).map(Written::One)
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Self::Value, E> {
        ScalarVisitor::new().visit_i128(number).map(Written::One)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        ScalarVisitor::new().visit_f64(number).map(Written::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut several = Vec::new();
        while let Some(Item(item)) = items.next_element()? {
            several.push(item);
        }
        if several.is_empty() {
            return Err(A::Error::custom(mistake::text(
                &format!("`{KEY}` is an empty list"),
                "name at least one, or leave the key out",
            )));
        }
        Ok(Written::Several(several))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(mistake::wrong_type(WANTED)))
    }
}

/// An item, which is no list itself.
struct Item<T>(Placed<T>);

struct InList<T>(T);

impl<'de, T: Scalar> Deserialize<'de> for InList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = ScalarVisitor::within("a list of texts or numbers");
        deserializer.deserialize_any(visitor).map(Self)
    }
}

impl<'de, T: Scalar> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<InList<T>>::deserialize(deserializer)?;
        Ok(Self(Placed {
            span: spanned.span(),
            value: spanned.into_inner().0,
        }))
    }
}

impl<'de, T: Scalar> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WrittenVisitor(PhantomData))
    }
}

impl<'de, T: Scalar> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Written<T>>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(Self(match spanned.into_inner() {
            Written::One(value) => vec![Placed { span, value }],
            Written::Several(several) => several,
        }))
    }
}

impl<T: Serialize> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

/// Writes a list in brackets even where it holds one value, for keys that are lists as a rule.
pub(crate) fn as_array<T: Serialize, S: Serializer>(
    list: &List<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    list.0.serialize(serializer)
}
