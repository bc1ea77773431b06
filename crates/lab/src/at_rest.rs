//! How the files of servers are encrypted: the levels of the option `at_rest`.

use crate::recipe_info::RecipeOption;

/// The option of recipes that names the level.
pub const AT_REST_OPTION: RecipeOption = RecipeOption::new(
    "at_rest",
    "off; volume: all files of the servers lie in an ext4 image that fscrypt encrypts, which needs root; plain-volume: in the same image \
     without encryption, the reference for its price; engine: what the server encrypts itself, where it can",
    "off",
);

/// A level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtRestLevel {
    /// Files lie in a plain directory.
    Off,
    /// They lie in an image with a file system of its own.
    PlainVolume,
    /// They lie in such an image, encrypted.
    Volume,
    /// The server encrypts what it can.
    Engine,
}

impl AtRestLevel {
    /// Every level.
    pub const ALL: [Self; 4] = [Self::Off, Self::PlainVolume, Self::Volume, Self::Engine];

    /// Its name in a request.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::PlainVolume => "plain-volume",
            Self::Volume => "volume",
            Self::Engine => "engine",
        }
    }

    /// Whether the servers' files lie in an image.
    pub(crate) const fn has_image(self) -> bool {
        matches!(self, Self::PlainVolume | Self::Volume)
    }
}
