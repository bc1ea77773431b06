//! Why candidates stand to requirements as they do, in words: clauses, which begin with a small letter and end without a dot.

use dbdyno_analysis::advice::why::{Beyond, Cost, Missed, Objective, Observed, Spent, SpentBy, Why};
use dbdyno_record::Fact;
use dbdyno_stats::Interval;
use dbdyno_trial::ScanOrder;
use dbdyno_vocabulary::shell;

use super::doubt::Doubt;
use super::money;
use super::unjudged::no_work;
use crate::model::Metric;
use crate::number;
use crate::words::figures::MetricFigures;
use crate::words::{comparability, cost};

/// So many trials that agree show something, however near the limit they are.
const FEWEST: usize = 5;

/// Why nothing has a cost in money.
pub const NO_PRICES: &str = "there are no prices; add a table [cost] to the need file, or pass --cost FILE";

/// Why a candidate stands to a requirement as it does.
pub fn clause(why: &Why) -> String {
    match why {
        Why::AllInvalid => "all its trials are invalid".to_owned(),
        Why::NotRecorded { shown_by } => format!("no record contains it; {shown_by}"),
        Why::OtherProduct(name) => format!("it is no {name}"),
        Why::Version(version) => format!("version {version}, as read back"),
        Why::OpaqueVersion(version) => {
            format!("its version cannot be compared: {}", or_nothing(version))
        }
        Why::NoOperations => "no valid trial counts for it".to_owned(),
        Why::Failed {
            failed,
            operations,
            trials,
        } => format!(
            "{} of {} operations failed in {}",
            number::count(*failed),
            number::count(*operations),
            number::plural(*trials, "trial", "trials")
        ),
        Why::NoDurability => "its durability was not read back".to_owned(),
        Why::OneCopy => "it keeps one copy, which every operation meets".to_owned(),
        Why::Level { level, means, beyond } => of_level(level, means, beyond.as_ref()),
        Why::UnknownNodes(topology) => format!(
            "its topology does not state how many nodes there are: {}",
            or_nothing(topology)
        ),
        Why::Nodes { topology, beyond } => of_nodes(topology, beyond.as_ref()),
        Why::ScanOrder(order) => of_scans(*order),
        Why::Missed {
            trials,
            of,
            first,
            loaded,
        } => of_missed(*trials, *of, first, *loaded),
        Why::Kept { values: true } => {
            "every read found its record, and every value was the one written".to_owned()
        }
        Why::Kept { values: false } => {
            "every read found its record; values were not compared with what was written (dataintegrity)"
                .to_owned()
        }
        Why::NoWork(absent) => format!("not measured: {}", no_work(absent)),
        Why::NoFigure {
            metric,
            workload,
            has_trials: false,
        } => format!("{} was not measured in workload {workload}", metric.name()),
        Why::NoFigure {
            metric,
            workload,
            has_trials: true,
        } => format!("no valid trial measured {} in workload {workload}", metric.name()),
        Why::Unranked(why) => format!("not comparable: {}", comparability::clause(why)),
        Why::Objective(objective) => of_objective(objective),
        Why::Budget(spent) => of_budget(spent),
        Why::Unpriced(None) => NO_PRICES.to_owned(),
        Why::Unpriced(Some(why)) => cost::clause(*why).to_owned(),
        Why::NoLoad => {
            "what it uses depends on the load, and the need states none; give a goal or an objective a `rate`"
                .to_owned()
        }
        Why::Protection(observed, cost) => {
            let price = cost.as_ref().map_or_else(String::new, price);
            format!("{}{price}", of_protection(observed))
        }
    }
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

fn of_level(level: &str, means: &str, beyond: Option<&Beyond>) -> String {
    let means = if means.is_empty() {
        String::new()
    } else {
        format!(": {means}")
    };
    let read_back = format!("{level}, as read back{means}");
    match beyond {
        None => read_back,
        Some(Beyond::Reached { by, wanted }) => format!("{read_back}; {by} was measured at `{wanted}`"),
        Some(Beyond::NotOffered) => format!("{read_back}; it offers no more"),
        Some(Beyond::NotMeasured { wanted }) => {
            format!("not measured at `{wanted}`: its trials ran at {read_back}")
        }
    }
}

fn of_nodes(topology: &str, beyond: Option<&Beyond>) -> String {
    let read_back = format!("topology as read back: {topology}");
    match beyond {
        None | Some(Beyond::NotOffered) => read_back,
        Some(Beyond::Reached { by, wanted }) => {
            format!("{read_back}; {by} was measured with {wanted} or more")
        }
        Some(Beyond::NotMeasured { wanted }) => format!("not measured with {wanted} nodes; {read_back}"),
    }
}

fn of_scans(order: Fact<ScanOrder>) -> String {
    match order {
        Fact::Known(ScanOrder::Key) => "its scans return records in the order of their keys",
        Fact::Known(ScanOrder::Other) => "its scans return records in another order",
        Fact::Known(ScanOrder::Unsupported) => "it cannot scan",
        Fact::NotStated | Fact::Absent => "the order of its scans was not recorded",
    }
    .to_owned()
}

fn of_missed(trials: usize, of: usize, first: &Missed, loaded: bool) -> String {
    let all = number::plural(of, "trial", "trials");
    let first = match first {
        Missed::Finding(message) => message.clone(),
        Missed::Values(count) => {
            let values = number::plural(*count as usize, "value was", "values were");
            format!("{values} missing or not what was written")
        }
        Missed::Records(count) => {
            let operations = number::plural(*count as usize, "operation", "operations");
            format!("{operations} did not find their record")
        }
    };
    if loaded {
        format!("missed in {trials} of {all}; in the first of them, {first}")
    } else {
        format!(
            "{trials} of {all} missed data but did not load the table themselves, so the records may never have been there; in \
             the first of them, {first}"
        )
    }
}

fn of_objective(objective: &Objective) -> String {
    let Objective { metric, trials, .. } = *objective;
    let mut parts = vec![match objective.range {
        Some((low, high)) => format!(
            "{} of {} keep it: {} to {}",
            objective.kept,
            number::plural(trials, "trial", "trials"),
            metric.format(low),
            metric.format(high)
        ),
        None => "no trial counts for it".to_owned(),
    }];
    let doubts = &objective.doubts;
    if !doubts.is_empty() {
        parts.push(match trials {
            0 => of_doubts(doubts, doubts.len()),
            _ => format!("of the others, {}", of_doubts(doubts, usize::MAX)),
        });
    }
    if objective.late > 0 {
        parts.push(format!("the rate was not held in {}", objective.late));
    }
    if objective.open {
        parts.push(match (trials < FEWEST, doubts.is_empty()) {
            (true, true) => "five trials that agree would decide".to_owned(),
            (true, false) => "five sound trials that agree would decide".to_owned(),
            (false, _) => "more trials would decide".to_owned(),
        });
    }
    parts.join("; ")
}

fn of_budget(spent: &Spent) -> String {
    let mut parts = vec![money::clause(spent)];
    if let SpentBy::Trials { doubts, open, .. } = &spent.by {
        parts.extend(
            (!doubts.is_empty()).then(|| format!("of the others, {}", of_doubts(doubts, usize::MAX))),
        );
        parts.extend(open.then(|| "more sound trials would decide".to_owned()));
    }
    parts.join("; ")
}

fn of_protection(observed: &Observed) -> String {
    let observed = match observed {
        Observed::ByTrials(level, seen) => {
            format!(
                "{}, as observed after every start of its trials: {seen}",
                level.name()
            )
        }
        Observed::ByAudit { level, day, summary } => {
            format!("{}, as observed on {day}: {summary}", level.name())
        }
        Observed::NotExamined => return "its audit did not examine it".to_owned(),
        Observed::OtherSystem { audited, address } => {
            return format!(
                "the audit is of another system, {audited}; `dbdyno audit {}` would show it",
                shell::word(address)
            );
        }
        Observed::Embedded => return "no probes examine a store inside the process".to_owned(),
        Observed::NoAudit { address } => {
            return format!(
                "no audit of it was given; `dbdyno audit {} --format json` would show it",
                shell::word(address)
            );
        }
    };
    observed.trim_end_matches('.').to_owned()
}

fn price(cost: &Cost) -> String {
    let works = cost.works.iter().map(|(workload, ratio, interval)| {
        let interval = interval.map(Interval::ends);
        let ratio = number::times(*ratio, interval, Metric::Throughput.quantity());
        format!("{ratio} on workload {workload}")
    });
    format!(
        "; its price, as measured: throughput against {}: {}",
        cost.base,
        number::list(&works.collect::<Vec<_>>())
    )
}

/// What trials of one doubt have in common, as a predicate.
fn predicate(doubt: Doubt, trials: usize) -> &'static str {
    let many = trials != 1;
    match doubt {
        Doubt::Short if many => "were too short to be judged",
        Doubt::Short => "was too short to be judged",
        Doubt::Unsteady if many => "were not steady throughout",
        Doubt::Unsteady => "was not steady throughout",
        Doubt::Disturbed if many => "were disturbed by other work on the machine",
        Doubt::Disturbed => "was disturbed by other work on the machine",
        Doubt::FewOperations => "had too few operations for the percentile",
        Doubt::Outlying if many => "stand out from the others",
        Doubt::Outlying => "stands out from the others",
    }
}

