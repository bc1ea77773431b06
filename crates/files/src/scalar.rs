//! Values that are written as one text or one number.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};

use crate::mistake;

/// A value that is written as a text or as a number, which is read as the text that it is written as.
pub trait Scalar: Sized {
    /// What may be written, for the help of a mistake.
    const HELP: &'static str;

    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with the text, in words.
    fn read(text: &str) -> Result<Self, String>;

    /// Its JSON Schema.
    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value;
}

/// Reads a scalar from whatever TOML holds.
pub(crate) struct ScalarVisitor<T> {
    wanted: &'static str,
    of: PhantomData<T>,
}

impl<T> ScalarVisitor<T> {
    pub(crate) const fn new() -> Self {
        Self::within("a text or a number")
    }

    /// The scalar stands in something else, where this is wanted.
    pub(crate) const fn within(wanted: &'static str) -> Self {
        Self {
            wanted,
            of: PhantomData,
        }
    }
}

impl<'de, T: Scalar> Visitor<'de> for ScalarVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.wanted)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::read(text).map_err(|message| E::custom(mistake::text(&message, T::HELP)))
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<T, E> {
        self.visit_str(&switch.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        // `1.0` stays `1.0`.
        self.visit_str(&format!("{number:?}"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<T, A::Error> {
        Err(A::Error::custom(mistake::wrong_type(self.wanted)))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<T, A::Error> {
        Err(A::Error::custom(mistake::wrong_type(self.wanted)))
    }
}

/// The schema of a scalar, with its help for editors to show.
#[cfg(feature = "schema")]
pub(crate) fn described<T: Scalar>() -> schemars::Schema {
    let mut schema = schemars::Schema::try_from(T::schema()).expect("a schema is an object");
    if !T::HELP.is_empty() {
        schema.insert("description".to_owned(), T::HELP.into());
    }
    schema
}

/// Reads a type that is a [`Scalar`] with serde, and describes it.
macro_rules! scalars {
    ($($scalar:ty: $name:literal),* $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $scalar {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(crate::scalar::ScalarVisitor::new())
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $scalar {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                crate::scalar::described::<Self>()
            }
        }
    )*};
}

pub(crate) use scalars;
