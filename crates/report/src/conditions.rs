//! What must be the same for two results to be comparable: the work, the promises, the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use dbdyno_record::{Environment, NOT_STATED, ServerResources, TrialRecord};
use dbdyno_trial::Origin;
use serde::{Serialize, Serializer};

use crate::number;

/// Every condition with the values that it had over a cell's trials.
pub type Conditions = BTreeMap<String, BTreeSet<String>>;

/// The condition that holds the rate; an empty level is none.
pub const RATE: &str = "rate";
const AT_REST: &str = "encryption at rest";
const LIMITS: &str = "limits of the servers";
const MACHINE: &str = "machine";
/// Properties that say how many records there are once more.
const OF_RECORDS: [&str; 2] = ["recordcount", "insertcount"];
/// What else a machine is, where it is known: older results do not state it, and many machines do not show it.
const IF_KNOWN: [&str; 4] = [BUILD, FILE_SYSTEM, DISK, GOVERNOR];
const BUILD: &str = "build of dbdyno";
const FILE_SYSTEM: &str = "file system";
const DISK: &str = "disk";
const GOVERNOR: &str = "CPU governor";
/// A difference that is mentioned and forbids no comparison: kernels are updated all the time.
const KERNEL: &str = "kernel";
const OF_MACHINE: [&str; 3] = ["processor", "processors to use", "memory"];

/// The conditions of a cell's trials.
pub fn conditions(trials: &[&TrialRecord], environment: Option<&Environment>) -> Conditions {
    let mut conditions = Conditions::new();
    let mut note = |name: &str, value: String| {
        conditions.entry(name.to_owned()).or_default().insert(value);
    };
    for trial in trials {
        // Our own trials have a moment at which they began; 0 of another one stands for what is not known.
        let count = |count: u64| match count {
            0 if trial.started_at.is_empty() => NOT_STATED.to_owned(),
            count => count.to_string(),
        };
        note("durability", trial.system.durability.to_string());
        note("consistency", trial.system.consistency.to_string());
        note("topology", trial.system.topology.clone());
        let at_rest = trial.system.at_rest.as_ref();
        note(AT_REST, at_rest.map_or_else(String::new, ToString::to_string));
        let limits = trial.system.resources.as_ref();
        note(LIMITS, limits.map_or_else(String::new, ServerResources::limits));
        note("product", trial.system.product.clone());
        note("records", count(trial.workload.records));
        note("clients", count(u64::from(trial.spec.clients)));
        let rate = match (trial.spec.rate(), trial.spec.origin) {
            (Some(rate), _) => rate.to_string(),
            (None, Origin::Log { states_rate: false }) => NOT_STATED.to_owned(),
            (None, _) => String::new(),
        };
        note(RATE, rate);
        for (name, value) in &trial.workload.properties {
            note(name, value.clone());
        }
    }
    for (name, value) in environment.map_or_else(unknown, machine) {
        note(name, value);
    }
    for (name, value) in environment.into_iter().flat_map(if_known) {
        note(name, value);
    }
    conditions
}

fn unknown() -> Vec<(&'static str, String)> {
    vec![(MACHINE, NOT_STATED.to_owned())]
}

fn machine(environment: &Environment) -> Vec<(&'static str, String)> {
    let stated = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let values = [
        stated(environment.processor.model.clone()),
        stated(environment.processor.usable.map(|count| count.to_string())),
        stated(
            environment
                .memory
                .total_bytes
                .map(|bytes| number::bytes(bytes as f64)),
        ),
    ];
    OF_MACHINE.into_iter().zip(values).collect()
}

fn if_known(environment: &Environment) -> impl Iterator<Item = (&'static str, String)> {
    let disk = |rotates: bool| if rotates { "rotating" } else { "solid state" };
    let values = [
        (BUILD, Some(environment.tool.build_profile.clone())),
        (FILE_SYSTEM, environment.disk.filesystem.clone()),
        (DISK, environment.disk.rotational.map(disk).map(str::to_owned)),
        (GOVERNOR, environment.processor.governor.clone()),
        (KERNEL, environment.kernel.version.clone()),
    ];
    let known = values.into_iter();
    known.filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
}

