//! How a server treats a client without a login.

use std::convert::Infallible;

/// How a client without a login was received. Some products let it in with less than every right, which `How` describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stranger<How = Infallible> {
    /// It may do whatever there is to do.
    Served,
    /// It may do some of it.
    Limited(How),
    /// It is asked for a login.
    Refused,
    /// Why that was not seen.
    Unknown(String),
}

impl<How> Stranger<How> {
    /// Whether the server gave an answer, of which a refusal is one.
    ///
    /// # Errors
    /// Why none was seen.
    pub fn answered(self) -> Result<(), String> {
        match self {
            Self::Unknown(why) => Err(why),
            _ => Ok(()),
        }
    }
}
