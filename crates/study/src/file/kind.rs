//! The keys of a study file that make it a search for a capacity or a ladder of load.

use std::ops::Range;

use dbdyno_files::values::{self, Text};
use dbdyno_files::{List, Mistake, Placed, StudyFile};
use dbdyno_record::Objective;
use dbdyno_stats::capacity;
use dbdyno_vocabulary::{Expectation, Subject};

use super::defaults::{DEFAULT_CLIENTS, DEFAULT_TRIALS};
use super::rates::RateKeys;
use crate::file::definition::{Rate, WorkloadChoice};
use crate::file::workloads;
use crate::run::ladder::{Capacity, Kind, Steps, Sweep};

const SLO_HELP: &str =
    "write an objective as for --expect: slo = \"p99(read)<10ms\", or a list of such texts";

/// Levels of a factor that became a ladder: clients, rates.
type Levels = (Kind, Vec<u32>, Vec<Rate>);

/// What the file states about its kind.
pub(crate) struct KindKeys {
    kind: values::Kind,
    /// What must hold, and where it stands.
    slo: Vec<Placed<Expectation>>,
    step: f64,
}

impl KindKeys {
    pub(crate) fn read(file: &StudyFile) -> Result<Self, Mistake> {
        let kind = file
            .kind
            .as_ref()
            .map_or(values::Kind::Comparison, |kind| kind.value);
        match (kind, file.slo.0.first(), &file.step) {
            (values::Kind::Capacity, None, _) => Err(Mistake::new(
                0..0,
                "a study of kind \"capacity\" needs an objective: `slo` is missing",
                SLO_HELP,
            )),
            (values::Kind::Comparison, Some(slo), _) => Err(not_for("slo", slo.span.clone())),
            (values::Kind::Comparison | values::Kind::Sweep, _, Some(step)) => {
                Err(not_for("step", step.span.clone()))
            }
            _ => Ok(Self {
                kind,
                slo: expectations(&file.slo).collect::<Result<_, _>>()?,
                step: file.step.as_ref().map_or(capacity::STEP, |step| step.value.0),
            }),
        }
    }

    /// Trials of a cell, of a confirmed rate, of a step.
    pub(crate) fn default_trials(&self) -> u32 {
        if self.kind == values::Kind::Comparison {
            DEFAULT_TRIALS
        } else {
            capacity::TRIALS
        }
    }

    /// Whether rates are asked for that the file does not name.
    pub(crate) fn finds_rates(&self) -> bool {
        self.kind != values::Kind::Comparison
    }

    /// Refuses an objective about operations that a workload never does: it would be missed at every rate.
    pub(crate) fn check(&self, workloads: &[WorkloadChoice]) -> Result<(), Mistake> {
        for slo in &self.slo {
            let refuse = |why: String| {
                Err(Mistake::new(
                    slo.span.clone(),
                    why,
                    "name an operation of the measured phase, or none for all operations",
                ))
            };
            let kind = match slo.value.metric().subject() {
                Subject::All => continue,
                Subject::Load => {
                    return refuse(format!(
                        "`{}` refers to the load phase, which has no rate",
                        slo.value.text
                    ));
                }
                Subject::Kind(kind) => kind,
            };
            for choice in workloads {
                let Ok(resolved) = workloads::resolve(&choice.properties, choice.records) else {
                    continue;
                };
                let mix = &resolved.specification.mix;
                if !mix.has(kind) {
                    return refuse(format!(
                        "`{}` refers to operations that workload `{}` does not contain",
                        slo.value.text, choice.name
                    ));
                }
            }
        }
        Ok(())
    }

    /// The kind, and the levels of clients and rates that remain factors.
    pub(crate) fn resolve(
        self,
        (clients, clients_place): (Vec<u32>, &Range<usize>),
        keys: RateKeys,
        choices: &mut [WorkloadChoice],
    ) -> Result<Levels, Mistake> {
        if self.kind == values::Kind::Comparison {
            return Ok((Kind::Comparison, clients, keys.levels(choices)));
        }
        let (rates, rates_place) = keys.of_ladder(choices)?;
        let one_number = || {
            if clients.len() > 1 {
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
        let expectations: Vec<Expectation> = self.slo.into_iter().map(|slo| slo.value).collect();
        let objective = (!expectations.is_empty()).then_some(Objective { expectations });
        let (kind, one) = match self.kind {
            values::Kind::Capacity => {
                if !rates.is_empty() {
                    return Err(Mistake::new(
                        rates_place,
                        "a study of kind \"capacity\" finds its rates itself",
                        "omit `rates`, or set kind = \"sweep\"",
                    ));
                }
                let one = one_number()?;
                let capacity = Capacity {
                    objective: objective.ok_or_else(|| Mistake::new(0..0, "`slo` is missing", SLO_HELP))?,
                    step: self.step,
                    clients: one,
                };
                (Kind::Capacity(capacity), one)
            }
            _ => {
                let (steps, one) = if !rates.is_empty() {
                    let Some(rates) = rates
                        .iter()
                        .map(|rate| rate.per_second())
                        .collect::<Option<Vec<f64>>>()
                    else {
                        return Err(Mistake::new(
                            rates_place,
                            "a step of a ladder cannot be \"unlimited\" or \"common\"",
                            "write numbers, or omit `rates` to use tenths of the closed-loop throughput",
                        ));
                    };
                    (Steps::Rates(rates), one_number()?)
                } else if clients.len() > 1 {
                    (Steps::Clients(clients.clone()), None)
                } else {
                    (Steps::Automatic, one_number()?)
                };
                let sweep = Sweep {
                    steps,
                    clients: one,
                    objective,
                };
                (Kind::Sweep(sweep), one)
            }
        };
        Ok((kind, vec![one.unwrap_or(DEFAULT_CLIENTS)], vec![Rate::Unlimited]))
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
