//! The need file: what a database must do, and which goals count.

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::cost::{CostTable, check_cost};
use crate::list;
use crate::read::{FileTable, Required, check, table, tables};
use crate::values::{
    Clients, Consistency, Count, Draws, Durability, Nodes, Percentage, Rate, Seed, Switch, Text, Times,
    Weight, WeightSpread,
};
use crate::{List, Mistake, Placed, Properties, Table, Tables};

/// What a need file holds. Fields are in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NeedFile {
    /// One line for people.
    pub title: Option<Placed<Text>>,
    /// The systems to choose from, by name; without it, all that were measured.
    #[serde(
        default,
        skip_serializing_if = "List::is_empty",
        serialize_with = "list::as_array"
    )]
    pub systems: List<Text>,
    /// The smallest advantage that matters.
    pub margin: Option<Placed<Percentage>>,
    /// How far weights may be off: the standard deviation of a weight of one half; 0 for exact weights.
    pub weight_spread: Option<Placed<WeightSpread>>,
    /// How often measurements and weights are drawn.
    pub draws: Option<Placed<Draws>>,
    /// Random seed; the same seed gives the same draws.
    pub seed: Option<Placed<Seed>>,
    /// `true` ranks systems of different durability against each other.
    pub across_durability: Option<Placed<Switch>>,
    /// `true` ranks systems of different consistency against each other.
    pub across_consistency: Option<Placed<Switch>>,
    /// `true` ranks what was measured on different machines against each other.
    pub across_machines: Option<Placed<Switch>>,
    /// What the systems cost, instead of the prices of the studies.
    pub cost: Option<Placed<Table<CostTable>>>,
    /// What a system must have, or it is out.
    pub require: Option<Placed<Table<RequireTable>>>,
    /// Objectives that a system must keep, or it is out.
    #[serde(default, skip_serializing_if = "Tables::is_empty")]
    pub objective: Tables<ObjectiveTable>,
    /// What counts, and how much.
    #[serde(default, skip_serializing_if = "Tables::is_empty")]
    pub goal: Tables<GoalTable>,
    /// Claims of published studies that speak to this need.
    #[serde(default, skip_serializing_if = "Tables::is_empty")]
    pub published: Tables<PublishedTable>,
}

/// What a system must have, or it is out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RequireTable {
    /// What an acknowledged write survives, at least.
    pub durability: Option<Placed<Durability>>,
    /// How many replicas take part in an operation, at least.
    pub consistency: Option<Placed<Consistency>>,
    /// The number of nodes, at least.
    pub nodes: Option<Placed<Nodes>>,
    /// `true` asks for scans that return records in the order of their keys.
    pub ordered_scans: Option<Placed<Switch>>,
    /// The share of operations that may fail, at most.
    pub errors: Option<Placed<Percentage>>,
    /// The version of a system or product, at least.
    pub version: Option<Placed<Properties>>,
    /// The protections that must be enforced, e.g. `authentication`: shown by audits (`dbdyno advise --audit`).
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub security: List<Text>,
    /// Not measured: the longest time without service.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub max_unavailability: List<Text>,
    /// Not measured: the licence.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub license: List<Text>,
    /// Not measured: the data model.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub data_model: List<Text>,
    /// What it may cost at most for an hour, a day, a month, a year or a million operations, e.g. `200 USD a month`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub budget: List<Text>,
}

/// An objective that a system must keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObjectiveTable {
    /// What must hold, e.g. `p99(read) < 10ms`.
    pub keep: Placed<Text>,
    /// Name of the workload.
    pub workload: Placed<Text>,
    /// Records in the table, where the results have several numbers.
    pub records: Option<Placed<Count>>,
    /// Clients, where the results have several numbers.
    pub clients: Option<Placed<Clients>>,
    /// Operations per second, `unlimited` for a closed loop, or `common` for the common rate of the study.
    pub rate: Option<Placed<Rate>>,
}

/// One thing that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GoalTable {
    /// Its name in tables; without it, metric and workload.
    pub name: Option<Placed<Text>>,
    /// What counts, by its ratio between systems, e.g. `throughput` or `p99(read)`.
    pub metric: Option<Placed<Text>>,
    /// Instead of a metric: an objective that is met or missed, e.g. `p99(read) < 10ms`.
    pub keep: Option<Placed<Text>>,
    /// With `keep`: how many times as good it is to keep the objective.
    pub worth: Option<Placed<Times>>,
    /// With `metric`: the value that counts as zero; it changes no order.
    pub reference: Option<Placed<Text>>,
    /// With `metric`: the value beyond which better adds nothing.
    pub enough: Option<Placed<Text>>,
    /// Name of the workload.
    pub workload: Placed<Text>,
    /// Records in the table, where the results have several numbers.
    pub records: Option<Placed<Count>>,
    /// Clients, where the results have several numbers.
    pub clients: Option<Placed<Clients>>,
    /// Operations per second, `unlimited` for a closed loop, or `common` for the common rate of the study.
    pub rate: Option<Placed<Rate>>,
    /// How much it counts, relative to the weights of the other goals.
    pub weight: Option<Placed<Weight>>,
}

/// A claim of a published study that speaks to a need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    /// The study's id, as `dbdyno paper list` shows it.
    pub paper: Placed<Text>,
    /// The claim's id, as `dbdyno paper show` shows it.
    pub claim: Placed<Text>,
    /// The databases that the claim speaks for, e.g. `mongodb`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub favours: List<Text>,
}

impl NeedFile {
    /// The keys outside its tables.
    #[must_use]
    pub fn keys() -> &'static [&'static str] {
        crate::keys::of::<Self>()
    }
}

impl GoalTable {
    /// A goal under this workload, with nothing that counts yet.
    #[must_use]
    pub fn of(workload: Text) -> Self {
        Self {
            name: None,
            metric: None,
            keep: None,
            worth: None,
            reference: None,
            enough: None,
            workload: workload.into(),
            records: None,
            clients: None,
            rate: None,
            weight: None,
        }
    }
}

impl FileTable for NeedFile {
    const LEAST: &'static str = "";

    fn check(document: &DeTable<'_>) -> Vec<Mistake> {
        let mut mistakes = check::<Self>(document, &(0..0), []);
        if let Some((require, span)) = table(document, "require") {
            mistakes.extend(check::<RequireTable>(require, &span, []));
        }
        mistakes.extend(check_cost(document));
        for (objective, span) in tables(document, "objective") {
            let keep = (
                "keep",
                "the objective has no `keep`".to_owned(),
                "add a line such as: keep = \"p99(read) < 10ms\"".to_owned(),
            );
            mistakes.extend(check::<ObjectiveTable>(objective, &span, [keep, workload()]));
        }
        for (goal, span) in tables(document, "goal") {
            mistakes.extend(check::<GoalTable>(goal, &span, [workload()]));
        }
        for (published, span) in tables(document, "published") {
            mistakes.extend(check::<PublishedTable>(published, &span, published_keys()));
        }
        mistakes
    }
}

fn workload() -> Required {
    (
        "workload",
        "the workload is missing".to_owned(),
        "add a line such as: workload = \"a\"".to_owned(),
    )
}

fn published_keys() -> [Required; 3] {
    [
        ("paper", "paper = \"abramova-2013\""),
        ("claim", "claim = \"C1\""),
        ("favours", "favours = \"mongodb\""),
    ]
    .map(|(key, line)| {
        (
            key,
            format!("the published claim has no `{key}`"),
            format!("add a line such as: {line}"),
        )
    })
}
