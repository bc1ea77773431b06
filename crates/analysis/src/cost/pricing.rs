//! What one system costs for an hour: the prices that apply to it, and the nodes that are paid for.

use dbdyno_record::TrialRecord;
use serde::Serialize;

use super::used::{Resource, on_average};
use super::{HourPrices, Prices};

/// Hours of a day.
pub const DAY: f64 = 24.0;
/// Hours of a month: a twelfth of a year of 365 days, as clouds count it.
pub const MONTH: f64 = 730.0;
/// Hours of a year of 365 days.
pub const YEAR: f64 = 8760.0;

/// What one system costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pricing {
    /// The prices that apply to it.
    pub hour: HourPrices,
    /// The nodes that are paid for; `None` where nodes have no price, or nobody states how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The nodes that were measured, where the prices state that another number is paid for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_nodes: Option<u32>,
}

/// Why something has no cost in money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpriced {
    /// No price applies to the system.
    NoPrice,
    /// Its topology does not state how many nodes there are, and neither do the prices.
    UnknownNodes,
    /// What it used of this was not measured.
    NotMeasured(Resource),
    /// Nothing succeeded that could be paid for.
    NoOperations,
}

impl Pricing {
    /// What a system of one of these names costs, the first that has prices of its own; `nodes` are those of its topology. A store inside
    /// the process runs on the machine of the process, which is one node.
    ///
    /// # Errors
    /// Where no price applies to it, or its nodes have a price and their number is not known.
    pub fn of(prices: &Prices, names: &[&str], nodes: Option<u32>) -> Result<Self, Unpriced> {
        let own = names.iter().find_map(|name| prices.systems.get(*name));
        let hour = own
            .and_then(|own| own.hour)
            .or(prices.usual)
            .ok_or(Unpriced::NoPrice)?;
        let stated = own.and_then(|own| own.nodes);
        let measured = nodes.map(|nodes| nodes.max(1));
        if hour.node.is_none() {
            return Ok(Self {
                hour,
                nodes: None,
                measured_nodes: None,
            });
        }
        let nodes = stated.or(measured).ok_or(Unpriced::UnknownNodes)?;
        Ok(Self {
            hour,
            nodes: Some(nodes),
            measured_nodes: measured.filter(|measured| *measured != nodes),
        })
    }

    /// The price of all its nodes for an hour; 0 where nodes have none.
    #[must_use]
    pub fn of_nodes(&self) -> f64 {
        self.hour.node.unwrap_or(0.0) * f64::from(self.nodes.unwrap_or(0))
    }

    /// What it costs for an hour, whatever it does; `None` where that depends on what it uses.
    #[must_use]
    pub fn fixed_per_hour(&self) -> Option<f64> {
        let used = [self.hour.cpu, self.hour.memory_gib, self.hour.storage_gib];
        used.iter().all(Option::is_none).then(|| self.of_nodes())
    }

    /// What an hour like the measured phase of a trial costs.
    ///
    /// # Errors
    /// Where something that has a price was not measured.
    pub fn per_hour(&self, trial: &TrialRecord) -> Result<f64, Unpriced> {
        let used = [
            (Resource::Cpu, self.hour.cpu),
            (Resource::Memory, self.hour.memory_gib),
            (Resource::Storage, self.hour.storage_gib),
        ];
        let mut sum = self.of_nodes();
        for (resource, price) in used {
            if let Some(price) = price {
                sum += price * on_average(trial, resource).ok_or(Unpriced::NotMeasured(resource))?;
            }
        }
        Ok(sum)
    }

    /// How many operations of a trial one unit of money pays for.
    ///
    /// # Errors
    /// Where its hour has no price, or none of its operations succeeded.
    pub fn operations_per_unit(&self, trial: &TrialRecord) -> Result<f64, Unpriced> {
        let throughput = trial
            .measure
            .as_ref()
            .and_then(|measure| measure.throughput_per_second());
        let throughput = throughput
            .filter(|rate| *rate > 0.0)
            .ok_or(Unpriced::NoOperations)?;
        Ok(operations_per_unit(throughput, self.per_hour(trial)?))
    }
}

/// How many operations one unit of money pays for, at this many a second and at this price of an hour.
#[must_use]
pub fn operations_per_unit(per_second: f64, per_hour: f64) -> f64 {
    per_second * 3600.0 / per_hour
}

/// What a million operations cost, where one unit of money pays for so many.
#[must_use]
pub fn per_million(operations_per_unit: f64) -> f64 {
    1e6 / operations_per_unit
}
