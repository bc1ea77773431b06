//! The keys of a study file that say at which rates operations are sent.

use std::ops::Range;

use dbdyno_record::pilot::DEFAULT_SHARE;

use crate::definition::{Rate, WorkloadChoice};
use crate::toml_reader::{Mistake, Placed, TableReader};
use crate::values::{COMMON_RATE_HELP, RATE_HELP, levels, rate, share};

/// What the file says of rates, outside its tables of workloads.
pub(crate) struct RateKeys {
    levels: Vec<Rate>,
    place: Range<usize>,
    share: Option<Placed<f64>>,
}

/// `rates` of the file or of one of its workloads; empty when it has none.
pub(crate) fn of(table: &mut TableReader<'_>) -> Result<Vec<Rate>, Mistake> {
    levels(table.scalars("rates")?, "rates", RATE_HELP, rate)
}

impl RateKeys {
    pub(crate) fn read(root: &mut TableReader<'_>) -> Result<Self, Mistake> {
        let asked = root.scalars("rates")?;
        let place = asked.first().map_or(0..0, |first| first.span.clone());
        let share = root
            .scalar("common_rate")?
            .map(|text| text.convert(COMMON_RATE_HELP, |text| share(&text)));
        Ok(Self {
            levels: levels(asked, "rates", RATE_HELP, rate)?,
            place,
            share: share.transpose()?,
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
            Some(share) if self.all(workloads).any(|rate| *rate == Rate::Common) => Ok(share.value),
            Some(share) => Err(Mistake::new(
                share.span.clone(),
                "`common_rate` means nothing without the rate \"common\"",
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

    /// The steps of a ladder, and their place in the file.
    pub(crate) fn of_ladder(
        self,
        workloads: &[WorkloadChoice],
    ) -> Result<(Vec<Rate>, Range<usize>), Mistake> {
        if let Some(workload) = workloads.iter().find(|workload| !workload.rates.is_empty()) {
            return Err(Mistake::new(
                self.place,
                format!(
                    "workload `{}` has `rates` of its own, which is for comparisons",
                    workload.name
                ),
                "leave them out, or leave out `kind`",
            ));
        }
        Ok((self.levels, self.place))
    }
}
