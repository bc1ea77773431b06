//! The guarantees of a system as far as they follow from its address, before any server is contacted.

use std::collections::BTreeMap;

use dbdyno_trial::{Consistency, Durability};

use crate::target::Target;

/// The guarantees of a system before it runs; `None` where the running server alone knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// What an acknowledged write will survive.
    pub durability: Option<Durability>,
    /// How many copies will take part; of a system that keeps one copy, [`Consistency::OF_ONE_COPY`].
    pub consistency: Option<Consistency>,
}

/// Servers that are started for an address: what it asks of them is what they will be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedServers {
    /// The durability that they are set to; `None` where clients ask for it.
    pub durability: Option<Durability>,
    /// The options that shape them, as far as the address names them.
    pub options: BTreeMap<String, String>,
}

impl AskedServers {
    /// The number that an option states; without the option, `default`. `None` where it is no number.
    #[must_use]
    pub fn number(&self, option: &str, default: usize) -> Option<usize> {
        let stated = self.options.get(option);
        stated.map_or(Some(default), |number| number.parse().ok())
    }
}

impl Foreseen {
    /// Of a server of which only the address is known: what it asks for is given, or refused.
    #[must_use]
    pub fn of_address(target: &Target) -> Self {
        Self {
            durability: target.durability,
            consistency: target.consistency,
        }
    }
}
