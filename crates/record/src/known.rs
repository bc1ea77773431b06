//! What is known of latencies: histograms of our own trials, stated figures of imported ones.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::latency::Latency;
use crate::stated::{Stated, StatedLatency};
use crate::trial::{MeasureRecord, OperationRecord};

/// Some latencies: all of them, or the figures that were stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownLatency<'a> {
    /// That of a record is not copied before something is merged into it: it has tens of thousands of counters.
    histogram: Cow<'a, Latency>,
    /// Takes the histogram's place, which is empty then.
    stated: Option<StatedLatency>,
}

impl<'a> KnownLatency<'a> {
    /// How many there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.stated
            .as_ref()
            .map_or_else(|| self.histogram.count(), |stated| stated.count)
    }

    /// The latency that `percentile` percent of operations do not exceed; `None` where it is not known.
    #[must_use]
    pub fn percentile_ns(&self, percentile: f64) -> Option<u64> {
        match &self.stated {
            None => self.histogram.percentile_ns(percentile),
            Some(stated) if percentile >= 100.0 => stated.max_ns,
            Some(stated) if percentile <= 0.0 => stated.min_ns,
            Some(stated) => stated.percentiles_ns.get(&percentile.to_string()).copied(),
        }
    }

    /// The latencies at many percentiles, which ascend: of a histogram in one pass over its counters.
    #[must_use]
    pub fn percentiles_ns(&self, ascending: &[f64]) -> Vec<Option<u64>> {
        if self.stated.is_some() || self.histogram.count() == 0 {
            let each = ascending.iter().map(|&percentile| self.percentile_ns(percentile));
            return each.collect();
        }
        let values = self.histogram.0.value_at_percentiles(ascending.iter().copied());
        values.map(Some).collect()
    }

    /// Mean latency in nanoseconds; `None` where it is not known.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        match &self.stated {
            None => self.histogram.mean_ns(),
            Some(stated) => stated.mean_ns,
        }
    }

    /// All of the latencies; `None` where some of them are only stated.
    #[must_use]
    pub fn histogram(&self) -> Option<&Latency> {
        self.stated.is_none().then_some(&*self.histogram)
    }

    /// Adds other latencies. Histograms merge exactly; of stated figures count, mean and ends can be merged, and percentiles
    /// cannot: they are not known any more.
    pub fn merge(&mut self, other: &Self) {
        if other.count() == 0 {
            return;
        }
        if self.count() == 0 {
            *self = other.clone();
            return;
        }
        if self.stated.is_none() && other.stated.is_none() {
            self.histogram.to_mut().merge(&other.histogram);
            return;
        }
        let (count, others) = (self.count(), other.count());
        let both = |pick: fn(u64, u64) -> u64, percentile: f64| {
            Some(pick(
                self.percentile_ns(percentile)?,
                other.percentile_ns(percentile)?,
            ))
        };
        let mean = self.mean_ns().zip(other.mean_ns());
        let stated = StatedLatency {
            count: count + others,
            mean_ns: mean
                .map(|(own, their)| (own * count as f64 + their * others as f64) / (count + others) as f64),
            min_ns: both(u64::min, 0.0),
            max_ns: both(u64::max, 100.0),
            percentiles_ns: BTreeMap::new(),
        };
        *self = Self {
            stated: Some(stated),
            ..Self::default()
        };
    }
}

impl<'a> From<&'a Latency> for KnownLatency<'a> {
    fn from(histogram: &'a Latency) -> Self {
        Self {
            histogram: Cow::Borrowed(histogram),
            stated: None,
        }
    }
}

impl From<StatedLatency> for KnownLatency<'_> {
    fn from(stated: StatedLatency) -> Self {
        Self {
            stated: Some(stated),
            ..Self::default()
        }
    }
}

impl OperationRecord {
    /// Whether response time is known beside service time.
    #[must_use]
    pub fn has_response(&self) -> bool {
        self.response.is_some() || self.stated_as(|stated| &stated.response).is_some()
    }

