//! One of a few words.

use dbdyno_vocabulary::suggest;
use dbdyno_workload::arrivals::Arrivals;
use serde::{Serialize, Serializer};

use crate::Scalar;
use crate::scalar::scalars;

/// A value that is one of a few words, in a file and in the code.
macro_rules! words {
    ($(#[$doc:meta])* $of:ident: $name:literal, $help:literal, $refuse:expr;
     $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $of {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $of {
            const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word for it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl Scalar for $of {
            const HELP: &'static str = $help;

            fn read(text: &str) -> Result<Self, String> {
                let refuse: fn(&str, &[&str]) -> String = $refuse;
                match text {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(refuse(text, Self::WORDS)),
                }
            }

            #[cfg(feature = "schema")]
            fn schema() -> serde_json::Value {
                serde_json::json!({ "enum": Self::WORDS })
            }
        }

        impl Serialize for $of {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        scalars! { $of: $name }
    };
}

words! {
    /// What a study asks.
    Kind: "Kind",
        "a study is a \"comparison\", as without this key, a \"capacity\" or a \"sweep\"",
        |text, words| {
            let meant = suggest::after_message(text, words.iter().copied());
            format!("`{text}` is not a kind of study{meant}")
        };
        /// Every cell `trials` times, in randomised complete blocks.
        Comparison = "comparison",
        /// The highest rate that keeps an objective.
        Capacity = "capacity",
        /// Latency at rising load.
        Sweep = "sweep",
}

words! {
    /// When the lab starts the servers of its systems.
    Restart: "Restart",
        "write \"block\" for new servers in every block, or \"study\" for one start that stays until the end",
        |text, _| format!("servers cannot be restarted by `{text}`");
        /// For every block: starts are sampled.
        Block = "block",
        /// Once, to stay until the end.
        Study = "study",
}

words! {
    /// How the trials of a comparison take turns.
    Order: "Order",
        "write \"interleaved\" to measure the systems of a test in short slices, in turns, or \"blocks\" to measure one trial after the other",
        |text, words| {
            let meant = suggest::after_message(text, words.iter().copied());
            format!("`{text}` is not an order of trials{meant}")
        };
        /// The systems of a cell take turns in slices: what the machine does meanwhile happens to all of them.
        Interleaved = "interleaved",
        /// One trial after the other.
        Blocks = "blocks",
}

words! {
    /// How the noise of a plan was known.
    NoiseSource: "NoiseSource",
        "write \"given\", \"measured\" or \"assumed\"",
        |text, _| format!("noise is not `{text}`");
        /// Somebody gave it.
        Given = "given",
        /// Earlier results show it.
        Measured = "measured",
        /// It is the usual one.
        Assumed = "assumed",
}

#[expect(clippy::derivable_impls, reason = "the enum is made by a macro")]
impl Default for Restart {
    fn default() -> Self {
        Self::Block
    }
}

/// How the operations of an open loop are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivalSpacing(pub Arrivals);

impl Scalar for ArrivalSpacing {
    const HELP: &'static str = "arrivals are \"constant\" or \"poisson\"";

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|error| format!("{error}"))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "enum": [Arrivals::Constant.name(), Arrivals::Poisson.name()] })
    }
}

impl Serialize for ArrivalSpacing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

/// The levels of a guarantee, which drivers know: here each is a word.
macro_rules! guarantees {
    ($($(#[$doc:meta])* $of:ident: $help:literal, $levels:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(transparent)]
        pub struct $of(pub String);

        impl Scalar for $of {
            const HELP: &'static str = $help;

            fn read(text: &str) -> Result<Self, String> {
                let levels: [&str; 3] = $levels;
                if levels.contains(&text) {
                    return Ok(Self(text.to_owned()));
                }
                let of = stringify!($of).to_lowercase();
                Err(format!("{of} `{text}` is unknown; it is one of {}", levels.join(", ")))
            }

            #[cfg(feature = "schema")]
            fn schema() -> serde_json::Value {
                serde_json::json!({ "enum": $levels })
            }
        }
    )*};
}

guarantees! {
    /// What an acknowledged write survives.
    Durability: "the levels are \"none\", \"buffered\" and \"synced\"", ["none", "buffered", "synced"];
    /// How many replicas take part in an operation.
    Consistency: "the levels are \"one\", \"quorum\" and \"all\"", ["one", "quorum", "all"];
}

scalars! {
    ArrivalSpacing: "Arrivals",
    Durability: "Durability",
    Consistency: "Consistency",
}