/// One condition that is not the same on both sides. In files and in JSON it is one string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// Its name, e.g. `records`.
    pub condition: String,
    /// Its values before; none where there is no such thing.
    pub before: BTreeSet<String>,
    /// Its values after.
    pub after: BTreeSet<String>,
}

/// `records: 5000 and 2000`.
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = [&self.before, &self.after].map(listed);
        if before == after {
            write!(formatter, "{}: {before}", self.condition)
        } else {
            write!(formatter, "{}: {before} and {after}", self.condition)
        }
    }
}

impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `records: 5000 and 2000, clients: 4 and 8`.
pub fn joined(differences: &[Difference]) -> String {
    let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    differences.join(", ")
}

/// What makes two sets of trials different things. A fact that was read back differently from trial to trial is no difference,
/// as long as both sides know it; one that is not stated may always be.
pub fn differences(before: &Conditions, after: &Conditions) -> Vec<Difference> {
    let order = [
        "durability",
        "consistency",
        "topology",
        AT_REST,
        "product",
        "records",
        "clients",
        RATE,
    ];
    let last = OF_MACHINE.into_iter().chain(IF_KNOWN).chain([MACHINE, KERNEL]);
    let properties = before.keys().chain(after.keys()).map(String::as_str);
    let properties: BTreeSet<&str> = properties
        .filter(|name| !order.contains(name) && !last.clone().any(|last| last == *name))
        .collect();
    let names = order
        .into_iter()
        .chain(properties)
        .chain(OF_MACHINE)
        .chain(IF_KNOWN);
    let none = BTreeSet::from([String::new()]);
    let silent_machine = before.contains_key(MACHINE) || after.contains_key(MACHINE);
    let is_copy = |name: &str| {
        let of_records = |side: &Conditions| side.get(name) == side.get("records");
        OF_RECORDS.contains(&name) && of_records(before) && of_records(after)
    };
    let is_silent = |name: &str| !(before.contains_key(name) && after.contains_key(name));
    let is_left_out = |name: &str| {
        is_copy(name)
            || (silent_machine && OF_MACHINE.contains(&name))
            || (IF_KNOWN.contains(&name) && is_silent(name))
    };
    let mut differences: Vec<Difference> = names
        .filter(|name| !is_left_out(name))
        .filter_map(|name| {
            let [old, new] = [before, after].map(|side| side.get(name).unwrap_or(&none));
            let silent = old.contains(NOT_STATED) || new.contains(NOT_STATED);
            (silent || old.is_disjoint(new)).then(|| Difference {
                condition: name.to_owned(),
                before: old.clone(),
                after: new.clone(),
            })
        })
        .collect();
    if silent_machine {
        let known = |side: &Conditions| {
            let stated = side.get(MACHINE).or_else(|| side.get(OF_MACHINE[0]));
            stated.unwrap_or(&none).clone()
        };
        differences.push(Difference {
            condition: MACHINE.to_owned(),
            before: known(before),
            after: known(after),
        });
    }
    differences
}

/// What is not the same and forbids no comparison.
pub fn remark(before: &Conditions, after: &Conditions) -> Option<Difference> {
    let (before, after) = (before.get(KERNEL)?, after.get(KERNEL)?);
    before.is_disjoint(after).then(|| Difference {
        condition: KERNEL.to_owned(),
        before: before.clone(),
        after: after.clone(),
    })
}

fn listed(values: &BTreeSet<String>) -> String {
    let reported: Vec<&str> = values
        .iter()
        .map(String::as_str)
        .filter(|value| !value.is_empty())
        .collect();
    if reported.is_empty() {
        "none".to_owned()
    } else {
        reported.join(" or ")
    }
}
