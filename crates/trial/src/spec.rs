//! One trial as it is asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Consistency, Durability, Factor, Limit, Pace, Phases, Purpose, Reset, WarmUp};

/// One trial as it is asked for: resolved, so that whoever carries it out or reads it looks nothing up.
///
/// What operations the workload consists of is not in it: a result folder keeps that once, in its study, and with what was
/// measured, in each record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialSpec {
    /// The system.
    pub system: SystemSpec,
    /// The workload's name in tables.
    pub workload: String,
    /// Records that are loaded.
    pub records: u64,
    /// Logical streams, one operation in flight on each.
    pub clients: u32,
    /// Operating-system threads for drivers whose clients share threads; `None`: one per processor, at most one per client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_threads: Option<u32>,
    /// The rate asked for (open loop); `None`: as fast as it goes (closed loop), or a common rate that is not known yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// Whether it is measured at one rate for all systems, which pilots find.
    #[serde(default, skip_serializing_if = "is_false")]
    pub common_rate: bool,
    /// What goes before the measured phase, in which the same sequence of operations already runs.
    pub warmup: WarmUp,
    /// When the measured phase ends.
    pub limit: Limit,
    /// What an acknowledged write has to survive, where all systems are asked the same; a level in the system's address
    /// wins. `None`: the system's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// How many replicas take part, in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistency: Option<Consistency>,
    /// What becomes of data that is already there.
    pub reset: Reset,
    /// Which phases run.
    pub phases: Phases,
    /// What it is for in a search or a sweep; `None` in other studies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// The share of the slowest system's throughput that becomes the common rate, where this is a pilot of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot_share: Option<f64>,
    /// The settings that the study chose: they name the cell.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub factors: BTreeSet<Factor>,
    /// How much of this is known.
    #[serde(skip)]
    pub origin: Origin,
}

/// Where a specification is from: files keep only those that are known as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A study or a command resolved it, and all of it is known.
    #[default]
    Resolved,
    /// Files of format 1 kept factors and settings instead: what these do not say is as in [`TrialSpec::new`].
    Factors,
    /// The log of another tool. Its clients are no factor, and 0 where it does not state them.
    Log {
        /// Whether it says if there was a rate.
        states_rate: bool,
    },
}

/// The system of a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemSpec {
    /// Its name in tables, unique in the study.
    pub name: String,
    /// Where it is, without secrets.
    pub address: String,
    /// What distinguishes it from other systems of its product.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub factors: BTreeMap<String, String>,
    /// The system that this one is compared with, and no other, where the study varies options of servers; the baseline's is its
    /// own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

impl SystemSpec {
    /// A system that nothing but its name is known of.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Whether its address was written with a secret, which no record keeps: what is stored of it does not lead there again.
    #[must_use]
    pub fn lacks_secret(&self) -> bool {
        self.address.contains(dbdyno_vocabulary::visible::HIDDEN)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl TrialSpec {
    /// One client in a closed loop without a warm-up, which loads what is missing and has no end yet.
    #[must_use]
    pub fn new(system: SystemSpec, workload: &str, records: u64) -> Self {
        Self {
            system,
            workload: workload.to_owned(),
            records,
            clients: 1,
            client_threads: None,
            pace: None,
            common_rate: false,
            warmup: WarmUp::fixed(Duration::ZERO),
            limit: Limit::default(),
            durability: None,
            consistency: None,
            reset: Reset::Reuse,
            phases: Phases::LoadAndRun,
            purpose: None,
            pilot_share: None,
            factors: BTreeSet::new(),
            origin: Origin::Resolved,
        }
    }

    /// Whether all of it is known.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.origin == Origin::Resolved
    }

    /// The rate asked for, operations per second; `None` where there is none, or it is not known yet.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        self.pace.map(|pace| pace.rate)
    }

    /// Whether it is a pilot, of which no estimate is made.
    #[must_use]
    pub const fn is_pilot(&self) -> bool {
        self.pilot_share.is_some()
    }

    /// Whether each client sends its next operation when the last one has ended.
    #[must_use]
    pub const fn is_closed_loop(&self) -> bool {
        self.pace.is_none() && (!self.common_rate || self.is_pilot())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arrivals;

    fn full() -> TrialSpec {
        let system = SystemSpec {
            name: "fast".to_owned(),
            address: "redb:/data?password=***".to_owned(),
            factors: [("cache".to_owned(), "on".to_owned())].into(),
            base: Some("usual".to_owned()),
        };
        TrialSpec {
            clients: 8,
            client_threads: Some(2),
            pace: Some(Pace {
                rate: 1500.0,
                arrivals: Arrivals::Poisson,
            }),
            warmup: WarmUp {
                longest: Duration::from_secs(120),
                until_steady: true,
            },
            limit: Limit {
                operations: Some(10),
                duration: Some(Duration::from_millis(1500)),
            },
            durability: Some(Durability::Synced),
            consistency: Some(Consistency::Quorum),
            purpose: Some(Purpose::Step),
            factors: [Factor::Rate].into(),
            ..TrialSpec::new(system, "a", 1000)
        }
    }

    #[test]
    fn it_comes_back_from_json() {
        for spec in [full(), TrialSpec::new(SystemSpec::default(), "c", 7)] {
            let text = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<TrialSpec>(&text).unwrap(), spec, "{text}");
        }
        let text = serde_json::to_string(&full()).unwrap();
        for word in [
            "\"longest_ns\":120000000000",
            "\"poisson\"",
            "\"synced\"",
            "\"load-and-run\"",
        ] {
            assert!(text.contains(word), "{text}");
        }
    }

    #[test]
    fn factors_are_the_levels_that_were_chosen() {
        let shown = |spec: &TrialSpec| {
            let factors = spec.factors().into_iter();
            factors
                .map(|(name, level)| format!("{name}={level}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            shown(&full()),
            "clients=8 consistency=quorum durability=synced probe=step rate=1500 system=fast system.cache=on workload=a"
        );
        let common = TrialSpec {
            pace: None,
            common_rate: true,
            pilot_share: Some(0.5),
            purpose: None,
            ..full()
        };
        assert_eq!(
            shown(&common),
            "clients=8 consistency=quorum durability=synced pilot=50% rate=common system=fast system.cache=on workload=a"
        );
        assert!(common.is_closed_loop(), "it is a pilot");
        let at_the_rate = TrialSpec {
            pilot_share: None,
            ..common
        };
        assert!(!at_the_rate.is_closed_loop());
    }
}
