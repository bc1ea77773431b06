//! One trial of one system under one workload, as `dbdyno run` and `dbdyno load` ask for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use dbdyno_driver::Target;
use dbdyno_engine::LoadGenerators;
use dbdyno_trial::{Factor, SystemSpec, TrialSpec};
use dbdyno_workload::Workload;

use crate::address;

/// A trial to run.
pub struct Single {
    /// The system, with the secrets that its specification hides.
    pub target: Target,
    /// The workload.
    pub workload: Arc<Workload>,
    /// The specification of its trial.
    pub spec: TrialSpec,
    /// Who sends the load; `None`: this process.
    pub generators: Option<Arc<dyn LoadGenerators>>,
}

impl Single {
    /// The trial, whose load these load generators send.
    #[must_use]
    pub fn sent_by(&self, generators: Option<Arc<dyn LoadGenerators>>) -> Self {
        Self {
            target: self.target.clone(),
            workload: Arc::clone(&self.workload),
            spec: self.spec.clone(),
            generators,
        }
    }

    /// A trial of one client in a closed loop, named by its system, its workload and the number of records.
    #[must_use]
    pub fn new(target: Target, workload: Arc<Workload>, workload_name: &str) -> Self {
        let system = SystemSpec {
            // The driver's name is the system's in tables.
            name: address::driver_info(&target)
                .map_or(target.scheme.as_str(), |info| info.name)
                .to_owned(),
            address: target.to_string(),
            factors: BTreeMap::new(),
            base: None,
        };
        let records = workload.specification().records;
        Self {
            spec: TrialSpec {
                factors: [Factor::Records].into(),
                ..TrialSpec::new(system, workload_name, records)
            },
            target,
            workload,
            generators: None,
        }
    }
}
