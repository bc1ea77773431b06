//! The load generators of a system's trials, where several carried them out together.

use dbdyno_record::{GeneratorRecord, TrialRecord};
use serde::Serialize;

/// One load generator over all trials of a system in a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GeneratorUse {
    /// Its name.
    pub name: String,
    /// The machine on which it ran.
    pub host: String,
    /// Trials in which it took part.
    pub trials: usize,
    /// Its clients.
    pub clients: u32,
    /// Successful operations per second: the median of the trials.
    pub per_second: Option<f64>,
    /// 99th percentile of all operations of all trials, nanoseconds.
    pub p99_ns: Option<u64>,
    /// The largest share of its machine's processors, 0 to 1.
    pub cpu_share: f64,
    /// The furthest that it may have begun from the others, nanoseconds.
    pub apart_ns: u64,
}

impl GeneratorUse {
    /// Those of these trials, by name.
    #[must_use]
    pub fn of(trials: &[&TrialRecord]) -> Vec<Self> {
        let mut names: Vec<&str> = Vec::new();
        let all = || trials.iter().flat_map(|trial| &trial.generators);
        for generator in all() {
            if !names.contains(&generator.name.as_str()) {
                names.push(&generator.name);
            }
        }
        let of = |name: &str| {
            let own: Vec<&GeneratorRecord> = all().filter(|generator| generator.name == name).collect();
            one(&own)
        };
        names.into_iter().filter_map(of).collect()
    }
}

fn one(own: &[&GeneratorRecord]) -> Option<GeneratorUse> {
    let first = own.first()?;
    let measures = || own.iter().filter_map(|generator| generator.measure.as_ref());
    // Of a load, only the whole is recorded.
    measures().next()?;
    let mut rates: Vec<f64> = measures()
        .filter_map(|measure| measure.throughput_per_second())
        .collect();
    rates.sort_by(f64::total_cmp);
    let mut latency = dbdyno_record::Latency::new();
    own.iter()
        .for_each(|generator| latency.merge(&generator.latency()));
    Some(GeneratorUse {
        name: first.name.clone(),
        host: first.host.clone(),
        trials: own.len(),
        clients: own.iter().map(|generator| generator.clients).max().unwrap_or(0),
        per_second: rates.get(rates.len() / 2).copied(),
        p99_ns: latency.percentile_ns(99.0),
        cpu_share: measures()
            .map(|measure| measure.client.cpu_share)
            .fold(0.0, f64::max),
        apart_ns: own
            .iter()
            .map(|generator| generator.apart_ns())
            .max()
            .unwrap_or(0),
    })
}
