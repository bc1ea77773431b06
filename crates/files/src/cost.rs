//! Prices: the table `[cost]` of studies and needs, and the file that holds nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::read::{FileTable, Required, check, table, tables};
use crate::values::{Currency, Day, Machines, Price, Switch, Text};
use crate::{Mistake, Mistakes, Placed, Table, Tables};

/// What a file of prices holds: `dbdyno report --cost FILE`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostFile {
    /// The prices.
    pub cost: Placed<Table<CostTable>>,
}

/// What a node, or what is used of one, costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CostTable {
    /// The currency of all prices, in one word.
    pub currency: Placed<Currency>,
    /// The price of a node for an hour, used or idle; each node of a system's topology costs that much.
    pub node_hour: Option<Placed<Price>>,
    /// The price of a CPU for an hour in which it is busy.
    pub cpu_hour: Option<Placed<Price>>,
    /// The price of a GiB of memory for an hour.
    pub memory_gib_hour: Option<Placed<Price>>,
    /// The price of a GiB on disk for an hour.
    pub storage_gib_hour: Option<Placed<Price>>,
    /// Where the prices are from.
    pub source: Option<Placed<Text>>,
    /// The day of the prices, e.g. `2026-06-17`.
    pub as_of: Option<Placed<Day>>,
    /// `true` says in every output that the prices are examples.
    pub example: Option<Placed<Switch>>,
    /// Prices of single systems.
    #[serde(default, skip_serializing_if = "Tables::is_empty")]
    pub system: Tables<SystemCostTable>,
}

/// What one system costs, where that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SystemCostTable {
    /// The name of the system in the study.
    pub name: Placed<Text>,
    /// The nodes that are paid for, instead of those that its topology states.
    pub nodes: Option<Placed<Machines>>,
    /// The price of a node for an hour. With any price of its own, none of the common prices applies to the system.
    pub node_hour: Option<Placed<Price>>,
    /// The price of a CPU for an hour in which it is busy.
    pub cpu_hour: Option<Placed<Price>>,
    /// The price of a GiB of memory for an hour.
    pub memory_gib_hour: Option<Placed<Price>>,
    /// The price of a GiB on disk for an hour.
    pub storage_gib_hour: Option<Placed<Price>>,
}

/// Prices for an hour, in one currency; at least one of them is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HourPrices {
    /// Of a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<f64>,
    /// Of a busy CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<f64>,
    /// Of a GiB of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
    /// Of a GiB on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_gib: Option<f64>,
}

/// The prices of a file, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    /// The currency, in one word.
    pub currency: String,
    /// Where they are from; may be empty.
    pub source: String,
    /// Their day; may be empty.
    pub as_of: String,
    /// Whether they are examples, and nobody's bill.
    pub is_example: bool,
    /// What applies to systems without prices of their own; `None` where only some systems have prices.
    pub usual: Option<HourPrices>,
    /// Systems with something of their own, by name.
    pub systems: BTreeMap<String, SystemPrices>,
}

/// What one system has of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SystemPrices {
    /// Its prices, instead of all usual ones.
    pub hour: Option<HourPrices>,
    /// The nodes that are paid for.
    pub nodes: Option<u32>,
}

/// The four prices that a table may have, in the order of their keys.
type Keys<'t> = [(&'static str, Option<&'t Placed<Price>>); 4];

