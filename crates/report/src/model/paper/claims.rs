//! The claims of a paper, judged on its own numbers and on new runs.

use std::collections::BTreeSet;

use dbdyno_paper::measured::{Case, Judgement, MeasuredVerdict, Measurements, Row, evaluate};
use dbdyno_paper::predicate::{self, Predicate, PrintedVerdict};
use dbdyno_paper::{Claim, ClaimVerdict, LOAD, Paper, Rerun};
use serde::Serialize;

use crate::model::machine_speed::for_each_percent;
use crate::number;

/// A claim, judged twice.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimRow {
    /// Its name.
    pub id: String,
    /// Under which assumption it was judged, where several were measured; else empty.
    pub assuming: String,
    /// Its words.
    pub text: String,
    /// On the paper's own numbers.
    pub printed: ClaimVerdict,
    /// What that rests on.
    pub printed_evidence: Vec<String>,
    /// On the new runs; [`ClaimVerdict::NotTested`] for a claim about something else.
    pub measured: ClaimVerdict,
    /// What that rests on: each comparison with its interval, or why there is none.
    pub measured_evidence: Vec<String>,
    /// Whether it is about latencies that were measured again without a rate.
    pub closed_loop_latency: bool,
    /// Whether it compares sizes as at the machine's usual speed.
    pub at_usual_speed: bool,
    /// The columns that it is about, in the order of its words for new runs, or for the printed numbers.
    #[serde(skip)]
    pub columns: Vec<String>,
    /// The set-up that it is about, where it names one.
    #[serde(skip)]
    pub topology: Option<String>,
    /// Why nothing can test it, where nothing can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
}

impl ClaimRow {
    /// Whether new runs or audits say anything of it.
    #[must_use]
    pub fn is_tested(&self) -> bool {
        !matches!(
            self.measured,
            ClaimVerdict::NotComparable | ClaimVerdict::NotTested
        )
    }

    /// Its name, with what it was judged under.
    #[must_use]
    pub fn name(&self) -> String {
        if self.assuming.is_empty() {
            self.id.clone()
        } else {
            format!("{} at {}", self.id, self.assuming)
        }
    }
}

/// What is asked of new runs.
fn asked_again(claim: &Claim) -> Option<Predicate> {
    let text = claim.again.as_deref().or(claim.predicate.as_deref());
    text.and_then(|text| predicate::parse(text).ok())
}

/// The columns of a claim, each once.
fn columns_of(claim: &Claim) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    if let Some(predicate) = asked_again(claim) {
        for column in predicate.columns() {
            if !columns.iter().any(|known| known == column) {
                columns.push(column.to_owned());
            }
        }
    }
    columns
}

/// Whether it compares throughputs where a rate was asked for.
fn is_of_the_rate(predicate: &Predicate, rerun: &Rerun) -> bool {
    let throughput = super::PrintedQuantity::Throughput.column();
    !rerun.rates.is_empty() && predicate.columns().any(|column| column == throughput)
}

pub(super) fn claims(
    paper: &Paper,
    rerun: &Rerun,
    measured: &Measurements,
    refusals: &[String],
    is_closed_loop: bool,
) -> Vec<ClaimRow> {
    let findings = dbdyno_lint::check(&dbdyno_paper::printed(paper));
    let Ok(judged) = dbdyno_paper::judge(paper, &findings) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for (claim, judged) in paper.claims.iter().zip(judged) {
        let printed = judged
            .verdict
            .as_ref()
            .map_or(ClaimVerdict::NotPrinted, PrintedVerdict::word);
        let mut printed_evidence = match &judged.verdict {
            None => Vec::new(),
            Some(PrintedVerdict::Holds { cases }) => {
                vec![number::plural(*cases, "comparison", "comparisons")]
            }
            Some(PrintedVerdict::Fails { cases, against }) => {
                let mut evidence = vec![format!("{} of {cases} comparisons against it", against.len())];
                evidence.extend(against.iter().cloned());
                evidence
            }
            Some(PrintedVerdict::Undecided { reasons }) => reasons.clone(),
            Some(PrintedVerdict::Ambiguous { what }) => vec![format!("printed twice: {what}")],
        };
        printed_evidence.extend(judged.doubted.iter().map(|place| format!("doubtful: {place}")));
        let predicate = asked_again(claim);
        let unjudged = |measured: ClaimVerdict, evidence: Vec<String>| ClaimRow {
            id: claim.id.clone(),
            assuming: String::new(),
            text: claim.text.clone(),
            printed,
            printed_evidence: printed_evidence.clone(),
            measured,
            measured_evidence: evidence,
            closed_loop_latency: is_closed_loop
                && predicate.as_ref().is_some_and(Predicate::is_about_latency),
            at_usual_speed: false,
            columns: columns_of(claim),
            topology: asked_again(claim).and_then(|predicate| predicate.only_word("topology")),
            untested: claim.untested.clone(),
        };
        // What no part measures is not tested by runs that leave it out.
        let untested = |verdict: ClaimVerdict| match verdict {
            ClaimVerdict::NotComparable if !dbdyno_paper::is_measured(paper, claim) => {
                ClaimVerdict::NotTested
            }
            verdict => verdict,
        };
        match &predicate {
            None => rows.push(unjudged(ClaimVerdict::NotTested, Vec::new())),
            Some(_) if !refusals.is_empty() => {
                rows.push(unjudged(untested(ClaimVerdict::NotComparable), refusals.to_vec()));
            }
            Some(predicate) if is_of_the_rate(predicate, rerun) => {
                let why = "throughput at a requested rate is that rate".to_owned();
                rows.push(unjudged(ClaimVerdict::NotComparable, vec![why]));
            }
            Some(predicate) => {
                for (assuming, measured) in by_assumption(predicate, rerun, measured) {
                    let judged = evaluate(predicate, &measured);
                    let mut evidence = evidence(&judged);
                    let verdict = match (&judged.verdict, &claim.uncovered_again) {
                        (MeasuredVerdict::Holds, Some(uncovered)) => {
                            evidence.insert(0, uncovered.clone());
                            ClaimVerdict::HoldsWhereTested
                        }
                        (verdict, _) => untested(verdict.word()),
                    };
                    rows.push(ClaimRow {
                        assuming,
                        at_usual_speed: !judged.at_usual_speed.is_empty(),
                        ..unjudged(verdict, evidence)
                    });
                }
            }
        }
    }
    rows
}

