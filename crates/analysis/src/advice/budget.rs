//! Whether a candidate costs no more than a budget allows.

use dbdyno_decide::{BesideLimit, Compliance};
use dbdyno_record::TrialRecord;

use super::fault::{Fault, fault};
use super::gather::{Candidate, did_work};
use super::judged::{Context, Judged};
use super::kept::Split;
use super::metric::Metric;
use super::need::{Budget, WorkChoice};
use super::why::{Spent, SpentBy, Why};
use crate::cost::Pricing;
use crate::cost::pricing::per_million;

/// Digits of binary fractions that no budget is about.
const EXACT: f64 = 1.0 + 1e-9;

/// Whether a candidate costs no more. Whole nodes cost the same whatever they do, so that no trial is needed to know how much; where the
/// need states rates, its nodes must have sustained them. What is paid for by use is judged trial by trial, as an objective is.
pub fn budget<'a>(candidate: &Candidate<'a>, budget: &Budget, context: &Context<'_, 'a>) -> Judged<'a> {
    let (Some(pricing), Some(currency)) = (candidate.pricing, context.currency) else {
        return Judged::new(Compliance::NotShown, Why::Unpriced(None), Vec::new());
    };
    let pricing = match pricing {
        Ok(pricing) => pricing,
        Err(why) => return Judged::new(Compliance::NotShown, Why::Unpriced(Some(why)), Vec::new()),
    };
    let asked = Asked {
        budget,
        pricing,
        currency,
    };
    let works = || context.works.iter().map(|(work, _)| *work);
    let at_rates: Vec<&WorkChoice> = works().filter(|work| is_paced(candidate, work)).collect();
    if let (Some(per_hour), Some(hours)) = (pricing.fixed_per_hour(), budget.per.hours()) {
        return asked.of_nodes(candidate, per_hour * hours, &at_rates);
    }
    match (at_rates.is_empty(), budget.per.hours()) {
        (true, Some(_)) => Judged::new(Compliance::NotShown, Why::NoLoad, Vec::new()),
        (true, None) => asked.of_trials(candidate, &works().collect::<Vec<_>>()),
        (false, _) => asked.of_trials(candidate, &at_rates),
    }
}

/// Whether a candidate did this work at a rate, and only so.
fn is_paced(candidate: &Candidate<'_>, work: &WorkChoice) -> bool {
    let trials = did_work(candidate, work);
    !trials.is_empty() && trials.iter().all(|(_, trial)| trial.spec.rate().is_some())
}

/// A budget, and what one candidate costs.
struct Asked<'b> {
    budget: &'b Budget,
    pricing: Pricing,
    currency: &'b str,
}

impl Asked<'_> {
    fn is_within(&self, cost: f64) -> bool {
        cost <= self.budget.most * EXACT
    }

    fn why(&self, by: SpentBy, late: usize) -> Why {
        Why::Budget(Spent {
            currency: self.currency.to_owned(),
            per: self.budget.per,
            by,
            late,
        })
    }

    fn of_nodes<'a>(&self, candidate: &Candidate<'a>, cost: f64, at_rates: &[&WorkChoice]) -> Judged<'a> {
        let trials = at_rates.iter().flat_map(|work| did_work(candidate, work));
        let late = trials.filter(|(_, trial)| !trial.sustained()).count();
        let compliance = match (self.is_within(cost), late) {
            (false, _) => Compliance::Violated,
            (true, 0) => Compliance::Shown,
            // So many nodes do not carry the load.
            (true, _) => Compliance::NotShown,
        };
        let by = SpentBy::Nodes {
            cost,
            nodes: self.pricing.nodes.unwrap_or_default(),
            measured_nodes: self.pricing.measured_nodes,
            node_hour: self.pricing.hour.node.unwrap_or_default(),
        };
        Judged::of_all(candidate, compliance, self.why(by, late))
    }

    /// What a trial costs, for what the budget is for.
    fn of_trial(&self, trial: &TrialRecord) -> Option<f64> {
        match self.budget.per.hours() {
            Some(hours) => Some(self.pricing.per_hour(trial).ok()? * hours),
            None => Some(per_million(self.pricing.operations_per_unit(trial).ok()?)),
        }
    }

    fn of_trials<'a>(&self, candidate: &Candidate<'a>, works: &[&WorkChoice]) -> Judged<'a> {
        let mut compliance = Compliance::Shown;
        let (mut counted, mut doubts, mut costs, mut kept) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for work in works {
            let usable = did_work(candidate, work).into_iter();
            let usable = usable.filter(|(_, trial)| {
                fault(trial) != Some(Fault::Measurement) && self.of_trial(trial).is_some()
            });
            let decided = Split::of(usable.collect(), Metric::Cost).decide(|trial| {
                let cost = self.of_trial(trial).unwrap_or(f64::NAN);
                BesideLimit {
                    is_kept: self.is_within(cost) && trial.sustained() && fault(trial).is_none(),
                    margin: (self.budget.most / cost).ln(),
                }
            });
            compliance = compliance.max(decided.held.compliance);
            kept += decided.held.kept;
            costs.extend(
                decided
                    .trials
                    .iter()
                    .filter_map(|(_, trial)| self.of_trial(trial)),
            );
            counted.extend(decided.trials);
            doubts.extend(decided.doubts);
        }
        if counted.is_empty() && doubts.is_empty() {
            let trials = works.iter().flat_map(|work| did_work(candidate, work));
            let why = trials
                .map(|(_, trial)| self.pricing.operations_per_unit(trial))
                .find_map(Result::err);
            let why = why.map_or(Why::NoOperations, |why| Why::Unpriced(Some(why)));
            return Judged::new(Compliance::NotShown, why, counted);
        }
        let low = costs.iter().copied().reduce(f64::min);
        let late = counted.iter().filter(|(_, trial)| !trial.sustained()).count();
        let by = SpentBy::Trials {
            range: low.zip(costs.iter().copied().reduce(f64::max)),
            kept,
            trials: counted.len(),
            doubts,
            open: compliance == Compliance::NotShown,
        };
        Judged::new(compliance, self.why(by, late), counted)
    }
}
