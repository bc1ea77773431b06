//! The figures of a kind of finding, and their words.

use std::borrow::Cow;

use dbdyno_vocabulary::Statement;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The figures of one kind of finding, and its words.
pub trait Facts: Serialize + DeserializeOwned {
    /// Its stable name. Records keep it, so it stays as it is.
    const CODE: &'static str;

    /// The observation, with the figures.
    fn statement(&self) -> Statement;

    /// What to do about it.
    fn remedy(&self) -> Cow<'static, str>;
}
