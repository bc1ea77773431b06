//! The keys of a study file that make it a search for a capacity or a sweep.

use std::ops::Range;

use dbdyno_files::values::{self, Text};
use dbdyno_files::{List, Mistake, Mistakes, Placed, StudyFile};
use dbdyno_record::Objective;
use dbdyno_record::study::{Capacity, Kind, Steps, Sweep};
use dbdyno_stats::capacity;
use dbdyno_vocabulary::{Expectation, Subject};

use super::defaults::{DEFAULT_CLIENTS, DEFAULT_TRIALS};
use super::rates::RateKeys;
use crate::file::definition::{Rate, WorkloadChoice};
use crate::file::workloads;

const SLO_HELP: &str =
    "write an objective as for --expect: slo = \"p99(read)<10ms\", or a list of such texts";

/// The kind, and the levels of clients and rates that remain factors: steps at rising load are none.
type Levels = (Kind, Vec<u32>, Vec<Rate>);

/// The keys of a file about its kind.
pub(crate) struct KindKeys {
    kind: values::Kind,
    /// The expectations that must hold, and where they stand.
    slo: Vec<Placed<Expectation>>,
    step: f64,
}

impl KindKeys {
    pub(crate) fn read(file: &StudyFile) -> Result<Self, Vec<Mistake>> {
        let kind = of(file);
        let mut mistakes = Mistakes::default();
        match (kind, file.slo.0.first()) {
            (values::Kind::Capacity, None) => mistakes.add(Mistake::new(
                0..0,
                "a study of kind \"capacity\" needs an objective: `slo` is missing",
                SLO_HELP,
            )),
            (values::Kind::Comparison, Some(slo)) => mistakes.add(not_for("slo", slo.span.clone())),
            _ => {}
        }
        if let Some(step) = file.step.as_ref().filter(|_| kind != values::Kind::Capacity) {
            mistakes.add(not_for("step", step.span.clone()));
        }
        let slo = expectations(&file.slo)
            .filter_map(|slo| mistakes.keep(slo))
            .collect();
        mistakes.or(Some(Self {
            kind,
            slo,
            step: file.step.as_ref().map_or(capacity::STEP, |step| step.value.0),
        }))
    }

    /// The objectives about operations that a workload never does: they would be missed at every rate.
    pub(crate) fn refused<'a>(
        &'a self,
        workloads: &'a [WorkloadChoice],
    ) -> impl Iterator<Item = Mistake> + 'a {
        let of_one = move |slo: &Placed<Expectation>| {
            let why = match slo.value.metric().subject() {
                Subject::All => None,
                Subject::Load => Some("refers to the load phase, which has no rate".to_owned()),
                Subject::Kind(kind) => {
                    let lacks = |choice: &&WorkloadChoice| {
                        workloads::resolve(&choice.properties, choice.records)
                            .is_ok_and(|resolved| !resolved.specification.mix.has(kind))
                    };
                    workloads.iter().find(lacks).map(|choice| {
                        format!(
                            "refers to operations that workload `{}` does not contain",
                            choice.name
                        )
                    })
                }
            }?;
            Some(Mistake::new(
                slo.span.clone(),
                format!("`{}` {why}", slo.value.text),
                "name an operation of the measured phase, or none for all operations",
            ))
        };
        self.slo.iter().filter_map(of_one)
    }

    /// The kind, and the levels of clients and rates that remain factors.
    pub(crate) fn resolve(
        self,
        (clients, clients_place): (Vec<u32>, &Range<usize>),
        keys: RateKeys,
        choices: &mut [WorkloadChoice],
    ) -> Result<Levels, Vec<Mistake>> {
        if self.kind == values::Kind::Comparison {
            return Ok((Kind::Comparison, clients, keys.levels(choices)));
        }
        let mut mistakes = Mistakes::default();
        let (rates, rates_place) = mistakes.keep(keys.of_steps(choices)).unwrap_or_default();
        let expectations: Vec<Expectation> = self.slo.into_iter().map(|slo| slo.value).collect();
        let objective = (!expectations.is_empty()).then_some(Objective { expectations });
        let is_list = clients.len() > 1;
        let one_number = || {
            if is_list {
                return Err(Mistake::new(
                    clients_place.clone(),
                    format!(
                        "`clients` is a list, but this study of kind \"{}\" uses rates",
                        self.kind.word()
                    ),
                    "set one number of clients, or omit `clients` to let a pilot choose it",
                ));
            }
            Ok(clients.first().copied())
        };
        let (kind, one) = match self.kind {
            values::Kind::Capacity => {
                if !rates.is_empty() {
                    mistakes.add(Mistake::new(
                        rates_place,
                        "a study of kind \"capacity\" finds its rates itself",
                        "omit `rates`, or set kind = \"sweep\"",
                    ));
                }
                let one = mistakes.keep(one_number()).flatten();
                let objective = objective.ok_or_else(|| Mistake::new(0..0, "`slo` is missing", SLO_HELP));
                let capacity = mistakes.keep(objective).map(|objective| Capacity {
                    objective,
                    step: self.step,
                    clients: one,
                });
                (capacity.map(Kind::Capacity), one)
            }
            _ => {
                let (steps, one) = if !rates.is_empty() {
                    let stated: Option<Vec<f64>> = rates.iter().map(|rate| rate.per_second()).collect();
                    let stated = stated.ok_or_else(|| {
                        Mistake::new(
                            rates_place,
                            "a step of a ladder cannot be \"unlimited\" or \"common\"",
                            "write numbers, or omit `rates` to use tenths of the closed-loop throughput",
                        )
                    });
                    let one = mistakes.keep(one_number()).flatten();
                    (mistakes.keep(stated).map(Steps::Rates), one)
                } else if is_list {
                    (Some(Steps::Clients(clients.clone())), None)
                } else {
                    (Some(Steps::Automatic), mistakes.keep(one_number()).flatten())
                };
                let sweep = steps.map(|steps| Sweep {
                    steps,
                    clients: one,
                    objective,
                });
                (sweep.map(Kind::Sweep), one)
            }
        };
        mistakes.or(kind.map(|kind| (kind, vec![one.unwrap_or(DEFAULT_CLIENTS)], vec![Rate::Unlimited])))
    }
}

/// The kind of study that the file asks for; without the key, a comparison.
pub(crate) fn of(file: &StudyFile) -> values::Kind {
    let stated = file.kind.as_ref();
    stated.map_or(values::Kind::Comparison, |kind| kind.value)
}

/// Trials of a cell, of a confirmed rate, of a step.
pub(crate) fn default_trials(kind: values::Kind) -> u32 {
    if kind == values::Kind::Comparison {
        DEFAULT_TRIALS
    } else {
        capacity::TRIALS
    }
}

fn not_for(key: &str, span: Range<usize>) -> Mistake {
    let kinds = if key == "step" {
        "kind = \"capacity\""
    } else {
        "kind = \"capacity\" or \"sweep\""
    };
    Mistake::new(
        span,
        format!("`{key}` has no effect in a study of this kind"),
        format!("add {kinds}, or omit it"),
    )
}

/// Each expectation of an objective by itself.
pub(super) fn expectations(texts: &List<Text>) -> impl Iterator<Item = Result<Placed<Expectation>, Mistake>> {
    texts
        .0
        .iter()
        .map(|text| match Expectation::parse(&text.value.0) {
            Ok(value) => Ok(Placed {
                span: text.span.clone(),
                value,
            }),
            Err(error) => Err(Mistake::new(
                text.span.clone(),
                format!("`{}`: {}", text.value.0, error.message),
                error.help,
            )),
        })
}
