//! What an answer holds for, what forbids one, and what to keep in mind.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::finding::{FitsInMemory, NodesShareDisk};
use dbdyno_record::{Environment, Finding, TrialRecord};

use super::compose::{Pieces, statement};
use super::gather::{Candidate, Source, did_work, of_work};
use super::unjudged::sentence;
use super::{Need, RateChoice, Statement, WorkChoice};
use crate::model::flags::consistency;
use crate::number;
use crate::words::load::FULL_SPEED;
use crate::words::meaning::meaning;

/// Why these candidates are not ranked against each other, each with the key of the need that ranks them all the same.
pub fn refusals(
    need: &Need,
    candidates: &[&Candidate<'_>],
    sources: &[Source<'_>],
    works: &[&WorkChoice],
) -> Vec<String> {
    let mut refusals = Vec::new();
    let mut note = |what: &str, key: &str, values: BTreeMap<String, BTreeSet<String>>| {
        if values.len() > 1 {
            let parts: Vec<String> = values
                .iter()
                .map(|(value, names)| {
                    format!("{value} for {}", number::list(&names.iter().collect::<Vec<_>>()))
                })
                .collect();
            refusals.push(format!(
                "{what} differs: {}. These systems are not ranked against each other unless the need says {key}.",
                parts.join("; ")
            ));
        }
    };
    if !need.across_durability {
        let of = |one: &Candidate<'_>| vec![one.system.durability.to_string()];
        note("Durability", "across_durability = true", by_value(candidates, of));
    }
    if !need.across_consistency {
        note(
            "Consistency",
            "across_consistency = true",
            by_value(candidates, |one| vec![consistency(one.system).to_string()]),
        );
        let scans = |one: &Candidate<'_>| {
            let mut trials = works.iter().flat_map(|work| of_work(one, work));
            trials.any(|(_, trial)| {
                trial
                    .measure
                    .as_ref()
                    .is_some_and(|measure| measure.operations.contains_key("scan"))
            })
        };
        let scanning: Vec<&Candidate<'_>> = candidates.iter().copied().filter(|one| scans(one)).collect();
        let order = |one: &Candidate<'_>| vec![one.system.scan_order.to_string()];
        note(
            "Order of scans",
            "across_consistency = true",
            by_value(&scanning, order),
        );
    }
    if !need.across_machines {
        let of = |one: &Candidate<'_>| {
            let used: BTreeSet<usize> = works
                .iter()
                .flat_map(|work| of_work(one, work))
                .map(|(source, _)| source)
                .collect();
            used.into_iter()
                .map(|source| machine(sources[source].environment))
                .collect()
        };
        let machines = by_value(candidates, of);
        note("Machine", "across_machines = true", machines);
    }
    refusals
}