/// The doubts about trials, the most frequent first; empty without any. `trials` is how many there are in all.
pub fn of_doubts(doubts: &[Doubt], trials: usize) -> String {
    let mut counts: Vec<(usize, Doubt)> = Vec::new();
    for doubt in doubts {
        match counts.iter_mut().find(|(_, known)| known == doubt) {
            Some((count, _)) => *count += 1,
            None => counts.push((1, *doubt)),
        }
    }
    counts.sort_by_key(|(count, doubt)| (std::cmp::Reverse(*count), *doubt));
    let parts: Vec<String> = counts
        .iter()
        .map(|(count, doubt)| match *count {
            1 if trials == 1 => format!("it {}", predicate(*doubt, 1)),
            all if all == trials => format!("all {all} {}", predicate(*doubt, all)),
            some => format!("{some} {}", predicate(*doubt, some)),
        })
        .collect();
    number::list(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_counted_and_the_most_frequent_comes_first() {
        use Doubt::{Disturbed, Outlying, Short};
        assert_eq!(of_doubts(&[Short; 8], 8), "all 8 were too short to be judged");
        assert_eq!(of_doubts(&[Short], 1), "it was too short to be judged");
        assert_eq!(
            of_doubts(&[Outlying, Disturbed, Disturbed], 6),
            "2 were disturbed by other work on the machine and 1 stands out from the others"
        );
        assert_eq!(of_doubts(&[], 6), "");
    }
}
