//! The study file.

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::cost::{CostTable, check_cost};
use crate::list;
use crate::read::{FileTable, Required, check, table, tables};
use crate::values::{
    ArrivalSpacing, Clients, CommonRate, Consistency, Count, Durability, Kind, Noise, NoiseSource,
    Operations, Order, PhaseTime, Precision, Rate, RepeatBudget, Repeats, Restart, Seed, Step, Switch, Text,
    Trials, WarmUp,
};
use crate::{List, Mistake, PaperSizes, Placed, Properties, Table, Tables, Vary};

/// What a study file holds. Fields are in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Names the result folder; up to 100 letters, digits, `-`, `_` and `.`.
    pub name: Placed<Text>,
    /// Makes the study a quick look, which decides nothing.
    pub quick: Option<Placed<Switch>>,
    /// What `dbdyno study run --budget` chose; it writes this table.
    pub planned: Option<Placed<Table<PlannedTable>>>,
    /// One line for people; without it, the name.
    pub title: Option<Placed<Text>>,
    /// What the study asks: a comparison, the highest rate that keeps `slo`, or latency at rising load.
    pub kind: Option<Placed<Kind>>,
    /// What must hold, e.g. `p99(read)<10ms`; a list must hold together.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub slo: List<Text>,
    /// For a capacity: the relative step between tested rates.
    pub step: Option<Placed<Step>>,
    /// `false` loads only when the table lacks something, instead of anew for every trial.
    pub fresh: Option<Placed<Switch>>,
    /// Random seed of order, operations, keys and values; the same seed gives the same ones.
    pub seed: Option<Placed<Seed>>,
    /// How often every cell is measured; in searches, how often a rate is confirmed or a step measured.
    pub trials: Option<Placed<Trials>>,
    /// How wide intervals may be: blocks are added until they are narrow enough.
    pub precision: Option<Placed<Precision>>,
    /// With `precision`: the maximum number of blocks.
    pub max_trials: Option<Placed<Trials>>,
    /// The time that the study may take.
    pub budget: Option<Placed<PhaseTime>>,
    /// How often a disturbed trial is repeated.
    pub repeat_disturbed: Option<Placed<Repeats>>,
    /// The share of the study's estimated time that all repetitions together may take.
    pub repeat_budget: Option<Placed<RepeatBudget>>,
    /// `true` measures the first system a second time: the noise that any difference must exceed.
    pub aa: Option<Placed<Switch>>,
    /// Addresses of systems, as on the command line.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub systems: List<Text>,
    /// Systems with more to say.
    #[serde(default, skip_serializing_if = "Tables::is_empty")]
    pub system: Tables<SystemTable>,
    /// Properties of YCSB's CoreWorkload for all workloads.
    pub properties: Option<Placed<Properties>>,
    /// Built-in workloads, or property files relative to the study file.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub workloads: List<Text>,
    /// Workloads with more to say.
    #[serde(default, skip_serializing_if = "Tables::is_empty")]
    pub workload: Tables<WorkloadTable>,
    /// Records in the table; a list is a factor.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub records: List<Count>,
    /// Clients with one operation in flight each; a list is a factor.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub clients: List<Clients>,
    /// Threads that carry the clients of a server; without it, one per processor.
    pub client_threads: Option<Placed<Clients>>,
    /// Operations per second, `unlimited` for a closed loop, or `common` for one rate that pilots find; a list is a factor.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub rates: List<Rate>,
    /// The common rate, as a share of the slowest system's closed-loop throughput.
    pub common_rate: Option<Placed<CommonRate>>,
    /// What an acknowledged write survives; a list is a factor. Without it, each system's default.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub durability: List<Durability>,
    /// How many replicas take part in an operation; a list is a factor. Without it, each system's default.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub consistency: List<Consistency>,
    /// With rates: how operations are spaced.
    pub arrivals: Option<Placed<ArrivalSpacing>>,
    /// Operations that end the measured phase, or `records` for as many as there are records; a list is a factor.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub operations: List<Operations>,
    /// The length of the measured phase.
    pub duration: Option<Placed<PhaseTime>>,
    /// The time before the measured phase; `auto` ends it when the throughput is steady.
    pub warmup: Option<Placed<WarmUp>>,
    /// The maximum length of a warm-up that ends by itself.
    pub warmup_limit: Option<Placed<PhaseTime>>,
    /// When the lab starts the servers of its systems.
    pub restart: Option<Placed<Restart>>,
    /// How trials take turns: interleaved in slices, as without this key, or one after the other in blocks.
    pub order: Option<Placed<Order>>,
    /// What is measured of each slice, where trials are interleaved. Without it, 250 ms, and more where operations are slow.
    pub slice: Option<Placed<PhaseTime>>,
    /// Options of the lab's servers, each with its levels: every system is measured at the first level of all of them, which is
    /// its baseline, and once at each other level.
    pub vary: Option<Placed<Vary>>,
    /// What the systems cost: prices of nodes, or of CPU, memory and storage. They belong to reports, and to no trial.
    pub cost: Option<Placed<Table<CostTable>>>,
    /// Which published study this one measures again; `dbdyno paper run` writes this table.
    pub paper: Option<Placed<Table<PaperTable>>>,
}

