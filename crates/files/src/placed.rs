//! A value and its place in the file.

use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;

/// A value and where it stands. Values are equal wherever they stand.
#[derive(Clone, Debug, Default)]
pub struct Placed<T> {
    /// Byte range in the document; empty in a value that was not read.
    pub span: Range<usize>,
    /// The value.
    pub value: T,
}

impl<T> Placed<T> {
    /// Converts the value and keeps its place; the mistake that `convert` finds gets this help.
    ///
    /// # Errors
    /// What `convert` finds.
    pub fn convert<U, E: std::fmt::Display>(
        self,
        help: &str,
        convert: impl FnOnce(T) -> Result<U, E>,
    ) -> Result<Placed<U>, crate::Mistake> {
        match convert(self.value) {
            Ok(value) => Ok(Placed {
                span: self.span,
                value,
            }),
            Err(error) => Err(crate::Mistake::new(self.span, error.to_string(), help)),
        }
    }
}

impl<T> From<T> for Placed<T> {
    fn from(value: T) -> Self {
        Self { span: 0..0, value }
    }
}

impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self {
            span: spanned.span(),
            value: spanned.into_inner(),
        })
    }
}

impl<T: Serialize> Serialize for Placed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}
