//! Needs, as plain data.

use super::{FJALL, REDB, SQLITE, WORKLOADS, study};
use dbdyno_report::StudyResults;
use dbdyno_report::advice::{
    Advice, AdviceError, Catalogue, Goal, Metric, Need, Objective, Requirement, RequirementKind, Source,
    WorkChoice, Worth,
};
use dbdyno_trial::Durability;

pub fn work(workload: &str) -> WorkChoice {
    WorkChoice {
        workload: workload.to_owned(),
        records: None,
        clients: None,
        rate: None,
        place: 0..0,
    }
}

pub fn goal(name: &str, metric: &str, workload: &str, weight: f64) -> Goal {
    Goal {
        name: name.to_owned(),
        metric: Metric::parse(metric).unwrap(),
        work: work(workload),
        weight,
        worth: Worth::Ratio(None),
    }
}

pub fn need(goals: Vec<Goal>) -> Need {
    Need {
        title: "A store for sessions".to_owned(),
        systems: Vec::new(),
        margin: 0.05,
        weight_spread: 0.1,
        draws: 1000,
        seed: 42,
        across_durability: false,
        across_consistency: false,
        across_machines: false,
        prices: None,
        requirements: Vec::new(),
        goals,
        published: Vec::new(),
    }
}

pub fn require(text: &str, kind: RequirementKind) -> Requirement {
    Requirement {
        text: text.to_owned(),
        kind,
    }
}

/// A result folder without a machine.
pub fn source<'a>(name: &'a str, results: &'a StudyResults) -> Source<'a> {
    Source {
        name,
        results,
        environment: None,
    }
}

pub fn advise(need: &Need, folders: &[(&str, &StudyResults)]) -> Result<Advice, AdviceError> {
    let sources: Vec<Source<'_>> = folders
        .iter()
        .map(|(name, results)| source(name, results))
        .collect();
    Advice::of(need, &sources, &Catalogue::default())
}

/// A hard objective such as at most 10 ms of p99.
pub fn keep(metric: &str, limit: f64, work: WorkChoice) -> Requirement {
    let objective = Objective {
        metric: Metric::parse(metric).unwrap(),
        limit,
    };
    require(
        &format!("{metric} kept in {}", work.workload),
        RequirementKind::Objective { objective, work },
    )
}

/// All sentences of an answer that say why.
pub fn why(advice: &Advice) -> String {
    let lines: Vec<&str> = advice.why.iter().map(|reported| reported.text.as_str()).collect();
    lines.join("\n")
}

/// Three systems under three workloads, six trials each, in a closed loop.
pub fn small() -> StudyResults {
    study("small", &[FJALL, REDB, SQLITE], &WORKLOADS[..3], 6, 10)
}

/// Reads count most; fjall writes fastest and redb reads fastest.
pub fn trade_off() -> Need {
    let mut need = need(vec![
        goal("updates", "throughput", "a", 1.0),
        goal("reads", "throughput", "c", 4.0),
        goal("tail of reads", "p99(read)", "b", 1.0),
    ]);
    need.requirements = vec![
        require(
            "durability at least buffered",
            RequirementKind::Durability(Durability::Buffered),
        ),
        require("errors at most 0.1%", RequirementKind::Errors(0.001)),
        require(
            "throughput > 90k in a",
            RequirementKind::Objective {
                objective: Objective {
                    metric: Metric::Throughput(dbdyno_report::advice::Subject::All),
                    limit: 90_000.0,
                },
                work: work("a"),
            },
        ),
        require(
            "security encryption at rest",
            RequirementKind::NotMeasured {
                shown_by: "a security audit of the running system would show it".to_owned(),
            },
        ),
    ];
    need
}
