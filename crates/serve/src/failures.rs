//! The failed operations of the running trial by the class of their errors.

use std::collections::BTreeMap;

use dbdyno_record::live::OutcomeRow;

/// Counts that need no more room the longer a trial lasts.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// Of all seconds but the last.
    before: BTreeMap<String, u64>,
    /// Those of the last second, which later ones of that second replace.
    last: Vec<OutcomeRow>,
}

impl Failures {
    /// Adds those of one kind of operation in one second.
    pub(crate) fn add(&mut self, row: OutcomeRow) {
        let is_of_last = |last: &OutcomeRow| last.phase == row.phase && last.offset_s == row.offset_s;
        if !self.last.first().is_some_and(is_of_last) {
            self.before = self.by_class();
            self.last.clear();
        }
        self.last.retain(|known| known.operation != row.operation);
        self.last.push(row);
    }

    /// The number of errors of each class that occurred.
    #[must_use]
    pub fn by_class(&self) -> BTreeMap<String, u64> {
        let mut sums = self.before.clone();
        for (class, count) in self.last.iter().flat_map(|row| &row.errors_by_class) {
            let sum = sums.entry(class.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(offset_s: f64, operation: &str, classes: &[(&str, u64)]) -> OutcomeRow {
        OutcomeRow {
            phase: "measure".to_owned(),
            offset_s,
            operation: operation.to_owned(),
            not_found: 0,
            too_early: 0,
            errors: classes.iter().map(|(_, count)| count).sum(),
            errors_by_class: classes
                .iter()
                .map(|(class, count)| ((*class).to_owned(), *count))
                .collect(),
        }
    }

    #[test]
    fn each_second_counts_once_however_often_it_is_told() {
        let mut failures = Failures::default();
        for row in [
            row(0.0, "read", &[("timeout", 1)]),
            row(0.0, "update", &[("timeout", 2), ("conflict", 5)]),
            // What came late.
            row(0.0, "read", &[("timeout", 10)]),
            row(1.0, "read", &[("timeout", 100)]),
        ] {
            failures.add(row);
        }
        let expected = [("conflict", 5), ("timeout", 112)].map(|(class, count)| (class.to_owned(), count));
        assert_eq!(failures.by_class(), BTreeMap::from(expected));
    }
}
