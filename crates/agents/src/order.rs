//! A share of a trial, as it is sent to an agent, and what the agent makes of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{Consistency, Durability, Target};
use dbdyno_engine::{Ensemble, Part, PreparedTrial, TrialSpec, Turns};
use dbdyno_trial::Pace;
use dbdyno_workload::specification::FieldLength;
use dbdyno_workload::{Properties, Share, Specification, Workload};
use serde::{Deserialize, Serialize};

/// The file of lengths of fields is sent as text under this name.
const HISTOGRAM: &str = "fieldlengthhistogram";

/// A share of a trial.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct TrialOrder {
    /// A name that no other trial has.
    pub(crate) trial: String,
    pub(crate) target: SentTarget,
    /// What is asked of this share.
    spec: TrialSpec,
    /// The workload's own name.
    name: String,
    properties: BTreeMap<String, String>,
    /// The text of the file of lengths that the properties name.
    lengths: Option<String>,
    seed: u64,
    interval_ns: u64,
    warmup_interval_ns: Option<u64>,
    drain_ns: u64,
    /// The slots of its share: the first, how many, and of how many.
    share: [u32; 3],
    /// The pace of all shares together.
    pace: Option<Pace>,
    leads: bool,
    sliced: bool,
}

/// A database's address with its secrets.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SentTarget {
    scheme: String,
    place: String,
    durability: Option<Durability>,
    consistency: Option<Consistency>,
    options: BTreeMap<String, String>,
}

/// Without the address: it may hold a password.
impl std::fmt::Debug for TrialOrder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("TrialOrder")
            .field("trial", &self.trial)
            .field("share", &self.share)
            .finish_non_exhaustive()
    }
}

/// Without what may be a password.
impl std::fmt::Debug for SentTarget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SentTarget")
            .field("scheme", &self.scheme)
            .finish_non_exhaustive()
    }
}

impl SentTarget {
    pub(crate) fn of(target: &Target) -> Self {
        Self {
            scheme: target.scheme.clone(),
            place: target.place.clone(),
            durability: target.durability,
            consistency: target.consistency,
            options: target.options.clone(),
        }
    }

    pub(crate) fn target(&self) -> Target {
        Target {
            scheme: self.scheme.clone(),
            place: self.place.clone(),
            durability: self.durability,
            consistency: self.consistency,
            options: self.options.clone(),
        }
    }
}

/// One agent's place in a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) share: Share,
    pub(crate) slots: [u32; 3],
    pub(crate) clients: u32,
    pub(crate) leads: bool,
}

/// Divides the clients of a trial among so many agents, as evenly as can be. Agents for which none are left have no place.
pub(crate) fn places(clients: u32, agents: usize) -> Vec<Place> {
    let agents = u32::try_from(agents).unwrap_or(u32::MAX).min(clients);
    let mut first = 0;
    let mut places = Vec::new();
    for number in 0..agents {
        let count = clients / agents + u32::from(number < clients % agents);
        if let Some(share) = Share::new(first, count, clients) {
            places.push(Place {
                share,
                slots: [first, count, clients],
                clients: count,
                leads: number == 0,
            });
        }
        first += count;
    }
    places
}

impl TrialOrder {
    /// One agent's share of a plan.
    ///
    /// # Errors
    /// When the workload cannot be sent as properties.
    pub(crate) fn new(
        trial: &str,
        target: &Target,
        plan: &PreparedTrial,
        place: Place,
    ) -> Result<Self, String> {
        let workload = plan.workload.specification();
        let mut spec = plan.spec.clone();
        spec.clients = place.clients;
        spec.limit.operations = spec.limit.operations.map(|count| place.share.below(count));
        if let Some(pace) = &mut spec.pace {
            pace.rate *= f64::from(place.clients) / f64::from(plan.spec.clients);
        }
        let order = Self {
            trial: trial.to_owned(),
            target: SentTarget::of(target),
            spec,
            name: workload.name.clone(),
            properties: workload.properties(),
            lengths: match &workload.field_length {
                FieldLength::Histogram(histogram) => Some(histogram.text()),
                _ => None,
            },
            seed: plan.workload.seed(),
            interval_ns: nanoseconds(plan.interval),
            warmup_interval_ns: plan.warmup_interval.map(nanoseconds),
            drain_ns: nanoseconds(plan.drain),
            share: place.slots,
            pace: plan.spec.pace,
            leads: place.leads,
            sliced: plan.turns.is_some(),
        };
        let sent = order.workload()?;
        if sent.specification() != workload {
            return Err(format!(
                "workload `{}` cannot be sent to agents as it is",
                workload.name
            ));
        }
        Ok(order)
    }

    /// Whether it is measured in slices.
    pub(crate) fn is_sliced(&self) -> bool {
        self.sliced
    }

    pub(crate) fn clients(&self) -> u32 {
        self.spec.clients
    }

    pub(crate) fn workload_name(&self) -> &str {
        &self.spec.workload
    }

    fn workload(&self) -> Result<Workload, String> {
        let mut properties = Properties::new();
        properties.set_name(&self.name);
        for (name, value) in &self.properties {
            properties.insert(name, value);
        }
        match (&self.lengths, self.properties.get(HISTOGRAM)) {
            (Some(text), Some(path)) => properties.attach(path, text),
            // No file of this machine is read because a message names it.
            (None, Some(_)) => {
                return Err(format!(
                    "the order names a file (`{HISTOGRAM}`) and does not contain it"
                ));
            }
            (_, None) => {}
        }
        let resolved = Specification::from_properties(&properties).map_err(|error| error.to_string())?;
        Workload::new(resolved.specification, self.seed).map_err(|error| error.to_string())
    }

    /// What the engine is to carry out.
    ///
    /// # Errors
    /// When the order makes no sense.
    pub(crate) fn prepared(
        self,
        ensemble: Arc<dyn Ensemble>,
        turns: Option<Turns>,
    ) -> Result<PreparedTrial, String> {
        let workload = Arc::new(self.workload()?);
        let [first, count, of] = self.share;
        let share = Share::new(first, count, of).ok_or("its share has no slots")?;
        if count != self.spec.clients {
            return Err("its number of clients differs from that of its share".to_owned());
        }
        Ok(PreparedTrial {
            spec: self.spec,
            workload,
            interval: Duration::from_nanos(self.interval_ns).max(SHORTEST_INTERVAL),
            warmup_interval: self
                .warmup_interval_ns
                .map(|interval_ns| Duration::from_nanos(interval_ns).max(SHORTEST_INTERVAL)),
            drain: Duration::from_nanos(self.drain_ns),
            turns,
            part: Some(Part {
                share,
                pace: self.pace,
                leads: self.leads,
                ensemble,
            }),
        })
    }
}

/// The engine reports no more often.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_divided_without_a_rest() {
        for (clients, agents, expected) in [
            (8, 4, vec![2, 2, 2, 2]),
            (10, 4, vec![3, 3, 2, 2]),
            (2, 4, vec![1, 1]),
            (5, 1, vec![5]),
        ] {
            let places = places(clients, agents);
            let counts: Vec<u32> = places.iter().map(|place| place.clients).collect();
            assert_eq!(counts, expected);
            for number in 0..100 {
                let owners = places.iter().filter(|place| place.share.has(number)).count();
                assert_eq!(owners, 1, "{number} of {clients} at {agents}");
            }
            assert_eq!(places.iter().filter(|place| place.leads).count(), 1);
        }
    }
}