    /// The service time of successful operations.
    #[must_use]
    pub fn known_service(&self) -> KnownLatency<'_> {
        match self.stated_as(|stated| &stated.service) {
            Some(stated) => stated.clone().into(),
            None => (&self.service).into(),
        }
    }

    /// The latency that users feel: response time with a rate, service time without one.
    #[must_use]
    pub fn known_latency(&self) -> KnownLatency<'_> {
        match (self.stated_as(|stated| &stated.response), &self.response) {
            (Some(stated), _) => stated.clone().into(),
            (None, Some(response)) => response.into(),
            (None, None) => self.known_service(),
        }
    }

    /// The service time of all other operations.
    #[must_use]
    pub fn known_failed(&self) -> KnownLatency<'_> {
        match self.stated_as(|stated| &stated.failed) {
            Some(stated) => stated.clone().into(),
            None => (&self.failed).into(),
        }
    }

    fn stated_as(&self, of: fn(&Stated) -> &Option<StatedLatency>) -> Option<&StatedLatency> {
        self.stated.as_ref().and_then(|stated| of(stated).as_ref())
    }
}

impl MeasureRecord {
    /// What went to errors: the share of the operations, or that of the clients' time, whichever is greater; 0 to 1. A
    /// server that is away is tried seldom, so few operations fail while it is; the time shows it. Where records were
    /// missing, too, the time of all unsuccessful operations is taken by their numbers.
    #[must_use]
    pub fn share_lost_to_errors(&self, clients: u32) -> f64 {
        let all = || self.operations.values();
        let attempts: u64 = all().map(OperationRecord::attempts).sum();
        let errors: u64 = all().map(OperationRecord::error_count).sum();
        let of_operations = errors as f64 / attempts.max(1) as f64;
        of_operations.max(self.share_of_time_lost_to_errors(clients))
    }

    /// What went to errors of the clients' time, 0 to 1.
    #[must_use]
    pub fn share_of_time_lost_to_errors(&self, clients: u32) -> f64 {
        let mut failed_ns = 0.0;
        for operation in self.operations.values() {
            let failed = operation.known_failed();
            if let Some(mean_ns) = failed.mean_ns() {
                failed_ns += mean_ns * operation.error_count().min(failed.count()) as f64;
            }
        }
        let available_ns = self.whole_ns() as f64 * f64::from(clients);
        if available_ns > 0.0 {
            (failed_ns / available_ns).min(1.0)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(count: u64, mean_us: f64, p99_us: u64) -> StatedLatency {
        StatedLatency {
            count,
            mean_ns: Some(mean_us * 1e3),
            min_ns: Some(1_000),
            max_ns: Some(p99_us * 2_000),
            percentiles_ns: [("99".to_owned(), p99_us * 1_000)].into(),
        }
    }

    #[test]
    fn what_was_not_stated_is_not_known() {
        let known = KnownLatency::from(stated(1000, 200.0, 900));
        assert_eq!(known.percentile_ns(99.0), Some(900_000));
        assert_eq!(known.percentile_ns(50.0), None);
        assert_eq!(known.percentile_ns(100.0), Some(1_800_000));
        assert!(known.histogram().is_none());
    }

    #[test]
    fn merging_keeps_what_can_be_kept() {
        let mut merged = KnownLatency::default();
        merged.merge(&stated(1000, 200.0, 900).into());
        assert_eq!(
            merged.percentile_ns(99.0),
            Some(900_000),
            "nothing was merged yet"
        );
        merged.merge(&stated(3000, 400.0, 700).into());
        assert_eq!(merged.count(), 4000);
        assert_eq!(merged.mean_ns(), Some(350_000.0));
        assert_eq!(merged.percentile_ns(100.0), Some(1_800_000));
        assert_eq!(merged.percentile_ns(99.0), None, "no percentile of percentiles");
        let mut own = Latency::new();
        own.record(50_000);
        let mut mixed = KnownLatency::from(&own);
        mixed.merge(&merged);
        assert_eq!(mixed.count(), 4001);
        assert!(mixed.histogram().is_none());
    }

    #[test]
    fn response_time_is_what_users_feel() {
        let record = OperationRecord {
            stated: Some(Stated {
                service: Some(stated(10, 1.0, 5)),
                response: Some(stated(10, 2.0, 7)),
                failed: None,
            }),
            ..OperationRecord::default()
        };
        assert!(record.has_response());
        assert_eq!(record.known_latency().percentile_ns(99.0), Some(7_000));
        assert_eq!(record.known_service().percentile_ns(99.0), Some(5_000));
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<OperationRecord>(&json).unwrap(), record);
    }
}