fn by_value(
    candidates: &[&Candidate<'_>],
    of: impl Fn(&Candidate<'_>) -> Vec<String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for candidate in candidates {
        for value in of(candidate) {
            found.entry(value).or_default().insert(candidate.label.clone());
        }
    }
    found
}

/// A machine in words.
pub fn machine(environment: Option<&Environment>) -> String {
    let Some(environment) = environment else {
        return "an unknown machine".to_owned();
    };
    let processor = environment
        .processor
        .model
        .as_deref()
        .unwrap_or("unknown processor");
    let count = environment.processor.usable.map_or_else(String::new, |count| {
        format!(", {}", number::plural(count as usize, "processor", "processors"))
    });
    let memory = environment.memory.total_bytes.map_or_else(String::new, |bytes| {
        format!(", {} of memory", number::bytes(bytes as f64))
    });
    format!(
        "{}{count}{memory}",
        processor.split_whitespace().collect::<Vec<_>>().join(" ")
    )
}

/// Work in words, as it was asked for in these trials.
pub fn work(choice: &WorkChoice, trials: &[(usize, &TrialRecord)]) -> String {
    let Some((_, first)) = trials.first() else {
        return asked(choice);
    };
    let rate = first.spec.rate().map_or_else(
        || FULL_SPEED.to_owned(),
        |rate| format!("at {}", number::rate(rate)),
    );
    format!(
        "workload {}, {} records, {}, {rate}",
        choice.workload,
        number::quantity(first.workload.records as f64),
        number::plural(first.spec.clients as usize, "client", "clients")
    )
}

/// Work that nobody did, in words.
fn asked(choice: &WorkChoice) -> String {
    let mut parts = vec![format!("workload {}", choice.workload)];
    parts.extend(
        choice
            .records
            .map(|records| format!("{} records", number::quantity(records as f64))),
    );
    parts.extend(
        choice
            .clients
            .map(|clients| number::plural(clients as usize, "client", "clients")),
    );
    parts.extend(choice.rate.map(|rate| match rate {
        RateChoice::Unlimited => FULL_SPEED.to_owned(),
        RateChoice::PerSecond(rate) => format!("at {}", number::rate(rate)),
        RateChoice::Common => "at the same load".to_owned(),
    }));
    parts.join(", ")
}

/// What the answer holds for.
pub fn rows(
    candidates: &[Candidate<'_>],
    sources: &[Source<'_>],
    works: &[&WorkChoice],
) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = candidates
        .iter()
        .map(|one| (one.label.clone(), system(one)))
        .collect();
    for choice in works {
        let trials: Vec<(usize, &TrialRecord)> =
            candidates.iter().flat_map(|one| of_work(one, choice)).collect();
        if !trials.is_empty() {
            rows.push(("work".to_owned(), work(choice, &trials)));
        }
    }
    let machines: BTreeSet<String> = sources.iter().map(|source| machine(source.environment)).collect();
    rows.extend(
        machines
            .into_iter()
            .map(|machine| ("machine".to_owned(), machine)),
    );
    rows.extend(limits(candidates, works));
    for source in sources {
        let began = source
            .results
            .trials
            .iter()
            .map(|trial| trial.started_at.as_str())
            .min();
        let trials = number::plural(source.results.trials.len(), "trial", "trials");
        let second = |time: &str| {
            time.split('.')
                .next()
                .unwrap_or_default()
                .trim_end_matches('Z')
                .to_owned()
        };
        let began = began
            .filter(|began| !began.is_empty())
            .map_or_else(String::new, |began| format!(", from {} UTC on", second(began)));
        rows.push(("results".to_owned(), format!("{}: {trials}{began}", source.name)));
    }
    rows
}

/// What the machine and the amount of data leave out, as findings of the trials name it.
fn limits(candidates: &[Candidate<'_>], works: &[&WorkChoice]) -> Vec<(String, String)> {
    let of_finding = |label: &str, is_it: fn(&Finding) -> bool| {
        let mut meant = "";
        let mut concerned: Vec<&str> = Vec::new();
        for one in candidates {
            let trials = works.iter().flat_map(|work| of_work(one, work));
            let mut findings = trials.flat_map(|(_, trial)| &trial.findings);
            if let Some(found) = findings.find(|finding| is_it(finding)) {
                meant = meaning(found);
                concerned.push(&one.label);
            }
        }
        let whose = match concerned.len() == candidates.len() {
            true => "all systems".to_owned(),
            false => number::list(&concerned),
        };
        (!concerned.is_empty()).then(|| (label.to_owned(), format!("{meant} This concerns {whose}.")))
    };
    let disk = of_finding("disk", Finding::is::<NodesShareDisk>);
    let memory = of_finding("memory", Finding::is::<FitsInMemory>);
    disk.into_iter().chain(memory).collect()
}

fn system(candidate: &Candidate<'_>) -> String {
    let system = candidate.system;
    let mut parts = vec![
        format!("{} {}", system.product, system.version).trim().to_owned(),
        system.topology.clone(),
        format!("durability {}", system.durability),
    ];
    if !system.consistency.is_absent() {
        parts.push(format!("consistency {}", system.consistency));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// What to keep in mind, whatever the answer.
pub fn cautions(pieces: &Pieces<'_>) -> Vec<Statement> {
    let mut cautions = Vec::new();
    if pieces.given_again > 0 {
        let trials = number::plural(pieces.given_again, "trial was", "trials were");
        cautions.push(statement(
            format!("{trials} given more than once and count once."),
            Vec::new(),
        ));
    }
    for (index, (goal, why)) in pieces.goals.iter().enumerate() {
        let numbers = (0..pieces.candidates.len())
            .filter_map(|candidate| pieces.of_all_goals[candidate][index])
            .collect();
        if let Some(why) = why.as_ref().filter(|why| !why.is_not_measured()) {
            cautions.push(statement(
                format!("{}. It counts for nothing here.", sentence(why, goal)),
                numbers,
            ));
        }
    }
    let mut used: BTreeMap<(usize, &str), &TrialRecord> = BTreeMap::new();
    let works = || pieces.works.iter().map(|(work, _)| *work);
    for (source, trial) in
        works().flat_map(|work| pieces.candidates.iter().flat_map(|one| did_work(one, work)))
    {
        used.insert((source, &trial.trial), trial);
    }
    let count = |has: &dyn Fn(&TrialRecord) -> bool| used.values().filter(|trial| has(trial)).count();
    let invalid = count(&|trial| !trial.is_valid());
    if invalid > 0 {
        cautions.push(statement(
            format!(
                "{invalid} of {} {} no answer; `dbdyno report` shows why.",
                number::plural(used.len(), "trial", "trials"),
                if invalid == 1 {
                    "is invalid and feeds"
                } else {
                    "are invalid and feed"
                }
            ),
            Vec::new(),
        ));
    }
    let late = count(&|trial| {
        let pacing = trial.measure.as_ref().and_then(|measure| measure.pacing.as_ref());
        pacing.is_some_and(|pacing| !pacing.sustained)
    });
    if late > 0 {
        cautions.push(statement(
            format!(
                "{late} of {} did not sustain the requested rate: response times there grow with the length of the run.",
                number::plural(used.len(), "trial", "trials")
            ),
            Vec::new(),
        ));
    }
    let folders: BTreeSet<usize> = used.keys().map(|(source, _)| *source).collect();
    if folders.len() > 1 {
        cautions.push(statement(
            format!(
                "The trials come from {} result folders: differences of the machine between them do not cancel out.",
                folders.len()
            ),
            Vec::new(),
        ));
    }
    cautions
}
