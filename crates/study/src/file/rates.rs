//! The keys of a study file that say at which rates operations are sent.

use std::ops::Range;

use dbdyno_files::{List, Mistake, Placed, StudyFile, values};
use dbdyno_record::pilot::DEFAULT_SHARE;

use super::levels::levels;
use crate::file::definition::{Rate, WorkloadChoice};

/// The keys of a file about rates, outside its tables of workloads.
pub(crate) struct RateKeys {
    levels: Vec<Rate>,
    place: Range<usize>,
    /// The first workload that has its own.
    own: Option<Range<usize>>,
    share: Option<Placed<values::CommonRate>>,
}

/// `rates` of the file or of one of its workloads; empty when it has none.
pub(crate) fn of(rates: &List<Rate>) -> Result<Vec<Rate>, Mistake> {
    levels(rates, "rates", |rate| *rate)
}

impl RateKeys {
    pub(crate) fn read(file: &StudyFile) -> Result<Self, Mistake> {
        Ok(Self {
            levels: of(&file.rates)?,
            place: file.rates.place(),
            own: file
                .workload
                .0
                .iter()
                .map(|table| &table.value.rates)
                .find(|rates| !rates.0.is_empty())
                .map(List::place),
            share: file.common_rate.clone(),
        })
    }

    fn all<'a>(&'a self, workloads: &'a [WorkloadChoice]) -> impl Iterator<Item = &'a Rate> {
        let own = workloads.iter().flat_map(|workload| &workload.rates);
        self.levels.iter().chain(own)
    }

    /// Whether any workload is measured in an open loop.
    pub(crate) fn paced(&self, workloads: &[WorkloadChoice]) -> bool {
        self.all(workloads).any(|rate| *rate != Rate::Unlimited)
    }

    /// The share of the slowest system's throughput that is the common rate.
    pub(crate) fn common_rate(&self, workloads: &[WorkloadChoice]) -> Result<f64, Mistake> {
        match &self.share {
            None => Ok(DEFAULT_SHARE),
            Some(share) if self.all(workloads).any(|rate| *rate == Rate::Common) => Ok(share.value.0),
            Some(share) => Err(Mistake::new(
                share.span.clone(),
                "`common_rate` has no effect without the rate \"common\"",
                "add a line such as: rates = [\"unlimited\", \"common\"]",
            )),
        }
    }

    /// The levels of a comparison. Where one workload has its own rates, every workload gets an explicit list.
    pub(crate) fn levels(self, workloads: &mut [WorkloadChoice]) -> Vec<Rate> {
        let shared = if self.levels.is_empty() {
            vec![Rate::Unlimited]
        } else {
            self.levels
        };
        if workloads.iter().all(|workload| workload.rates.is_empty()) {
            return shared;
        }
        let mut levels: Vec<Rate> = Vec::new();
        for workload in workloads {
            if workload.rates.is_empty() {
                workload.rates.clone_from(&shared);
            }
            for rate in &workload.rates {
                if !levels.contains(rate) {
                    levels.push(*rate);
                }
            }
        }
        levels
    }

    /// The rates of steps at rising load, and their place in the file.
    pub(crate) fn of_steps(self, workloads: &[WorkloadChoice]) -> Result<(Vec<Rate>, Range<usize>), Mistake> {
        if let Some(workload) = workloads.iter().find(|workload| !workload.rates.is_empty()) {
            return Err(Mistake::new(
                self.own.unwrap_or(self.place),
                format!(
                    "workload `{}` has its own `rates`, which only comparisons support",
                    workload.name
                ),
                "omit them, or omit `kind`",
            ));
        }
        Ok((self.levels, self.place))
    }
}
