//! At which rate a cell was asked, in words.

use dbdyno_analysis::CommonRate;
use dbdyno_vocabulary::shown_name;

use crate::number;

/// The words for a load without a rate: each client sends its next request as soon as the last one returned.
pub const FULL_SPEED: &str = "full speed";

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
