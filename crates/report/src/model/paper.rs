//! A study that measures a paper again: the paper's claims on its own numbers and on ours, and both side by side.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::speed::Readings;
use dbdyno_paper::measured::{Case, Judgement, MeasuredVerdict, Measurements, Row, evaluate};
use dbdyno_paper::predicate::{self, Predicate, PrintedVerdict};
use dbdyno_paper::{ClaimVerdict, Paper, PrintedNumber, Rerun};
use dbdyno_record::{KnownLatency, PlannedPaper, TrialRecord, TrialStatus};
use dbdyno_stats::Sample;
use dbdyno_trial::Factor;
use dbdyno_vocabulary::OperationKind;
use dbdyno_vocabulary::twin_original;
use serde::Serialize;

use super::machine_speed::for_each_percent;
use super::paper_quantity::PrintedQuantity;
use super::{Flag, Interval, Pace};
use crate::StudyResults;
use crate::number;

/// What the results of a study that measures a paper again say of the paper.
#[derive(Clone, Debug, Serialize)]
pub struct PaperReport {
    /// The paper's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Who wrote it when.
    pub citation: String,
    /// Which part of it was measured.
    pub part: String,
    /// What its sizes were multiplied by.
    pub scale: f64,
    /// What was assumed, replaced and changed, one sentence each.
    pub notes: Vec<String>,
    /// Its claims.
    pub claims: Vec<ClaimRow>,
    /// Its numbers beside ours.
    pub sides: Vec<Side>,
}

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
}

/// One quantity under one workload, over sizes.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// The paper's name of the workload.
    pub workload: String,
    /// What is shown.
    pub quantity: PrintedQuantity,
    /// What the sizes are: `records` or `operations`.
    pub size: String,
    /// One line of the chart for each system.
    pub systems: Vec<SideSystem>,
}

/// One system's numbers, the paper's and ours.
#[derive(Clone, Debug, Serialize)]
pub struct SideSystem {
    /// The paper's name of it, and ours.
    pub name: String,
    /// By the paper's sizes.
    pub points: Vec<SidePoint>,
}

/// The numbers of one size.
#[derive(Clone, Debug, Serialize)]
pub struct SidePoint {
    /// The paper's size.
    pub size: u64,
    /// What the paper printed.
    pub printed: Option<f64>,
    /// Our median.
    pub measured: Option<f64>,
    /// Its interval; `None` with too few trials.
    pub interval: Option<Interval>,
    /// Our trials.
    pub trials: usize,
}

/// What the study says about the paper that it measures again; `None` when it measures none that we know. `flags` are those that
/// refuse verdicts between its systems.
pub fn paper(results: &StudyResults, trials: &[TrialRecord], flags: &[Flag]) -> Option<PaperReport> {
    let reference = results.asked.paper.as_ref()?;
    let paper = dbdyno_paper::find(&reference.id).ok()??;
    let rerun = paper.reruns.iter().find(|rerun| rerun.part == reference.part)?;
    let (measured, usable) = measured(reference, rerun, trials);
    let refusals: Vec<String> = flags
        .iter()
        .filter(|flag| flag.refuses)
        .map(|flag| flag.text.exact())
        .collect();
    Some(PaperReport {
        title: paper.head.title.clone(),
        citation: format!(
            "{}, {}",
            number::list(&paper.head.authors),
            dbdyno_paper::plain(&paper.head.year)
        ),
        claims: claims(
            &paper,
            rerun,
            &usable,
            &refusals,
            Pace::of(trials) == Pace::ClosedLoop,
        ),
        sides: sides(&paper, rerun, &measured),
        id: reference.id.clone(),
        part: reference.part.clone(),
        scale: reference.scale,
        notes: reference.notes.clone(),
    })
}

