//! A line of a history as what is compared.

use dbdyno_record::HistoryEntry;
use dbdyno_stats::Better;
use dbdyno_vocabulary::Text;

use crate::conditions::RATE;
use crate::model::Pace;
use crate::sample::{MetricSample, Unit};

/// The values of a line.
pub fn measured(entry: &HistoryEntry) -> MetricSample {
    MetricSample {
        name: entry.metric.clone(),
        unit: unit(entry),
        better: better(entry),
        values: entry.values.clone(),
        at_least: entry.at_least,
        restless: entry.restless.clone().map(Text::from),
        failing: entry.failing.clone().map(Text::from),
        invalid: entry.invalid.clone().map(Text::from),
        pace: pace(entry),
        modes: None,
    }
}

/// Who decided when requests were sent, as its conditions and its trials say.
pub fn pace(entry: &HistoryEntry) -> Pace {
    let stated = entry.conditions.get(RATE).into_iter().flatten();
    let mut rates = stated.filter_map(|rate| rate.parse::<f64>().ok());
    match (rates.next(), rates.next(), entry.sustained) {
        (None, _, _) => Pace::ClosedLoop,
        (Some(_), Some(_), _) => Pace::Mixed,
        (Some(_), None, None) => Pace::NotRecorded,
        (Some(rate), None, Some((sustained, trials))) => Pace::new(rate, sustained, trials),
    }
}

/// What its values are.
pub fn unit(entry: &HistoryEntry) -> Unit {
    if entry.unit == Unit::Rate.name() {
        Unit::Rate
    } else {
        Unit::Nanoseconds
    }
}

/// Which direction is good.
pub fn better(entry: &HistoryEntry) -> Better {
    if entry.higher_is_better {
        Better::Higher
    } else {
        Better::Lower
    }
}
