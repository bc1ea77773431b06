//! Costs in words: money, prices, and why something has none.

use dbdyno_analysis::cost::{Amount, CpuOf, HourPrices, Resource, Unpriced};

use crate::number;

/// A price as it was written, e.g. `0.0816 USD`.
#[must_use]
pub fn price(value: f64, currency: &str) -> String {
    format!("{value} {currency}")
}

/// Both ends of an amount's interval, `0.21 to 0.25`; empty without one.
#[must_use]
pub fn ends(amount: &Amount, format: fn(f64) -> String) -> String {
    let interval = amount.interval.map(|interval| interval.ends());
    interval.map_or_else(String::new, |(low, high)| {
        format!("{} to {}", format(low), format(high))
    })
}

/// What has a price, with its price for an hour: `0.2 USD a node-hour and 0.001 USD a GiB-hour on disk`.
#[must_use]
pub fn hour_prices(hour: &HourPrices, currency: &str) -> String {
    let named = [
        (hour.node, "node-hour"),
        (hour.cpu, "CPU-hour"),
        (hour.memory_gib, "GiB-hour of memory"),
        (hour.storage_gib, "GiB-hour on disk"),
    ];
    let stated = named
        .into_iter()
        .filter_map(|(value, name)| Some(format!("{} a {name}", price(value?, currency))));
    number::list(&stated.collect::<Vec<_>>())
}

/// Why something has no cost in money, as a clause.
#[must_use]
pub const fn clause(why: Unpriced) -> &'static str {
    match why {
        Unpriced::NoPrice => "no price applies",
        Unpriced::UnknownNodes => {
            "the topology does not state how many nodes there are; add `nodes` to a [[cost.system]]"
        }
        Unpriced::NotMeasured(Resource::Cpu) => {
            "CPU time was not measured: dbdyno watches servers that the lab starts, and stores inside its process"
        }
        Unpriced::NotMeasured(Resource::Memory) => {
            "memory was not measured: dbdyno watches servers that the lab starts, and stores inside its process"
        }
        Unpriced::NotMeasured(Resource::Storage) => {
            "space on disk was not measured: dbdyno watches the disks of servers that the lab starts"
        }
        Unpriced::NoOperations => "no operation succeeded",
    }
}

/// Whose CPU time it is, beside the figure.
#[must_use]
pub const fn of(whose: CpuOf) -> &'static str {
    match whose {
        CpuOf::Servers => "servers",
        CpuOf::Process => "with client",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_as_they_were_written() {
        let hour = HourPrices {
            node: Some(0.0816),
            storage_gib: Some(0.0001),
            ..HourPrices::default()
        };
        assert_eq!(
            hour_prices(&hour, "USD"),
            "0.0816 USD a node-hour and 0.0001 USD a GiB-hour on disk"
        );
    }
}
