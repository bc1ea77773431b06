//! The CPUs and the memory of this machine that the servers of a request get.

use dbdyno_machine::CpuList;

use crate::control_group::GroupLimits;

/// How a product keeps one node within an amount of memory by settings of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeMemory {
    /// Options of its recipe, for those that the request does not set, e.g. `heap`.
    pub options: Vec<(&'static str, String)>,
    /// Further arguments of each server, e.g. `--maxmemory` and its value.
    pub arguments: Vec<String>,
}

/// The CPUs and the memory of a request's servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Granted {
    /// The CPUs that servers may run on; `None`: all of them.
    pub(crate) cpus: Option<CpuList>,
    /// How many of them each server gets, in turn; `None`: all of them.
    pub(crate) cpus_each: Option<usize>,
    /// The limits of each server's control group.
    pub(crate) group: GroupLimits,
    /// Limits by settings of the product.
    pub(crate) own: NodeMemory,
    /// The CPUs of the load generator.
    pub(crate) client: Option<CpuList>,
}

impl Granted {
    /// The CPUs of the server at this place, from 0; `None`: nobody restricts them.
    pub(crate) fn cpus_of(&self, place: usize) -> Option<CpuList> {
        let all = self.cpus.as_ref()?;
        let Some(each) = self.cpus_each else {
            return Some(all.clone());
        };
        let numbers: Vec<usize> = all.numbers().collect();
        let own = (0..each).map(|index| numbers[(place * each + index) % numbers.len()]);
        Some(CpuList::new(own))
    }

    /// Whether servers are started other than without limits.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}