/// Where several levels of a size were measured of which the claim does not speak, it is judged at each of them.
fn by_assumption(
    predicate: &Predicate,
    rerun: &Rerun,
    measured: &Measurements,
) -> Vec<(String, Measurements)> {
    let follows = matches!(rerun.operations, dbdyno_paper::Operations::AsRecords(_));
    let silent = ["records", "ops", "rate"]
        .into_iter()
        .filter(|attribute| (!follows || *attribute == "rate") && !predicate.asks_about(attribute));
    let mut parts = vec![(String::new(), measured.clone())];
    for attribute in silent {
        let levels: BTreeSet<u64> = measured
            .rows
            .iter()
            .filter(|row| {
                row.attributes
                    .get("workload")
                    .is_some_and(|workload| workload != LOAD)
            })
            .filter_map(|row| row.attributes.get(attribute)?.parse().ok())
            .collect();
        if levels.len() < 2 {
            continue;
        }
        parts = parts
            .iter()
            .flat_map(|(assuming, measured)| {
                levels.iter().map(move |level| {
                    let text = level.to_string();
                    let is_load = |row: &Row| {
                        attribute != "records"
                            && row.attributes.get("workload").is_some_and(|name| name == LOAD)
                    };
                    let rows = measured.rows.iter();
                    let rows =
                        rows.filter(|row| is_load(row) || row.attributes.get(attribute) == Some(&text));
                    let assuming = [assuming.as_str(), &format!("{attribute} {level}")]
                        .into_iter()
                        .filter(|part| !part.is_empty())
                        .collect::<Vec<_>>()
                        .join(", ");
                    let rows = rows.cloned().collect();
                    (assuming, Measurements { rows })
                })
            })
            .collect();
    }
    parts
}

fn evidence(judged: &Judgement) -> Vec<String> {
    let mut evidence = match &judged.verdict {
        MeasuredVerdict::NotComparable { reasons } => reasons.clone(),
        _ => Vec::new(),
    };
    if judged.cases.is_empty() {
        return evidence;
    }
    let rest = if evidence.is_empty() { "" } else { "of the rest, " };
    let word = |case: &Case| match case.shown {
        Some(true) => "shown",
        Some(false) => "against",
        None if case.close => "close",
        None => "open",
    };
    let cases = &judged.cases;
    let count = |wanted: &str| cases.iter().filter(|case| word(case) == wanted).count();
    evidence.push(format!(
        "{rest}{} of {} shown, {} against, {} close, {} open",
        count("shown"),
        number::plural(cases.len(), "comparison", "comparisons"),
        count("against"),
        count("close"),
        count("open")
    ));
    evidence.extend(cases.iter().map(|case| format!("{}: {}", word(case), case.text)));
    evidence.extend(judged.averages.iter().map(|case| match case.close {
        true => format!("close: {}", case.text),
        false => case.text.clone(),
    }));
    evidence.extend(judged.at_usual_speed.iter().map(|(column, slope)| {
        format!(
            "sizes are compared as at the machine's usual speed: for each 1% that the reference work takes longer, {column} is {}",
            for_each_percent(slope.slope, slope.explained)
        )
    }));
    evidence
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn sizes_that_follow_each_other_are_no_assumptions() {
        let row = |size: u64| Row {
            attributes: ["records", "ops"]
                .map(|name| (name.to_owned(), size.to_string()))
                .into_iter()
                .chain([("workload".to_owned(), "A".to_owned())])
                .collect::<BTreeMap<_, _>>(),
            ..Row::default()
        };
        let measured = Measurements {
            rows: vec![row(20_000), row(40_000)],
        };
        let predicate = predicate::parse("run_time_ms(ops=20000) < run_time_ms(ops=40000)").unwrap();
        let parts = |paper: &str| {
            let paper = dbdyno_paper::find(paper).unwrap().unwrap();
            by_assumption(&predicate, &paper.reruns[0], &measured).len()
        };
        // As many operations as records: who speaks of one speaks of both.
        assert_eq!(parts("shwaysh-2018"), 1);
        assert_eq!(parts("abramova-2013"), 2);
    }
}