/// A system with more to say than its address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SystemTable {
    /// Its name in tables; without it, the address.
    pub name: Option<Placed<Text>>,
    /// A database and, when needed, a place and options, e.g. `redb`, `fjall:/data/bench`, `lab:redis`.
    pub address: Placed<Text>,
    /// What an acknowledged write survives.
    pub durability: Option<Placed<Durability>>,
    /// How many replicas take part in an operation.
    pub consistency: Option<Placed<Consistency>>,
    /// Its options, as listed by `dbdyno databases`.
    pub options: Option<Placed<Properties>>,
    /// How it differs from other systems of its product: levels of factors.
    pub factors: Option<Placed<Properties>>,
}

/// A workload with more to say than its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkloadTable {
    /// Its name in tables; without it, that of its base or file.
    pub name: Option<Placed<Text>>,
    /// A property file, relative to the study file.
    pub file: Option<Placed<Text>>,
    /// A built-in workload.
    pub base: Option<Placed<Text>>,
    /// Properties of YCSB's CoreWorkload.
    pub properties: Option<Placed<Properties>>,
    /// Its own number of records, instead of the study's.
    pub records: Option<Placed<Count>>,
    /// Its own rates, instead of the study's.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub rates: List<Rate>,
}

/// The choice for a budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlannedTable {
    /// The time that the study may take.
    pub budget: Placed<PhaseTime>,
    /// The number of blocks.
    pub trials: Placed<Trials>,
    /// The length of the measured phases; absent where they end by count.
    pub duration: Option<Placed<PhaseTime>>,
    /// The noise that blocks and phases were chosen for.
    pub noise: Placed<Noise>,
    /// Where the noise is from.
    pub noise_is: Placed<NoiseSource>,
    /// Records loaded per second, as earlier trials did.
    pub load_rate: Option<Placed<Count>>,
}

/// The published study that is measured again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PaperTable {
    /// Its name, as listed by `dbdyno paper list`.
    pub id: Placed<Text>,
    /// Which part of it.
    pub part: Placed<Text>,
    /// The claims that it is measured for, where it is not for all that the part can judge.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub claims: List<Text>,
    /// What its sizes are multiplied by.
    pub scale: Option<f64>,
    /// What is assumed, replaced and changed, one sentence each.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub notes: List<Text>,
    /// The paper's numbers of records, by ours.
    pub records: Option<PaperSizes>,
    /// The paper's numbers of operations, by ours.
    pub operations: Option<PaperSizes>,
}

/// What the address of a system is.
pub const SYSTEM_HELP: &str = "a system is a database and, when needed, a place and options: \"redb\", \"fjall:/data/bench\", \
                               \"sqlite?durability=synced\"; `dbdyno databases` lists them";

impl StudyFile {
    /// The keys outside its tables.
    #[must_use]
    pub fn keys() -> &'static [&'static str] {
        crate::keys::of::<Self>()
    }
}

impl FileTable for StudyFile {
    const LEAST: &'static str = "name = \"x\"";

    fn check(document: &DeTable<'_>) -> Vec<Mistake> {
        let name = (
            "name",
            "the study has no `name`".to_owned(),
            "add a line such as: name = \"quickstart\"; the results go to results/<name>".to_owned(),
        );
        let mut mistakes = check::<Self>(document, &(0..0), [name]);
        if let Some((planned, span)) = table(document, "planned") {
            let help = "`dbdyno study run --budget` writes it; write `budget = \"30m\"` instead";
            let required = ["budget", "trials", "noise", "noise_is"];
            let required = required.map(|key| lacks("planned", key, help));
            mistakes.extend(check::<PlannedTable>(planned, &span, required));
        }
        for (system, span) in tables(document, "system") {
            let address = (
                "address",
                "this [[system]] has no `address`".to_owned(),
                SYSTEM_HELP.to_owned(),
            );
            mistakes.extend(check::<SystemTable>(system, &span, [address]));
        }
        for (workload, span) in tables(document, "workload") {
            mistakes.extend(check::<WorkloadTable>(workload, &span, []));
        }
        mistakes.extend(check_cost(document));
        if let Some((paper, span)) = table(document, "paper") {
            let help = "`dbdyno paper run ID` writes such studies";
            let required = ["id", "part"].map(|key| lacks("paper", key, help));
            mistakes.extend(check::<PaperTable>(paper, &span, required));
        }
        mistakes
    }
}

fn lacks(table: &str, key: &'static str, help: &str) -> Required {
    (
        key,
        format!("the table `{table}` has no `{key}`"),
        help.to_owned(),
    )
}
