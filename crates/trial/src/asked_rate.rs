//! The rate at which a trial was asked, or the lack of one.

use std::cmp::Ordering;
use std::fmt;

use dbdyno_vocabulary::number;
use serde::{Serialize, Serializer};

use crate::Pace;

/// At which rate operations were due. Rates come first, by value; trials without one come last.
#[derive(Clone, Copy, Debug)]
pub struct AskedRate(pub Option<Pace>);

impl Ord for AskedRate {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (Some(own), Some(other)) => {
                let by_rate = own.rate.total_cmp(&other.rate);
                by_rate.then_with(|| own.arrivals.cmp(&other.arrivals))
            }
            (own, other) => own.is_none().cmp(&other.is_none()),
        }
    }
}

impl PartialOrd for AskedRate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for AskedRate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for AskedRate {}

/// `5.20k/s (constant arrivals)` or `full speed`.
impl fmt::Display for AskedRate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(pace) => write!(
                formatter,
                "{} ({} arrivals)",
                number::rate(pace.rate),
                pace.arrivals
            ),
            None => formatter.write_str("full speed"),
        }
    }
}

impl AskedRate {
    /// For programs, which have read `closed loop` from the first version on.
    #[must_use]
    pub fn for_programs(&self) -> String {
        match self.0 {
            Some(_) => self.to_string(),
            None => "closed loop".to_owned(),
        }
    }
}

impl Serialize for AskedRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.for_programs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arrivals;

    fn at(rate: f64) -> AskedRate {
        AskedRate(Some(Pace {
            rate,
            arrivals: Arrivals::Constant,
        }))
    }

    #[test]
    fn rates_are_in_order_of_value_and_full_speed_is_last() {
        let mut rates = [AskedRate(None), at(20_000.0), at(1_500.0)];
        rates.sort();
        let shown = rates.map(|rate| rate.to_string());
        assert_eq!(
            shown,
            [
                "1.50k/s (constant arrivals)",
                "20.0k/s (constant arrivals)",
                "full speed"
            ]
        );
    }

    #[test]
    fn programs_read_what_they_always_read() {
        let json = serde_json::to_string(&[at(500.0), AskedRate(None)]).unwrap();
        assert_eq!(json, r#"["500/s (constant arrivals)","closed loop"]"#);
    }
}