/// Our trials, as rows in the paper's words and sizes. The load is a workload of its own, `load`: in each block the first one of the
/// first workload, for the table is loaded alike before all of them. All of them are shown; claims are judged on those after them, which
/// leave out every cell with an invalid trial: to leave out that trial alone would choose results.
fn measured(reference: &PlannedPaper, rerun: &Rerun, trials: &[TrialRecord]) -> (Measurements, Measurements) {
    let readings = Readings::between_turns(trials, None);
    let mut rows: Vec<Row> = Vec::new();
    let mut unusable: BTreeSet<BTreeMap<String, String>> = BTreeSet::new();
    let printed = |sizes: &BTreeMap<u64, u64>, ours: u64| sizes.get(&ours).copied().unwrap_or(ours);
    let first = rerun.workloads.first().map(|workload| workload.id.as_str());
    for trial in trials {
        let (name, twin) = match twin_original(&trial.system.name) {
            Some(original) => (original, true),
            None => (trial.system.name.as_str(), false),
        };
        let known = rerun.systems.iter().any(|system| system.id == name);
        let (Some(measure), TrialStatus::Completed, true) = (&trial.measure, &trial.status, known) else {
            continue;
        };
        let is_factor = trial.spec.factors.contains(&Factor::Records);
        let ours = if is_factor {
            trial.spec.records
        } else {
            trial.workload.records
        };
        let records = printed(&reference.records, ours);
        let ops = printed(
            &reference.operations,
            trial.spec.limit.operations.unwrap_or_default(),
        );
        let is_unusable = !trial.is_valid();
        let mut add = |workload: &str, ops: u64, values: BTreeMap<String, f64>, reference_ns: Option<f64>| {
            let attributes = [
                ("system", name.to_owned()),
                ("workload", workload.to_owned()),
                ("topology", rerun.topology.clone()),
                ("records", records.to_string()),
                ("ops", ops.to_string()),
            ];
            let attributes: BTreeMap<String, String> =
                attributes.map(|(name, value)| (name.to_owned(), value)).into();
            if is_unusable {
                unusable.insert(attributes.clone());
            }
            let row = row_of(&mut rows, attributes);
            let columns = if twin { &mut row.again } else { &mut row.values };
            for (column, value) in values {
                let blocks: &mut BTreeMap<u32, f64> = columns.entry(column).or_default();
                blocks.entry(trial.block).or_insert(value);
            }
            if let (Some(reference_ns), false) = (reference_ns, twin) {
                row.reference_ns.entry(trial.block).or_insert(reference_ns);
            }
        };
        let kinds = measure.operations.iter();
        add(
            &trial.workload.name,
            ops,
            columns(
                measure.duration_ns,
                measure.throughput_per_second(),
                kinds.map(|(kind, operation)| (kind.as_str(), operation.known_latency())),
            ),
            readings.as_ref().and_then(|readings| readings.ns(trial)),
        );
        if let (Some(load), true) = (&trial.load, first == Some(&trial.workload.name)) {
            let inserts = std::iter::once(("insert", load.inserts.known_latency()));
            let values = columns(load.duration_ns, load.throughput_per_second(), inserts);
            add("load", records, values, None);
        }
    }
    let usable = rows
        .iter()
        .filter(|row| !unusable.contains(&row.attributes))
        .cloned()
        .collect();
    (Measurements { rows }, Measurements { rows: usable })
}

/// The columns of a phase.
fn columns<'a>(
    duration_ns: u64,
    throughput: Option<f64>,
    kinds: impl Iterator<Item = (&'a str, KnownLatency<'a>)>,
) -> BTreeMap<String, f64> {
    let run_time = [
        (PrintedQuantity::Seconds, duration_ns as f64 / 1e9),
        (PrintedQuantity::Milliseconds, duration_ns as f64 / 1e6),
    ];
    let throughput = throughput.map(|throughput| (PrintedQuantity::Throughput, throughput));
    let latencies = kinds.filter_map(|(kind, latency)| {
        let kind = OperationKind::from_name(kind)?;
        Some((PrintedQuantity::MeanLatency(kind), latency.mean_ns()? / 1e3))
    });
    let values = run_time.into_iter().chain(throughput).chain(latencies);
    values
        .map(|(quantity, value)| (quantity.column(), value))
        .collect()
}

