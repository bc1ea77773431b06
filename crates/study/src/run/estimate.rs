//! The time that is left, learnt from the trials that are done.

use std::time::Duration;

use dbdyno_trial::TrialSpec;

/// Learns from finished trials how far off their estimates were. Each cell is corrected by its own: that one is ten times as slow as it
/// was thought to be says nothing of the others.
#[derive(Default)]
pub(crate) struct Estimate {
    cells: Vec<Learnt>,
}

/// What the trials of a cell took.
struct Learnt {
    cell: TrialSpec,
    estimated: Duration,
    actual: Duration,
}

impl Learnt {
    fn factor(&self) -> Option<f64> {
        (!self.estimated.is_zero()).then(|| self.actual.as_secs_f64() / self.estimated.as_secs_f64())
    }
}

impl Estimate {
    /// Trials with their estimates took so long together.
    pub fn learn(&mut self, trials: &[(&TrialSpec, Duration)], took: Duration) {
        let estimated: Duration = trials.iter().map(|(_, estimate)| *estimate).sum();
        for (spec, estimate) in trials {
            let share = estimate.as_secs_f64() / estimated.as_secs_f64().max(f64::MIN_POSITIVE);
            let actual = took.mul_f64(share);
            let cell = cell(spec);
            match self.cells.iter_mut().find(|own| own.cell == cell) {
                Some(own) => {
                    own.estimated += *estimate;
                    own.actual += actual;
                }
                None => self.cells.push(Learnt {
                    cell,
                    estimated: *estimate,
                    actual,
                }),
            }
        }
    }

    /// The estimate of a trial, as far off as those of its cell were; before there are any, as far off as that of the usual cell.
    pub fn correct(&self, spec: &TrialSpec, estimate: Duration) -> Duration {
        let cell = cell(spec);
        let own = self.cells.iter().find(|own| own.cell == cell);
        match own.and_then(Learnt::factor) {
            Some(factor) => estimate.mul_f64(factor),
            None => self.correct_any(estimate),
        }
    }

    /// The estimate of any trials, as far off as that of the usual cell was.
    pub fn correct_any(&self, estimate: Duration) -> Duration {
        let mut factors: Vec<f64> = self.cells.iter().filter_map(Learnt::factor).collect();
        factors.sort_by(f64::total_cmp);
        match factors.get(factors.len() / 2) {
            Some(usual) => estimate.mul_f64(*usual),
            None => estimate,
        }
    }
}

/// The cell of a trial. Rates that pilots and searches find out do not make it another one.
fn cell(spec: &TrialSpec) -> TrialSpec {
    TrialSpec {
        pace: None,
        purpose: None,
        ..spec.clone()
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::{Arrivals, Pace, SystemSpec};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn cell_of(workload: &str) -> TrialSpec {
        TrialSpec::new(SystemSpec::named("memory"), workload, 1000)
    }

    #[test]
    fn nothing_is_corrected_before_a_trial_is_done() {
        let estimate = Estimate::default();
        assert_eq!(estimate.correct(&cell_of("a"), SECOND * 10), SECOND * 10);
    }

    #[test]
    fn one_slow_cell_says_nothing_of_the_others() {
        let [slow, usual, another, unknown] = ["g", "a", "b", "c"].map(cell_of);
        let mut estimate = Estimate::default();
        estimate.learn(&[(&slow, SECOND)], SECOND * 100);
        estimate.learn(&[(&usual, SECOND)], SECOND * 2);
        estimate.learn(&[(&another, SECOND)], SECOND * 3);
        assert_eq!(estimate.correct(&slow, SECOND * 10), SECOND * 1000);
        assert_eq!(estimate.correct(&usual, SECOND * 10), SECOND * 20);
        assert_eq!(estimate.correct(&unknown, SECOND * 10), SECOND * 30);
    }

    #[test]
    fn trials_that_take_turns_share_their_time_and_a_rate_makes_no_other_cell() {
        let (first, second) = (cell_of("a"), cell_of("b"));
        let mut estimate = Estimate::default();
        estimate.learn(&[(&first, SECOND), (&second, SECOND * 3)], SECOND * 8);
        let mut at_rate = first;
        at_rate.pace = Some(Pace {
            rate: 1000.0,
            arrivals: Arrivals::Poisson,
        });
        assert_eq!(estimate.correct(&at_rate, SECOND), SECOND * 2);
        assert_eq!(estimate.correct(&second, SECOND), SECOND * 2);
    }
}
