//! Why work was not done and goals cannot be judged, in words.

use std::collections::BTreeSet;

use super::goals::{Remedy, Unjudged};
use super::work::{NoWork, rate_level};
use super::{Goal, Metric};
use crate::words::{comparability, validity};

/// What everybody must do, whether a need says so or not.
pub const INTEGRITY: &str = "no acknowledged data lost";

/// Why no trial is of a work, as a clause.
pub fn no_work(why: &NoWork) -> String {
    match why {
        NoWork::Workload(workload) => format!("no completed trial has a workload `{workload}`"),
        NoWork::Loads { workload, measured } => {
            let levels = measured.iter().map(|load| {
                format!(
                    "records = {}, clients = {}, rate = {}",
                    load.records,
                    load.clients,
                    rate_level(load.rate)
                )
            });
            let levels: BTreeSet<String> = levels.collect();
            format!(
                "no completed trial of workload {workload} has these records, clients and rate; there are {}",
                levels.into_iter().collect::<Vec<_>>().join("; ")
            )
        }
    }
}

/// The goal with the reason, as a sentence without its end.
pub fn sentence(why: &Unjudged, goal: &Goal) -> String {
    let is = match why.is_not_measured() {
        true => "is not measured",
        false => "is not comparable",
    };
    let why = match why {
        Unjudged::NoWork(why) => no_work(why),
        Unjudged::NoFigure(Metric::Cost) => {
            "no trial has a cost: it takes a price (a table [cost], or --cost FILE) of everything that the system is paid for, and that it was measured".to_owned()
        }
        Unjudged::NoFigure(metric) => format!("no trial recorded {}", metric.name()),
        Unjudged::Unreliable(why) => validity::clause(why),
        Unjudged::Unranked(why, remedy) => format!("{}; {}", comparability::clause(why), mended_by(*remedy)),
    };
    format!("{} {is}: {why}", goal.name)
}

const fn mended_by(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::UnlimitedGoal => "give the goal the rate \"unlimited\"",
        Remedy::PacedGoal => "give the goal a rate that all systems sustain",
        Remedy::ClosedLoop => "measure at full speed",
        Remedy::AtARate | Remedy::AtAnotherRate => "measure at a rate that all systems sustain",
    }
}

/// What stands in a cell without a value.
pub fn in_cell(why: &Unjudged) -> &'static str {
    match why.is_not_measured() {
        true => "not measured",
        false => "no valid trial",
    }
}
