//! Findings about what came of operations: errors, wrong values, missing records.

use std::borrow::Cow;

use dbdyno_vocabulary::Statement;
use serde::{Deserialize, Serialize};

use super::Facts;

fn share(count: u64, attempts: u64) -> f64 {
    count as f64 / attempts.max(1) as f64
}

/// Records could not be inserted by a trial that only loads; one that measures, too, fails then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadIncomplete {
    /// How many could not.
    pub failed: u64,
    /// Of so many.
    pub records: u64,
    /// One of the errors.
    pub sample: String,
}

impl Facts for LoadIncomplete {
    const CODE: &'static str = "load-incomplete";

    fn statement(&self) -> Statement {
        Statement::default()
            .count(self.failed)
            .words(" of ")
            .asked(self.records as f64, self.records.to_string())
            .words(" records could not be loaded, so the table is incomplete")
            .example(Some(&self.sample))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "find the cause, then load the table anew".into()
    }
}

/// Every operation failed, so that the run was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnlyErrors {
    /// For how long, seconds.
    pub for_s: u64,
}

impl Facts for OnlyErrors {
    const CODE: &'static str = "only-errors";

    fn statement(&self) -> Statement {
        Statement::new(format!(
            "the run was stopped: all operations failed for {} s",
            self.for_s
        ))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "see the error messages of this trial, and check that the database is running".into()
    }
}

/// Operations failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    /// How many.
    pub failed: u64,
    /// Of so many.
    pub attempts: u64,
    /// The share of the clients' time that they took, if that is more than theirs of the operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_of_time: Option<f64>,
    /// One of the errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
}

impl Facts for Errors {
    const CODE: &'static str = "errors";

    fn statement(&self) -> Statement {
        let of_time = |share| {
            Statement::new(", and took ")
                .share(share)
                .words(" of the clients' time")
        };
        Statement::default()
            .count(self.failed)
            .words(" of ")
            .count(self.attempts)
            .words(" operations failed (")
            .share(share(self.failed, self.attempts))
            .words(")")
            .clause(self.share_of_time.map(of_time))
            .example(self.sample.as_deref())
    }

    fn remedy(&self) -> Cow<'static, str> {
        "find the cause before comparing: failed operations do not count as throughput, and percentiles rank them after all answered \
         operations"
            .into()
    }
}

/// Values read back differ from those written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerificationFailed {
    /// How many.
    pub failed: u64,
    /// Of so many that were compared.
    pub verified: u64,
    /// Whether this trial loaded the table.
    pub loaded: bool,
}

impl Facts for VerificationFailed {
    const CODE: &'static str = "verification-failed";

    fn statement(&self) -> Statement {
        Statement::default()
            .count(self.failed)
            .words(" of ")
            .count(self.verified)
            .words(" values read back were missing or differed from the written values")
    }

    fn remedy(&self) -> Cow<'static, str> {
        if self.loaded {
            "the database lost or corrupted acknowledged values, so these results are invalid for this workload"
        } else {
            "the database lost or corrupted data, or the table was loaded with other settings: reload it and run again"
        }
        .into()
    }
}

/// Operations did not find their record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotFound {
    /// How many.
    pub absent: u64,
    /// Of so many.
    pub attempts: u64,
    /// Whether the workload deletes, so that records have to be missing.
    pub deletes: bool,
    /// Whether this trial loaded the table.
    pub loaded: bool,
}

impl Facts for NotFound {
    const CODE: &'static str = "not-found";

    fn statement(&self) -> Statement {
        let inserted = (!self.deletes).then(|| Statement::new(", which had been inserted and acknowledged"));
        Statement::default()
            .count(self.absent)
            .words(" of ")
            .count(self.attempts)
            .words(" operations (")
            .share(share(self.absent, self.attempts))
            .words(") did not find their record")
            .clause(inserted)
    }

    fn remedy(&self) -> Cow<'static, str> {
        match (self.deletes, self.loaded) {
            (true, _) => "this is normal for a workload that deletes records",
            (false, true) => {
                "the database lost or hides acknowledged records (with consistency `one` a replica may lag behind), so these results are \
                 invalid for this workload"
            }
            (false, false) => {
                "the table lacks records, or the database hides them: reload it (--fresh; `fresh = true` in a study file) and run again"
            }
        }
        .into()
    }
}

/// Operations asked for records whose insert was still under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TooEarly {
    /// How many.
    pub early: u64,
    /// Of so many.
    pub attempts: u64,
}

impl Facts for TooEarly {
    const CODE: &'static str = "too-early";

    fn statement(&self) -> Statement {
        Statement::default()
            .count(self.early)
            .words(" of ")
            .count(self.attempts)
            .words(" operations (")
            .share(share(self.early, self.attempts))
            .words(") requested records whose insert had not been acknowledged yet")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "inserts are slower than the other operations; use fewer clients or a lower rate".into()
    }
}
