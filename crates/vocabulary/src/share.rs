//! Parts of a whole: `5%`, `0.1%`, `0.05`.

mod parse;

use std::fmt;

use crate::shortest::shortest;

/// A part of a whole, 0 or more; 1 is all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// This part; 0.05 for 5%.
    #[must_use]
    pub const fn new(part: f64) -> Self {
        Self(part)
    }

    /// The part; 0.05 for 5%.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// The shortest exact percentage: `5%`, `12.5%`.
impl fmt::Display for Share {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{}%", shortest(self.0, 2)))
    }
}
