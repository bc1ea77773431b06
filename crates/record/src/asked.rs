//! What a trial was asked to do, as files keep it: its factors and settings for whoever reads them, which in files of format 1 and of
//! imported results stand alone. The rest of the program sees a [`TrialSpec`].

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_trial::{
    Arrivals, CLIENTS, COMMON, Factor, Level, Limit, Origin, PILOT, PROBE, Pace, Purpose, RATE,
    SYSTEM_FACTOR, SystemSpec, TrialSpec, WarmUp,
};
use serde::{Deserialize, Serialize};

use crate::Fact;

/// The level of every factor as it is written, by its name.
pub type Factors = BTreeMap<String, String>;

/// How the work was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Logical streams, one operation in flight on each.
    clients: u32,
    /// Operating-system threads that carried them.
    pub threads: u32,
    /// Operations per second asked for; `None`: closed loop.
    rate: Option<f64>,
    /// How operations were spaced; `None`: closed loop.
    arrivals: Option<Fact<Arrivals>>,
    /// Warm-up before the measured phase, nanoseconds.
    warmup_ns: u64,
    /// The measured phase's limit in operations, when it has one.
    operations: Option<u64>,
    /// The measured phase's limit in time, nanoseconds, when it has one.
    duration_ns: Option<u64>,
}

impl Settings {
    /// The settings of a trial that was asked to do this, and whose clients so many threads carried.
    pub fn of(spec: &TrialSpec, threads: u32) -> Self {
        let nanoseconds = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let arrivals = match spec.origin {
            Origin::Log { states_rate: false } => Some(Fact::NotStated),
            _ => spec.pace.map(|pace| Fact::Known(pace.arrivals)),
        };
        Self {
            clients: spec.clients,
            threads,
            rate: spec.rate(),
            arrivals,
            warmup_ns: nanoseconds(spec.warmup.longest),
            operations: spec.limit.operations,
            duration_ns: spec.limit.duration.map(nanoseconds),
        }
    }

    /// What a trial with these settings and factors was asked to do.
    pub fn spec(&self, factors: &Factors) -> TrialSpec {
        let states_rate = self.arrivals != Some(Fact::NotStated);
        let arrivals = self.arrivals.and_then(Fact::known).unwrap_or_default();
        let spec = spec_of(factors);
        TrialSpec {
            clients: self.clients,
            pace: self.rate.map(|rate| Pace { rate, arrivals }),
            warmup: WarmUp::fixed(Duration::from_nanos(self.warmup_ns)),
            limit: Limit {
                operations: self.operations.or(spec.limit.operations),
                duration: self.duration_ns.map(Duration::from_nanos),
            },
            // Our own trials have always had their clients among the factors.
            origin: if factors.contains_key(CLIENTS) {
                Origin::Factors
            } else {
                Origin::Log { states_rate }
            },
            ..spec
        }
    }
}

/// The factors of a trial as files keep them.
pub fn factors_of(spec: &TrialSpec) -> Factors {
    let levels = spec.factors().into_iter();
    levels.map(|(name, level)| (name, level.to_string())).collect()
}

/// The specification as files keep it: only one that is known as a whole.
pub fn whole(spec: &TrialSpec) -> Option<TrialSpec> {
    spec.is_whole().then(|| spec.clone())
}

