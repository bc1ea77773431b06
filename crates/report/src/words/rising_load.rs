//! What was measured at rising load, in words.

use dbdyno_analysis::rising_load::{Expected, Reason};
use dbdyno_analysis::{MARGIN, RisingLoadComparison, RisingLoadStep};
use dbdyno_vocabulary::MetricValue;

use crate::number;

/// A step with the words for what its objective speaks of.
pub fn step(step: RisingLoadStep) -> RisingLoadStep<String> {
    RisingLoadStep {
        purpose: step.purpose,
        rate: step.rate,
        clients: step.clients,
        trials: step.trials,
        kept: step.kept,
        client_bound: step.client_bound,
        sustained: step.sustained,
        throughput: step.throughput,
        p50: step.p50,
        p99: step.p99,
        at_least: step.at_least,
        objective: step.objective.iter().map(expected).collect(),
    }
}

fn expected(own: &Expected) -> String {
    let median = own.median.map_or("not measured".to_owned(), MetricValue::format);
    format!("{} {median}", own.metric)
}

/// A comparison with the words for its reason.
pub fn comparison(compared: RisingLoadComparison) -> RisingLoadComparison<String> {
    RisingLoadComparison {
        a: compared.a,
        b: compared.b,
        ratio: compared.ratio,
        interval: compared.interval,
        word: compared.word,
        reason: reason(&compared.reason),
    }
}

fn reason(why: &Reason) -> String {
    match why {
        Reason::Ratio(interval) => format!(
            "ratio {} to {}, margin {}",
            number::ratio_digits(interval.low),
            number::ratio_digits(interval.high),
            number::share(MARGIN)
        ),
        Reason::Separated {
            better,
            held,
            worse,
            missed,
        } => format!(
            "{better} keeps the objective at {}, {worse} misses it at {}",
            number::rate(*held),
            number::rate(*missed)
        ),
        Reason::NoCapacities => "not both have a capacity with an interval".to_owned(),
        Reason::NoKnees => "not both have a knee with an interval".to_owned(),
    }
}
