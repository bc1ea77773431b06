//! The figures of a kind of finding, and their words.

use std::borrow::Cow;

use dbdyno_vocabulary::Statement;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What one kind of finding knows.
pub trait Facts: Serialize + DeserializeOwned {
    /// Its stable name. Records keep it, so it stays as it is.
    const CODE: &'static str;

    /// What was seen, with the figures.
    fn statement(&self) -> Statement;

    /// What to do about it.
    fn remedy(&self) -> Cow<'static, str>;
}