impl CostTable {
    /// The prices.
    ///
    /// # Errors
    /// Prices that count something twice, tables of one system, and a table without any price.
    pub fn prices(&self) -> Result<Prices, Vec<Mistake>> {
        let mut mistakes = Mistakes::default();
        let usual = mistakes.keep(hour(&self.keys())).flatten();
        let mut systems: BTreeMap<String, SystemPrices> = BTreeMap::new();
        for table in &self.system.0 {
            let (name, own) = (&table.value.name, &table.value);
            let hour = mistakes.keep(hour(&own.keys())).flatten();
            let nodes = own.nodes.as_ref().map(|nodes| nodes.value.0);
            if hour.is_none() && nodes.is_none() {
                mistakes.add(Mistake::new(
                    name.span.clone(),
                    format!("[[cost.system]] states nothing of `{}`", name.value.0),
                    "add a line such as: node_hour = 0.2, or omit the table",
                ));
            }
            let known = systems.insert(name.value.0.clone(), SystemPrices { hour, nodes });
            if known.is_some() {
                mistakes.add(Mistake::new(
                    name.span.clone(),
                    format!("there are two [[cost.system]] of `{}`", name.value.0),
                    "write all prices of a system in one table",
                ));
            }
        }
        let of_systems = self.system.0.iter().flat_map(|table| table.value.keys());
        if self
            .keys()
            .into_iter()
            .chain(of_systems)
            .all(|(_, price)| price.is_none())
        {
            mistakes.add(Mistake::new(
                self.currency.span.clone(),
                "[cost] has no price",
                "add a line such as: node_hour = 0.2, or cpu_hour, memory_gib_hour and storage_gib_hour",
            ));
        }
        mistakes.or(Some(Prices {
            currency: self.currency.value.0.clone(),
            source: self
                .source
                .as_ref()
                .map_or_else(String::new, |text| text.value.0.clone()),
            as_of: self
                .as_of
                .as_ref()
                .map_or_else(String::new, |day| day.value.0.clone()),
            is_example: self.example.as_ref().is_some_and(|example| example.value.0),
            usual,
            systems,
        }))
    }

    /// Prices of systems that are not among these, each at its place.
    #[must_use]
    pub fn of_unknown_systems(&self, known: &[&str]) -> Vec<Mistake> {
        let tables = self.system.0.iter().map(|table| &table.value.name);
        let unknown = tables.filter(|name| !known.contains(&name.value.0.as_str()));
        unknown
            .map(|name| {
                let name_text = &name.value.0;
                let meant = dbdyno_vocabulary::suggest::after_message(name_text, known.iter().copied());
                Mistake::new(
                    name.span.clone(),
                    format!("[[cost.system]] names no system of the study: `{name_text}`{meant}"),
                    format!("the systems are {}", known.join(", ")),
                )
            })
            .collect()
    }

    fn keys(&self) -> Keys<'_> {
        [
            ("node_hour", self.node_hour.as_ref()),
            ("cpu_hour", self.cpu_hour.as_ref()),
            ("memory_gib_hour", self.memory_gib_hour.as_ref()),
            ("storage_gib_hour", self.storage_gib_hour.as_ref()),
        ]
    }
}

impl SystemCostTable {
    fn keys(&self) -> Keys<'_> {
        [
            ("node_hour", self.node_hour.as_ref()),
            ("cpu_hour", self.cpu_hour.as_ref()),
            ("memory_gib_hour", self.memory_gib_hour.as_ref()),
            ("storage_gib_hour", self.storage_gib_hour.as_ref()),
        ]
    }
}

/// The prices of one table; `None` where it has none. A node comes with its CPUs and memory, which are not paid for again.
fn hour(keys: &Keys<'_>) -> Result<Option<HourPrices>, Mistake> {
    let [(_, node), cpu, memory, (_, storage)] = keys;
    if node.is_some()
        && let Some((key, Some(again))) = [cpu, memory].into_iter().find(|(_, price)| price.is_some())
    {
        return Err(Mistake::new(
            again.span.clone(),
            format!("`{key}` is part of `node_hour`, and would be counted twice"),
            "give the price of a node, or prices of CPU, memory and storage",
        ));
    }
    let price = |price: &Option<&Placed<Price>>| price.map(|price| price.value.0);
    let prices = HourPrices {
        node: price(node),
        cpu: price(&cpu.1),
        memory_gib: price(&memory.1),
        storage_gib: price(storage),
    };
    Ok((prices != HourPrices::default()).then_some(prices))
}

/// Unknown and missing keys of a table `[cost]`.
pub(crate) fn check_cost(document: &DeTable<'_>) -> Vec<Mistake> {
    let Some((cost, span)) = table(document, "cost") else {
        return Vec::new();
    };
    let currency: Required = (
        "currency",
        "the prices have no `currency`".to_owned(),
        "add a line such as: currency = \"USD\"".to_owned(),
    );
    let mut mistakes = check::<CostTable>(cost, &span, [currency]);
    for (system, span) in tables(cost, "system") {
        let name: Required = (
            "name",
            "this [[cost.system]] has no `name`".to_owned(),
            "name a system of the study".to_owned(),
        );
        mistakes.extend(check::<SystemCostTable>(system, &span, [name]));
    }
    mistakes
}

