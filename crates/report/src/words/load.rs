//! At which rate a cell was asked, in words.

use dbdyno_analysis::CommonRate;
use dbdyno_record::TrialRecord;

use crate::number;

/// The words for a loop without a rate.
pub const CLOSED_LOOP: &str = "closed loop";

/// The rate at which a trial was asked, or [`CLOSED_LOOP`].
pub fn rate(trial: &TrialRecord) -> String {
    match trial.spec.pace {
        Some(pace) => format!("{} ({} arrivals)", number::rate(pace.rate), pace.arrivals),
        None => CLOSED_LOOP.to_owned(),
    }
}

/// The common rate of a cell for titles: `common rate of 5.20k/s`.
pub fn common_rate(common: &CommonRate) -> String {
    let rate = common.per_second.map_or("unknown".to_owned(), number::rate);
    format!("common rate of {rate}")
}

/// Where a common rate comes from; `None` without pilots.
pub fn origin(common: &CommonRate) -> Option<String> {
    let pilots = common.pilots.iter();
    let pilots: Vec<String> = pilots
        .map(|(system, throughput)| format!("{system} {}", number::rate(*throughput)))
        .collect();
    (!pilots.is_empty()).then(|| {
        format!(
            "the rate is {} of the slowest system's throughput at full speed (pilots: {})",
            common.share,
            pilots.join(", ")
        )
    })
}