/// What a trial with these factors was asked to do.
pub fn spec_of(factors: &Factors) -> TrialSpec {
    let level = |name: &str| Some(Level::read(name, factors.get(name)?));
    let word = |name: &str| factors.get(name).cloned().unwrap_or_default();
    let count = |factor: &str| match level(factor) {
        Some(Level::Count(count)) => Some(count),
        _ => None,
    };
    let of_system = factors.iter().filter_map(|(name, level)| {
        let name = name.strip_prefix(SYSTEM_FACTOR)?;
        Some((name.to_owned(), level.clone()))
    });
    let system = SystemSpec {
        name: word("system"),
        factors: of_system.collect(),
        ..SystemSpec::default()
    };
    let records = count(Factor::Records.name()).unwrap_or_default();
    let clients = count(CLIENTS).and_then(|clients| u32::try_from(clients).ok());
    TrialSpec {
        clients: clients.unwrap_or_default(),
        pace: match level(RATE) {
            Some(Level::Rate(rate)) => Some(Pace {
                rate,
                arrivals: Arrivals::default(),
            }),
            _ => None,
        },
        common_rate: factors.get(RATE).is_some_and(|rate| rate == COMMON),
        limit: Limit {
            operations: count(Factor::Operations.name()),
            duration: None,
        },
        durability: factors.get("durability").and_then(|level| level.parse().ok()),
        consistency: factors.get("consistency").and_then(|level| level.parse().ok()),
        purpose: factors
            .get(PROBE)
            .and_then(|name| Purpose::ALL.into_iter().find(|purpose| purpose.name() == name)),
        pilot_share: match level(PILOT) {
            Some(Level::Share(share)) => Some(share),
            _ => None,
        },
        factors: Factor::ALL
            .into_iter()
            .filter(|factor| match factor {
                Factor::Operations => count(factor.name()).is_some(),
                Factor::Records | Factor::Rate => factors.contains_key(factor.name()),
            })
            .collect(),
        origin: if factors.contains_key(CLIENTS) {
            Origin::Factors
        } else {
            Origin::Log { states_rate: false }
        },
        ..TrialSpec::new(system, &word("workload"), records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(entries: &[(&str, &str)]) -> Factors {
        let owned = |(name, level): &(&str, &str)| ((*name).to_owned(), (*level).to_owned());
        entries.iter().map(owned).collect()
    }

    #[test]
    fn factors_of_old_files_are_those_of_their_specification() {
        let cell = [("system", "redb"), ("workload", "a"), ("clients", "16")];
        for others in [
            &[][..],
            &[
                ("rate", "20000"),
                ("durability", "synced"),
                ("consistency", "quorum"),
            ],
            &[("rate", "unlimited"), ("records", "100000"), ("operations", "7")],
            &[("rate", "common"), ("pilot", "50%"), ("system.cache", "64MiB")],
            &[("probe", "step"), ("rate", "0.5")],
        ] {
            let written = factors(&[&cell, others].concat());
            let spec = spec_of(&written);
            assert_eq!(factors_of(&spec), written);
            assert_eq!(whole(&spec), None, "they do not say all");
        }
    }

    #[test]
    fn odd_factors_are_written_as_they_are_understood() {
        for odd in [
            &[][..],
            &[("clients", "many"), ("records", "1e6"), ("operations", "few")],
            &[("rate", "NaN"), ("pilot", "12.5%"), ("probe", "never")],
            &[("rate", "inf"), ("clients", "99999999999"), ("durability", "x")],
            &[("system.", ""), ("unknown", "1"), ("rate", "-1e3")],
        ] {
            let spec = spec_of(&factors(odd));
            assert_eq!(spec_of(&factors_of(&spec)), spec, "{odd:?}");
        }
    }

    #[test]
    fn settings_of_old_files_and_of_imported_results_are_written_as_they_were_read() {
        let own = factors(&[("system", "redb"), ("workload", "a"), ("clients", "16")]);
        let imported = factors(&[("system", "redb"), ("workload", "a")]);
        for (factors, text) in [
            (
                &own,
                r#"{"clients":16,"threads":2,"rate":500.5,"arrivals":"poisson","warmup_ns":7,"operations":null,"duration_ns":9}"#,
            ),
            (
                &own,
                r#"{"clients":16,"threads":2,"rate":null,"arrivals":null,"warmup_ns":0,"operations":3,"duration_ns":null}"#,
            ),
            (
                &imported,
                r#"{"clients":0,"threads":0,"rate":null,"arrivals":"not stated","warmup_ns":0,"operations":3,"duration_ns":null}"#,
            ),
            (
                &imported,
                r#"{"clients":4,"threads":4,"rate":null,"arrivals":null,"warmup_ns":0,"operations":null,"duration_ns":null}"#,
            ),
        ] {
            let settings: Settings = serde_json::from_str(text).unwrap();
            let spec = settings.spec(factors);
            let again = serde_json::to_string(&Settings::of(&spec, settings.threads)).unwrap();
            assert_eq!(again, text);
            assert_eq!(factors_of(&spec), *factors);
        }
    }
}