impl FileTable for CostFile {
    const LEAST: &'static str = "cost = { currency = \"x\" }";

    fn check(document: &DeTable<'_>) -> Vec<Mistake> {
        let cost = (
            "cost",
            "the file has no table [cost]".to_owned(),
            "write a table such as: [cost], currency = \"USD\", node_hour = 0.2; docs/prices.md describes it"
                .to_owned(),
        );
        let mut mistakes = check::<Self>(document, &(0..0), [cost]);
        mistakes.extend(check_cost(document));
        mistakes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The prices of this table, or its mistakes with what stands there.
    fn prices(table: &str) -> Result<Prices, Vec<String>> {
        let text = format!("[cost]\n{table}");
        let shown = |mistakes: Vec<Mistake>| -> Vec<String> {
            let shown = |one: Mistake| format!("{}: {}", &text[one.span], one.message);
            mistakes.into_iter().map(shown).collect()
        };
        let reading = crate::read_all::<CostFile>(&text);
        match reading.file {
            Some(file) if reading.mistakes.is_empty() => file.cost.value.0.prices().map_err(shown),
            _ => Err(shown(reading.mistakes)),
        }
    }

    #[test]
    fn a_system_has_its_own_prices_or_the_usual_ones() {
        let read = prices(
            "currency = \"EUR\"\nnode_hour = 0.5\nstorage_gib_hour = 0.001\nas_of = \"2026-06-17\"\nexample = true\n\
             [[cost.system]]\nname = \"a\"\nnodes = 3\n[[cost.system]]\nname = \"b\"\ncpu_hour = 0.1\n",
        )
        .unwrap();
        let usual = HourPrices {
            node: Some(0.5),
            storage_gib: Some(0.001),
            ..HourPrices::default()
        };
        assert_eq!((read.usual, read.is_example), (Some(usual), true));
        assert_eq!(
            read.systems["a"],
            SystemPrices {
                hour: None,
                nodes: Some(3)
            }
        );
        let own = read.systems["b"].hour.unwrap();
        assert_eq!((own.node, own.cpu, own.storage_gib), (None, Some(0.1), None));
    }

    #[test]
    fn mistakes_stand_at_their_keys() {
        for (table, expected) in [
            ("node_hour = 1\n", "[cost]: the prices have no `currency`"),
            ("currency = \"EUR\"\n", "\"EUR\": [cost] has no price"),
            ("currency = \"EUR\"\nnode_hour = 0\n", "0: a price is above 0"),
            (
                "currency = \"EUR\"\nnode_hour = -1.5\n",
                "-1.5: a price is above 0",
            ),
            (
                "currency = \"EUR\"\nnode_hour = nan\n",
                "nan: `NaN` is not a price",
            ),
            (
                "currency = \"two words\"\nnode_hour = 1\n",
                "\"two words\": `two words` is not the name",
            ),
            (
                "currency = \"EUR\"\nnode_hour = 1\ncpu_hour = 2\n",
                "2: `cpu_hour` is part of `node_hour`",
            ),
            (
                "currency = \"EUR\"\nnode_hours = 1\n",
                "node_hours: unknown key `node_hours`; did you mean `node_hour`?",
            ),
            (
                "currency = \"EUR\"\nnode_hour = 1\n[[cost.system]]\nnode_hour = 1\n",
                "[[cost.system]]: this [[cost.system]] has no `name`",
            ),
            (
                "currency = \"EUR\"\nnode_hour = 1\n[[cost.system]]\nname = \"a\"\n",
                "\"a\": [[cost.system]] states nothing",
            ),
            (
                "currency = \"EUR\"\n[[cost.system]]\nname = \"a\"\nnode_hour = 1\n[[cost.system]]\nname = \"a\"\nnodes = 2\n",
                "\"a\": there are two [[cost.system]]",
            ),
        ] {
            let found = prices(table).unwrap_err();
            assert_eq!(found.len(), 1, "{table}: {found:?}");
            assert!(found[0].starts_with(expected), "{table}: {found:?}");
        }
    }
}
