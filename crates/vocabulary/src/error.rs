//! Why a text is not a quantity: what was written, and what is accepted.

/// Why a text is not a quantity. The message names the text and what would be accepted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QuantityError {
    /// Nothing, or only blanks.
    #[error("a number is missing; write one like 1000, 5k, 1M or 1e9")]
    Empty,
    /// Not a number with a known suffix.
    #[error("`{text}` is not a number; write one like 1000, 5k, 1M, 2.5M or 1e9")]
    NotANumber {
        /// What was given.
        text: String,
    },
    /// A suffix that could be mistaken.
    #[error("`{text}`: `{suffix}` is not a suffix of a number; use k, M, G or T (a million is `M`)")]
    Suffix {
        /// What was given.
        text: String,
        /// Its last letters.
        suffix: String,
    },
    /// A count that is not whole, such as `0.5` or `1.2345k`.
    #[error("`{text}` is not a whole number")]
    NotWhole {
        /// What was given.
        text: String,
    },
    /// A count of 0 where there must be something to count.
    #[error("{text} is too few; it must be at least 1")]
    TooFew {
        /// What was given.
        text: String,
    },
    /// A count above what is possible.
    #[error("{text} is too many; the maximum is {most}")]
    TooMany {
        /// What was given.
        text: String,
        /// The largest count.
        most: u32,
    },
    /// More than 64 bits hold.
    #[error(
        "`{text}` is too large; the largest number is 18446744073709551615, the longest time about 584 years"
    )]
    TooLarge {
        /// What was given.
        text: String,
    },
    /// A duration without a unit.
    #[error("`{text}` has no unit of time; write {text}s, {text}ms, {text}m or {text}h")]
    NoUnit {
        /// What was given.
        text: String,
    },
    /// Not a duration.
    #[error(
        "`{text}` is not a time; write one like 90s, 500ms, 10m or 1h30m (units: ns, us, ms, s, m, h, d)"
    )]
    NotADuration {
        /// What was given.
        text: String,
    },
    /// Not a share.
    #[error("`{text}` is not a percentage; write one like 5%, or 0.05")]
    NotAShare {
        /// What was given.
        text: String,
    },
    /// A share outside of what is possible.
    #[error("{text} is not between {low} and {high}")]
    OutOfRange {
        /// What was given, and its percentage where it was given without a percent sign.
        text: String,
        /// The lower bound.
        low: crate::Share,
        /// The upper bound.
        high: crate::Share,
    },
    /// Not a size.
    #[error(
        "`{text}` is not a size; write one like 64M, 512MiB, 2GB or 4096 (K, M, G and T are powers of 1024)"
    )]
    NotASize {
        /// What was given.
        text: String,
    },
}
