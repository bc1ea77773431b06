//! The cells of a study: every combination of levels, resolved into what its trials are asked to do.

use std::collections::BTreeSet;

use dbdyno_trial::{Factor, Limit, Pace, SystemSpec, TrialSpec};

use crate::file::definition::{Operations, Rate, Study, System};

impl Study {
    /// Every cell, systems varying fastest: neighbours in the list differ only in what is compared.
    #[must_use]
    pub fn cells(&self) -> Vec<TrialSpec> {
        let levels = [
            self.systems.len(),
            self.workloads.len(),
            self.records.len().max(1),
            self.operations.len().max(1),
            self.clients.len(),
            self.rates.len(),
            self.consistencies.len(),
            self.durabilities.len(),
        ];
        // A number whose digits are the levels, each digit to its own base.
        let digits = |mut number: usize| {
            levels.map(|levels| {
                let digit = number % levels;
                number /= levels;
                digit
            })
        };
        (0..levels.iter().product())
            .filter_map(|number| self.cell(digits(number)))
            .collect()
    }

    /// The cell of these levels; `None` where the workload is not measured at the rate.
    fn cell(
        &self,
        [
            system,
            workload,
            records,
            operations,
            clients,
            rate,
            consistency,
            durability,
        ]: [usize; 8],
    ) -> Option<TrialSpec> {
        let (system, workload, rate) = (&self.systems[system], &self.workloads[workload], self.rates[rate]);
        if !workload.rates.is_empty() && !workload.rates.contains(&rate) {
            return None;
        }
        let records = self.records.get(records).copied().unwrap_or(workload.records);
        let asked = self.operations.get(operations);
        let operations = asked.map(|operations| match operations {
            Operations::Count(count) => *count,
            Operations::AsRecords => records,
        });
        Some(TrialSpec {
            system: system.spec(),
            workload: workload.name.clone(),
            records,
            clients: self.clients[clients],
            pace: self.pace(rate.per_second()),
            common_rate: rate == Rate::Common,
            warmup: self.warm_up(system),
            limit: Limit {
                operations,
                ..self.shared.limit
            },
            durability: self.durabilities[durability],
            consistency: self.consistencies[consistency],
            factors: self.chosen(asked),
            ..self.shared.clone()
        })
    }

    /// An open loop at this rate, with the arrivals of the study.
    pub(crate) fn pace(&self, rate: Option<f64>) -> Option<Pace> {
        let arrivals = self.arrivals;
        rate.map(|rate| Pace { rate, arrivals })
    }

    /// The settings that the study chose. Factors with one level are among them, so that results of several studies can
    /// be put together; records are not when every workload has its own.
    fn chosen(&self, operations: Option<&Operations>) -> BTreeSet<Factor> {
        let is_counted = matches!(operations, Some(Operations::Count(_)));
        [
            (Factor::Records, !self.records.is_empty()),
            (Factor::Operations, self.operations.len() > 1 && is_counted),
            (Factor::Rate, self.rates != [Rate::Unlimited]),
        ]
        .into_iter()
        .filter_map(|(factor, chosen)| chosen.then_some(factor))
        .collect()
    }
}

impl System {
    /// The system as plans and records show it.
    #[must_use]
    pub fn spec(&self) -> SystemSpec {
        SystemSpec {
            name: self.name.clone(),
            address: self.target.to_string(),
            factors: self.factors.clone(),
            base: self.base.clone(),
        }
    }
}