/// The row of these attributes, a new one where there is none.
fn row_of(rows: &mut Vec<Row>, attributes: BTreeMap<String, String>) -> &mut Row {
    let index = rows.iter().position(|row| row.attributes == attributes);
    let index = index.unwrap_or_else(|| {
        rows.push(Row {
            attributes,
            ..Row::default()
        });
        rows.len() - 1
    });
    &mut rows[index]
}

fn claims(
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
        let text = claim.again.as_deref().or(claim.predicate.as_deref());
        let predicate = text.and_then(|text| predicate::parse(text).ok());
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
        };
        match &predicate {
            None => rows.push(unjudged(ClaimVerdict::NotTested, Vec::new())),
            Some(_) if !refusals.is_empty() => {
                rows.push(unjudged(ClaimVerdict::NotComparable, refusals.to_vec()));
            }
            Some(predicate) => {
                for (assuming, measured) in by_assumption(predicate, rerun, measured) {
                    let judged = evaluate(predicate, &measured);
                    rows.push(ClaimRow {
                        assuming,
                        at_usual_speed: !judged.at_usual_speed.is_empty(),
                        ..unjudged(judged.verdict.word(), evidence(&judged))
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
    let follows = !matches!(rerun.operations, dbdyno_paper::Operations::Counts(_));
    let silent = ["records", "ops"]
        .into_iter()
        .filter(|attribute| !follows && !predicate.asks_about(attribute));
    let mut parts = vec![(String::new(), measured.clone())];
    for attribute in silent {
        let levels: BTreeSet<u64> = measured
            .rows
            .iter()
            .filter(|row| {
                row.attributes
                    .get("workload")
                    .is_some_and(|workload| workload != "load")
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
                        attribute == "ops"
                            && row.attributes.get("workload").is_some_and(|name| name == "load")
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
    if let MeasuredVerdict::NotComparable { reasons } = &judged.verdict {
        return reasons.clone();
    }
    let word = |case: &Case| match case.shown {
        Some(true) => "shown",
        Some(false) => "against",
        None if case.close => "close",
        None => "open",
    };
    let cases = &judged.cases;
    let count = |wanted: &str| cases.iter().filter(|case| word(case) == wanted).count();
    let mut evidence = vec![format!(
        "{} of {} shown, {} against, {} close, {} open",
        count("shown"),
        number::plural(cases.len(), "comparison", "comparisons"),
        count("against"),
        count("close"),
        count("open")
    )];
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

fn sides(paper: &Paper, rerun: &Rerun, measured: &Measurements) -> Vec<Side> {
    let printed: Vec<PrintedNumber> = dbdyno_paper::numbers(paper)
        .into_iter()
        .filter(|number| {
            let topology = number.attributes.get("topology");
            topology.is_none_or(|topology| *topology == rerun.topology)
        })
        .collect();
    let columns: BTreeSet<(&str, &str)> = printed
        .iter()
        .filter_map(|number| {
            Some((
                number.attributes.get("workload")?.as_str(),
                number.column.as_str(),
            ))
        })
        .collect();
    let sides = columns.into_iter().filter_map(|(workload, column)| {
        let quantity = PrintedQuantity::of_column(column)?;
        let of_side = |attributes: &BTreeMap<String, String>| {
            attributes.get("workload").is_some_and(|name| name == workload)
        };
        let printed: Vec<&PrintedNumber> = printed
            .iter()
            .filter(|number| number.column == column && of_side(&number.attributes))
            .collect();
        // What the paper's sizes are of: its own attribute, the one that has numbers.
        let size = ["records", "ops"].into_iter().find(|size| {
            printed.iter().any(|number| {
                number
                    .attributes
                    .get(*size)
                    .is_some_and(|size| size.parse::<u64>().is_ok())
            })
        })?;
        let systems: Vec<SideSystem> = rerun
            .systems
            .iter()
            .map(|system| {
                let of = |attributes: &BTreeMap<String, String>| {
                    of_side(attributes) && attributes.get("system").is_some_and(|name| *name == system.id)
                };
                let mut points: BTreeMap<u64, SidePoint> = BTreeMap::new();
                for number in printed.iter().filter(|number| of(&number.attributes)) {
                    if let Some(at) = number.attributes.get(size).and_then(|size| size.parse().ok()) {
                        point(&mut points, at).printed = Some(number.value);
                    }
                }
                for row in measured.rows.iter().filter(|row| of(&row.attributes)) {
                    let at = row.attributes.get(size).and_then(|size| size.parse().ok());
                    let sample = row
                        .values
                        .get(column)
                        .map(|blocks| blocks.values().copied().collect());
                    if let (Some(at), Some(Ok(sample))) = (at, sample.map(Sample::new)) {
                        let estimate = dbdyno_stats::estimate(&sample);
                        let point = point(&mut points, at);
                        point.measured = Some(estimate.median);
                        point.interval = estimate.interval;
                        point.trials = estimate.n;
                    }
                }
                SideSystem {
                    name: system.id.clone(),
                    points: points.into_values().collect(),
                }
            })
            .collect();
        let size = if size == "ops" { "operations" } else { size };
        let measured_too = systems
            .iter()
            .any(|system| system.points.iter().any(|point| point.measured.is_some()));
        measured_too.then(|| Side {
            workload: workload.to_owned(),
            quantity,
            size: size.to_owned(),
            systems,
        })
    });
    sides.collect()
}

fn point(points: &mut BTreeMap<u64, SidePoint>, size: u64) -> &mut SidePoint {
    points.entry(size).or_insert(SidePoint {
        size,
        printed: None,
        measured: None,
        interval: None,
        trials: 0,
    })
}

impl PaperReport {
    /// What claims about latency rest on; `None` without such a claim. A paper's claim is judged as its authors measured it, where
    /// a report's own verdict would be "not comparable".
    #[must_use]
    pub fn closed_loop_note(&self) -> Option<String> {
        let claims: Vec<String> = self
            .claims
            .iter()
            .filter(|claim| claim.closed_loop_latency)
            .map(ClaimRow::name)
            .collect();
        (!claims.is_empty()).then(|| {
            format!(
                "{} {} judged as the authors measured it: latency in a closed loop, with each system at its own \
                 throughput.",
                number::list(&claims),
                number::agreeing(&claims.len(), "is", "are")
            )
        })
    }

    /// That sizes were measured at different times, and how they are compared nevertheless; `None` without such a claim.
    #[must_use]
    pub fn usual_speed_note(&self) -> Option<String> {
        let adjusted = self.claims.iter().filter(|claim| claim.at_usual_speed);
        let claims: Vec<String> = adjusted.map(ClaimRow::name).collect();
        (!claims.is_empty()).then(|| {
            format!(
                "{} {} sizes that were measured at different times; their values are adjusted to the machine's usual speed.",
                number::list(&claims),
                number::agreeing(&claims.len(), "compares", "compare")
            )
        })
    }
}

impl ClaimRow {
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

impl Side {
    /// How many times the second system's number the first one's is, at one size: printed and measured. Sizes differ between the
    /// paper and a run of another scale, and ratios can be compared all the same.
    #[must_use]
    pub fn ratios(&self, size: u64) -> [Option<f64>; 2] {
        let at = |system: usize| {
            let points = &self.systems.get(system)?.points;
            points.iter().find(|point| point.size == size)
        };
        let of = |value: fn(&SidePoint) -> Option<f64>| Some(value(at(0)?)? / value(at(1)?)?);
        [of(|point| point.printed), of(|point| point.measured)]
    }

    /// All sizes, ascending.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        let sizes: BTreeSet<u64> = self
            .systems
            .iter()
            .flat_map(|system| system.points.iter().map(|point| point.size))
            .collect();
        sizes.into_iter().collect()
    }
}
