//! How hard a test was asked, in words.

use dbdyno_analysis::CommonRate;
use dbdyno_vocabulary::shown_name;

use crate::number;

/// The words for a load without a rate: each client sends its next request as soon as the last one returned.
pub const FULL_SPEED: &str = "full speed";

/// How hard a test was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Each client sent its next request as soon as the last one returned.
    FullSpeed,
    /// So many operations per second.
    Rate(f64),
    /// One rate for all systems, which is not the same in all trials, or not known.
    Same,
}

impl Load {
    /// `full speed`, `at 18.0k/s`.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::FullSpeed => FULL_SPEED.to_owned(),
            Self::Rate(rate) => format!("at {}", number::rate(rate)),
            Self::Same => "same load".to_owned(),
        }
    }
}

/// Where a common rate comes from; `None` without pilots.
pub fn origin(common: &CommonRate) -> Option<String> {
    let pilots = common.pilots.iter();
    let pilots: Vec<String> = pilots
        .map(|(system, throughput)| format!("{} {}", shown_name(system), number::rate(*throughput)))
        .collect();
    (!pilots.is_empty()).then(|| {
        format!(
            "the rate is {} of the slowest system's throughput at full speed (pilots: {})",
            common.share,
            pilots.join(", ")
        )
    })
}
