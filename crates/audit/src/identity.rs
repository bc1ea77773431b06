//! What a server says of itself.

/// A server's product and version, as it states them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its product; empty when it did not say.
    pub product: String,
    /// Its version; empty as above.
    pub version: String,
}
