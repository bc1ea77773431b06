//! What advice knows beside the results: the built-in workloads and what databases offer. Unknown names get a warning.

use std::collections::BTreeSet;
use std::path::Path;

use dbdyno_report::advice::{Catalogue, Need, Offer, RequirementKind, WorkChoice};
use dbdyno_report::{StudyResults, is_same_workload};
use dbdyno_study::workloads;
use dbdyno_vocabulary::suggest::{self, nearest};

use crate::commands::prices;

/// The built-in workloads, and the levels that each driver offers.
pub fn catalogue() -> Catalogue {
    let of_workload = |name: &str| {
        let base = workloads::base(name, Path::new(".")).ok()?;
        let properties = base
            .iter()
            .map(|(key, property)| (key.to_owned(), property.value.clone()))
            .collect();
        Some((name.to_owned(), properties))
    };
    let of_driver = |info: &dbdyno_driver::DriverInfo| {
        let capabilities = &info.capabilities;
        let offer = Offer {
            durabilities: capabilities.durabilities.to_vec(),
            consistencies: capabilities.consistencies.to_vec(),
        };
        (info.name.to_owned(), offer)
    };
    Catalogue {
        workloads: workloads::names().into_iter().filter_map(of_workload).collect(),
        drivers: dbdyno_registry::databases().into_iter().map(of_driver).collect(),
        // Those that the user names join later.
        audits: Vec::new(),
    }
}

/// The workloads of a need that are neither in the results nor built in, each with what may be meant.
pub fn unknown_workloads(need: &Need, results: &[&StudyResults], catalogue: &Catalogue) -> Vec<String> {
    let trials = results.iter().flat_map(|results| &results.trials);
    let known: BTreeSet<&str> = trials
        .map(|trial| trial.workload.name.as_str())
        .chain(catalogue.workloads.keys().map(String::as_str))
        .collect();
    let of_objectives = need.requirements.iter().filter_map(|one| match &one.kind {
        RequirementKind::Objective { work, .. } => Some(work),
        _ => None,
    });
    let works = need.goals.iter().map(|goal| &goal.work).chain(of_objectives);
    let asked: BTreeSet<&str> = works.map(|work: &WorkChoice| work.workload.as_str()).collect();
    let tell = |name: &&str| {
        let meant = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "there are {}",
                known.iter().copied().collect::<Vec<_>>().join(", ")
            ),
        };
        format!(
            "the need requires workload `{name}`, which is neither in these results nor built in; {meant}"
        )
    };
    let unknown = asked
        .iter()
        .filter(|name| !known.iter().any(|known| is_same_workload(known, name)));
    unknown.map(tell).collect()
}

/// Products whose version the need asks for, and that nothing in the results is called.
pub fn unknown_products(need: &Need, results: &[&StudyResults]) -> Vec<String> {
    let trials = results.iter().flat_map(|results| &results.trials);
    let known: BTreeSet<&str> = trials
        .flat_map(|trial| [&trial.system.name, &trial.system.driver, &trial.system.product])
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    let asked = need.requirements.iter().filter_map(|one| match &one.kind {
        RequirementKind::Version { of, .. } => Some(of.as_str()),
        _ => None,
    });
    let unknown = asked.filter(|of| !known.iter().any(|name| name.eq_ignore_ascii_case(of)));
    unknown
        .map(|of| {
            let meant = suggest::after_message(of, known.iter().copied());
            format!(
                "the need requires a version of `{of}`, but no system in these results has this name{meant}"
            )
        })
        .collect()
}

/// Systems that the need has prices of, and that nothing in the results is called.
pub fn unknown_priced(need: &Need, results: &[&StudyResults]) -> Vec<String> {
    let known = prices::systems(results);
    let priced = need.prices.iter().flat_map(|prices| prices.systems.keys());
    let unknown = priced.filter(|name| !known.contains(&name.as_str()));
    unknown
        .map(|name| {
            let meant = suggest::after_message(name, known.iter().copied());
            format!(
                "[[cost.system]] has prices of `{name}`, but no system in these results has this name{meant}"
            )
        })
        .collect()
}
